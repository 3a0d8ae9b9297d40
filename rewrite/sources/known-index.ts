// The knowledge of secondary indexes, and the question to the server where that is not enough.

import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';

/** A question to the server that a live query waits for: what does this index hold, and what is the primary key? */
export interface IndexQuestion {
  /** The TABLE term. */
  readonly table: Term;
  /** The name of the index; `undefined` where the primary key is all that is asked for. */
  readonly index: string | undefined;
}

/** The part of a row that an index holds. */
export type IndexFields = {
  /** One field of a simple index, several of a compound one; `null` for an index of anything else. */
  readonly fields: readonly string[] | null;
  readonly compound: boolean;
  readonly multi: boolean;
  /** The primary key of the table, which orders rows that are equal in the index; without it they are in no order. */
  readonly primaryKey?: string;
};

/** What is known of the indexes; `undefined` where the server has not been asked, `null` where it cannot tell. */
export type KnownIndexes = (question: IndexQuestion) => IndexFields | null | undefined;

/** Thrown while a query is taken apart that cannot go on without knowing an index. */
export class UnknownIndex extends Error {
  readonly question: IndexQuestion;
  /** Whether the query cannot be watched without an answer. */
  readonly needed: boolean;

  constructor(question: IndexQuestion, needed: boolean) {
    super(
      `${question.index === undefined ? 'The primary key is' : `The fields of the index \`${question.index}\` are`} not known.`,
    );
    this.question = question;
    this.needed = needed;
  }
}

/** The table that a selection is of. */
export function tableBelow(term: CallTerm): CallTerm | undefined {
  for (let at: Term | undefined = term; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.TABLE) return at;
  }
  return undefined;
}
