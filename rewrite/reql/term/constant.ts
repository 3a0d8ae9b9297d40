// Functions of the templates that are the same in every query: made, and serialized, once.

import { type Builder, builder } from '../build/build.ts';
import { serializeTerm } from './serialize.ts';
import type { CallTerm } from './term.ts';

/** The first variable of a constant: above those of nearly all queries, so that none is hidden within it. */
const FIRST = 1000;

/**
 * A function that reads no variables but its own, to be called by `do`. It is right whatever the variables around it, since
 * it only hides what it does not read. Its terms stand for no place in the client's query: the call around it does.
 */
export function constant(make: (t: Builder) => CallTerm): CallTerm {
  let next = FIRST;
  const term = make(builder(undefined, () => next++));
  return { ...term, text: serializeTerm(term) };
}
