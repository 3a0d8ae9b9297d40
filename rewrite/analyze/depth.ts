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
  return new Measure().isWithin(root, DEEPEST);
}

/** JSON spends so many characters on a level at least: `{"":` and `}`. */
const LEVEL_LENGTH = 5;
/** What a term takes of which the text is not known, about. */
const TERM_LENGTH = 16;

class Measure {
  /** Characters so far. */
  #length = 0;

  /** Whether a term is nested at most so many levels deep, and not too long; recursion goes no deeper than that. */
  isWithin(term: Term, levels: number): boolean {
    if (levels === 0 || this.#length > LONGEST) return false;
    const { kind, text } = term;
    if (kind === 'datum' || (text !== undefined && text.length <= levels * LEVEL_LENGTH)) {
      this.#length += text?.length ?? TERM_LENGTH;
      return true;
    }
    this.#length += TERM_LENGTH;
    if (kind === 'object') return this.#areWithin(term.fields, levels - 1);
    const { args } = term;
    for (let index = 0; index < args.length; index++) {
      const argument = args[index];
      if (argument !== undefined && !this.isWithin(argument, levels - 1)) return false;
    }
    return this.#areWithin(term.optargs, levels - 1);
  }

  #areWithin(entries: readonly Entry[], levels: number): boolean {
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index];
      if (entry !== undefined && !this.isWithin(entry[1], levels)) return false;
    }
    return true;
  }
}

/** The refusal of a live query that is nested too deeply. */
export const tooDeep = (origin?: Origin) =>
  resourceLimit(
    'The query is nested too deeply, or written out too long, to be watched.  Write it flatter or shorter.',
    origin,
  );
