// Rows beside what is looked up for each of them: values of the rows of other tables that have its key. A row is evaluated again
// when it comes, when a value that it has found differs, and when a value that is one for all rows does.
//
//   left row --key--> group of right rows, folded --value--> function of the row and all values --> elements
//      ^                        |
//      +---- rows that found it +

import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { JoinKeys } from '../../../rewrite/live.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { checkJoinKey } from '../../../rewrite/sources/join-key.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import { computed } from './expressed-value.ts';
import { type Gauge, GaugePart, keyBytes } from './gauge.ts';
import { Failure, type GroupMember, pairOf } from './groups.ts';
import { type ElementSink, isMissing, type LiveValue, NONE, type Operator, sameValue } from './operator.ts';
import { raisedFor } from './raised-for.ts';
import { RowChanges } from './row-changes.ts';
import { elementsOf } from './row-elements.ts';
import { Rest, type Steps } from './steps.ts';

/** The settings of a look-up: by a key of each row, or one value for all rows. */
export type LookupSettings = KeyedSettings | { readonly kind: 'shared'; readonly value: LiveValue };

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
type Found = Datum | ReqlError;

/** A left row, and what it is for each consumer. */
interface Left {
  readonly hash: HashKey;
  readonly row: Datum;
  count: number;
  /** By lookup; `undefined` where it found nothing by key. */
  readonly groups: (Group | undefined)[];
  outputs: readonly (readonly Datum[])[];
  bytes: number;
}

/** The right rows of a key that left rows have looked up. */
interface Group {
  readonly hash: HashKey;
  readonly key: Datum;
  readonly lefts: Set<Left>;
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

/** What a left row takes beside itself, and a group that is found. */
const LEFT = 220;
const GROUP = 320;
/** What a right row takes beside itself and its key. */
const RIGHT = 48;

/** The right rows of one lookup. */
class Keyed implements ElementSink {
  readonly settings: KeyedSettings;
  readonly #gauge: Gauge;
  readonly #rights = new Arrangement(true);
  readonly #groups = new Map<HashKey, Group>();
  readonly #touched = new Set<Group>();
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
    const [key, row] = pairOf(element);
    const isOther = by > 0 ? this.#rights.add(key, row) === 1 : this.#rights.remove(key, row) === 0;
    if (isOther) this.#gauge.add(by, row, RIGHT + datumBytes(key));
    const group = this.#groups.get(hashKey(key));
    if (group === undefined) return;
    group.changes.add(row, by);
    this.#touched.add(group);
  }

  /** Folds what has changed; `dirty` takes the left rows whose value differs. */
  *settle(dirty: Set<Left>, first: Turn): Steps {
    let turn = first;
    for (const group of this.#touched) {
      const before = group.value;
      turn = yield* this.#fold(group, turn);
      if (before !== undefined && group.value !== undefined && sameValue(before, group.value)) continue;
      for (const left of group.lefts) dirty.add(left);
      turn = yield;
    }
    this.#touched.clear();
  }

  /** The group of a key, for a left row that looks it up. */
  *find(key: Datum, left: Left, turn: Turn): Generator<void, Group, Turn> {
    const hash = hashKey(key);
    let group = this.#groups.get(hash);
    if (group === undefined) {
      group = { hash, key, lefts: new Set(), changes: new RowChanges(), member: undefined, value: undefined };
      this.#groups.set(hash, group);
      this.#gauge.count(0, GROUP + bytesOf(hash));
    }
    group.lefts.add(left);
    if (group.value === undefined) yield* this.#fold(group, turn);
    return group;
  }

