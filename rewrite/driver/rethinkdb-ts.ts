// Live queries through the driver `rethinkdb-ts`, without the proxy.

import type { RewriteSettings } from '../rewrite.ts';
import { liveTerm } from './live-query.ts';

/** The `r` of `rethinkdb-ts`, as far as it matters here. */
export interface RethinkdbTs<Base> {
  serialize(query: Base): string;
  deserialize<Query extends Base>(term: string): Query;
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
  return term === undefined ? query : r.deserialize<Query>(term);
}
