// RethinkDB's refusals of queries that it refuses whatever its tables hold: asked of an in-memory server, over empty tables of the
// names in the query.

import { ErrorType, QueryType } from '../../rewrite/reql/protocol.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import type { CallTerm, StartQuery } from '../../rewrite/reql/term/term.ts';
import { visit } from '../../rewrite/reql/term/walk.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { Client } from '../client/client.ts';
import { ServerError } from '../client/server-error.ts';
import { createEmbeddedServer } from '../embedded/index.ts';
import { nameOfDb, nameOfTable, textOf } from './table-name.ts';

const DEFAULT_DB = 'test';
const SYSTEM_DB = 'rethinkdb';

/** Terms that the in-memory server has not, or that can take any time. */
const NOT_ASKED: ReadonlySet<number> = new Set([TermType.JAVASCRIPT, TermType.HTTP, TermType.RANGE]);
const NOT_THERE = /not supported by the embedded server/;

/** Errors that come of the query itself; where it reads tables, only the first may. */
const OF_THE_QUERY: readonly number[] = [
  ErrorType.QUERY_LOGIC,
  ErrorType.NON_EXISTENCE,
  ErrorType.USER,
  ErrorType.RESOURCE_LIMIT,
];

/**
 * RethinkDB's error for a query that it refuses whatever its tables hold: it says the same over empty tables and over tables with
 * a row. `undefined` where it accepts the query, or is not known to refuse it.
 * @param query a START query as wire JSON
 */
export async function serverRefusal(query: string): Promise<string | undefined> {
  const parsed = parseQuery(query);
  if (!('term' in parsed)) return undefined;
  const calls = callsIn(parsed);
  if (calls.some(({ type }) => NOT_ASKED.has(type))) return undefined;
  const tables = calls.filter(({ type }) => type === TermType.TABLE);
  const server = await createEmbeddedServer();
  const client = await Client.connect(server.address);
  const prepare = async (steps: readonly unknown[]): Promise<void> => {
    // A step that fails, as for a table that is there already, needs no preparation.
    for (const step of steps) await client.run(JSON.stringify([QueryType.START, step])).catch(() => {});
  };
  try {
    const rows = tables.map((table) => [TermType.INSERT, [wireTable(table, parsed), { id: 1 }]]);
    await prepare(tables.flatMap((table) => creations(table, parsed, indexesIn(calls))));
    const empty = await refusalOf(client, query);
    if (empty === undefined || tables.length === 0) return said(empty, OF_THE_QUERY);
    await prepare(rows);
    const full = await refusalOf(client, query);
    return full?.message === empty.message ? said(empty, [ErrorType.QUERY_LOGIC]) : undefined;
  } finally {
    client.close();
    await server.close();
  }
}

function refusalOf(client: Client, query: string): Promise<ServerError | undefined> {
  return client.run(query).then(
    () => undefined,
    (error: unknown) => (error instanceof ServerError ? error : undefined),
  );
}

function said(error: ServerError | undefined, kinds: readonly number[]): string | undefined {
  if (error === undefined || NOT_THERE.test(error.message)) return undefined;
  return error.type === undefined || kinds.includes(error.type) ? error.message : undefined;
}

function callsIn({ term, globalOptargs }: StartQuery): readonly CallTerm[] {
  const calls: CallTerm[] = [];
  for (const root of [term, ...globalOptargs.map(([, optarg]) => optarg)]) {
    visit(root, (each) => {
      if (each.kind === 'call') calls.push(each);
      return undefined;
    });
  }
  return calls;
}

/** The names of all indexes that are written out. */
function indexesIn(calls: readonly CallTerm[]): readonly string[] {
  const named = calls.flatMap(({ optargs }) => optargs.filter(([name]) => name === 'index'));
  return named.flatMap(([, term]) => textOf(term.kind === 'call' ? term.args[0] : term) ?? []);
}

function dbOf(table: CallTerm, query: StartQuery): string {
  const asked = query.globalOptargs.find(([name]) => name === 'db')?.[1];
  const byDefault = asked?.kind === 'call' ? textOf(asked.args[0]) : undefined;
  return nameOfDb(table) ?? byDefault ?? DEFAULT_DB;
}

function wireTable(table: CallTerm, query: StartQuery): unknown {
  return [TermType.TABLE, [[TermType.DB, [dbOf(table, query)]], nameOfTable(table) ?? '']];
}

/** What has to be run before a table and its indexes are there. */
function creations(table: CallTerm, query: StartQuery, indexes: readonly string[]): readonly unknown[] {
  const db = dbOf(table, query);
  if (db === SYSTEM_DB) return [];
  return [
    [TermType.DB_CREATE, [db]],
    [TermType.TABLE_CREATE, [[TermType.DB, [db]], nameOfTable(table) ?? '']],
    ...indexes.map((index) => [TermType.INDEX_CREATE, [wireTable(table, query), index]]),
  ];
}
