// A value per group. Elements are pairs of a group and what the group's value takes; a group is there as long as it has
// elements, and all are while none of them fails for want of something.

import { Multiset } from '../../../rewrite/aggregates/state/multiset.ts';
import { neverApplied } from '../../../rewrite/reductions/never-applied.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey, type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { nonExistence, ReqlError } from '../../../rewrite/reql/error.ts';
import type { Turn } from '../../work/turn.ts';
import { sameSide } from './difference.ts';
import { type Gauge, hashBytes } from './gauge.ts';
import { type ElementSink, type GroupSink, isAny, isMissing, type LiveValue, NONE, type Operator } from './operator.ts';
import { Rest, type Steps } from './steps.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** The fold of one group. */
export interface GroupMember extends Operator {
  apply(element: Datum): void;
  unapply(element: Datum): void;
  /** The group's value, at a settled moment. */
  fold(): Folded;
  /** The group is gone. */
  close(): void;
  /** Bytes that it takes before it keeps anything. */
  readonly bytes: number;
}

/** The value of a group, or what it raises. */
export type Folded = Datum | ReqlError | Failure;

/** The error of a group below a `default` over all groups. */
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
  readonly hash: HashKey;
  /** The group, as the first of the equal ones. */
  readonly datum: Datum;
  readonly member: GroupMember;
  count: number;
  /** Undefined where it has none. */
  value: Datum | undefined;
  /** Why it has no value. */
  failure: Failure | undefined;
  shown: Datum | undefined;
  /** Whether something of it has changed since the groups last settled. */
  isTouched: boolean;
}

/** A group and its value. */
export interface ShownGroup {
  readonly key: string;
  readonly group: Datum;
  readonly value: Datum;
}

