// The sizes in which a stream is asked for. The sizes show: what is computed before an error comes, in which turn streams
// of a union are read, and what a client gets in its first answer all go by batches (batching.cc).

import type { Datum } from '../../data/datum.ts';
import { datumSize } from '../../data/datum-size.ts';
import type { Meter } from '../../meter.ts';

/** The purpose of a batch. */
export type BatchKind =
  /** A client's first answer, which is smaller than those after it. */
  | 'first'
  /** A client's next answer. */
  | 'normal'
  /** A term that needs the whole sequence; refuses streams without end. */
  | 'terminal';

/** The size of a batch that a reader asks for. */
export interface BatchSpec {
  readonly kind: BatchKind;
  /** The most elements, at least 1; `Infinity` where there is no limit. */
  readonly most: number;
  /** The most bytes; at least one element comes nevertheless. */
  readonly bytes: number;
  /** How many times smaller a first batch is, in elements where those are limited and in bytes. */
  readonly share: number;
}

const MOST_BYTES = 1024 * 1024;
const FIRST_SHARE = 4;

/** For terms that read a sequence to its end. */
export const TERMINAL: BatchSpec = {
  kind: 'terminal',
  most: Number.POSITIVE_INFINITY,
  bytes: MOST_BYTES,
  share: FIRST_SHARE,
};

/** For readers that take a batch as it comes. */
export const NORMAL: BatchSpec = { ...TERMINAL, kind: 'normal' };

/** For the first batch of a client. */
export const FIRST: BatchSpec = { ...TERMINAL, kind: 'first' };

/** The same, but no more elements than `most`. */
export function atMost(spec: BatchSpec, most: number): BatchSpec {
  return { ...spec, most: Math.max(1, Math.min(spec.most, most)) };
}

/** The same for another purpose. */
export function ofKind(spec: BatchSpec, kind: BatchKind): BatchSpec {
  return spec.kind === kind ? spec : { ...spec, kind };
}

/** The number of elements that fill a batch. */
export function capacity({ kind, most, share }: BatchSpec): number {
  return kind === 'first' && Number.isFinite(most) ? Math.max(1, Math.floor(most / share)) : most;
}

/** A batch that is being made. */
export class Batch {
  readonly elements: Datum[] = [];
  readonly #most: number;
  readonly #meter: Meter;
  #bytes: number;

  constructor(spec: BatchSpec, meter: Meter) {
    this.#meter = meter;
    this.#most = capacity(spec);
    this.#bytes = spec.kind === 'first' ? spec.bytes / spec.share : spec.bytes;
  }

  get full(): boolean {
    return this.elements.length >= this.#most || this.#bytes <= 0;
  }

  add(element: Datum): void {
    this.elements.push(element);
    this.#bytes -= datumSize(element, this.#meter);
  }
}
