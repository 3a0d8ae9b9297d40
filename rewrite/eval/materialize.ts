// Streams read to their end, and streams that are arrays in disguise.

import type { Datum } from '../reql/datum.ts';
import { resourceLimit } from '../reql/error.ts';
import { type Origin, ROOT } from '../reql/origin.ts';
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

/** All elements of a stream. Raises RESOURCE_LIMIT without an origin where there are too many. */
export function drain(stream: Stream, context: EvalContext): readonly Datum[] {
  return collect(() => stream.next('term'), context, undefined);
}

/** `drain` for a term that turns a stream into an array: errors about the elements are its own, limits the query's. */
export function drainRaw(stream: Stream, context: EvalContext): readonly Datum[] {
  return collect(() => stream.raw('aggregate', stream.origin), context, ROOT);
}

function collect(
  read: () => Datum | undefined,
  { arrayLimit }: EvalContext,
  origin: Origin | undefined,
): readonly Datum[] {
  const elements: Datum[] = [];
  for (let element = read(); element !== undefined; element = read()) {
    elements.push(element);
    if (elements.length > arrayLimit) throw resourceLimit(arraySizeText(arrayLimit), origin);
  }
  return elements;
}

/** The value of a term that returns a stream: an array at once, where the stream is one in disguise. */
export function streamValue(stream: Stream, context: EvalContext): Value {
  if (!stream.isArray || stream.grouped) return stream;
  return stream instanceof ArrayStream && stream.untouched ? stream.array : drain(stream, context);
}
