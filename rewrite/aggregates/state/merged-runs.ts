// Runs of entries in order, merged: a tournament between their heads. Each game remembers who lost it, so that the next entry
// takes one comparison a round.

import type { Datum } from '../../reql/data/datum.ts';
import { compareEntries, type Order } from './arrangement-places.ts';
import { sortedPlaces } from './sorted-places.ts';

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
    const rows = this.#rows;
    const order = this.#order;
    const weights = Float64Array.from(keys, order.weighKey);
    const places = sortedPlaces(keys.length, (a, b) => {
      const one = weights[a] ?? 0;
      const other = weights[b] ?? 0;
      if (one < other) return -1;
      return one > other ? 1 : compareEntries(order, keys[a], rows[a], keys[b], rows[b]);
    });
    return new Run(
      Array.from(places, (at) => keys[at] ?? null),
      order.hasRows ? Array.from(places, (at) => rows[at] ?? null) : undefined,
      Float64Array.from(places, (at) => weights[at] ?? 0),
    );
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
