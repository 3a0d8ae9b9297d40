// Rows beside what is looked up for each of them: values of the rows of other tables that have its key. A row is evaluated again
// when it comes, when a value that it has found differs, and when a value that is one for all rows does.
//
//   left row --key--> group of right rows, folded --value--> function of the row and all values --> elements
//      ^                        |
//      +---- rows that found it +

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { checkJoinKey } from '../../../rewrite/sources/join-key.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { Turn } from '../../work/turn.ts';
import { computed } from './expressed-value.ts';
import { type Gauge, hashBytes } from './gauge.ts';
import { type Found, type FoundGroup, type KeyedSettings, KeyedValues } from './keyed-values.ts';
import { type ElementSink, isMissing, type LiveValue, NONE, type Operator } from './operator.ts';
import { raisedFor } from './raised-for.ts';
import { RowChanges } from './row-changes.ts';
import { elementsOf } from './row-elements.ts';
import { Rest, type Steps } from './steps.ts';

/** The settings of a look-up: by a key of each row, or one value for all rows. */
export type LookupSettings = KeyedSettings | { readonly kind: 'shared'; readonly value: LiveValue };

/** A left row, and what it is for each consumer. */
interface Left {
  readonly hash: HashKey;
  readonly row: Datum;
  count: number;
  /** By lookup; `undefined` where it found nothing by key. */
  readonly groups: (FoundGroup<Left> | undefined)[];
  outputs: readonly (readonly Datum[])[];
  bytes: number;
}

/** What a left row takes beside itself. */
const LEFT = 220;

type Lookup = KeyedValues<Left> | { readonly kind: 'shared'; readonly value: LiveValue };

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
    this.#lookups = lookups.map((lookup) => (lookup.kind === 'keyed' ? new KeyedValues<Left>(lookup, gauge) : lookup));
    this.rights = this.#lookups.map((lookup) => (lookup instanceof KeyedValues ? lookup : undefined));
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
      this.#lookups.some((lookup) => lookup instanceof KeyedValues && lookup.isTouched);
    return !isTouched && !this.#rest.isOpen ? true : this.#rest.go(turn, (first) => this.#settle(first));
  }

  *#settle(first: Turn): Steps {
    let turn = first;
    for (const { row, count } of this.#changes) {
      if (count < 0) yield* this.#go(row, -count);
      turn = yield;
    }
    for (const lookup of this.#lookups) if (lookup instanceof KeyedValues) yield* lookup.settle(this.#dirty, turn);
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
    for (const lookup of this.#lookups) if (!(lookup instanceof KeyedValues)) sum += lookup.value.version;
    return sum;
  }

  *#go(row: Datum, count: number): Steps {
    const left = this.#lefts.get(hashKey(row));
    if (left === undefined || left.count < count) throw new TypeError('a row that looks up and was never there');
    left.count -= count;
    yield* this.#tell(left.outputs, undefined, count);
    if (left.count > 0) return;
    this.#lefts.delete(left.hash);
    this.#gauge.add(-1, row, LEFT + hashBytes(left.hash) + left.bytes);
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
    this.#gauge.add(1, row, LEFT + hashBytes(hash));
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
      if (lookup instanceof KeyedValues) {
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
    lookup: KeyedValues<Left>,
    left: Left,
    args: readonly Found[],
    turn: Turn,
  ): Generator<void, readonly [Found, FoundGroup<Left> | undefined], Turn> {
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

  #leave(at: number, group: FoundGroup<Left> | undefined, left: Left): void {
    const lookup = this.#lookups[at];
    if (group !== undefined && lookup instanceof KeyedValues) lookup.leave(group, left);
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
