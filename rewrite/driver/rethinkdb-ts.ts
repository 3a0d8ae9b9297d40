// Live queries through the driver `rethinkdb-ts`, without the proxy.

import type { RewriteSettings } from '../rewrite.ts';
import { liveTerm } from './live-query.ts';

/** The `r` of `rethinkdb-ts`, as far as it matters here. */
export interface RethinkdbTs<Base> {
  serialize(query: Base): string;
  now(): Base;
}

/**
 * Makes a query live: `liveRethinkdbTs(r, r.table('orders').sum('total').changes()).run()`. What RethinkDB watches by itself
 * comes back as it is. Options of the feed belong into `changes(...)`; those given to `run` are not seen here.
 *
 * @param r the `r` of the `rethinkdb-ts` package
 * @param query one of its queries, with `changes` in it
 * @returns a query of the same kind, ready to `run`
 * @throws ReqlError for a query that cannot be kept right; its message names the term in the way
 */
export function liveRethinkdbTs<Base, Query extends Base>(
  r: RethinkdbTs<Base>,
  query: Query,
  settings: RewriteSettings = {},
): Query {
  const term = liveTerm(r.serialize(query), settings);
  if (term === undefined) return query;
  // `r.deserialize` would be the way, but 3.0.0 refuses terms with optargs, and arguments such as 0 and null. The term of a
  // query is an array that all its methods share: a query just made is given another one.
  const made: unknown = r.now();
  if (!isQuery<Query>(made)) throw new TypeError('These are not the queries of `rethinkdb-ts`.');
  made.term.splice(0, made.term.length, ...JSON.parse(term));
  return made;
}

function isQuery<Query>(value: unknown): value is Query & { readonly term: unknown[] } {
  return typeof value === 'function' && 'term' in value && Array.isArray(value.term);
}
