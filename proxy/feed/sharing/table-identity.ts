// The identity of the tables that a query reads, told by the server: the question takes the right to read them, and names are not
// enough, since a table may be renamed, or dropped and made anew. Reading a row is what RethinkDB checks rights for; `limit(0)`,
// `getAll()` and `status()` do not see that a right has been taken (2.4.4). The id is read of `status()`, which takes a fifth of the
// work of `info()`, and of `info()` where there is none: of the server's own tables.
//
// A feed that reads certain tables and no others holds the question itself: RethinkDB evaluates `changefeed_queue_size` right after
// the selection that is watched (2.4.4, terms/seq.cc), so that a name means the same to both.

import type { Live } from '../../../rewrite/live.ts';
import { QUEUE_SIZE } from '../../../rewrite/plan/upstream-options.ts';
import { type Builder, builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { getField } from '../../../rewrite/reql/data/datum.ts';
import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import { callWith } from '../../../rewrite/reql/term/call-with.ts';
import { canonicalKey } from '../../../rewrite/reql/term/canonical-key.ts';
import { factsOf } from '../../../rewrite/reql/term/facts.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { CallTerm, Entry, StartQuery, Term } from '../../../rewrite/reql/term/term.ts';
import { childrenOf, fold, withChildren } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { databaseOf } from '../index-watch/table-indexes.ts';
import { readResponseObject } from '../source/response-json.ts';
import { readError } from '../source/upstream-response.ts';

/** What the server is asked of the tables that a live query reads. */
export interface TableQuestions {
  /** The query that asks which they are, and whether they may be read. */
  readonly question: string;
  /** The query that asks no more than whether they may be read. */
  readonly probe: string;
  /** The query that asks for the names of their primary keys. */
  readonly primaryKeys: string;
  /** What says that the changes of each of them have been handed on. `identity`: which they are, where that is known. */
  barriers(primaryKeys: readonly string[], identity: string | undefined): readonly BarrierQuery[];
  /** Keys of their terms, in the order in which the answer has them. */
  readonly keys: readonly string[];
}

/**
 * A query that tells when a server has handed on, to all feeds of a table that it has, each change that had been acknowledged when
 * the query came. Changes wait in one line for each shard, and nothing that is asked for passes that line (2.4.4: 400 rows that were
 * written at once came up to 20 ms after they were acknowledged, and after whatever was asked next), but for one thing: what a feed of
 * first rows begins with is sent by each shard behind its changes, and the feed is ready when all have come (changefeed.cc).
 */
export interface BarrierQuery {
  readonly text: string;
  /** Whether it is a feed, which is to become ready. The server's own tables have none, and are not sharded: an answer is enough. */
  readonly isFeed: boolean;
}

/** The questions about the tables of a live query, in the order in which it names them. */
export function tableQuestions({ sources, globalOptargs }: Pick<Live, 'sources' | 'globalOptargs'>): TableQuestions {
  const tables = tablesOf(sources.map(({ term }) => term));
  const t = builder(undefined, freshVars(...tables.values()));
  const all = [...tables.values()];
  const ask = (term: Term): string => serializeQuery({ term, globalOptargs: databaseOf(globalOptargs) });
  return {
    question: ask(t.expr(all.map((table) => [idOf(t, table, globalOptargs), t.eq(t.get(table, ''), null)]))),
    probe: ask(t.expr(all.map((table) => t.eq(t.get(table, ''), null)))),
    primaryKeys: ask(t.expr(all.map((table) => t.bracket(t.info(table), 'primary_key')))),
    barriers(primaryKeys, identity) {
      const known = idsByKey(this, identity);
      return all.map((table, at) => {
        if (isOfServer(table, globalOptargs)) return { text: ask(t.count(t.limit(table, 1))), isFeed: false };
        const rows = t.orderBy(atPrimary(table), { index: primaryKeys[at] });
        const feed = t.changes(t.limit(rows, 1), { include_states: true });
        return { text: ask(sureChanges(feed, known, globalOptargs)), isFeed: true };
      });
    },
    keys: [...tables.keys()],
  };
}

/** A table read where it is written to, whatever the client wants of its rows (`read_mode`). */
function atPrimary(table: Term): Term {
  return table.kind === 'call' ? callWith(table, { optargs: [] }) : table;
}

/** The id that a table's name means. */
function idOf(t: Builder, table: Term, globalOptargs: readonly Entry[]): Term {
  return t.bracket(isOfServer(table, globalOptargs) ? t.info(table) : t.status(table), 'id');
}

/** Whether a table is one of the server's own. */
function isOfServer(table: Term, globalOptargs: readonly Entry[]): boolean {
  const args = table.kind === 'call' ? table.args : [];
  const db = args.length > 1 ? args[0] : globalOptargs.find(([name]) => name === 'db')?.[1];
  const [name] = db?.kind === 'call' && db.type === TermType.DB ? db.args : [];
  return name?.kind === 'datum' && name.value === SERVER_DB;
}

const SERVER_DB = 'rethinkdb';

/** The query of a feed that RethinkDB refuses where a name means another table than `identity` says. */
export function sureQuery(query: StartQuery, tables: TableQuestions, identity: string): StartQuery {
  const { globalOptargs } = query;
  const known = idsByKey(tables, identity);
  const term = fold<undefined, undefined, Term>(query.term, undefined, {
    known: (inner) => {
      if (inner.kind === 'call' && inner.type === TermType.CHANGES) return sureChanges(inner, known, globalOptargs);
      // The text of the whole is ours; what the client wrote holds none.
      return inner.text === undefined || inner === query.term ? undefined : inner;
    },
    enter: () => undefined,
    children: childrenOf,
    scopeOf: () => undefined,
    leave: (inner, _scope, _inner, children) => withChildren(inner, children),
  });
  return { term, globalOptargs };
}

/** The ids of tables, by their keys; none where nobody knows which they are. */
function idsByKey(
  { keys }: Pick<TableQuestions, 'keys'>,
  identity: string | undefined,
): ReadonlyMap<string, string | undefined> {
  const ids = identity?.split(SEPARATOR) ?? [];
  return new Map(keys.map((key, at) => [key, ids[at]]));
}

function sureChanges(
  changes: CallTerm,
  known: ReadonlyMap<string, string | undefined>,
  globalOptargs: readonly Entry[],
): CallTerm {
  const tables = [...tablesOf(changes.args)].flatMap(([key, table]) => {
    const id = known.get(key);
    return id === undefined ? [] : [{ table, id }];
  });
  if (tables.length === 0) return changes;
  const t = builder(undefined, freshVars(...tables.map(({ table }) => table)));
  const asked = changes.optargs.find(([name]) => name === SIZE)?.[1] ?? QUEUE_SIZE;
  const are = tables.map(({ table }) => idOf(t, table, globalOptargs));
  const same = t.eq(
    are,
    tables.map(({ id }) => id),
  );
  const size = t.branch(same, asked, t.error(OTHER_TABLE));
  return callWith(changes, { optargs: [...changes.optargs.filter(([name]) => name !== SIZE), [SIZE, size]] });
}

const SIZE = 'changefeed_queue_size';

/** What a feed ends with whose tables are others than it was to read. */
const OTHER_TABLE = 'The name of the table means another one now.';

/** The error with which RethinkDB refuses a query of `sureQuery`; `undefined` where it does not. */
export function readOtherTable(body: Buffer): ReqlError | undefined {
  return body.includes(OTHER_TABLE) && readError(body)?.message === OTHER_TABLE ? opFailed(OTHER_TABLE) : undefined;
}

/** Stands between the UUIDs of tables. */
const SEPARATOR = ',';

/** A text that is the same for the same tables; `undefined` where a table is not there, or may not be read, or has no identity. */
export function readIdentity(body: Buffer): string | undefined {
  return texts(readAnswer(body)?.map((table) => (Array.isArray(table) ? table[0] : undefined)))?.join(SEPARATOR);
}

/** Whether tables may be read, as the answer to `TableQuestions.probe` says. */
export function readProbe(body: Buffer): boolean {
  return readAnswer(body) !== undefined;
}

/** The names of the primary keys of tables; `undefined` where one is not there, or may not be read. */
export function readPrimaryKeys(body: Buffer): readonly string[] | undefined {
  return texts(readAnswer(body));
}

/** The list that a question is answered with; `undefined` for an error. */
function readAnswer(body: Buffer): readonly unknown[] | undefined {
  const response = readResponseObject(body);
  if (response === undefined || getField(response, 't') !== ResponseType.SUCCESS_ATOM) return undefined;
  const results = getField(response, 'r');
  const answer = Array.isArray(results) ? results[0] : undefined;
  return Array.isArray(answer) ? answer : undefined;
}

function texts(values: readonly unknown[] | undefined): readonly string[] | undefined {
  return values?.every((value) => typeof value === 'string') ? values : undefined;
}

const readsTables = (term: Term): boolean => factsOf(term).table !== undefined;

/** The TABLE terms in some terms, each table once, by keys that are equal for the same table. */
function tablesOf(terms: readonly Term[]): ReadonlyMap<string, Term> {
  const tables = new Map<string, Term>();
  const found = terms.filter(readsTables);
  for (let at = 0; at < found.length; at++) {
    const term = found[at];
    if (term === undefined) break;
    if (term.kind === 'call' && term.type === TermType.TABLE) tables.set(canonicalKey(term), term);
    else for (const child of childrenOf(term)) if (readsTables(child)) found.push(child);
  }
  return tables;
}
