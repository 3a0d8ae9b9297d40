// JSON text of a query to terms, without loss: every term keeps the slice of text it was read from and its place in the
// query. Only the shape is checked here, as the server's term walker checks it; `check.ts` says what else it refuses.

import { clientError, compileError, ReqlError } from '../error.ts';
import { type Origin, ROOT } from '../origin.ts';
import { QueryType } from '../protocol.ts';
import { TermType } from '../term-type.ts';
import { type Json, type JsonScalar, readJson } from './json.ts';
import { AS_WRITTEN, toDatum } from './json-datum.ts';
import { QueryReader } from './query-reader.ts';
import type { Entry, StartQuery, Term } from './term.ts';
import { typeNumber } from './type-number.ts';

/** A START query and the text it was read from. */
export interface ParsedStart extends StartQuery {
  readonly type: typeof QueryType.START;
  readonly text: string;
}

/** A query about the connection or about an earlier query. */
export interface ParsedControl {
  readonly type: Exclude<QueryType, typeof QueryType.START>;
  readonly text: string;
}

/** A text that is no query. The proxy forwards it untouched; the error is what the server answers. */
export interface Malformed {
  readonly type: 'malformed';
  readonly error: ReqlError;
}

export type ParsedQuery = ParsedStart | ParsedControl | Malformed;

/** Where a term that is being read goes: the next argument of a call, or the next entry of an object or of optargs. */
type Sink =
  | { readonly args: Term[]; readonly entries: undefined }
  | { readonly args: undefined; readonly entries: Entry[]; readonly name: string };

interface Unread {
  readonly json: Json;
  readonly origin: Origin;
  readonly into: Sink;
}

/** Raised inside this file only. */
class Refusal extends Error {
  readonly error: ReqlError;
  constructor(error: ReqlError) {
    super(error.message);
    this.error = error;
  }
}

/** Reads a query body: `[1, term, optargs]` and the like. Never throws. */
export function parseQuery(text: string): ParsedQuery {
  const read = new QueryReader(text).read(Number.POSITIVE_INFINITY);
  if (read.kind !== 'query') return otherQuery(text);
  const { term, globalOptargs } = read.query;
  return { type: QueryType.START, text, term, globalOptargs };
}

/** What a text is that is no START query of the right shape. */
function otherQuery(text: string): ParsedQuery {
  const read = readJson(text);
  if ('fault' in read) return malformed(clientError('Client is buggy (failed to deserialize query).'));
  const { json } = read;
  if (json.kind !== 'array') return unparsed(`Expected a query to be an array, but found ${jsonType(json)}.`);
  const [type, term, optargs] = json.items;
  if (type === undefined || json.items.length > 3) {
    return unparsed(`Expected 1 to 3 elements in the top-level query, but found ${json.items.length}.`);
  }
  if (!isNumber(type)) return unparsed(`Expected a query type as a number, but found ${jsonType(type)}.`);
  const number = typeNumber(type.value, spellingOf(text, type));
  const queryType = Object.values(QueryType).find((known) => known === number);
  if (queryType === undefined) return unparsed(`Unrecognized QueryType: ${number}.`);
  if (optargs !== undefined && optargs.kind !== 'object') {
    return unparsed(`Expected global optargs as an object, but found ${jsonType(optargs)}.`);
  }
  if (queryType !== QueryType.START) return { type: queryType, text };
  // The server fails an assertion of its own here, and sends the file and line of it.
  if (term === undefined) return malformed(compileError('SANITY CHECK FAILED: [query_json.Size() >= 2]'));
  try {
    return {
      type: queryType,
      text,
      term: readTerm(text, term, ROOT),
      globalOptargs: (optargs?.fields ?? []).map(([name, value]) => [name, readGlobal(text, value)] as const),
    };
  } catch (refusal) {
    if (refusal instanceof Refusal) return malformed(refusal.error);
    throw refusal;
  }
}

/** Reads one term, standing at `origin` in its query; or says why the server would refuse its shape. Never throws. */
export function parseTerm(text: string, origin: Origin = ROOT): Term | ReqlError {
  const read = readJson(text);
  if ('fault' in read) return clientError('Client is buggy (failed to deserialize query).');
  try {
    return readTerm(text, read.json, origin);
  } catch (refusal) {
    if (refusal instanceof Refusal) return refusal.error;
    throw refusal;
  }
}

function malformed(error: ReqlError): Malformed {
  return { type: 'malformed', error };
}

function unparsed(message: string): Malformed {
  return malformed(clientError(`Server could not parse query: ${message}`));
}

/** The server keeps no places for global optargs: whatever goes wrong in one has an empty backtrace. */
function readGlobal(source: string, json: Json): Term {
  try {
    return readTerm(source, json, ROOT);
  } catch (refusal) {
    if (refusal instanceof Refusal) throw new Refusal(compileError(refusal.error.message));
    throw refusal;
  }
}

