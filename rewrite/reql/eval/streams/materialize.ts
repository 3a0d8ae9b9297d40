// Streams read to their end, and streams that are arrays in disguise.

import type { Datum } from '../../data/datum.ts';
import { type ReqlError, resourceLimit } from '../../error.ts';
import { type Origin, ROOT } from '../../origin.ts';
import type { EvalContext } from '../core/context.ts';
import type { Value } from '../core/value.ts';
import { TERMINAL } from './batch.ts';
import { ArrayStream, type Stream, type Visit } from './stream.ts';

/** The limits of a context on the length of arrays. */
export type ArrayLimits = Pick<EvalContext, 'arrayLimit' | 'arrayAdvice'>;

const ADVICE =
  'To raise the number of allowed elements, modify the `array_limit` option to `.run` (not available in the Data Explorer), or use an index.';

/** The error of an array that is too long. */
export function arrayTooLong({ arrayLimit, arrayAdvice = ADVICE }: ArrayLimits, origin?: Origin): ReqlError {
  return resourceLimit(`Array over size limit \`${arrayLimit}\`.  ${arrayAdvice}`, origin);
}

/** An array within the limit; raises RESOURCE_LIMIT without an origin where it is longer. */
export function limited<Item>(array: readonly Item[], limits: ArrayLimits): readonly Item[] {
  if (array.length > limits.arrayLimit) throw arrayTooLong(limits);
  return array;
}

/** All elements of a stream, however many. */
export function elementsOf(stream: Stream): readonly Datum[] {
  return collect((visit) => readAll(stream, visit), { arrayLimit: Number.POSITIVE_INFINITY });
}

/** All elements of a stream. Raises RESOURCE_LIMIT without an origin where there are too many. */
export function drain(stream: Stream, limits: ArrayLimits): readonly Datum[] {
  return collect((visit) => readAll(stream, visit), limits);
}

function readAll(stream: Stream, visit: Visit): void {
  for (;;) {
    const batch = stream.nextBatch(TERMINAL);
    if (batch.length === 0) return;
    visit(batch);
  }
}

/** `drain` for a term that turns a stream into an array: errors about the elements are its own, limits the query's. */
export function drainRaw(stream: Stream, limits: ArrayLimits): readonly Datum[] {
  return collect((visit) => stream.accumulate(visit), limits, ROOT);
}

function collect(read: (visit: Visit) => void, limits: ArrayLimits, origin?: Origin): readonly Datum[] {
  let first: readonly Datum[] | undefined;
  let all: Datum[] | undefined;
  read((elements) => {
    // Mostly there is one batch, which is all there is.
    if (first === undefined) {
      first = elements;
    } else {
      all ??= [...first];
      for (const element of elements) all.push(element);
    }
    if ((all ?? first).length > limits.arrayLimit) throw arrayTooLong(limits, origin);
  });
  return all ?? first ?? [];
}

/** The value of a term that returns a stream: an array at once, where the stream is one in disguise. */
export function streamValue(stream: Stream, context: EvalContext): Value {
  if (!stream.isArray || stream.grouped) return stream;
  return stream instanceof ArrayStream && stream.untouched ? stream.array : drain(stream, context);
}
