// A value per group. Elements are pairs of a group and what the group's value takes; a group is there as long as it has
// elements, and all are while none of them fails for want of something.

import { neverApplied } from '../../../rewrite/aggregates/never-applied.ts';
import { compareDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import { nonExistence, ReqlError } from '../../../rewrite/reql/error.ts';
import { type Gauge, keyBytes } from './gauge.ts';
import { type ElementSink, type GroupSink, isAny, isMissing, type LiveValue, NONE, type Operator } from './operator.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** What one group folds. */
export interface GroupMember {
  apply(element: Datum): void;
  unapply(element: Datum): void;
  /** The group's value now. */
  settle(): Folded;
  /** The group is gone. */
  close(): void;
  /** Bytes that it takes before it keeps anything. */
  readonly bytes: number;
}

/** The value of a group, or what it raises. */
export type Folded = Datum | ReqlError | Failure;

/** What a group raises below a `default` over all groups. */
export class Failure {
  readonly error: ReqlError;
  /** Below which of the `default`s, the innermost being the first; as many as there are above all of them. */
  readonly stage: number;

  constructor(error: ReqlError, stage: number) {
    this.error = error;
    this.stage = stage;
  }
}

interface Group {
  readonly key: string;
  /** The group, as the first of the equal ones. */
  readonly datum: Datum;
  readonly member: GroupMember;
  count: number;
  /** Undefined where it has none. */
  value: Datum | undefined;
  shown: Datum | undefined;
}

/** What groups are made with. */
export interface GroupsSettings {
  makeMember(): GroupMember;
  /** Values from outside that the value of every group depends on. */
  readonly shared: readonly LiveValue[];
  /** While it is above 0 there are no groups. */
  readonly missed: LiveValue | undefined;
  /** What they put in the place of the groups. */
  readonly whole: WholeAnswer;
}

/** A hash of groups, each with a fold of its own. */
export class Groups implements ElementSink, Operator {
  readonly sinks: GroupSink[] = [];
  /** Take one element while there are no groups for want of a value. */
  readonly failingSinks: ElementSink[] = [];
  readonly #settings: GroupsSettings;
  readonly #gauge: Gauge;
  readonly #groups = new Map<string, Group>();
  readonly #touched = new Set<Group>();
  /** The groups that have no value, and why. */
  readonly #failing = new Map<Group, Failure>();
  #failure: Failure | undefined;
  /** The sum of the shared values' versions when the groups last settled. */
  #seen = 0;

  constructor(settings: GroupsSettings, gauge: Gauge) {
    this.#settings = settings;
    this.#gauge = gauge;
  }

  /** What stands for the whole answer where there are no groups. */
  get whole(): WholeAnswer {
    return this.#settings.whole;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const pair of gone) {
      const [datum, element] = pairOf(pair);
      const group = this.#group(datum);
      if (group.count <= 0) throw neverApplied();
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

  /** @throws ReqlError what a group raises other than for want of something, and what stands for the whole answer then */
  settle(): void {
    const { shared, missed } = this.#settings;
    let seen = missed?.version ?? 0;
    for (const value of shared) seen += value.version;
    if (seen !== this.#seen) for (const group of this.#groups.values()) this.#touched.add(group);
    this.#seen = seen;
    for (const group of this.#touched) this.#fold(group);
    const before = this.#failure;
    this.#failure = this.#whyNone();
    this.#settings.whole.take(this.#failure);
    const hidden = this.#failure !== undefined;
    if (hidden !== (before !== undefined)) {
      for (const sink of this.failingSinks) sink.change(hidden ? NONE : [true], hidden ? [true] : NONE);
      for (const group of this.#groups.values()) this.#touched.add(group);
    }
    for (const group of this.#touched) this.#show(group, hidden);
    this.#touched.clear();
  }

  #fold(group: Group): void {
    const folded = group.count > 0 ? group.member.settle() : undefined;
    const failure = folded instanceof ReqlError ? new Failure(folded, this.#settings.whole.stages) : folded;
    if (failure instanceof Failure) this.#failing.set(group, failure);
    else this.#failing.delete(group);
    group.value = failure instanceof Failure ? undefined : failure;
  }

  /** What RethinkDB meets first: it does one term after the other, each for all groups in their order. */
  #whyNone(): Failure | undefined {
    if (isAny(this.#settings.missed)) return MISSED;
    let first: readonly [Group, Failure] | undefined;
    for (const entry of this.#failing) if (first === undefined || isBefore(entry, first)) first = entry;
    if (first !== undefined && !isMissing(first[1].error)) throw first[1].error;
    return first?.[1];
  }

  #show(group: Group, hidden: boolean): void {
    const { key, datum, shown: old, value } = group;
    const now = hidden ? undefined : value;
    group.shown = now;
    if (group.count <= 0) {
      this.#groups.delete(key);
      this.#gauge.add(-1, datum, besideOf(group));
      group.member.close();
    }
    if (old === undefined && now === undefined) return;
    for (const sink of this.sinks) sink.group(key, datum, old, now);
  }

  #group(datum: Datum): Group {
    const key = datumKey(datum);
    let group = this.#groups.get(key);
    if (group === undefined) {
      const member = this.#settings.makeMember();
      group = { key, datum, member, count: 0, value: undefined, shown: undefined };
      this.#groups.set(key, group);
      this.#gauge.add(1, datum, besideOf(group));
    }
    this.#touched.add(group);
    return group;
  }
}

/** A row that misses a field fails before any group does. */
const MISSED = new Failure(nonExistence('No attribute in object.'), 0);

function isBefore([group, failure]: readonly [Group, Failure], [other, than]: readonly [Group, Failure]): boolean {
  if (failure.stage !== than.stage) return failure.stage < than.stage;
  return compareDatums(group.datum, other.datum) < 0;
}

const GROUP = 120;

/** What a group takes beside its datum and what it folds. */
function besideOf({ key, member }: Group): number {
  return GROUP + keyBytes(key) + member.bytes;
}

/** An element of something grouped: the group, and what is in it. */
export function pairOf(pair: Datum): readonly [Datum, Datum] {
  if (isPair(pair)) return pair;
  throw new TypeError('an element of groups is not a pair');
}

function isPair(datum: Datum): datum is readonly [Datum, Datum] {
  return Array.isArray(datum) && datum.length === 2;
}
