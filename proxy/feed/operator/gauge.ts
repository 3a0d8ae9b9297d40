// The gauge of what a feed keeps, against the limits that the operator of the proxy has set.

import type { StateCost } from '../../../rewrite/aggregates/aggregate.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { HashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { type ReqlError, resourceLimit } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { FeedMemory } from '../../relay/feed-port.ts';

/** The most that one feed may keep. */
export interface StateLimits {
  /** Elements, groups and rows. */
  readonly maxStateRows: number;
  /** Bytes, estimated. */
  readonly maxStateBytes: number;
}

/** The cost of an aggregate's state where it does not say so itself: that of a tree. */
export const TREE_COST: StateCost = { base: 400, entry: 24 };

/** Bytes of a text that is a key in a hash, and of its entry there. */
export function keyBytes(key: string): number {
  return ENTRY + Math.ceil(TEXT_PER_CHARACTER * key.length);
}

/** Bytes that the hash of a key takes in a map: a text of its own, or the key itself. */
export function hashBytes(hash: HashKey): number {
  return keyBytes(typeof hash === 'string' ? hash : '');
}

const ENTRY = 112;
/** V8 keeps texts that were joined from others with some slack. */
const TEXT_PER_CHARACTER = 1.4;

/** Takes what is kept, as it changes. */
export interface Gauge {
  /** So many more things like this one are kept, each with `beside` bytes beside it; fewer where `rows` is negative. */
  add(rows: number, like: Datum, beside: number): void;
  /** So many more rows and bytes are kept. */
  count(rows: number, bytes: number): void;
}

const NOBODY: Pick<FeedMemory, 'addState'> = { addState() {} };

/** Counts what a feed keeps. */
export class StateGauge implements Gauge {
  readonly #limits: StateLimits;
  readonly #memory: Pick<FeedMemory, 'addState'>;
  #rows = 0;
  #bytes = 0;

  /** `memory`: what is kept is told there as well; nobody is told if absent. */
  constructor(limits: StateLimits, memory: Pick<FeedMemory, 'addState'> = NOBODY) {
    this.#limits = limits;
    this.#memory = memory;
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(rows: number, like: Datum, beside: number): void {
    this.count(rows, rows * (beside + datumBytes(like)));
  }

  count(rows: number, bytes: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#memory.addState(rows, bytes);
  }

  /** The error of a feed that keeps more than it may. */
  excess(origin: Origin | undefined): ReqlError | undefined {
    const { maxStateRows, maxStateBytes } = this.#limits;
    if (this.#rows > maxStateRows) return tooMuch(`${maxStateRows} rows`, '--max-state-rows', origin);
    if (this.#bytes > maxStateBytes) return tooMuch(`${maxStateBytes} bytes`, '--max-state-bytes', origin);
    return undefined;
  }
}

/** A part of what a feed keeps, which can go as a whole: that of one group. */
export class GaugePart implements Gauge {
  readonly #whole: Gauge;
  #rows = 0;
  #bytes = 0;

  constructor(whole: Gauge) {
    this.#whole = whole;
  }

  add(rows: number, like: Datum, beside: number): void {
    this.count(rows, rows * (beside + datumBytes(like)));
  }

  count(rows: number, bytes: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#whole.count(rows, bytes);
  }

  /** Nothing of it is kept any more. */
  clear(): void {
    this.count(-this.#rows, -this.#bytes);
  }
}

function tooMuch(limit: string, setting: string, origin: Origin | undefined): ReqlError {
  return resourceLimit(
    `This feed keeps more than the ${limit} that Livefold may keep for it.  To raise the limit, set \`${setting}\` of the proxy; fewer rows (\`filter\`) or fewer fields (\`pluck\`) take less.`,
    origin,
  );
}
