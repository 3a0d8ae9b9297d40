// The outputs of a client's reducer over the values of each group. It is called once for a group that has changed, whatever
// changed in it, and never for one without values.

import { Multiset } from '../../../rewrite/aggregates/state/multiset.ts';
import { type Outputs, readOutputs } from '../../../rewrite/reductions/reducer-outputs.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import type { Turn } from '../../work/turn.ts';
import type { OutputChange } from './difference.ts';
import { type Gauge, keyBytes, TREE_COST } from './gauge.ts';
import { pairOf } from './groups.ts';
import type { ElementSink, Operator } from './operator.ts';
import { Rest, type Steps } from './steps.ts';

/** Takes the outputs of a group that are there more or less often than before. */
export interface OutputSink {
  outputs(key: string, group: Datum, changes: readonly OutputChange[]): void;
}

/** The outputs of one group that are there more or less often. */
export interface GroupOutputs {
  readonly key: string;
  readonly group: Datum;
  readonly changes: readonly OutputChange[];
}

/** The settings of a reducer: its function, and its elements. */
export interface ReducerSettings {
  /** A function of a group and its values. */
  readonly call: PureFunction;
  /** Elements are pairs of group and value; otherwise all are values of one group, which is null. */
  readonly grouped: boolean;
  /** Where errors about its outputs point. */
  readonly origin: Origin | undefined;
}

interface Group {
  readonly key: string;
  readonly datum: Datum;
  readonly values: Multiset;
  outputs: Outputs;
}

const GROUP = 300;

/** What a group takes beside its values and outputs. */
function besideOf(key: string): number {
  return GROUP + TREE_COST.base + keyBytes(key);
}

const NO_OUTPUTS: Outputs = new Map();

/** Groups, each with its values and what the reducer made of them last. */
export class ReducedOutputs implements ElementSink, Operator {
  readonly sinks: OutputSink[] = [];
  readonly #settings: ReducerSettings;
  readonly #gauge: Gauge;
  readonly #groups = new Map<string, Group>();
  /** The groups that are there, and those that have changed, in the order in which they are shown. */
  readonly #order = new Multiset();
  #touched = new Multiset();
  readonly #rest = new Rest();

  constructor(settings: ReducerSettings, gauge: Gauge) {
    this.#settings = settings;
    this.#gauge = gauge;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) {
      const [group, value] = this.#split(element);
      if (this.#touch(group).values.remove(value) === 0) this.#gauge.add(-1, value, TREE_COST.entry);
    }
    for (const element of come) {
      const [group, value] = this.#split(element);
      if (this.#touch(group).values.add(value) === 1) this.#gauge.add(1, value, TREE_COST.entry);
    }
  }

  /** The outputs of each group at a settled moment, as what differs from none. */
  *outputs(): Iterable<GroupOutputs> {
    for (const [datum] of this.#order.entries()) {
      const { key, outputs } = this.#group(datum);
      const changes = difference(NO_OUTPUTS, outputs);
      if (changes.length > 0) yield { key, group: datum, changes };
    }
  }

  /** @throws ReqlError what the reducer raises, and where its outputs are none. */
  settle(turn: Turn): boolean {
    return this.#rest.go(turn, () => this.#settle());
  }

  *#settle(): Steps {
    for (const [datum] of this.#touched.entries()) {
      this.#reduce(this.#group(datum));
      yield;
    }
    this.#touched = new Multiset();
  }

  #reduce(group: Group): void {
    const before = group.outputs;
    group.outputs = this.#outputs(group);
    if (group.values.size === 0) this.#forget(group);
    const changes = difference(before, group.outputs);
    for (const { value, key, before: old, after } of changes) {
      if (old === 0 || after === 0) this.#gauge.add(old === 0 ? 1 : -1, value, keyBytes(key));
    }
    if (changes.length === 0) return;
    for (const sink of this.sinks) sink.outputs(group.key, group.datum, changes);
  }

  #forget({ key, datum }: Group): void {
    this.#groups.delete(key);
    this.#order.remove(datum);
    this.#gauge.add(-1, datum, besideOf(key));
  }

  #outputs({ datum, values }: Group): Outputs {
    if (values.size === 0) return NO_OUTPUTS;
    const counted = [...values.entries()].map(([value, count]) => [value, count]);
    return readOutputs(this.#settings.call([datum, counted]), this.#settings.origin);
  }

  #split(element: Datum): readonly [group: Datum, value: Datum] {
    return this.#settings.grouped ? pairOf(element) : [null, element];
  }

  /** The group that changes. */
  #touch(datum: Datum): Group {
    const group = this.#group(datum);
    this.#touched.add(group.datum);
    return group;
  }

  #group(datum: Datum): Group {
    const key = this.#settings.grouped ? datumKey(datum) : '';
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { key, datum, values: new Multiset(), outputs: NO_OUTPUTS };
    this.#groups.set(key, group);
    this.#order.add(datum);
    this.#gauge.add(1, datum, besideOf(key));
    return group;
  }
}

function difference(before: Outputs, after: Outputs): readonly OutputChange[] {
  const changes: OutputChange[] = [];
  for (const [key, { value, count }] of before) {
    const now = after.get(key)?.count ?? 0;
    if (now !== count) changes.push({ key, value, before: count, after: now });
  }
  for (const [key, { value, count }] of after) {
    if (!before.has(key)) changes.push({ key, value, before: 0, after: count });
  }
  return changes;
}
