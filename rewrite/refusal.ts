// Refusals of live queries when they are opened: texts that name the term in the way and what would work.

import { ReqlError } from './reql/error.ts';
import type { Origin } from './reql/origin.ts';
import { ErrorType, ResponseType } from './reql/protocol.ts';
import { signatureOf } from './reql/term/signatures.ts';
import type { CallTerm, Term } from './reql/term/term.ts';
import { TermType } from './reql/term-type.ts';
import type { IndexQuestion } from './sources/known-index.ts';

const OF_THE_TABLE = 'it tells of the table, not of its rows. Watch the table in the database `rethinkdb` that says so';

/** What to write instead, per term number. */
const advice: ReadonlyMap<number, string> = new Map([
  [TermType.SAMPLE, 'which elements it picks is a matter of chance. Watch the whole and sample in the client'],
  [TermType.RANDOM, 'its value is a matter of chance. Take it out of the watched expression'],
  [TermType.JAVASCRIPT, 'JavaScript cannot be checked or evaluated here. Write it in ReQL'],
  [TermType.HTTP, 'its value comes from outside the database. Fetch it in the client'],
  [TermType.UUID, 'without an argument its value is a matter of chance. Take it out of the watched expression'],
  [TermType.FOLD, 'a fold cannot be undone. Give its inverse, `fold(base, f).changes({reverse: g})`'],
  [TermType.MAP, 'a map over several sequences pairs elements by their position. Map over one sequence'],
  [TermType.INDEX_LIST, OF_THE_TABLE],
  [TermType.INDEX_STATUS, OF_THE_TABLE],
  [TermType.GET_NEAREST, 'the nearest rows cannot be watched. Use `getIntersecting`'],
]);

/** An error that says why a query is not watched. Its text names terms, optargs and indexes, and quotes no value. */
export class Refusal extends ReqlError {
  constructor(message: string, origin: Origin | undefined) {
    super(ResponseType.RUNTIME_ERROR, ErrorType.QUERY_LOGIC, message, origin);
  }
}

/** A term as drivers spell it. */
export function spelling(term: CallTerm): string {
  return signatureOf(term.type)?.driver ?? `term ${term.type}`;
}

/** The refusal of a live query because of one of its terms. */
export function refusal(term: CallTerm, reason?: string): ReqlError {
  const because = reason ?? advice.get(term.type) ?? 'it cannot be kept up to date from changes of rows';
  return new Refusal(`Cannot watch a query with \`${spelling(term)}\` at this place: ${because}.`, term.origin);
}

/** The refusal of a look-up by a value that a function within that of the element has. */
export function innerKeyRefusal(term: CallTerm): ReqlError {
  return refusal(
    term,
    'its key depends on a variable of a function within. Make an element of each with `concatMap`, and look up for that',
  );
}

/** The refusal of a union of rows that are looked up, or of those of a group. */
export function unitedRefusal(term: CallTerm): ReqlError {
  return refusal(
    term,
    'it unites rows that are looked up, or those of a group, with others. Use `coerceTo("array")` on each, and `add` them',
  );
}

/** The refusal of a union of rows with a list. */
export function mixedRefusal(term: CallTerm): ReqlError {
  return refusal(
    term,
    'one of the streams that it unites is not one of rows. Unite tables and selections alone, or use `coerceTo("array")` on each',
  );
}

/** The refusal of a list that is written out and joined with rows. */
export function writtenRefusal(term: CallTerm): ReqlError {
  return refusal(
    term,
    'its left side is a list that is written out. Put the table on the left, or select its rows with `getAll`',
  );
}

/** The refusal of a function that reads tables for each element. */
export function subqueryRefusal(term: CallTerm, within: Term): ReqlError {
  const reader = spelling(term);
  return new Refusal(
    `Cannot watch a query whose \`${reader}\` reads a table or a live value for each element at this place: look it up in a \`map\` or a \`merge\` of the elements before.`,
    within.origin ?? term.origin,
  );
}

/** The refusal where nobody can be asked what an index holds. */
export function unknownIndexRefusal({ table, index }: IndexQuestion): ReqlError {
  const [what, instead] =
    index === undefined
      ? ['which field is the primary key', 'order the rows by a field']
      : [`what the index \`${index}\` holds`, 'use a function instead of the index'];
  return new Refusal(
    `Cannot watch a query that depends on ${what}: that is not known here. Tell it in the setting \`indexes\`, or ${instead}.`,
    table.origin,
  );
}

/** The refusal of what depends on an order that RethinkDB keeps and a live query does not. */
export function lostOrderRefusal(term: CallTerm): ReqlError {
  const behind = standsOnOrder(term) ? 'Move the `orderBy`' : 'Put an `orderBy`';
  const instead = term.type === TermType.UNION ? 'Order the union' : `${behind} behind \`${spelling(term)}\``;
  return refusal(
    term,
    `what stands on it depends on an order that is lost in it. ${instead}, with the row itself as the last key: \`orderBy(..., row => row)\``,
  );
}

/** Whether an `orderBy` is below a term, on the way to the table. */
function standsOnOrder(term: CallTerm): boolean {
  for (let at: Term | undefined = term; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.ORDER_BY) return true;
  }
  return false;
}
