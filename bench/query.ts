// Queries of the bench as wire JSON, written as ReQL.

import { makeR, type R, type Reql, termOfReql } from '../rewrite/reql/build/r.ts';
import { serializeQuery } from '../rewrite/reql/term/serialize.ts';

/** The database of the bench. */
export const DATABASE = 'livefold_bench';

/** A query as JSON. */
export function wire(make: (r: R) => Reql): string {
  return serializeQuery({ term: termOfReql(make(makeR())), globalOptargs: [] });
}

/** A query on one of the bench's tables. */
export function onTable(name: string, make: (table: Reql, r: R) => Reql): string {
  return wire((r) => make(r.db(DATABASE).table(name), r));
}
