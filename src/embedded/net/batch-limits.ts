// The global optargs that size batches (batching.cc, batchspec_t::user). They are checked when a stream's first batch
// is due, in the server's order and without a backtrace.

import { asNumber } from '../../../rewrite/reql/data/data-type.ts';
import { asInteger, exactNumberText } from '../../../rewrite/reql/data/number.ts';
import { internalError, logicError } from '../../../rewrite/reql/error.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { BatchLimits } from './cursor.ts';

const MOST_BATCH_BYTES = 1024 * 1024;
const FIRST_BATCH_SHARE = 4;
const MOST_BATCH_SECONDS = 86_400;

/** The limits that a query sets for its batches, as far as it sets them by literals. */
export function batchLimits(query: StartQuery): BatchLimits {
  const rows = literalInteger(query, 'max_batch_rows') ?? Number.POSITIVE_INFINITY;
  const fewest = literalInteger(query, 'min_batch_rows') ?? Math.min(rows, 1);
  const bytes = literalInteger(query, 'max_batch_bytes') ?? MOST_BATCH_BYTES;
  const firstShare = literalInteger(query, 'first_batch_scaledown_factor') ?? FIRST_BATCH_SHARE;
  checkSeconds(literalNumber(query, 'max_batch_seconds'));
  sane(firstShare, 'first_scaledown_factor', 45);
  sane(rows, 'max_els', 46);
  sane(fewest, 'min_els', 47);
  sane(bytes, 'max_size', 49);
  return { rows, bytes, firstShare };
}

function checkSeconds(seconds: number | undefined): void {
  if (seconds === undefined) return;
  if (seconds >= MOST_BATCH_SECONDS) {
    const most = exactNumberText(MOST_BATCH_SECONDS);
    throw logicError(
      `max_batch_seconds is too large (got \`${exactNumberText(seconds)}\`, must be less than ${most}).`,
    );
  }
  if (seconds < 0) throw logicError(`max_batch_seconds must be positive (got \`${exactNumberText(seconds)}\`).`);
}

/** RethinkDB takes a limit below 1 for a fault of its own; its text goes on with a backtrace of C++. */
function sane(limit: number, name: string, line: number): void {
  if (limit >= 1) return;
  const where = `\`src/rdb_protocol/batching.cc:${line}\``;
  throw internalError(`SANITY CHECK FAILED: [${name} >= 1] at ${where} (server is buggy).`);
}

function literalInteger(query: StartQuery, name: string): number | undefined {
  const number = literalNumber(query, name);
  return number === undefined ? undefined : asInteger(number);
}

function literalNumber(query: StartQuery, name: string): number | undefined {
  const term = query.globalOptargs.find(([key]) => key === name)?.[1];
  return term?.kind === 'datum' ? asNumber(term.value) : undefined;
}
