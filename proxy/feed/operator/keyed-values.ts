// The rows of a table by the key that they are looked up by: each key that somebody has asked for has a value, which is folded of its
// rows, and kept while somebody looks it up.

import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { JoinKeys } from '../../../rewrite/live.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import { type Gauge, GaugePart, hashBytes } from './gauge.ts';
import { Failure, type GroupMember, pairOf } from './groups.ts';
import { type ElementSink, sameValue } from './operator.ts';
import { RowChanges } from './row-changes.ts';
import { elementsOf } from './row-elements.ts';
import type { Steps } from './steps.ts';

/** The settings of a look-up by a key of each row. */
export interface KeyedSettings {
  readonly kind: 'keyed';
  /** A function of the row and of what was looked up before. */
  readonly key: PureFunction;
  readonly keys: JoinKeys;
  /** Whether a row without a key finds what there is of no rows, rather than an error. */
  readonly missingIsNone: boolean;
  /** The elements of a right row. */
  readonly each: PureFunction;
  /** What one group folds; `gauge` counts what it keeps. */
  makeMember(gauge: Gauge): GroupMember;
}

/** A value, or what is raised where it is read. */
export type Found = Datum | ReqlError;

/** The rows of a key, and who looks them up. */
export interface FoundGroup<Finder> {
  readonly hash: HashKey;
  readonly key: Datum;
  readonly finders: Set<Finder>;
  readonly changes: RowChanges;
  /** Absent while there are no rows, and where one cannot be folded. */
  member: Member | undefined;
  /** `undefined` before it was folded. */
  value: Found | undefined;
}

/** What folds a group, and what it keeps. */
interface Member {
  readonly folds: GroupMember;
  readonly gauge: GaugePart;
}

/** What a group that is found takes, and a row beside itself and its key. */
const GROUP = 320;
const ROW = 48;

/** The rows of one look-up. `Finder`: whoever looks them up. */
export class KeyedValues<Finder> implements ElementSink {
  readonly settings: KeyedSettings;
  readonly #gauge: Gauge;
  readonly #rows = new Arrangement(true);
  readonly #groups = new Map<HashKey, FoundGroup<Finder>>();
  readonly #touched = new Set<FoundGroup<Finder>>();
  #none: Found | undefined;

  constructor(settings: KeyedSettings, gauge: Gauge) {
    this.settings = settings;
    this.#gauge = gauge;
  }

  get isTouched(): boolean {
    return this.#touched.size > 0;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) this.#change(element, -1);
    for (const element of come) this.#change(element, 1);
  }

  #change(element: Datum, by: 1 | -1): void {
    const pair = pairOf(element);
    const key = pair[0];
    const row = pair[1];
    const isOther = by > 0 ? this.#rows.add(key, row) === 1 : this.#rows.remove(key, row) === 0;
    if (isOther) this.#gauge.add(by, row, ROW + datumBytes(key));
    const group = this.#groups.get(hashKey(key));
    if (group === undefined) return;
    group.changes.add(row, by);
    this.#touched.add(group);
  }

  /** Folds what has changed; `dirty` takes the finders whose value differs. */
  *settle(dirty: Set<Finder>, first: Turn): Steps {
    let turn = first;
    for (const group of this.#touched) {
      const before = group.value;
      turn = yield* this.#fold(group, turn);
      if (before !== undefined && group.value !== undefined && sameValue(before, group.value)) continue;
      for (const finder of group.finders) dirty.add(finder);
      turn = yield;
    }
    this.#touched.clear();
  }

  /** The group of a key, for a finder that looks it up. */
  *find(key: Datum, finder: Finder, turn: Turn): Generator<void, FoundGroup<Finder>, Turn> {
    const hash = hashKey(key);
    let group = this.#groups.get(hash);
    if (group === undefined) {
      group = { hash, key, finders: new Set(), changes: new RowChanges(), member: undefined, value: undefined };
      this.#groups.set(hash, group);
      this.#gauge.count(0, GROUP + hashBytes(hash));
    }
    group.finders.add(finder);
    if (group.value === undefined) yield* this.#fold(group, turn);
    return group;
  }

  /** A finder looks the key up no more. */
  leave(group: FoundGroup<Finder>, finder: Finder): void {
    group.finders.delete(finder);
    if (group.finders.size > 0) return;
    this.#drop(group);
    this.#groups.delete(group.hash);
    this.#touched.delete(group);
    this.#gauge.count(0, -GROUP - hashBytes(group.hash));
  }

  /** What there is of no rows. */
  get none(): Found {
    if (this.#none === undefined) {
      const member = this.#member();
      member.folds.settle(WHOLE_TURN);
      this.#none = foundOf(member);
      closed(member);
    }
    return this.#none;
  }

  *#fold(group: FoundGroup<Finder>, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    const { member } = group;
    try {
      if (member === undefined) turn = yield* this.#build(group, turn);
      else {
        for (const { row, count } of ordered(group.changes)) {
          turn = yield* this.#apply(member.folds, row, count, turn);
          turn = yield;
        }
        if (this.#rows.firstOf(group.key) === undefined) this.#drop(group);
      }
      group.changes.clear();
      const folded = group.member;
      if (folded === undefined) {
        group.value = this.none;
        return turn;
      }
      while (!folded.folds.settle(turn)) turn = yield;
      group.value = foundOf(folded);
    } catch (error) {
      if (!(error instanceof ReqlError)) throw error;
      // It is folded anew when it has changed again.
      group.changes.clear();
      this.#drop(group);
      group.value = error;
    }
    return turn;
  }

  *#build(group: FoundGroup<Finder>, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    if (this.#rows.firstOf(group.key) === undefined) return turn;
    const member = this.#member();
    group.member = member;
    for (const { row, count } of [...this.#rows.rowsOf(group.key)]) {
      turn = yield* this.#apply(member.folds, row, count, turn);
      turn = yield;
    }
    return turn;
  }

  *#apply(member: GroupMember, row: Datum, count: number, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    const elements = elementsOf(this.settings.each([row]));
    for (let i = Math.abs(count); i > 0; i--) {
      for (const element of elements) {
        if (count > 0) member.apply(element);
        else member.unapply(element);
      }
      if (i > 1) turn = yield;
    }
    return turn;
  }

  #drop(group: FoundGroup<Finder>): void {
    if (group.member !== undefined) closed(group.member);
    group.member = undefined;
  }

  #member(): Member {
    const gauge = new GaugePart(this.#gauge);
    const folds = this.settings.makeMember(gauge);
    gauge.count(0, folds.bytes);
    return { folds, gauge };
  }
}

function closed({ folds, gauge }: Member): void {
  folds.close();
  gauge.clear();
}

function foundOf({ folds }: Member): Found {
  const folded = folds.fold();
  return folded instanceof Failure ? folded.error : folded;
}

/** What goes before what comes: nothing is taken back that was never there. */
function ordered(changes: RowChanges): readonly { readonly row: Datum; readonly count: number }[] {
  const all = [...changes];
  return [...all.filter(({ count }) => count < 0), ...all.filter(({ count }) => count > 0)];
}
