// Live queries through the official JavaScript driver (`rethinkdb`), without the proxy.

import { describe, isRethinkdbQuery } from '../given.ts';
import type { RewriteSettings } from '../rewrite.ts';
import { liveTerm } from './live-query.ts';

/** A query of the official driver, as far as it matters here. */
export interface RethinkdbQuery {
  /** The term as the driver sends it. */
  build(): unknown;
}

/**
 * Makes a query live: `liveRethinkdb(r.table('orders').sum('total').changes()).run(conn)`. What RethinkDB watches by itself
 * comes back as it is. Options of the feed belong into `changes(...)`; those given to `run` are not seen here.
 *
 * @param query a query of the `rethinkdb` package, with `changes` in it
 * @returns a query of the same kind: it runs as the given one does, and errors print the given one
 * @throws ReqlError for a query that cannot be kept right; its message names the term in the way
 * @throws TypeError for what is no query of the driver
 */
export function liveRethinkdb<Query extends RethinkdbQuery>(query: Query, settings: RewriteSettings = {}): Query {
  if (!isRethinkdbQuery(query)) {
    throw new TypeError(
      `\`liveRethinkdb\` takes a query of the driver \`rethinkdb\`, as r.table('t').count().changes(); found ${describe(query)}.`,
    );
  }
  const term = liveTerm(JSON.stringify(query.build()), settings);
  if (term === undefined) return query;
  return Object.create(query, { build: { value: () => JSON.parse(term) } });
}
