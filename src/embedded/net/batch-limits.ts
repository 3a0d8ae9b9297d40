// The global optargs that size batches (batching.cc, batchspec_t::user). They are checked when a stream's first batch
// is due, in the server's order and without a backtrace.

import { asNumber } from '../../../rewrite/reql/data/data-type.ts';
import { asInteger } from '../../../rewrite/reql/data/number.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { BatchLimits } from './cursor.ts';

const MOST_BATCH_BYTES = 1024 * 1024;
const FIRST_BATCH_SHARE = 4;

/** The limits that a query sets for its batches, as far as it sets them by literals. */
export function batchLimits(query: StartQuery): BatchLimits {
  const rows = literalInteger(query, 'max_batch_rows') ?? Number.POSITIVE_INFINITY;
  literalInteger(query, 'min_batch_rows');
  const bytes = literalInteger(query, 'max_batch_bytes') ?? MOST_BATCH_BYTES;
  const firstShare = literalInteger(query, 'first_batch_scaledown_factor') ?? FIRST_BATCH_SHARE;
  return { rows: Math.max(1, rows), bytes: Math.max(1, bytes), firstShare: Math.max(1, firstShare) };
}

function literalInteger(query: StartQuery, name: string): number | undefined {
  const term = query.globalOptargs.find(([key]) => key === name)?.[1];
  return term?.kind === 'datum' ? asInteger(asNumber(term.value)) : undefined;
}
