// The fields of an index: the question to the server, and what its answer says. Indexes are functions, which the server shows
// as JavaScript ReQL; those of plain fields are known by that text.

import { type Builder, builder, type Expression } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Entry, Term } from '../../../rewrite/reql/term/term.ts';
import type { IndexFields, IndexQuestion } from '../../../rewrite/sources/known-index.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import { isPassing } from '../healing/passing.ts';
import { readResponseObject } from '../source/response-json.ts';
import { readError } from '../source/upstream-response.ts';

/**
 * Asks for the primary key and for an index, in the database that the client's query means. Nearly all tables have the primary key that
 * RethinkDB gives them by itself. That `info` tells any other counts the rows besides, which takes RethinkDB 30 times as long for 20,000
 * of them: it is asked where the table has another.
 */
export function askIndex(
  port: Pick<UpstreamPort, 'ask'>,
  question: IndexQuestion,
  globalOptargs: readonly Entry[],
  answered: (body: Buffer) => void,
): void {
  port.ask(indexQuery(question, globalOptargs, usualKey), (body) => {
    if (HAS_OTHER_KEY.test(readError(body)?.message ?? ''))
      port.ask(indexQuery(question, globalOptargs, anyKey), answered);
    else answered(body);
  });
}

const USUAL_KEY = 'id';
const HAS_OTHER_KEY = /^Index `id` was not found /;

/** The primary key of a table, as a term. */
type KeyOf = (t: Builder, table: Term) => Term;

export const anyKey: KeyOf = (t, table) => t.bracket(t.info(table), 'primary_key');

/** RethinkDB takes the name of the primary key for an index, and lets no secondary one have it; it fails where none has the usual name. */
const usualKey: KeyOf = (t, table) =>
  t.branch(
    t.contains(t.indexList(table), USUAL_KEY),
    anyKey(t, table),
    t.isEmpty(t.getAll(table, '', { index: USUAL_KEY })),
    USUAL_KEY,
    USUAL_KEY,
  );

/**
 * The query that asks for the primary key, by a term, and for an index. The primary key works as an index but has no status. Where no index
 * is asked about, there is none either.
 */
export function indexQuery({ table, index }: IndexQuestion, globalOptargs: readonly Entry[], keyOf: KeyOf): string {
  const t = builder(undefined, freshVars(table));
  const statusOf = (key: Term): Expression =>
    index === undefined ? null : t.branch(t.eq(key, index), null, t.nth(t.indexStatus(table, index), 0));
  const term = t.do(
    t.func((key) => [key, statusOf(key)], 1),
    keyOf(t, table),
  );
  return serializeQuery({ term, globalOptargs: globalOptargs.filter(([name]) => name === 'db') });
}

/** Reads the answer; `undefined` where there is no such table or index, so that the server had better speak for itself. */
export function readIndexAnswer(body: Buffer, { index }: IndexQuestion): IndexFields | undefined {
  const response = readResponseObject(body);
  if (response === undefined) return undefined;
  const answer = answerIn(response);
  if (answer === undefined) return undefined;
  const { primaryKey, status } = answer;
  if (status === null) return { fields: [primaryKey], compound: false, multi: false, primaryKey };
  const query = getField(status, 'query');
  const multi = getField(status, 'multi') === true;
  const isPlain = getField(status, 'geo') !== true && typeof query === 'string' && index !== undefined;
  return { ...(isPlain ? readFields(query, index) : NO_FIELDS), multi, primaryKey };
}

/** What an index holds that is not one of plain fields. */
const NO_FIELDS: Omit<IndexFields, 'multi'> = { fields: null, compound: false };

/**
 * The server's error where the answer is that there is no such index or table, that the user may not read it, or that nothing can be
 * told now. Left to itself the server might say something else: that it cannot watch a `distinct`, or a function that looks rows up.
 */
export function indexFault(body: Buffer, { table }: IndexQuestion): ReqlError | undefined {
  const error = readError(body);
  if (error === undefined) return undefined;
  if (error.errorType === ErrorType.PERMISSION_ERROR) return error;
  const isOfTable = error.errorType === ErrorType.OP_FAILED && /^Table `.*` does not exist/.test(error.message);
  if (isOfTable && table.origin !== undefined) return error.at(table.origin);
  return NOT_OF_THE_QUERY.has(error.errorType) ? error : undefined;
}

/**
 * The server's error where the answer is that nothing can be told now: its replicas are out of reach, as all are for a second after it
 * was started. The same question may be answered a moment later.
 */
export function passingFault(body: Buffer): ReqlError | undefined {
  const error = readError(body);
  return error !== undefined && isPassing(error) ? error : undefined;
}

/** Errors that come of what is in the cluster, not of what the question asks. */
const NOT_OF_THE_QUERY: ReadonlySet<ErrorType | undefined> = new Set([
  ErrorType.OP_FAILED,
  ErrorType.OP_INDETERMINATE,
  ErrorType.RESOURCE_LIMIT,
  ErrorType.INTERNAL,
]);

/** The primary key and the status of the index, `null` for the primary key itself. */
function answerIn(
  response: DatumObject,
): { readonly primaryKey: string; readonly status: DatumObject | null } | undefined {
  if (getField(response, 't') !== ResponseType.SUCCESS_ATOM) return undefined;
  const results = getField(response, 'r') ?? null;
  const answer = Array.isArray(results) ? results[0] : undefined;
  if (!Array.isArray(answer)) return undefined;
  const [primaryKey, status]: readonly Datum[] = answer;
  if (typeof primaryKey !== 'string' || status === undefined) return undefined;
  return status === null || isObject(status) ? { primaryKey, status } : undefined;
}

/**
 * Reads `indexCreate('n', function(var1) { return var1("n"); })` (sindex.cc, js_pprint.cc), whatever its line breaks and
 * quotes. The function is closed, so that a variable in it can only be its row.
 */
function readFields(query: string, index: string): Omit<IndexFields, 'multi'> {
  const prefix = `indexCreate('${index}', `;
  if (!query.startsWith(prefix)) return NO_FIELDS;
  const code = query.slice(prefix.length).replace(/("[^"]*"|'[^']*')|\s+/g, '$1');
  const body = /^function\([\w$]+\)\{return(.+);\}(?:,\{.*\})?\)$/.exec(code)?.[1];
  if (body === undefined) return NO_FIELDS;
  const list = /^r\.expr\(\[(.*?),?\]\)$/.exec(body)?.[1];
  const items = list === undefined ? [body] : list.split(/,(?=[\w$.]+\()/);
  const fields: string[] = [];
  for (const item of items) {
    const field = FIELD.exec(item)?.[2];
    if (field === undefined) return NO_FIELDS;
    fields.push(field);
  }
  return { fields, compound: list !== undefined };
}

/** A field of the row. Names with quotes in them are not told apart from code. */
const FIELD = /^(?:r\.row|(?!r\b)[\w$]+)(?:\.getField)?\((["'])([^"'\\]+)\1\)$/;
