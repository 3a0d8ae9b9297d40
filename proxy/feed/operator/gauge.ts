// How much a feed keeps, against the limits that the operator of the proxy has set.

import { type Datum, isObject } from '../../../rewrite/reql/datum.ts';
import { type ReqlError, resourceLimit } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';

/** The most that one feed may keep. */
export interface StateLimits {
  /** Elements, groups and rows. */
  readonly maxStateRows: number;
  /** Bytes, estimated. */
  readonly maxStateBytes: number;
}

/** What an entry of a tree or a hash costs beside its datum. */
const ENTRY_BYTES = 64;

/** Counts what a feed keeps. */
export class StateGauge {
  readonly #limits: StateLimits;
  #rows = 0;
  #bytes = 0;

  constructor(limits: StateLimits) {
    this.#limits = limits;
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** So many more things like this one are kept; fewer where `rows` is negative. */
  add(rows: number, like: Datum): void {
    this.#rows += rows;
    this.#bytes += rows * (ENTRY_BYTES + estimatedBytes(like));
  }

  /** The error of a feed that keeps more than it may. */
  excess(origin: Origin | undefined): ReqlError | undefined {
    const { maxStateRows, maxStateBytes } = this.#limits;
    if (this.#rows > maxStateRows) return tooMuch(`${maxStateRows} rows`, '--max-state-rows', origin);
    if (this.#bytes > maxStateBytes) return tooMuch(`${maxStateBytes} bytes`, '--max-state-bytes', origin);
    return undefined;
  }
}

function tooMuch(limit: string, setting: string, origin: Origin | undefined): ReqlError {
  return resourceLimit(
    `This feed keeps more than the ${limit} that Livefold may keep for it.  To raise the limit, set \`${setting}\` of the proxy.`,
    origin,
  );
}

function estimatedBytes(datum: Datum): number {
  if (typeof datum === 'number') return 8;
  if (typeof datum === 'string') return 16 + 2 * datum.length;
  if (typeof datum !== 'object' || datum === null) return 8;
  let bytes = 24;
  if (!isObject(datum)) {
    for (const item of datum) bytes += 8 + estimatedBytes(item);
    return bytes;
  }
  for (const key in datum) bytes += 16 + estimatedBytes(datum[key] ?? null);
  return bytes;
}
