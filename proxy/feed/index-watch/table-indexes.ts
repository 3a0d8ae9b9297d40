// The question what indexes a table has, and what the answer says. It takes no more than the right to read the table.

import { builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Entry, Term } from '../../../rewrite/reql/term/term.ts';
import type { IndexRead } from '../../../rewrite/sources/indexes-read.ts';
import { readResponseObject } from '../source/response-json.ts';

/** A table and its indexes at one moment. */
export interface TableIndexes {
  /** The UUID of the table, which it keeps when it gets another name. */
  readonly id: string;
  /** Its name, with that of its database. */
  readonly name: string;
  /** Absent where all indexes that were asked about are there: its primary key is none of them. */
  readonly primaryKey: string | undefined;
  readonly indexes: ReadonlyMap<string, IndexState>;
}

/** The visible state of an index. RethinkDB shows no identity: one that is made anew in the same way looks the same. */
export interface IndexState {
  /** Equal for indexes that hold the same of a row. */
  readonly definition: string;
  readonly geo: boolean;
}

/**
 * The query that asks for a table's indexes. `info` tells the primary key and counts all rows besides, which takes RethinkDB 30 times as
 * long as the rest for 20,000 of them: it is asked only where one of `names` is no secondary index.
 */
export function tableIndexesQuery(table: Term, globalOptargs: readonly Entry[], names: readonly string[]): string {
  const t = builder(undefined, freshVars(table));
  const others = t.setDifference(t.array(...names), t.indexList(table));
  const primaryKey = t.branch(t.isEmpty(others), null, t.bracket(t.info(table), 'primary_key'));
  const statuses = t.pluck(t.indexStatus(table), 'index', 'function', 'multi', 'geo');
  const term = t.expr([t.pluck(t.status(table), 'id', 'name', 'db'), statuses, primaryKey]);
  return serializeQuery({ term, globalOptargs: databaseOf(globalOptargs) });
}

/** The global optargs that say which database a table without one is in. */
export function databaseOf(globalOptargs: readonly Entry[]): readonly Entry[] {
  return globalOptargs.filter(([name]) => name === 'db');
}

/** Reads the answer; `undefined` where there is no such table, or none that may be read, or none that answers. */
export function readTableIndexes(body: Buffer): TableIndexes | undefined {
  const response = readResponseObject(body);
  if (response === undefined || getField(response, 't') !== ResponseType.SUCCESS_ATOM) return undefined;
  const [answer] = listOf(getField(response, 'r'));
  const [table, statuses, key] = listOf(answer);
  if (table === undefined || !isObject(table)) return undefined;
  const [id, name, db] = ['id', 'name', 'db'].map((field) => textIn(table, field));
  if (id === undefined || name === undefined || db === undefined) return undefined;
  const indexes = new Map<string, IndexState>();
  for (const status of listOf(statuses)) {
    const index = isObject(status) ? textIn(status, 'index') : undefined;
    if (isObject(status) && index !== undefined) indexes.set(index, stateOf(status));
  }
  return { id, name: `${db}.${name}`, primaryKey: typeof key === 'string' ? key : undefined, indexes };
}

function stateOf(status: DatumObject): IndexState {
  const parts = ['function', 'multi', 'geo'].map((field) => getField(status, field) ?? null);
  return { definition: JSON.stringify(parts), geo: getField(status, 'geo') === true };
}

function listOf(datum: Datum | undefined): readonly Datum[] {
  return Array.isArray(datum) ? datum : [];
}

function textIn(object: DatumObject, field: string): string | undefined {
  const value = getField(object, field);
  return typeof value === 'string' ? value : undefined;
}

/** The key that tells tables apart on one connection, as far as queries say which they mean. */
export function tableKey({ table }: IndexRead, globalOptargs: readonly Entry[]): string {
  return tableIndexesQuery(table, globalOptargs, []);
}
