// A stream whose order does not matter.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Stream } from '../piece.ts';
import { above, isPerElement } from '../rules/above.ts';

/** Whether a term of a stream's tail leaves the bag of elements as it is. */
export function isOrder(term: CallTerm): boolean {
  return term.type === TermType.ORDER_BY;
}

/** The bag of elements of a stream whose order does not matter; `undefined` where a `limit` makes it matter. */
export function unordered(stream: Stream): Stream | undefined {
  if (stream.tail.length === 0) return stream;
  if (!stream.tail.every((term) => isOrder(term) || isPerElement(term))) return undefined;
  const chain = stream.tail.filter((term) => !isOrder(term));
  return { kind: 'stream', branches: stream.branches.map((branch) => chain.reduce(above, branch)), tail: [] };
}
