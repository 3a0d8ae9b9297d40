// The sizes of the batches of a feed upstream. A client may ask for any size, but here they are gathered, read and worked on, and
// what it gets is in batches of the proxy's own.

import type { Live } from '../../../rewrite/live.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { Entry, StartQuery } from '../../../rewrite/reql/term/term.ts';

/** RethinkDB's own limit of bytes, and no more rows at least than are worked on at a time (batching.cc). */
const most: ReadonlyMap<string, number> = new Map([
  ['max_batch_bytes', 1024 * 1024],
  ['min_batch_rows', 1000],
]);

/** The query with batches that are no larger than usual. `context` knows the values of its global optargs. */
export function withOwnBatches(query: StartQuery, context: EvalContext): StartQuery {
  if (!query.globalOptargs.some(([name]) => most.has(name))) return query;
  const globalOptargs = query.globalOptargs.map((optarg): Entry => {
    const [name] = optarg;
    const limit = most.get(name);
    const value = limit === undefined ? undefined : context.globalOptarg(name);
    return limit !== undefined && typeof value === 'number' && value > limit
      ? [name, { kind: 'datum', value: limit }]
      : optarg;
  });
  return { term: query.term, globalOptargs };
}

/**
 * Of rows that are folded here, so many bytes at a time: the proxy works on them while RethinkDB reads more, instead of on all when
 * all are read. RethinkDB reads 20,000 rows as fast as in batches of its own limit.
 */
const FOLDED_BYTES = 128 * 1024;

/** The query with batches that are worked on while the next is read, unless the client says otherwise. */
export function withFoldedBatches({ term, globalOptargs }: StartQuery): StartQuery {
  if (globalOptargs.some(([name]) => name === 'max_batch_bytes')) return { term, globalOptargs };
  return { term, globalOptargs: [...globalOptargs, ['max_batch_bytes', { kind: 'datum', value: FOLDED_BYTES }]] };
}

/** Optargs that say how large an answer is at most. */
const cutting: ReadonlySet<string> = new Set(['max_batch_bytes', 'max_batch_rows']);

/** Whether a client says how large answers are at most: RethinkDB may then cut any. */
export function cutsBatches({ globalOptargs }: Pick<Live, 'globalOptargs'>): boolean {
  return globalOptargs.some(([name]) => cutting.has(name));
}