/** The settings of groups. */
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
  readonly #groups = new Map<HashKey, Group>();
  /** The groups of which something has changed since they last settled. */
  #touched: Group[] = [];
  /** The group that was looked up last: most changes of a row leave it in its group. */
  #last: Group | undefined;
  /** The groups that have no value, each behind the stage of its failure: in the order in which RethinkDB meets what they raise. */
  readonly #failing = new Multiset();
  readonly #rest = new Rest();
  /** Whether it has settled once. */
  #begun = false;
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
    for (const element of gone) {
      const pair = pairOf(element);
      const group = this.#group(pair[0]);
      if (group.count <= 0) throw neverApplied();
      group.count--;
      group.member.unapply(pair[1]);
    }
    for (const element of come) {
      const pair = pairOf(element);
      const group = this.#group(pair[0]);
      group.count++;
      group.member.apply(pair[1]);
    }
  }

  /** The groups with their values, at a settled moment. */
  *groups(): Iterable<ShownGroup> {
    for (const { datum, shown } of this.#groups.values()) {
      if (shown !== undefined) yield { key: datumKey(datum), group: datum, value: shown };
    }
  }

  /** @throws ReqlError what a group raises other than for want of something, and what stands for the whole answer then */
  settle(turn: Turn): boolean {
    const isAll = !this.#rest.isOpen && this.#isAllTouched();
    if (!isAll && this.#settleFew(turn)) return true;
    return this.#rest.go(turn, (first) => this.#settle(first, isAll));
  }

  /**
   * What most changes of a row are: a group or two, which settle at once, and groups that are shown before and after. Says whether
   * that was all; else the steps begin anew.
   */
  #settleFew(turn: Turn): boolean {
    const touched = this.#touched;
    if (touched.length > FEW || this.#rest.isOpen || this.#failure !== undefined) return false;
    for (const group of touched) if (group.count > 0 && !group.member.settle(turn)) return false;
    for (const group of touched) this.#fold(group);
    if (this.#whyNone() !== undefined) return false;
    for (const group of touched) this.#show(group, false);
    this.#forgetTouched();
    return true;
  }

  *#settle(first: Turn, isAll: boolean): Steps {
    let turn = first;
    const before = this.#failure;
    // One group is one step, so that a change of a row goes through without stopping.
    const isLong = isAll || this.#touched.length > 1;
    for (const group of isAll ? this.#groups.values() : this.#touched) {
      while (group.count > 0 && !group.member.settle(turn)) turn = yield;
      this.#fold(group);
      if (isLong) turn = yield;
    }
    this.#failure = this.#whyNone();
    this.#settings.whole.take(this.#failure);
    const hidden = this.#failure !== undefined;
    const isChanged = hidden !== (before !== undefined);
    if (isChanged) {
      for (const sink of this.failingSinks) sink.change(hidden ? NONE : [true], hidden ? [true] : NONE);
    }
    for (const group of this.#touched) {
      this.#show(group, hidden);
      if (isLong) yield;
    }
    if (isAll || isChanged) {
      for (const group of this.#groups.values()) {
        if (!group.isTouched) this.#show(group, hidden);
        yield;
      }
    }
    this.#begun = true;
    this.#forgetTouched();
  }

  #forgetTouched(): void {
    for (const group of this.#touched) group.isTouched = false;
    this.#touched = [];
  }

  /** Whether something that all groups depend on has changed. At first all are new, and none need be listed. */
  #isAllTouched(): boolean {
    const { shared, missed } = this.#settings;
    let seen = missed?.version ?? 0;
    for (const value of shared) seen += value.version;
    const isOther = seen !== this.#seen;
    this.#seen = seen;
    return isOther || !this.#begun;
  }

  #fold(group: Group): void {
    const folded = group.count > 0 ? group.member.fold() : undefined;
    if (folded instanceof ReqlError) this.#take(group, new Failure(folded, this.#settings.whole.stages), undefined);
    else if (folded instanceof Failure) this.#take(group, folded, undefined);
    else this.#take(group, undefined, folded);
  }

  #take(group: Group, failure: Failure | undefined, value: Datum | undefined): void {
    if (group.failure !== undefined) this.#failing.remove(failingOf(group.failure, group));
    if (failure !== undefined) this.#failing.add(failingOf(failure, group));
    group.failure = failure;
    group.value = value;
  }

  /** What RethinkDB meets first: it does one term after the other, each for all groups in their order. */
  #whyNone(): Failure | undefined {
    if (isAny(this.#settings.missed)) return MISSED;
    const first = this.#firstFailing()?.failure;
    if (first !== undefined && !isMissing(first.error)) throw first.error;
    return first;
  }

  #firstFailing(): Group | undefined {
    const { first } = this.#failing;
    return first === undefined ? undefined : this.#groups.get(hashKey(pairOf(first)[1]));
  }

  #show(group: Group, hidden: boolean): void {
    const { hash, datum, shown: old, value } = group;
    const now = hidden ? undefined : value;
    group.shown = now;
    if (group.count <= 0) {
      this.#groups.delete(hash);
      if (this.#last === group) this.#last = undefined;
      this.#gauge.add(-1, datum, besideOf(group));
      group.member.close();
    }
    if (sameSide(old, now)) return;
    const key = datumKey(datum);
    for (const sink of this.sinks) sink.group(key, datum, old, now);
  }

  #group(datum: Datum): Group {
    const hash = hashKey(datum);
    const last = this.#last;
    const group = last?.hash === hash ? last : (this.#groups.get(hash) ?? this.#made(hash, datum));
    this.#last = group;
    if (this.#begun && !group.isTouched) {
      group.isTouched = true;
      this.#touched.push(group);
    }
    return group;
  }

  #made(hash: HashKey, datum: Datum): Group {
    const member = this.#settings.makeMember();
    const group: Group = {
      hash,
      datum,
      member,
      count: 0,
      value: undefined,
      failure: undefined,
      shown: undefined,
      isTouched: false,
    };
    this.#groups.set(hash, group);
    this.#gauge.add(1, datum, besideOf(group));
    return group;
  }
}

/** A row that misses a field fails before any group does. */
const MISSED = new Failure(nonExistence('No attribute in object.'), 0);

function failingOf({ stage }: Failure, { datum }: Group): Datum {
  return [stage, datum];
}

/** So many groups are done at once, without steps. */
const FEW = 4;

const GROUP = 128;

/** What a group takes beside its datum and what it folds. */
function besideOf({ hash, member }: Group): number {
  return GROUP + hashBytes(hash) + member.bytes;
}

/** An element of something grouped: the group, and what is in it. */
export function pairOf(pair: Datum): readonly [Datum, Datum] {
  if (isPair(pair)) return pair;
  throw new TypeError('an element of groups is not a pair');
}

function isPair(datum: Datum): datum is readonly [Datum, Datum] {
  return Array.isArray(datum) && datum.length === 2;
}
