// Live queries through the driver `rethinkdb-ts`, without the proxy.

import { describe, isTsQuery } from '../given.ts';
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
 * @throws TypeError for another `r`, or what is no query of the driver
 */
export function liveRethinkdbTs<Base, Query extends Base>(
  r: RethinkdbTs<Base>,
  query: Query,
  settings: RewriteSettings = {},
): Query {
  if (typeof r?.serialize !== 'function') throw wrong('the `r` of the driver `rethinkdb-ts` first', r);
  if (!isTsQuery(query))
    throw wrong("a query of the driver `rethinkdb-ts` second, as r.table('t').count().changes()", query);
  const term = liveTerm(r.serialize(query), settings);
  if (term === undefined) return query;
  // `r.deserialize` would be the way, but 3.0.0 refuses terms with optargs, and arguments such as 0 and null. The term of a
  // query is an array that all its methods share: a query just made is given another one.
  const made: unknown = r.now();
  if (!isTsQuery<Query>(made)) throw new TypeError('These are not the queries of `rethinkdb-ts`.');
  made.term.splice(0, made.term.length, ...JSON.parse(term));
  return made;
}

function wrong(takes: string, found: unknown): TypeError {
  return new TypeError(`\`liveRethinkdbTs\` takes ${takes}; found ${describe(found)}.`);
}
