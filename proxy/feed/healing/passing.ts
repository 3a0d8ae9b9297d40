// Which errors of a feed pass: those for reasons of RethinkDB's own, after which the same query can be read again. All others
// are final: the table is gone, a right has been taken, a value is of the wrong type, an index is another one.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import { isGap } from '../overflow.ts';

/** What cannot be done now and perhaps later (ql2.proto, OP_FAILED and OP_INDETERMINATE). */
const OF_THE_CLUSTER: ReadonlySet<ErrorType | undefined> = new Set([ErrorType.OP_FAILED, ErrorType.OP_INDETERMINATE]);

/** Texts of the same kind that no waiting changes: names that mean nothing, and what Livefold itself says of a feed. */
const FINAL =
  /does not exist|was not found|was replaced by a different one|^Cannot show a moment|stopping|shutting down/;

/** Whether the query can be read again. */
export function isPassing(error: ReqlError): boolean {
  if (isGap(error)) return true;
  return OF_THE_CLUSTER.has(error.errorType) && !FINAL.test(error.message);
}
