// The head of a query: what can be told without parsing it. Callers owe: a body may be anything at all, JSON or not.

import { QueryType } from '../../rewrite/reql/protocol.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { ByteSearch } from './byte-search.ts';

const CHANGES = String(TermType.CHANGES);

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE = 0x7d;

// JSON's white space, as the server skips it (rapidjson reader.h, SkipWhitespace).
function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

function skipSpace(bytes: Buffer, at: number, end: number): number {
  let next = at;
  while (next < end && isSpace(bytes[next])) next++;
  return next;
}

/** The number that opens an array at `at` (`[ 56 ,`), or `undefined`: not an array, not a plain number, or cut off. */
function openingNumber(bytes: Buffer, at: number, end: number): { value: number; next: number } | undefined {
  let next = skipSpace(bytes, at, end);
  if (bytes[next] !== OPEN || next >= end) return undefined;
  next = skipSpace(bytes, next + 1, end);
  const digits = next;
  let value = 0;
  while (next < end && next - digits < 9) {
    const byte = bytes[next] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    value = value * 10 + byte - ZERO;
    next++;
  }
  if (next === digits) return undefined;
  next = skipSpace(bytes, next, end);
  if (next >= end || (bytes[next] !== COMMA && bytes[next] !== CLOSE)) return undefined;
  return { value, next };
}

/**
 * The type of the query whose body is `bytes[start..end)`, or `undefined` where the server would refuse it, where it is
 * spelled in a way no driver uses (`1.0`, `4294967297`), or where too little of it is at hand.
 */
export function queryType(bytes: Buffer, start = 0, end: number = bytes.length): QueryType | undefined {
  // All drivers write `[1,` and `[2]` without spaces; this is the path of every query.
  if (end - start >= 3 && bytes[start] === OPEN) {
    const after = bytes[start + 2];
    if (after === COMMA || after === CLOSE) return QUERY_TYPES.get((bytes[start + 1] ?? 0) - ZERO);
  }
  const opening = openingNumber(bytes, start, end);
  return opening === undefined ? undefined : QUERY_TYPES.get(opening.value);
}

const QUERY_TYPES: ReadonlyMap<number, QueryType> = new Map(Object.values(QueryType).map((type) => [type, type]));

/** Whether the bytes `152` at `at` stand where a term's type does, within `bytes[start..end)`. */
function isTermType(bytes: Buffer, at: number, start: number, end: number): boolean {
  const next = skipSpace(bytes, at + CHANGES.length, end);
  if (next >= end || (bytes[next] !== COMMA && bytes[next] !== CLOSE)) return false;
  let before = at - 1;
  while (before > start && isSpace(bytes[before])) before--;
  return before >= start && bytes[before] === OPEN;
}

/** A search for `mayHoldChanges`, to be shared by the queries of one buffer. */
export function changesSearch(): ByteSearch {
  return new ByteSearch(CHANGES);
}

/**
 * Whether a query can hold the term CHANGES. Never wrong when it says no; a string or datum that looks like the term
 * makes it say yes.
 *
 * The server takes an array's first item for a term type only if it is a number spelled as a plain integer: it reads the
 * low 32 bits, so that `152.0` and `1.52e2` are term 0, and `4294967448`, whose low bits are right, is then refused
 * as no int (term_walker.cc, term_storage.cc). JSON allows no leading zero or plus. What remains is exactly `152`,
 * after `[` and before `,` or `]`, with white space around it.
 *
 * The query is `bytes[start..end)`; `search` is one made by `changesSearch`.
 */
export function mayHoldChanges(
  bytes: Buffer,
  start = 0,
  end: number = bytes.length,
  search: ByteSearch = changesSearch(),
): boolean {
  let at = search.next(bytes, start);
  while (at + CHANGES.length <= end) {
    if (isTermType(bytes, at, start, end)) return true;
    at = search.next(bytes, at + CHANGES.length);
  }
  return false;
}

/**
 * Whether a query calls the term CHANGES anywhere, as far as bytes tell: where 152 stands before arguments and is no element of
 * an array, `[2,[152,...`. Strings are not told from terms. The query is `bytes[start..end)`.
 */
export function callsChanges(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(CHANGES, start, 'latin1'); at !== -1 && at < end; ) {
    if (isTermType(bytes, at, start, end) && hasArguments(bytes, at, end) && !isElement(bytes, at, start)) return true;
    at = bytes.indexOf(CHANGES, at + CHANGES.length, 'latin1');
  }
  return false;
}

/** Whether what stands at `at` is followed by a comma and a bracket. */
function hasArguments(bytes: Buffer, at: number, end: number): boolean {
  const comma = skipSpace(bytes, at + CHANGES.length, end);
  return bytes[comma] === COMMA && bytes[skipSpace(bytes, comma + 1, end)] === OPEN;
}

/** Whether what stands at `at` is the first element of an array: behind `[2,[`. */
function isElement(bytes: Buffer, at: number, start: number): boolean {
  const before = bytes.toString('latin1', Math.max(start, at - LONGEST_ARRAY_HEAD), at);
  return ARRAY_HEAD.test(before);
}

const LONGEST_ARRAY_HEAD = 16;
const ARRAY_HEAD = new RegExp(`\\[\\s*${TermType.MAKE_ARRAY}\\s*,\\s*\\[\\s*$`);

/**
 * Whether a query asks for no reply: its global optarg `noreply` is a literal `true` or the datum `[1,true]`
 * (term_storage.cc, static_optarg_as_bool). A query that is no JSON is always answered.
 */
export function isNoreply(body: Buffer): boolean {
  // A name may hide behind escapes; without either, there is nothing to parse for.
  if (!body.includes('noreply') && !body.includes('\\')) return false;
  try {
    const query: unknown = JSON.parse(body.toString());
    if (!Array.isArray(query)) return false;
    const optargs: unknown = query[2];
    if (typeof optargs !== 'object' || optargs === null || !('noreply' in optargs)) return false;
    const { noreply } = optargs;
    if (Array.isArray(noreply)) return noreply.length === 2 && noreply[0] === TermType.DATUM && noreply[1] === true;
    return noreply === true;
  } catch {
    return false;
  }
}

const NOREPLY_AT_THE_END = /[{,]\s*"noreply"\s*:\s*(?:true|\[\s*1\s*,\s*true\s*\])\s*[,}](?:[^\0]*\})?\s*\]\s*$/;

/** A guess whether a query asks for no reply, from its last bytes: global optargs are the last that a query has. */
export function endsNoreply(tail: Buffer): boolean {
  return NOREPLY_AT_THE_END.test(tail.toString('latin1'));
}

/** A search for `looksNoreply`, to be shared by the queries of one buffer. */
export function noreplySearch(): ByteSearch {
  return new ByteSearch('noreply');
}

/**
 * A guess whether the query `bytes[start..end)` asks for no reply, without parsing: it has global optargs, and somewhere
 * stands `noreply`. For counting what is in flight, where a wrong guess costs a wait and not an answer.
 */
export function looksNoreply(bytes: Buffer, start: number, end: number, search: ByteSearch): boolean {
  return bytes[end - 2] === BRACE && search.next(bytes, start) < end;
}
