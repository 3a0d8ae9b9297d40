// Runs of entries in order, merged: a tournament between their heads. Each game remembers who lost it, so that the next entry
// takes one comparison a round.

import type { Datum } from '../../reql/data/datum.ts';
import { compareEntries, type Order } from './arrangement-places.ts';
import { placesOfNumbers, sortedPlaces } from './sorted-places.ts';

/** Entries that come, until they are sorted. */
export class Coming {
  readonly #keys: Datum[] = [];
  readonly #rows: Datum[] = [];
  readonly #order: Order;

  constructor(order: Order) {
    this.#order = order;
  }

  get length(): number {
    return this.#keys.length;
  }

  push(key: Datum, row: Datum): void {
    this.#keys.push(key);
    if (this.#order.hasRows) this.#rows.push(row);
  }

  /** All of them in order, equal ones as they came. */
  sorted(): Run {
    const keys = this.#keys;
    const { length } = keys;
    const { weighKey, hasRows } = this.#order;
    const weights = new Float64Array(length);
    let isWeighed = true;
    for (let at = 0; at < length; at++) {
      const weight = weighKey(keys[at] ?? null);
      weights[at] = weight;
      isWeighed &&= !Number.isNaN(weight);
    }
    const places = isWeighed ? this.#byWeight(weights) : this.#compared(weights);
    const [sorted, rows]: [Datum[], Datum[]] = [[], []];
    const weighed = new Float64Array(length);
    // A loop: `from` with a function goes through iterators, which takes V8 several times as long.
    for (let to = 0; to < length; to++) {
      const at = places[to] ?? 0;
      sorted.push(keys[at] ?? null);
      if (hasRows) rows.push(this.#rows[at] ?? null);
      weighed[to] = weights[at] ?? 0;
    }
    return new Run(sorted, hasRows ? rows : undefined, weighed);
  }

  /** Those of equal weights are compared once they stand together. */
  #byWeight(weights: Float64Array): Uint16Array {
    const places = placesOfNumbers(weights);
    const weightAt = (at: number): number => weights[places[at] ?? 0] ?? 0;
    let start = 0;
    for (let at = 1; at <= places.length; at++) {
      if (at < places.length && weightAt(at) === weightAt(start)) continue;
      if (at - start > 1) {
        const equal = places.slice(start, at);
        const sorted = sortedPlaces(equal.length, (a, b) => this.#compare(equal[a] ?? 0, equal[b] ?? 0));
        for (let i = 0; i < sorted.length; i++) places[start + i] = equal[sorted[i] ?? 0] ?? 0;
      }
      start = at;
    }
    return places;
  }

  #compared(weights: Float64Array): Uint16Array {
    return sortedPlaces(weights.length, (a, b) => {
      const one = weights[a] ?? 0;
      const other = weights[b] ?? 0;
      if (one < other) return -1;
      return one > other ? 1 : this.#compare(a, b);
    });
  }

  #compare(a: number, b: number): number {
    return compareEntries(this.#order, this.#keys[a], this.#rows[a], this.#keys[b], this.#rows[b]);
  }
}

/** Entries in order, side by side, read from the first one on. */
export class Run {
  readonly #keys: readonly Datum[];
  readonly #rows: readonly Datum[] | undefined;
  readonly #weights: Float64Array;
  #head = 0;

  constructor(keys: readonly Datum[], rows: readonly Datum[] | undefined, weights: Float64Array) {
    this.#keys = keys;
    this.#rows = rows;
    this.#weights = weights;
  }

  /** Whether all have been read. */
  get isOver(): boolean {
    return this.#head >= this.#keys.length;
  }

  get key(): Datum {
    return this.#keys[this.#head] ?? null;
  }

  get row(): Datum {
    return this.#rows?.[this.#head] ?? null;
  }

  get weight(): number {
    return this.#weights[this.#head] ?? 0;
  }

  advance(): void {
    this.#head++;
  }
}

/** Before a game has been played. */
const NOBODY = -1;

/** The entries of runs in order, of equal ones those of the first run first. */
export class MergedRuns {
  readonly #order: Order;
  readonly #runs: readonly Run[];
  /** By game, the last one being 1: who lost it. */
  readonly #losers: Int32Array;
  #winner = NOBODY;

  constructor(order: Order, runs: readonly Run[]) {
    this.#order = order;
    this.#runs = runs;
    this.#losers = new Int32Array(runs.length).fill(NOBODY);
    for (let run = 0; run < runs.length; run++) this.#play(run);
  }

  /** The run whose head is the next entry; `undefined` where all are over. */
  get first(): Run | undefined {
    const run = this.#runs[this.#winner];
    return run?.isOver === false ? run : undefined;
  }

  /** Goes on to the entry after it. */
  advance(): void {
    this.#runs[this.#winner]?.advance();
    this.#play(this.#winner);
  }

  /** Plays the games of a run, until it meets nobody yet or has won them all. */
  #play(run: number): void {
    let winner = run;
    for (let game = (run + this.#runs.length) >> 1; game > 0; game >>= 1) {
      const other = this.#losers[game] ?? NOBODY;
      if (other !== NOBODY && !this.#isBefore(other, winner)) continue;
      this.#losers[game] = winner;
      if (other === NOBODY) return;
      winner = other;
    }
    this.#winner = winner;
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#runs[one];
    const b = this.#runs[other];
    if (a === undefined || a.isOver) return false;
    if (b === undefined || b.isOver) return true;
    if (a.weight < b.weight) return true;
    if (a.weight > b.weight) return false;
    const order = compareEntries(this.#order, a.key, a.row, b.key, b.row);
    return order < 0 || (order === 0 && one < other);
  }
}