  /** A left row looks the key up no more. */
  leave(group: Group, left: Left): void {
    group.lefts.delete(left);
    if (group.lefts.size > 0) return;
    this.#drop(group);
    this.#groups.delete(group.hash);
    this.#touched.delete(group);
    this.#gauge.count(0, -GROUP - bytesOf(group.hash));
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

  *#fold(group: Group, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    const { member } = group;
    try {
      if (member === undefined) turn = yield* this.#build(group, turn);
      else {
        for (const { row, count } of ordered(group.changes)) {
          turn = yield* this.#apply(member.folds, row, count, turn);
          turn = yield;
        }
        if (this.#rights.firstOf(group.key) === undefined) this.#drop(group);
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

  *#build(group: Group, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    if (this.#rights.firstOf(group.key) === undefined) return turn;
    const member = this.#member();
    group.member = member;
    for (const { row, count } of [...this.#rights.rowsOf(group.key)]) {
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

  #drop(group: Group): void {
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

type Lookup = Keyed | { readonly kind: 'shared'; readonly value: LiveValue };

/** Left rows with what they found. */
export class LookedUp implements Operator {
  /** Who takes the elements of each consumer. */
  readonly sinks: readonly ElementSink[][];
  readonly left: ElementSink;
  /** Who takes the right rows, by lookup; `undefined` for a value that is one for all rows. */
  readonly rights: readonly (ElementSink | undefined)[];
  readonly #lookups: readonly Lookup[];
  readonly #consumers: readonly PureFunction[];
  readonly #gauge: Gauge;
  readonly #changes = new RowChanges();
  readonly #lefts = new Map<HashKey, Left>();
  readonly #dirty = new Set<Left>();
  readonly #rest = new Rest();
  /** The sum of the versions of the values that are one for all rows. */
  #seen = -1;

  /** `consumers`: the elements of a row, as functions of it and of all that was looked up for it. */
  constructor(lookups: readonly LookupSettings[], consumers: readonly PureFunction[], gauge: Gauge) {
    this.#lookups = lookups.map((lookup) => (lookup.kind === 'keyed' ? new Keyed(lookup, gauge) : lookup));
    this.rights = this.#lookups.map((lookup) => (lookup instanceof Keyed ? lookup : undefined));
    this.#consumers = consumers;
    this.#gauge = gauge;
    this.sinks = consumers.map(() => []);
    this.left = {
      change: (gone, come) => {
        for (const row of gone) this.#changes.add(row, -1);
        for (const row of come) this.#changes.add(row, 1);
      },
    };
  }

  settle(turn: Turn): boolean {
    const isTouched =
      this.#changes.size > 0 ||
      this.#version() !== this.#seen ||
      this.#lookups.some((lookup) => lookup instanceof Keyed && lookup.isTouched);
    return !isTouched && !this.#rest.isOpen ? true : this.#rest.go(turn, (first) => this.#settle(first));
  }

  *#settle(first: Turn): Steps {
    let turn = first;
    for (const { row, count } of this.#changes) {
      if (count < 0) yield* this.#go(row, -count);
      turn = yield;
    }
    for (const lookup of this.#lookups) if (lookup instanceof Keyed) yield* lookup.settle(this.#dirty, turn);
    const seen = this.#version();
    if (seen !== this.#seen) for (const left of this.#lefts.values()) this.#dirty.add(left);
    this.#seen = seen;
    for (const left of this.#dirty) {
      if (left.count > 0) turn = yield* this.#again(left, turn);
      turn = yield;
    }
    this.#dirty.clear();
    for (const { row, count } of this.#changes) {
      if (count > 0) turn = yield* this.#come(row, count, turn);
      turn = yield;
    }
    this.#changes.clear();
  }

  #version(): number {
    let sum = 0;
    for (const lookup of this.#lookups) if (!(lookup instanceof Keyed)) sum += lookup.value.version;
    return sum;
  }

  *#go(row: Datum, count: number): Steps {
    const left = this.#lefts.get(hashKey(row));
    if (left === undefined || left.count < count) throw new TypeError('a row that looks up and was never there');
    left.count -= count;
    yield* this.#tell(left.outputs, undefined, count);
    if (left.count > 0) return;
    this.#lefts.delete(left.hash);
    this.#gauge.add(-1, row, LEFT + bytesOf(left.hash) + left.bytes);
    for (const [at, group] of left.groups.entries()) this.#leave(at, group, left);
  }

  *#come(row: Datum, count: number, turn: Turn): Generator<void, Turn, Turn> {
    const hash = hashKey(row);
    const known = this.#lefts.get(hash);
    if (known !== undefined) {
      known.count += count;
      yield* this.#tell(undefined, known.outputs, count);
      return turn;
    }
    const left: Left = { hash, row, count, groups: [], outputs: [], bytes: 0 };
    const next = yield* this.#evaluate(left, turn);
    this.#lefts.set(hash, left);
    this.#gauge.add(1, row, LEFT + bytesOf(hash));
    yield* this.#tell(undefined, left.outputs, count);
    return next;
  }

  *#again(left: Left, turn: Turn): Generator<void, Turn, Turn> {
    const before = left.outputs;
    const next = yield* this.#evaluate(left, turn);
    yield* this.#tell(before, left.outputs, left.count);
    return next;
  }

  *#evaluate(left: Left, first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    const args: Found[] = [left.row];
    for (const [at, lookup] of this.#lookups.entries()) {
      if (lookup instanceof Keyed) {
        const [found, group] = yield* this.#lookUp(lookup, left, args, turn);
        const before = left.groups[at];
        if (before !== group) this.#leave(at, before, left);
        left.groups[at] = group;
        args.push(found);
        turn = yield;
      } else args.push(lookup.value.value);
    }
    try {
      left.outputs = this.#consumers.map((consumer) => elementsOf(consumer(args)));
    } catch (error) {
      throw raisedFor(error, left.row);
    }
    const bytes = left.outputs.reduce((sum, elements) => sum + datumBytes(elements), 0);
    this.#gauge.count(0, bytes - left.bytes);
    left.bytes = bytes;
    return turn;
  }

  *#lookUp(
    lookup: Keyed,
    left: Left,
    args: readonly Found[],
    turn: Turn,
  ): Generator<void, readonly [Found, Group | undefined], Turn> {
    const { key: keyOf, keys, missingIsNone } = lookup.settings;
    const key = computed((given) => {
      const value = keyOf(given);
      checkJoinKey(value, keys);
      return value;
    }, args);
    if (key instanceof ReqlError) return [missingIsNone && isMissing(key) ? lookup.none : key, undefined];
    const group = yield* lookup.find(key, left, turn);
    return [group.value ?? null, group];
  }

  #leave(at: number, group: Group | undefined, left: Left): void {
    const lookup = this.#lookups[at];
    if (group !== undefined && lookup instanceof Keyed) lookup.leave(group, left);
  }

  *#tell(
    before: readonly (readonly Datum[])[] | undefined,
    after: readonly (readonly Datum[])[] | undefined,
    times: number,
  ): Steps {
    for (const [at, sinks] of this.sinks.entries()) {
      const [gone, come] = [before?.[at] ?? NONE, after?.[at] ?? NONE];
      if (gone.length === 0 && come.length === 0) continue;
      if (before !== undefined && after !== undefined && equalDatums(gone, come)) continue;
      for (let i = times; i > 0; i--) {
        for (const sink of sinks) sink.change(gone, come);
        if (i > 1) yield;
      }
    }
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

function bytesOf(hash: HashKey): number {
  return typeof hash === 'string' ? keyBytes(hash) : keyBytes('');
}
