// The depth of a term's nesting. RethinkDB 2.4.4 ends itself with "Callstack overflow in a coroutine" on functions that are
// nested some two thousand levels deep, so that no rewriting may come near it: a query that it would answer by itself with
// an error must not take the server down.

import { resourceLimit } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import type { Entry, Term } from '../reql/term/term.ts';

/** Seen on 2.4.4: 1,500 levels of `add` in a fold work, 2,200 do not. */
const DEEPEST = 1000;
/** A generated term may stand in a query many times, each of which is written out. So many characters are no query any more. */
const LONGEST = 16 * 1024 * 1024;

/** Whether a term can be sent without harm. */
export function isShallow(root: Term): boolean {
  return lengthWith(root, DEEPEST, 0) <= LONGEST;
}

/** JSON spends so many characters on a level at least: `{"":` and `}`. */
const LEVEL_LENGTH = 5;
/** What a term takes of which the text is not known, about. */
const TERM_LENGTH = 16;
/** The length of what is nested too deeply. */
const TOO_DEEP = Number.POSITIVE_INFINITY;

/** The characters before a term and of it, about; `TOO_DEEP` where it is nested more than so many levels deep. Recursion goes no deeper than that. */
function lengthWith(term: Term, levels: number, before: number): number {
  // Half of all terms are data, for which this is asked a thousand times while a query is opened.
  if (term.kind === 'datum') return levels === 0 ? TOO_DEEP : before + (term.text?.length ?? TERM_LENGTH);
  if (levels === 0 || before > LONGEST) return TOO_DEEP;
  const { text } = term;
  if (text !== undefined && text.length <= levels * LEVEL_LENGTH) return before + text.length;
  let length = before + TERM_LENGTH;
  if (term.kind === 'object') return lengthOfEntries(term.fields, levels - 1, length);
  const { args, optargs } = term;
  for (let index = 0; index < args.length; index++) {
    const argument = args[index];
    if (argument?.kind === 'datum' && levels > 1) length += argument.text?.length ?? TERM_LENGTH;
    else if (argument !== undefined) length = lengthWith(argument, levels - 1, length);
  }
  return optargs.length === 0 ? length : lengthOfEntries(optargs, levels - 1, length);
}

function lengthOfEntries(entries: readonly Entry[], levels: number, before: number): number {
  let length = before;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry !== undefined) length = lengthWith(entry[1], levels, length);
  }
  return length;
}

/** The refusal of a live query that is nested too deeply. */
export const tooDeep = (origin?: Origin) =>
  resourceLimit(
    'The query is nested too deeply, or written out too long, to be watched.  Write it flatter or shorter.',
    origin,
  );