/** Parents before children and first to last, so that the first fault found is the one the server reports. */
function readTerm(source: string, root: Json, origin: Origin): Term {
  const read: Term[] = [];
  const unread: Unread[] = [{ json: root, origin, into: { args: read, entries: undefined } }];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const term = readOne(source, next.json, next.origin, unread);
    if (next.into.entries === undefined) next.into.args.push(term);
    else next.into.entries.push([next.into.name, term]);
  }
  const [term] = read;
  if (term === undefined) throw new Error('a term was read and lost');
  return term;
}

function readOne(source: string, json: Json, origin: Origin, unread: Unread[]): Term {
  const text = source.slice(json.start, json.end);
  if (json.kind === 'scalar') return { kind: 'datum', value: finite(json.value), text, origin };
  if (json.kind === 'object') return readObject(json, text, origin, unread);
  const { items } = json;
  const [head, second, third] = items;
  if (head === undefined || items.length > 3) {
    refuse(`Expected between 1 and 3 elements in a raw term, but found ${items.length}.`, origin);
  }
  if (!isNumber(head)) refuse(`Expected a TermType as a NUMBER but found ${jsonType(head)}.`, origin);
  const type = typeNumber(head.value, spellingOf(source, head));
  if (type === TermType.DATUM) return readDatum(items, text, origin);
  if (second !== undefined && second.kind === 'scalar') {
    refuse('Second element in a Term is neither arguments nor optional arguments.', origin);
  }
  if (third !== undefined) {
    if (second?.kind === 'object') {
      refuse('Second and third element in a term are both optional arguments.', origin);
    }
    if (third.kind !== 'object') refuse('Third element in a Term is not optional arguments.', origin);
  }
  const written = second?.kind === 'array' ? second.items : [];
  const named = second?.kind === 'object' ? second : third?.kind === 'object' ? third : undefined;
  if (type === TermType.MAKE_OBJ && written.length === 0) return readObject(named, text, origin, unread);
  const args: Term[] = [];
  const optargs: Entry[] = [];
  if (named !== undefined) postpone(named.fields, origin, optargs, unread);
  for (let index = written.length - 1; index >= 0; index--) {
    const argument = written[index];
    if (argument === undefined) continue;
    unread.push({ json: argument, origin: { parent: origin, frame: index }, into: { args, entries: undefined } });
  }
  return { kind: 'call', type, args, optargs, text, origin };
}

type Fields = readonly (readonly [string, Json])[];

function readObject(
  json: { readonly fields: Fields } | undefined,
  text: string,
  origin: Origin,
  unread: Unread[],
): Term {
  const fields: Entry[] = [];
  if (json !== undefined) postpone(json.fields, origin, fields, unread);
  return { kind: 'object', fields, text, origin };
}

/** The stack gives back what was pushed last, so the last field is pushed first. */
function postpone(fields: Fields, origin: Origin, entries: Entry[], unread: Unread[]): void {
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    if (field === undefined) continue;
    const [name, json] = field;
    unread.push({ json, origin: { parent: origin, frame: name }, into: { args: undefined, entries, name } });
  }
}

/**
 * `[1, value]`. The server keeps an object here as plain JSON, but walks an array as terms and adds its own numbers to
 * it; no driver sends one, and here its value is the array that was written.
 */
function readDatum(items: readonly Json[], text: string, origin: Origin): Term {
  const [, value] = items;
  if (value === undefined || items.length !== 2) {
    // The server counts the backtrace it has appended.
    refuse(`Expected 3 items in array, but found ${items.length + 1}.`, origin);
  }
  try {
    return { kind: 'datum', value: toDatum(value, AS_WRITTEN), text, origin };
  } catch (fault) {
    if (fault instanceof ReqlError) refuse(fault.message, undefined);
    throw fault;
  }
}

function finite(value: JsonScalar['value']): JsonScalar['value'] {
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(`Non-finite number: ${value < 0 ? '-inf' : 'inf'}`);
  return value;
}

function refuse(message: string, origin?: Origin): never {
  throw new Refusal(compileError(message, origin));
}

function spellingOf(source: string, { start, end }: Json): string {
  return source.slice(start, end);
}

function isNumber(json: Json): json is JsonScalar & { readonly value: number } {
  return json.kind === 'scalar' && typeof json.value === 'number';
}

function jsonType(json: Json): string {
  if (json.kind !== 'scalar') return json.kind === 'array' ? 'ARRAY' : 'OBJECT';
  if (json.value === null) return 'NULL';
  if (typeof json.value === 'boolean') return 'BOOL';
  return typeof json.value === 'string' ? 'STRING' : 'NUMBER';
}
