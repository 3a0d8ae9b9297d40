// The errors of a feed that pass: those for reasons of RethinkDB's own, after which the same query can be read again, those of an index
// that is made anew, and that of a fold that has outgrown the server plan. All others are final: the table is gone, a right has been
// taken, a value is of the wrong type.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import { isGap, isOutgrown } from '../overflow.ts';

/** What cannot be done now and perhaps later (ql2.proto, OP_FAILED and OP_INDETERMINATE). */
const OF_THE_CLUSTER: ReadonlySet<ErrorType | undefined> = new Set([ErrorType.OP_FAILED, ErrorType.OP_INDETERMINATE]);

/** Texts of the same kind that no waiting changes: names that mean nothing, and what Livefold itself says of a feed. */
const FINAL = /does not exist|was not found|^Cannot show a moment|stopping|shutting down/;

/** What RethinkDB says of an index that is not there. */
const INDEX_GONE = /^Index `.*` was not found on table/s;
/** An index that is not there for so long, in milliseconds, has been dropped for good: until then it may be made anew. */
const INDEX_GONE_MS = 2_000;

/** For how many milliseconds an error that passes does so: after that it is final. */
export function passesFor(error: ReqlError): number {
  return says(error, INDEX_GONE) ? INDEX_GONE_MS : Number.POSITIVE_INFINITY;
}

/** Whether the query can be read again; `ms`: for how many milliseconds it could not be. */
export function isPassing(error: ReqlError, ms = 0): boolean {
  if (isGap(error) || isOutgrown(error)) return true;
  if (says(error, INDEX_GONE)) return ms < passesFor(error);
  return OF_THE_CLUSTER.has(error.errorType) && !FINAL.test(error.message);
}

/** What RethinkDB says of an index that another one has taken the place of. */
const INDEX_REPLACED = /^The secondary index `.*` was replaced by a different one\.$/s;
/**
 * So many pauses are left out at the start there: RethinkDB does it part by part of a table (2.4.4: for up to half a second a
 * query was answered by the old index, by the new one, and by none, in turns), and what is read meanwhile is of both.
 */
const REPLACING_PAUSES = 6;

/** Whether an index is gone, or another one has taken its place. */
export function isOfIndex(error: ReqlError): boolean {
  return says(error, INDEX_GONE) || says(error, INDEX_REPLACED);
}

/** Whether RethinkDB itself says something: what terms of a client's say is of another type. */
function says({ errorType, message }: ReqlError, text: RegExp): boolean {
  return errorType === ErrorType.OP_FAILED && text.test(message);
}

/** How many pauses are left out at the start when this has happened: the first one is as long as they would have been. */
export function pausesLeftOut(error: ReqlError): number {
  return says(error, INDEX_REPLACED) ? REPLACING_PAUSES : 0;
}
