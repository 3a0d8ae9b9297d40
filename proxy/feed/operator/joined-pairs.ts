// The pairs of a left and a right row whose keys are equal. Both sides are kept in the order of their keys. What changed of a key
// since the last settled moment is set off first; then, of the rows that went (L-, R-), stayed (L, R) and came (L+, R+),
//
//   the pairs that go      L- × (R and R-),  L × R-        each was there
//   the pairs that come    L × R+,  L+ × (R and R+)        none was there

import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { JoinKeys } from '../../../rewrite/live.ts';
import { isTrue } from '../../../rewrite/reql/data/data-type.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { checkJoinKey } from '../../../rewrite/sources/join-key.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { Turn } from '../../work/turn.ts';
import type { Gauge } from './gauge.ts';
import { pairOf } from './groups.ts';
import { type ElementSink, isMissing, NONE, type Operator } from './operator.ts';
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
}

/** What changed under a key. */
interface Touched {
  readonly key: Datum;
  readonly left: RowChanges;
  readonly right: RowChanges;
}

/** A row, and how often it is there. */
interface Counted {
  readonly row: Datum;
  readonly count: number;
}

/** What a row takes beside itself and its key. */
const KEYED = 48;

export class JoinedPairs implements Operator {
  /** Who takes the elements of each consumer. */
  readonly sinks: readonly ElementSink[][];
  readonly left: ElementSink;
  readonly right: ElementSink;
  /** Take one element while rows are compared of which one has no value to compare, or a left row has nothing that can be a key. */
  readonly incomparableSinks: ElementSink[] = [];
  readonly #settings: PairsSettings;
  readonly #outer: boolean;
  readonly #gauge: Gauge;
  readonly #lefts = new Arrangement(true);
  readonly #rights = new Arrangement(true);
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

  constructor(settings: PairsSettings, gauge: Gauge) {
    this.#settings = settings;
    this.#outer = settings.consumers.some(({ alone }) => alone !== undefined);
    this.#gauge = gauge;
    this.sinks = settings.consumers.map(() => []);
    this.left = this.#side('left', this.#lefts);
    this.right = this.#side('right', this.#rights);
  }

  settle(turn: Turn): boolean {
    if (this.#begun && !this.#isTouched && !this.#rest.isOpen) return true;
    return this.#rest.go(turn, () => (this.#begun ? this.#settle() : this.#begin()));
  }

  get #isTouched(): boolean {
    return this.#touched.size > 0 || this.#loose.size > 0 || this.#incomparable !== this.#isIncomparable;
  }

