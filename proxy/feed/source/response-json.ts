// The JSON of a response of upstream's. What the protocol does not allow is not read as something else: a number that no double
// holds would be infinity, and two strings that are no UTF-8 would be the same.

import { isUtf8 } from 'node:buffer';
import { type Datum, type DatumObject, isObject } from '../../../rewrite/reql/data/datum.ts';
import { utf8Text } from '../../../rewrite/reql/data/utf8.ts';
import { internalError, ReqlError } from '../../../rewrite/reql/error.ts';

/** The content of a response, or the reason for which it cannot be read. */
export type ReadJson = { readonly value: unknown } | ReqlError;

/** Numbers above the greatest double have an exponent of three digits. RethinkDB writes none otherwise. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;

/** RethinkDB stores values that are some 20,000 levels deep; what is much deeper takes JSON.parse a microsecond a level. */
const DEEPEST = 100_000;
/** What ends in one of these may be deep; a row of a table seldom does. */
const ENDS_OF_DEPTH = [']]]]]]]]', '}}}}}}}}', '}]}]}]}]'];

/** Reads the JSON of a response. */
export function readResponseJson(body: Buffer): ReadJson {
  if (isTooDeep(body)) {
    return internalError(`The server sent a value that is nested more than ${DEEPEST} levels deep.`);
  }
  const text = isUtf8(body) ? body.toString() : utf8Text(body);
  if (text === undefined) {
    return internalError(
      'The server sent a string that is no UTF-8 text.  Livefold cannot tell such strings apart, and so cannot watch them.',
    );
  }
  try {
    const value: Datum = JSON.parse(text);
    if (!LARGE_EXPONENT.test(text) || holdsNumbers(value)) return { value };
    return internalError('The server sent a number that no double holds.');
  } catch (error) {
    if (error instanceof ReqlError || !(error instanceof SyntaxError)) throw error;
    return UNREADABLE;
  }
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

/** Where the string ends that began before `at`. */
function endOfString(body: Buffer, at: number): number {
  let end = at;
  while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1;
  return end;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET] = [0x5b, 0x5d];
const [OPEN_BRACE, CLOSE_BRACE] = [0x7b, 0x7d];
