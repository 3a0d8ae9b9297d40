// The place in the client's query at which a term of ours stands.

import type { Term } from './term.ts';

/** The origin of a term, as the part of another one that stands at the same place; nothing where it has none. */
export function originOf(like: Term | undefined): Pick<Term, 'origin'> {
  return like?.origin === undefined ? {} : { origin: like.origin };
}
