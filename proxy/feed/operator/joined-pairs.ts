// The pairs of a left and a right row whose keys are equal. Both sides are kept by their keys. What changed of a key since the last
// settled moment is set off first; then, of the rows that went (L-, R-), stayed (L, R) and came (L+, R+),
//
//   the pairs that go      L- × (R and R-),  L × R-        each was there
//   the pairs that come    L × R+,  L+ × (R and R+)        none was there

import type { JoinKeys } from '../../../rewrite/live.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import { isTrue } from '../../../rewrite/reql/data/data-type.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { checkJoinKey } from '../../../rewrite/sources/join-key.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { Turn } from '../../work/turn.ts';
import type { Gauge } from './gauge.ts';
import { pairOf } from './groups.ts';
import { type Counted, KeyedRows } from './keyed-rows.ts';
import { type ElementSink, isMissing, NONE, type Operator } from './operator.ts';
import { PairSinks } from './pair-sinks.ts';
import { raisedFor } from './raised-for.ts';
import { RowChanges } from './row-changes.ts';
import { elementsOf } from './row-elements.ts';
import { Rest, type Steps } from './steps.ts';

/** The settings of a join: how pairs are made, and what each consumer takes of them. */
export interface PairsSettings {
  readonly keys: JoinKeys;
  readonly condition: PureFunction | undefined;
  readonly consumers: readonly PairElements[];
}

/** The elements of pairs, and of left rows alone where those are there. */
export interface PairElements {
  readonly pair: PureFunction;
  readonly alone: PureFunction | undefined;
  /** It takes nothing where this consumer, one before it, takes something. */
  readonly unless: number | undefined;
}

/** What changed under a key. */
interface Touched {
  readonly key: Datum;
  /** Absent where nothing did on that side. */
  left?: RowChanges;
  right?: RowChanges;
}

/** A row that is kept so many times more under a key. */
interface Kept {
  readonly hash: HashKey;
  readonly key: Datum;
  readonly row: Datum;
  readonly by: number;
}

/** A left row, and the rows with which it was in pairs, and is. Rows that are in both are in neither list. */
interface LeftChange {
  readonly left: Counted;
  readonly gone: readonly Counted[];
  readonly come: readonly Counted[];
  /** All that it was looked at with, and is; `undefined` for a side of time on which the left row is not there. */
  readonly before: readonly Counted[] | undefined;
  readonly after: readonly Counted[] | undefined;
}

/** What a row takes beside itself and its key. */
const KEYED = 48;

/** The pairs of a join, as elements of those who consume it. */
export class JoinedPairs implements Operator {
  readonly left: ElementSink;
  readonly right: ElementSink;
  /** Take one element while rows are compared of which one has no value to compare, or a left row has nothing that can be a key. */
  readonly incomparableSinks: ElementSink[] = [];
  readonly #settings: PairsSettings;
  readonly #sinks: PairSinks;
  readonly #outer: boolean;
  readonly #gauge: Gauge;
  readonly #lefts = new KeyedRows();
  readonly #rights = new KeyedRows();
  readonly #touched = new Map<HashKey, Touched>();
  readonly #rest = new Rest();
  /** How many rows of each side have no key to compare. */
  readonly #keyless = { left: 0, right: 0 };
  /** Left rows without a key came or went: they are in no pair. */
  readonly #loose = new RowChanges();
  /** For how many pairs the condition has no value. */
  #undecided = 0;
  /** How many left rows are looked up by what raises NON_EXISTENCE: an array that holds null. */
  #unkeyed = 0;
  #incomparable = false;
  #begun = false;
  /** What the pair at hand was, and is, for each consumer that has been asked. */
  readonly #was: (readonly Datum[])[] = [];
  readonly #is: (readonly Datum[])[] = [];

  constructor(settings: PairsSettings, gauge: Gauge) {
    this.#settings = settings;
    this.#outer = settings.consumers.some(({ alone }) => alone !== undefined);
    this.#gauge = gauge;
    this.#sinks = new PairSinks(settings.consumers.length);
    this.left = this.#side('left', this.#lefts);
    this.right = this.#side('right', this.#rights);
  }

  /** Who takes the elements of each consumer. */
  get sinks(): PairSinks['of'] {
    return this.#sinks.of;
  }

  settle(turn: Turn): boolean {
    if (this.#begun && !this.#isTouched && !this.#rest.isOpen) return true;
    return this.#rest.go(turn, () => this.#settle());
  }

  get #isTouched(): boolean {
    return this.#touched.size > 0 || this.#loose.size > 0 || this.#incomparable !== this.#isIncomparable;
  }

