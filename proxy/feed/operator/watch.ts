// From what is watched to documents: one value, one per group, or one per row. The first time that a watch settles, what
// is there is initial; from then on it tells of changes.

import { isOrderOfGroups } from '../../../rewrite/diff.ts';
import type { Live } from '../../../rewrite/live.ts';
import { equalDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { type Emit, SCALAR_KEY, sameSide } from '../documents.ts';
import { type OutputChange, outputDocuments } from '../output-documents.ts';
import type { Graph } from './graph.ts';
import { type GroupSink, type LiveValue, type Operator, shown } from './operator.ts';
import type { OutputSink } from './reduced-outputs.ts';
import { RowWatch } from './row-watch.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** Builds the watch of a live query on a graph. It is to settle after the graph has. `initial`: show what is there at first. */
export function watch(graph: Graph, watched: Live['watched'], initial: boolean, emit: Emit): Operator {
  switch (watched.kind) {
    case 'aggregate':
    case 'expression':
      return new ValueWatch(graph.value(watched), initial, emit);
    case 'grouped': {
      const operator = graph.groups(watched);
      const groups = new GroupsWatch(operator.whole, initial, emit);
      operator.sinks.push(groups);
      return groups;
    }
    case 'reduced': {
      const outputs = new OutputsWatch(watched.grouped, initial, emit);
      graph.reduced(watched).sinks.push(outputs);
      return outputs;
    }
    case 'distinct':
    case 'ungroup':
    case 'top':
    case 'flat':
    case 'listed': {
      const rows = new RowWatch(emit, isOrderOfGroups(watched), initial);
      graph.rows(watched).sinks.push(rows);
      return rows;
    }
  }
}

const THE_VALUE = { of: 'value', key: SCALAR_KEY, group: undefined } as const;

class ValueWatch implements Operator {
  readonly #value: LiveValue;
  readonly #initial: boolean;
  readonly #emit: Emit;
  #seen = -1;
  #shown: Datum = null;

  constructor(value: LiveValue, initial: boolean, emit: Emit) {
    this.#value = value;
    this.#initial = initial;
    this.#emit = emit;
  }

  settle(): void {
    const { value, version } = this.#value;
    if (version === this.#seen) return;
    const first = this.#seen === -1;
    this.#seen = version;
    const old = this.#shown;
    const now = shown(value);
    this.#shown = now;
    if (first) {
      if (this.#initial) this.#emit({ kind: 'initial', ...THE_VALUE, now });
    } else if (!equalDatums(old, now)) {
      this.#emit({ kind: 'change', ...THE_VALUE, old, now });
    }
  }
}

class GroupsWatch implements Operator, GroupSink {
  readonly #whole: WholeAnswer;
  readonly #initial: boolean;
  readonly #emit: Emit;
  /** What was shown in the place of the groups. */
  #shown: Datum = null;
  #ready = false;

  constructor(whole: WholeAnswer, initial: boolean, emit: Emit) {
    this.#whole = whole;
    this.#initial = initial;
    this.#emit = emit;
  }

  settle(): void {
    const old = this.#shown;
    const now = this.#whole.value;
    this.#shown = now;
    if (!equalDatums(old, now)) {
      if (this.#ready) this.#emit({ kind: 'change', ...THE_VALUE, old, now });
      else if (this.#initial) this.#emit({ kind: 'initial', ...THE_VALUE, now });
    }
    this.#ready = true;
  }

  group(key: string, group: Datum, old: Datum | undefined, now: Datum | undefined): void {
    if (sameSide(old, now)) return;
    if (this.#ready) this.#emit({ kind: 'change', of: 'group', key, group, old, now });
    else if (this.#initial && now !== undefined) this.#emit({ kind: 'initial', of: 'group', key, group, now });
  }
}

class OutputsWatch implements Operator, OutputSink {
  readonly #grouped: boolean;
  readonly #initial: boolean;
  readonly #emit: Emit;
  #ready = false;

  constructor(grouped: boolean, initial: boolean, emit: Emit) {
    this.#grouped = grouped;
    this.#initial = initial;
    this.#emit = emit;
  }

  settle(): void {
    this.#ready = true;
  }

  outputs(key: string, group: Datum, changes: readonly OutputChange[]): void {
    if (!this.#ready && !this.#initial) return;
    const owner = { key, group: this.#grouped ? group : undefined };
    for (const document of outputDocuments(owner, changes, !this.#ready)) this.#emit(document);
  }
}