  get #isIncomparable(): boolean {
    const { left, right } = this.#keyless;
    const isAny = (rows: Arrangement, keyless: number): boolean => rows.size + keyless > 0;
    return (
      this.#undecided > 0 ||
      this.#unkeyed > 0 ||
      (left > 0 && isAny(this.#rights, right)) ||
      (right > 0 && isAny(this.#lefts, left))
    );
  }

  #side(name: 'left' | 'right', rows: Arrangement): ElementSink {
    return {
      change: (gone, come) => {
        for (const element of gone) this.#change(name, rows, element, -1);
        for (const element of come) this.#change(name, rows, element, 1);
      },
    };
  }

  #change(name: 'left' | 'right', rows: Arrangement, element: Datum, by: 1 | -1): void {
    if (isKeyless(element)) {
      this.#keyless[name] += by;
      if (name === 'left' && this.#outer) this.#loose.add(element[0], by);
      return;
    }
    const [key, row] = pairOf(element);
    if (!this.#begun) {
      this.#keep(rows, key, row, by);
      return;
    }
    const hash = hashKey(key);
    let touched = this.#touched.get(hash);
    if (touched === undefined) {
      touched = { key, left: new RowChanges(), right: new RowChanges() };
      this.#touched.set(hash, touched);
    }
    touched[name].add(row, by);
  }

  #keep(rows: Arrangement, key: Datum, row: Datum, by: number): void {
    for (let i = Math.abs(by); i > 0; i--) {
      const isOther = by > 0 ? rows.add(key, row) === 1 : rows.remove(key, row) === 0;
      if (isOther) this.#gauge.add(Math.sign(by), row, KEYED + datumBytes(key));
    }
  }

  /** All pairs of what was there at first: both sides are in the order of their keys. */
  *#begin(): Steps {
    for (const { key, row, count } of this.#lefts.entries()) {
      this.#countKey(key, row, count);
      const left = { row, count };
      let isAlone = true;
      for (const right of this.#rights.rowsOf(key)) {
        if (this.#holds(left, right)) isAlone = false;
        this.#compare(left, right, true);
        yield;
      }
      if (isAlone) this.#tellAlone(left, true);
      yield;
    }
    this.#begun = true;
    this.#tellBeside();
  }

  /** What is not told key by key. */
  #tellBeside(): void {
    for (const { row, count } of this.#loose) this.#tellAlone({ row, count: Math.abs(count) }, count > 0);
    this.#loose.clear();
    const is = this.#isIncomparable;
    if (is === this.#incomparable) return;
    this.#incomparable = is;
    for (const sink of this.incomparableSinks) sink.change(is ? NONE : [true], is ? [true] : NONE);
  }

  *#settle(): Steps {
    for (const touched of this.#touched.values()) yield* this.#settleKey(touched);
    this.#touched.clear();
    this.#tellBeside();
  }

  *#settleKey({ key, left, right }: Touched): Steps {
    const [leftGone, leftCome] = parted(left);
    const [rightGone, rightCome] = parted(right);
    const oldRights = listOf(this.#rights, key);
    for (const { row, count } of leftGone) this.#keep(this.#lefts, key, row, -count);
    // Rows that stay have only to be looked at where the other side changes.
    const stays = right.size === 0 ? [] : listOf(this.#lefts, key);
    for (const { row, count } of rightGone) this.#keep(this.#rights, key, row, -count);
    for (const { row, count } of rightCome) this.#keep(this.#rights, key, row, count);
    const newRights = right.size === 0 ? oldRights : listOf(this.#rights, key);
    yield* this.#tellAll(leftGone, oldRights, false);
    yield* this.#tellAll(stays, rightGone, false);
    yield* this.#tellLeft(stays, oldRights, newRights);
    yield* this.#tellAll(stays, rightCome, true);
    for (const { row, count } of leftGone) this.#countKey(key, row, -count);
    for (const { row, count } of leftCome) this.#countKey(key, row, count);
    yield* this.#tellAll(leftCome, newRights, true);
    yield* this.#tellLeft(leftGone, oldRights, undefined);
    yield* this.#tellLeft(leftCome, undefined, newRights);
    for (const { row, count } of leftCome) this.#keep(this.#lefts, key, row, count);
  }

  *#tellAll(lefts: readonly Counted[], rights: readonly Counted[], come: boolean): Steps {
    for (const left of lefts) {
      for (const right of rights) {
        this.#compare(left, right, come);
        yield;
      }
    }
  }

  /** Left rows that were, or are, in no pair; `undefined` for a side of time on which they are not there. */
  *#tellLeft(
    lefts: readonly Counted[],
    before: readonly Counted[] | undefined,
    after: readonly Counted[] | undefined,
  ): Steps {
    if (!this.#outer) return;
    for (const left of lefts) {
      const was = before !== undefined && this.#isAlone(left, before);
      const is = after !== undefined && this.#isAlone(left, after);
      if (was !== is) this.#tellAlone(left, is);
      yield;
    }
  }

  #isAlone(left: Counted, rights: readonly Counted[]): boolean {
    return !rights.some((right) => this.#holds(left, right));
  }

  #holds(left: Counted, right: Counted): boolean {
    const holds = this.#decide(left, right);
    return holds !== undefined && isTrue(holds);
  }

  /** What the condition gives; `undefined` where it has no value. */
  #decide({ row }: Counted, right: Counted): Datum | undefined {
    const { condition } = this.#settings;
    if (condition === undefined) return true;
    try {
      return condition([row, right.row]);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw raisedFor(error, row);
    }
  }

  #compare(left: Counted, right: Counted, come: boolean): void {
    const holds = this.#decide(left, right);
    if (holds === undefined) this.#undecided += (come ? 1 : -1) * left.count * right.count;
    else if (isTrue(holds)) this.#tell(left, right, come);
  }

  #tell(left: Counted, right: Counted, come: boolean): void {
    const { consumers } = this.#settings;
    for (let at = 0; at < consumers.length; at++) {
      const pair = consumers[at]?.pair;
      if (pair === undefined) continue;
      const elements = elementsOf(calledFor(left.row, pair, [left.row, right.row]));
      this.#push(at, elements, left.count * right.count, come);
    }
  }

  #tellAlone(left: Counted, come: boolean): void {
    const { consumers } = this.#settings;
    for (let at = 0; at < consumers.length; at++) {
      const alone = consumers[at]?.alone;
      if (alone === undefined) continue;
      this.#push(at, elementsOf(calledFor(left.row, alone, [left.row])), left.count, come);
    }
  }

  #push(consumer: number, elements: readonly Datum[], times: number, come: boolean): void {
    if (elements.length === 0) return;
    for (let i = times; i > 0; i--) {
      for (const sink of this.sinks[consumer] ?? []) sink.change(come ? NONE : elements, come ? elements : NONE);
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
function parted(changes: RowChanges): readonly [gone: readonly Counted[], come: readonly Counted[]] {
  const [gone, come]: [Counted[], Counted[]] = [[], []];
  for (const { row, count } of changes) (count < 0 ? gone : come).push({ row, count: Math.abs(count) });
  return [gone, come];
}

function listOf(rows: Arrangement, key: Datum): readonly Counted[] {
  return [...rows.rowsOf(key)];
}
