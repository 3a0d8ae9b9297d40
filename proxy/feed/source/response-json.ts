// The JSON of a response of upstream's. What the protocol does not allow is not read as something else: a number that no double
// holds would be infinity, and two strings that are no UTF-8 would be the same.

import { isUtf8 } from 'node:buffer';
import { type Datum, type DatumObject, isObject } from '../../../rewrite/reql/data/datum.ts';
import { utf8Text } from '../../../rewrite/reql/data/utf8.ts';
import { internalError, ReqlError } from '../../../rewrite/reql/error.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../../rewrite/reql/term/json-cursor.ts';
import { endOfString, type LongJsonSettings, readLongJson } from './long-json.ts';

/** The content of a response, or the reason for which it cannot be read. */
export type ReadJson = { readonly value: unknown } | ReqlError;

/** Numbers above the greatest double have an exponent of three digits. RethinkDB writes none otherwise. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;

/** RethinkDB stores values that are some 20,000 levels deep; what is much deeper takes JSON.parse a microsecond a level. */
const DEEPEST = 100_000;
/** What ends in one of these may be deep; a row of a table seldom does. */
const ENDS_OF_DEPTH = [']]]]]]]]', '}}}}}}}}', '}]}]}]}]'];

/** Bytes that are read at once of a response that is read in steps. */
const PIECE_BYTES = 32 * 1024;

/** Reads the JSON of a response. */
export function readResponseJson(body: Buffer): ReadJson {
  if (isTooDeep(body)) return tooDeep();
  try {
    return { value: parsed(textOf(body)) };
  } catch (error) {
    return faultOf(error);
  }
}

const LONG: LongJsonSettings = {
  pieceBytes: PIECE_BYTES,
  textOf: (bytes) => textOf(bytes),
  parse: (text) => parsed(text),
  deepest: DEEPEST,
  tooDeep: () => tooDeep(),
};

/** The same in steps, between which others are served. */
export function* readResponseInSteps(body: Buffer): Generator<void, ReadJson> {
  try {
    return { value: yield* readLongJson(body, LONG) };
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): ReqlError {
  if (error instanceof ReqlError) return error;
  if (error instanceof SyntaxError) return UNREADABLE;
  throw error;
}

/** @throws ReqlError for bytes that are no text */
function textOf(bytes: Buffer): string {
  const text = isUtf8(bytes) ? bytes.toString() : utf8Text(bytes);
  if (text !== undefined) return text;
  throw internalError(
    'The server sent a string that is no UTF-8 text.  Livefold cannot tell such strings apart, and so cannot watch them.',
  );
}

/** @throws ReqlError for numbers that no double holds */
function parsed(text: string): Datum {
  const value: Datum = JSON.parse(text);
  if (!LARGE_EXPONENT.test(text) || holdsNumbers(value)) return value;
  throw internalError('The server sent a number that no double holds.');
}

function tooDeep(): ReqlError {
  return internalError(`The server sent a value that is nested more than ${DEEPEST} levels deep.`);
}

/** A response as an object; `undefined` where it is none, or cannot be read. */
export function readResponseObject(body: Buffer): DatumObject | undefined {
  const read = readResponseJson(body);
  return read instanceof ReqlError || !isObjectOfData(read.value) ? undefined : read.value;
}

function isObjectOfData(value: unknown): value is DatumObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For responses that are not what the protocol says. */
export const UNREADABLE: ReqlError = internalError('Livefold could not read a response of the server.');

/** Whether all numbers of a datum are finite. */
function holdsNumbers(root: Datum): boolean {
  const left: Datum[] = [root];
  for (let datum = left.pop(); datum !== undefined; datum = left.pop()) {
    if (typeof datum === 'number') {
      if (!Number.isFinite(datum)) return false;
    } else if (typeof datum === 'object' && datum !== null) {
      for (const inner of isObject(datum) ? Object.values(datum) : datum) left.push(inner);
    }
  }
  return true;
}

function isTooDeep(body: Buffer): boolean {
  if (body.length < 2 * DEEPEST || !ENDS_OF_DEPTH.some((ends) => body.includes(ends))) return false;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case QUOTE:
        at = endOfString(body, at + 1);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth++;
        if (depth > DEEPEST) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
    }
  }
  return false;
}