  get #isIncomparable(): boolean {
    const { left, right } = this.#keyless;
    const isAny = (rows: KeyedRows, keyless: number): boolean => rows.size + keyless > 0;
    return (
      this.#undecided > 0 ||
      this.#unkeyed > 0 ||
      (left > 0 && isAny(this.#rights, right)) ||
      (right > 0 && isAny(this.#lefts, left))
    );
  }

  #side(name: 'left' | 'right', rows: KeyedRows): ElementSink {
    return {
      change: (gone, come) => {
        for (const element of gone) this.#change(name, rows, element, -1);
        for (const element of come) this.#change(name, rows, element, 1);
      },
    };
  }

  #change(name: 'left' | 'right', rows: KeyedRows, element: Datum, by: 1 | -1): void {
    if (isKeyless(element)) {
      this.#keyless[name] += by;
      if (name === 'left' && this.#outer) this.#loose.add(element[0], by);
      return;
    }
    const pair = pairOf(element);
    const key = pair[0];
    const row = pair[1];
    const hash = hashKey(key);
    if (!this.#begun) {
      this.#keep(rows, { hash, key, row, by });
      return;
    }
    let touched = this.#touched.get(hash);
    if (touched === undefined) {
      touched = { key };
      this.#touched.set(hash, touched);
    }
    touched[name] ??= new RowChanges();
    touched[name].add(row, by);
  }

  /** Keeps a row so many times more. */
  #keep(rows: KeyedRows, { hash, key, row, by }: Kept): void {
    for (let i = Math.abs(by); i > 0; i--) {
      const isOther = by > 0 ? rows.add(hash, key, row) === 1 : rows.remove(hash, row) === 0;
      if (isOther) this.#gauge.add(Math.sign(by), row, KEYED + datumBytes(key));
    }
  }

  *#settle(): Steps {
    for (const change of this.#begun ? this.#changes() : this.#beginning()) {
      const { left, gone, come } = change;
      for (let at = 0; at < gone.length || at < come.length; at++) {
        this.#tell(left, gone[at], come[at]);
        if (this.#sinks.isOwed) yield* this.#sinks.repeat();
        yield;
      }
      if (this.#outer) yield* this.#tellAlone(change);
      yield;
    }
    this.#begun = true;
    this.#touched.clear();
    yield* this.#tellBeside();
  }

  /** All left rows that were there at first. */
  *#beginning(): Iterable<LeftChange> {
    this.#lefts.loaded();
    this.#rights.loaded();
    for (const { hash, key, rows } of this.#lefts.entries()) {
      const rights = this.#rights.of(hash);
      for (const left of rows) {
        this.#countKey(key, left.row, left.count);
        yield { left, gone: NO_ROWS, come: rights, before: undefined, after: rights };
      }
    }
  }

  /** The left rows that changed, or whose right rows did. What is kept is up to date when those of a key are given. */
  *#changes(): Iterable<LeftChange> {
    for (const [hash, { key, left, right }] of this.#touched) {
      const [leftGone, leftCome] = parted(left);
      const [rightGone, rightCome] = parted(right);
      const before = this.#rights.of(hash);
      for (const { row, count } of rightGone) this.#keep(this.#rights, { hash, key, row, by: -count });
      for (const { row, count } of rightCome) this.#keep(this.#rights, { hash, key, row, by: count });
      const isOther = rightGone.length + rightCome.length > 0;
      const after = isOther ? this.#rights.of(hash) : before;
      for (const { row, count } of leftGone) this.#keep(this.#lefts, { hash, key, row, by: -count });
      // Rows that stay have only to be looked at where the other side changes.
      const stays = isOther ? this.#lefts.of(hash) : NO_ROWS;
      for (const { row, count } of leftCome) this.#keep(this.#lefts, { hash, key, row, by: count });
      for (const gone of leftGone) yield { left: gone, gone: before, come: NO_ROWS, before, after: undefined };
      for (const stay of stays) yield { left: stay, gone: rightGone, come: rightCome, before, after };
      for (const { row, count } of leftGone) this.#countKey(key, row, -count);
      for (const { row, count } of leftCome) this.#countKey(key, row, count);
      for (const come of leftCome) yield { left: come, gone: NO_ROWS, come: after, before: undefined, after };
    }
  }

