// The identity of the tables that a query reads, told by the server: the question takes the right to read them, and names are not
// enough, since a table may be renamed, or dropped and made anew. Reading a row is what RethinkDB checks rights for; `limit(0)`,
// `getAll()` and `status()` do not see that a right has been taken (2.4.4).

import type { Live } from '../../../rewrite/live.ts';
import { builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { getField } from '../../../rewrite/reql/data/datum.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import { canonicalKey } from '../../../rewrite/reql/term/canonical-key.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { childrenOf } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { databaseOf } from '../index-watch/table-indexes.ts';
import { readResponseObject } from '../source/response-json.ts';

/**
 * The query that asks for the tables of a live query, in the order in which it names them. `info` goes to every shard of a
 * table, and its answer comes behind the changes that the shards had sent before.
 */
export function identityQuery({ sources, globalOptargs }: Pick<Live, 'sources' | 'globalOptargs'>): string {
  const tables = tablesOf(sources.map(({ term }) => term));
  const t = builder(undefined, freshVars(...tables));
  const term = t.expr(tables.map((table) => [t.bracket(t.info(table), 'id'), t.eq(t.get(table, ''), null)]));
  return serializeQuery({ term, globalOptargs: databaseOf(globalOptargs) });
}

/** A text that is the same for the same tables; `undefined` where a table is not there, or may not be read, or has no identity. */
export function readIdentity(body: Buffer): string | undefined {
  const response = readResponseObject(body);
  if (response === undefined || getField(response, 't') !== ResponseType.SUCCESS_ATOM) return undefined;
  const results = getField(response, 'r');
  const answer = Array.isArray(results) ? results[0] : undefined;
  if (!Array.isArray(answer)) return undefined;
  const ids: string[] = [];
  for (const table of answer) {
    const id = Array.isArray(table) ? table[0] : undefined;
    if (typeof id !== 'string') return undefined;
    ids.push(id);
  }
  return ids.join();
}

/** The TABLE terms in some terms, each table once. */
function tablesOf(terms: readonly Term[]): readonly Term[] {
  const tables = new Map<string, Term>();
  const left = [...terms];
  for (let term = left.shift(); term !== undefined; term = left.shift()) {
    if (term.kind === 'call' && term.type === TermType.TABLE) tables.set(canonicalKey(term), term);
    else left.push(...childrenOf(term));
  }
  return [...tables.values()];
}
