// From what is watched to documents: one value, one per group, or one per row. The first time that a watch settles, what
// is there is initial; from then on it tells of changes.

import type { Live } from '../../../rewrite/live.ts';
import { equalDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import { type FeedDocument, SCALAR_KEY } from '../documents.ts';
import type { Graph } from './graph.ts';
import { type GroupSink, type LiveValue, type Operator, type RowSink, shown } from './operator.ts';

/** Takes documents as they are made. */
export type Emit = (document: FeedDocument) => void;

/** Builds the watch of a live query on a graph. It is to settle after the graph has. */
export function watch(graph: Graph, watched: Live['watched'], emit: Emit): Operator {
  switch (watched.kind) {
    case 'aggregate':
    case 'expression':
      return new ValueWatch(graph.value(watched), emit);
    case 'grouped': {
      const groups = new GroupsWatch(emit);
      graph.groups(watched).sinks.push(groups);
      return groups;
    }
    default: {
      const rows = new RowsWatch(emit);
      graph.rows(watched).sinks.push(rows);
      return rows;
    }
  }
}

class ValueWatch implements Operator {
  readonly #value: LiveValue;
  readonly #emit: Emit;
  #seen = -1;
  #shown: Datum = null;

  constructor(value: LiveValue, emit: Emit) {
    this.#value = value;
    this.#emit = emit;
  }

  settle(): void {
    const { value, version } = this.#value;
    if (version === this.#seen) return;
    const first = this.#seen === -1;
    this.#seen = version;
    const oldVal = this.#shown;
    const newVal = shown(value);
    this.#shown = newVal;
    if (first) this.#emit({ kind: 'initial', key: SCALAR_KEY, group: undefined, newVal });
    else if (!equalDatums(oldVal, newVal)) {
      this.#emit({ kind: 'change', key: SCALAR_KEY, group: undefined, oldVal, newVal });
    }
  }
}

class GroupsWatch implements Operator, GroupSink {
  readonly #emit: Emit;
  #ready = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  settle(): void {
    this.#ready = true;
  }

  group(key: string, group: Datum, old: Datum | undefined, now: Datum | undefined): void {
    const oldVal = old ?? null;
    const newVal = now ?? null;
    if (equalDatums(oldVal, newVal)) return;
    this.#emit(this.#ready ? { kind: 'change', key, group, oldVal, newVal } : { kind: 'initial', key, group, newVal });
  }
}

interface InitialRow {
  readonly row: Datum;
  readonly key: string | undefined;
  count: number;
}

class RowsWatch implements Operator, RowSink {
  readonly #emit: Emit;
  /** The rows until the watch first settles. */
  #initial: Map<string, InitialRow> | undefined = new Map();

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  settle(): void {
    if (this.#initial === undefined) return;
    for (const { row, key, count } of this.#initial.values()) {
      for (let i = 0; i < count; i++) this.#emit({ kind: 'initial', key, group: undefined, newVal: row });
    }
    this.#initial = undefined;
  }

  row(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    const oldVal = old ?? null;
    const newVal = now ?? null;
    if (this.#initial === undefined) {
      if (!equalDatums(oldVal, newVal)) this.#emit({ kind: 'change', key, group: undefined, oldVal, newVal });
    } else {
      if (oldVal !== null) count(this.#initial, oldVal, key, -1);
      if (newVal !== null) count(this.#initial, newVal, key, 1);
    }
  }
}

function count(rows: Map<string, InitialRow>, row: Datum, key: string | undefined, by: number): void {
  const name = datumKey(row);
  const known = rows.get(name);
  if (known === undefined) rows.set(name, { row, key, count: by });
  else if (known.count + by === 0) rows.delete(name);
  else known.count += by;
}
