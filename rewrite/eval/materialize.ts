// Streams read to their end, and streams that are arrays in disguise.

import type { Datum } from '../reql/datum.ts';
import { resourceLimit } from '../reql/error.ts';
import { ROOT } from '../reql/origin.ts';
import type { EvalContext } from './context.ts';
import { ArrayStream, type Stream } from './stream.ts';
import type { Value } from './value.ts';

/** The text for arrays that are too long. */
export function arraySizeText(limit: number): string {
  return `Array over size limit \`${limit}\`.  To raise the number of allowed elements, modify the \`array_limit\` option to \`.run\` (not available in the Data Explorer), or use an index.`;
}

/** An array within the limit; raises RESOURCE_LIMIT without an origin where it is longer. */
export function limited<Item>(array: readonly Item[], { arrayLimit }: EvalContext): readonly Item[] {
  if (array.length > arrayLimit) throw resourceLimit(arraySizeText(arrayLimit));
  return array;
}

/**
 * All elements of a stream. Raises RESOURCE_LIMIT where there are too many: without an origin or, for an aggregate, the
 * whole query's.
 */
export function drain(
  stream: Stream,
  { arrayLimit }: EvalContext,
  reader: 'term' | 'aggregate' = 'term',
): readonly Datum[] {
  const elements: Datum[] = [];
  for (let element = stream.next(reader); element !== undefined; element = stream.next(reader)) {
    elements.push(element);
    if (elements.length > arrayLimit) {
      throw resourceLimit(arraySizeText(arrayLimit), reader === 'aggregate' ? ROOT : undefined);
    }
  }
  return elements;
}

/** The value of a term that returns a stream: an array at once, where the stream is one in disguise. */
export function streamValue(stream: Stream, context: EvalContext): Value {
  if (!stream.isArray || stream.grouped) return stream;
  return stream instanceof ArrayStream && stream.untouched ? stream.array : drain(stream, context);
}
