// A value per group. Elements are pairs of a group and what the group's value takes; a group is there as long as it has
// elements.

import type { Datum } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { StateGauge } from './gauge.ts';
import { type ElementSink, type GroupSink, isAny, type LiveValue, type Operator, shown } from './operator.ts';

/** What one group folds. */
export interface GroupMember {
  apply(element: Datum): void;
  unapply(element: Datum): void;
  /** The group's value now. */
  settle(): Datum | ReqlError;
}

interface Group {
  readonly key: string;
  /** The group, as the first of the equal ones. */
  readonly datum: Datum;
  readonly member: GroupMember;
  count: number;
  shown: Datum | undefined;
}

/** A hash of groups, each with a fold of its own. */
export class Groups implements ElementSink, Operator {
  readonly sinks: GroupSink[] = [];
  readonly #makeMember: () => GroupMember;
  readonly #shared: readonly LiveValue[];
  readonly #missed: LiveValue | undefined;
  readonly #gauge: StateGauge;
  readonly #groups = new Map<string, Group>();
  readonly #touched = new Set<Group>();
  /** The sum of the shared values' versions when the groups last settled. */
  #seen = 0;

  /**
   * `shared` are values from outside that the value of every group depends on; `missed` is one of them: while it is above 0
   * there are no groups.
   */
  constructor(
    makeMember: () => GroupMember,
    shared: readonly LiveValue[],
    missed: LiveValue | undefined,
    gauge: StateGauge,
  ) {
    this.#makeMember = makeMember;
    this.#shared = missed === undefined ? shared : [...shared, missed];
    this.#missed = missed;
    this.#gauge = gauge;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const pair of gone) {
      const [datum, element] = pairOf(pair);
      const group = this.#group(datum);
      group.count--;
      group.member.unapply(element);
    }
    for (const pair of come) {
      const [datum, element] = pairOf(pair);
      const group = this.#group(datum);
      group.count++;
      group.member.apply(element);
    }
  }

  settle(): void {
    let seen = 0;
    for (const value of this.#shared) seen += value.version;
    if (seen !== this.#seen) for (const group of this.#groups.values()) this.#touched.add(group);
    this.#seen = seen;
    const hidden = isAny(this.#missed);
    for (const group of this.#touched) {
      const { key, datum, shown: old } = group;
      const value = group.count > 0 ? shown(group.member.settle()) : undefined;
      const now = hidden ? undefined : value;
      group.shown = now;
      if (value === undefined) {
        this.#groups.delete(key);
        this.#gauge.add(-1, datum);
      }
      if (old === undefined && now === undefined) continue;
      for (const sink of this.sinks) sink.group(key, datum, old, now);
    }
    this.#touched.clear();
  }

  #group(datum: Datum): Group {
    const key = datumKey(datum);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { key, datum, member: this.#makeMember(), count: 0, shown: undefined };
      this.#groups.set(key, group);
      this.#gauge.add(1, datum);
    }
    this.#touched.add(group);
    return group;
  }
}

/** An element of something grouped: the group, and what is in it. */
export function pairOf(pair: Datum): readonly [Datum, Datum] {
  if (isPair(pair)) return pair;
  throw new TypeError('an element of groups is not a pair');
}

function isPair(datum: Datum): datum is readonly [Datum, Datum] {
  return Array.isArray(datum) && datum.length === 2;
}
