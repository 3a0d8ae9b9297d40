// The depth of a term's nesting. RethinkDB 2.4.4 ends itself with "Callstack overflow in a coroutine" on functions that are
// nested some two thousand levels deep, so that no rewriting may come near it: a query that it would answer by itself with
// an error must not take the server down.

import { resourceLimit } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { boundedText } from '../reql/term/serialize.ts';
import type { Term } from '../reql/term/term.ts';

/** Seen on 2.4.4: 1,500 levels of `add` in a fold work, 2,200 do not. */
const DEEPEST = 1000;
/** A generated term may stand in a query many times, each of which is written out. So many characters are no query any more. */
const LONGEST = 16 * 1024 * 1024;

/** A term with the text that it is sent as; `undefined` where that would do harm. */
export function sendable<Sent extends Term>(term: Sent): Sent | undefined {
  const text = boundedText(term, { deepest: DEEPEST, longest: LONGEST });
  return text === undefined ? undefined : { ...term, text };
}

/** The refusal of a live query that is nested too deeply. */
export const tooDeep = (origin?: Origin) =>
  resourceLimit(
    'The query is nested too deeply, or written out too long, to be watched.  Write it flatter or shorter.',
    origin,
  );