  /** What is not told key by key. */
  *#tellBeside(): Steps {
    for (const { row, count } of this.#loose) this.#pushAlone({ row, count: Math.abs(count) }, count > 0);
    yield* this.#sinks.repeat();
    this.#loose.clear();
    const is = this.#isIncomparable;
    if (is === this.#incomparable) return;
    this.#incomparable = is;
    for (const sink of this.incomparableSinks) sink.change(is ? NONE : [true], is ? [true] : NONE);
  }

  /** Tells that a left row was in a pair with one row, and is with another. */
  #tell(left: Counted, gone: Counted | undefined, come: Counted | undefined): void {
    const was = gone !== undefined && this.#decide(left, gone, -1);
    const is = come !== undefined && this.#decide(left, come, 1);
    const { length } = this.#settings.consumers;
    for (let at = 0; at < length; at++) {
      const before = was ? this.#elements(at, left, gone, this.#was) : NONE;
      const after = is ? this.#elements(at, left, come, this.#is) : NONE;
      if (gone?.count === come?.count) {
        if (!equalDatums(before, after)) this.#sinks.push(at, before, after, left.count * (come?.count ?? 0));
      } else {
        this.#sinks.push(at, before, NONE, left.count * (gone?.count ?? 0));
        this.#sinks.push(at, NONE, after, left.count * (come?.count ?? 0));
      }
    }
  }

  /** The elements of a pair for a consumer; `made` are those for the consumers before it. */
  #elements(at: number, left: Counted, right: Counted, made: (readonly Datum[])[]): readonly Datum[] {
    const consumer = this.#settings.consumers[at];
    if (consumer === undefined) return NONE;
    const { pair, unless } = consumer;
    const isNone = unless !== undefined && (made[unless]?.length ?? 0) > 0;
    const elements = isNone ? NONE : elementsOf(calledFor(left.row, pair, [left.row, right.row]));
    made[at] = elements;
    return elements;
  }

  /** Whether two rows are a pair, where they come or go; counts those of which the condition cannot tell. */
  #decide(left: Counted, right: Counted, by: 1 | -1): boolean {
    const holds = this.#holds(left, right);
    if (holds === undefined) this.#undecided += by * left.count * right.count;
    return holds === true;
  }

  /** `undefined` where the condition has no value. */
  #holds({ row }: Counted, right: Counted): boolean | undefined {
    const { condition } = this.#settings;
    if (condition === undefined) return true;
    try {
      return isTrue(condition([row, right.row]));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw raisedFor(error, row);
    }
  }

  /** Tells that a left row was alone, or is. */
  *#tellAlone({ left, before, after }: LeftChange): Steps {
    const was = before !== undefined && (yield* this.#isAlone(left, before));
    const is = after !== undefined && (yield* this.#isAlone(left, after));
    if (was !== is) this.#pushAlone(left, is);
    yield* this.#sinks.repeat();
  }

  *#isAlone(left: Counted, rights: readonly Counted[]): Generator<void, boolean, Turn> {
    for (const right of rights) {
      if (this.#holds(left, right) === true) return false;
      yield;
    }
    return true;
  }

  #pushAlone(left: Counted, comes: boolean): void {
    const { consumers } = this.#settings;
    for (const [at, { alone }] of consumers.entries()) {
      if (alone === undefined) continue;
      const elements = elementsOf(calledFor(left.row, alone, [left.row]));
      this.#sinks.push(at, comes ? NONE : elements, comes ? elements : NONE, left.count);
    }
  }

  /** Left rows that come, or go where `by` is below 0. */
  #countKey(key: Datum, row: Datum, by: number): void {
    try {
      checkJoinKey(key, this.#settings.keys);
    } catch (error) {
      if (!isMissing(error)) throw raisedFor(error, row);
      this.#unkeyed += by;
    }
  }
}

function calledFor(row: Datum, func: PureFunction, args: readonly Datum[]): Datum {
  try {
    return func(args);
  } catch (error) {
    throw raisedFor(error, row);
  }
}

function isKeyless(element: Datum): element is readonly [row: Datum] {
  return Array.isArray(element) && element.length === 1;
}

/** What went and what came. */
function parted(changes: RowChanges | undefined): readonly [gone: readonly Counted[], come: readonly Counted[]] {
  if (changes === undefined) return [NO_ROWS, NO_ROWS];
  const [gone, come]: [Counted[], Counted[]] = [[], []];
  for (const { row, count } of changes) (count < 0 ? gone : come).push({ row, count: Math.abs(count) });
  return [gone, come];
}

const NO_ROWS: readonly Counted[] = [];
