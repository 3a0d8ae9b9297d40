// Reads JSON text the way RethinkDB reads it (rapidjson, default flags), keeping where each value stands in the text and
// every key of an object, repeated ones too. Callers owe nothing: any text gives a value or `undefined`, at any depth.

import { readNumber } from './json-number.ts';

interface Span {
  /** Offset of the first UTF-16 unit of the value in the text. */
  readonly start: number;
  /** Offset after its last unit. */
  readonly end: number;
}

/** `null`, a boolean, a number or a string. */
export interface JsonScalar extends Span {
  readonly kind: 'scalar';
  readonly value: null | boolean | number | string;
}

export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly Json[];
}

/** Fields in the order written; keys may repeat. */
export interface JsonObject extends Span {
  readonly kind: 'object';
  readonly fields: readonly (readonly [key: string, value: Json])[];
}

/** A JSON value and its place in the text. */
export type Json = JsonScalar | JsonArray | JsonObject;

interface OpenArray {
  kind: 'array';
  start: number;
  end: number;
  items: Json[];
}

interface OpenObject {
  kind: 'object';
  start: number;
  end: number;
  fields: [string, Json][];
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Raised inside this file only: the text is not JSON. */
class JsonFault extends Error {}

/** The value that a text holds, or `undefined` where it is not JSON. */
export function parseJson(source: string): Json | undefined {
  try {
    return new Scanner(source).document();
  } catch (fault) {
    if (fault instanceof JsonFault) return undefined;
    throw fault;
  }
}

/** Where a text stops being JSON: the offset of the first unit that cannot stand there; `undefined` for a text that is JSON. */
export function findJsonFault(source: string): number | undefined {
  const scanner = new Scanner(source);
  try {
    scanner.document();
    return undefined;
  } catch (fault) {
    if (fault instanceof JsonFault) return Math.min(scanner.at, source.length);
    throw fault;
  }
}

class Scanner {
  readonly #source: string;
  #at = 0;

  get at(): number {
    return this.#at;
  }

  constructor(source: string) {
    this.#source = source;
  }

  /** One value and nothing after it. The server reads a C string: a NUL after the value ends the text. */
  document(): Json {
    const open: (OpenArray | OpenObject)[] = [];
    const keys: string[] = [];
    for (;;) {
      const begun = this.#begin(open, keys);
      if (begun === undefined) continue;
      let value: Json = begun;
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) return this.#finish(value);
        if (parent.kind === 'array') parent.items.push(value);
        else parent.fields.push([keys.pop() ?? '', value]);
        const code = this.#next();
        if (code !== COMMA && code !== (parent.kind === 'array' ? CLOSE_BRACKET : CLOSE_BRACE)) throw new JsonFault();
        this.#at += 1;
        if (code === COMMA) {
          if (parent.kind === 'object') keys.push(this.#key());
          break;
        }
        parent.end = this.#at;
        open.pop();
        value = parent;
      }
    }
  }

  /** Reads a scalar or an empty array or object whole; opens any other and returns `undefined`. */
  #begin(open: (OpenArray | OpenObject)[], keys: string[]): Json | undefined {
    const code = this.#next();
    const start = this.#at;
    if (code === OPEN_BRACKET) {
      this.#at += 1;
      const array: OpenArray = { kind: 'array', start, end: start, items: [] };
      if (this.#next() === CLOSE_BRACKET) return this.#close(array);
      open.push(array);
      return undefined;
    }
    if (code === OPEN_BRACE) {
      this.#at += 1;
      const object: OpenObject = { kind: 'object', start, end: start, fields: [] };
      if (this.#next() === CLOSE_BRACE) return this.#close(object);
      open.push(object);
      keys.push(this.#key());
      return undefined;
    }
    const value = this.#scalar(code);
    return { kind: 'scalar', start, end: this.#at, value };
  }

  #close<Opened extends OpenArray | OpenObject>(opened: Opened): Opened {
    this.#at += 1;
    opened.end = this.#at;
    return opened;
  }

  #finish(value: Json): Json {
    const code = this.#next();
    if (this.#at < this.#source.length && code !== 0) throw new JsonFault();
    return value;
  }

  /** Skips white space and looks at the next unit; NaN at the end. */
  #next(): number {
    for (;;) {
      const code = this.#source.charCodeAt(this.#at);
      if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return code;
      this.#at += 1;
    }
  }

  #key(): string {
    if (this.#next() !== QUOTE) throw new JsonFault();
    const key = this.#string();
    if (this.#next() !== COLON) throw new JsonFault();
    this.#at += 1;
    return key;
  }

  #scalar(code: number): null | boolean | number | string {
    if (code === QUOTE) return this.#string();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number();
    if (this.#word('null')) return null;
    if (this.#word('true')) return true;
    if (this.#word('false')) return false;
    throw new JsonFault();
  }

  #word(word: string): boolean {
    if (!this.#source.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #number(): number {
    const number = readNumber(this.#source, this.#at);
    if (number === undefined) throw new JsonFault();
    this.#at = number.end;
    return number.value;
  }

  #string(): string {
    const source = this.#source;
    const start = this.#at + 1;
    let at = start;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return source.slice(start, at);
      }
      if (code === BACKSLASH) return this.#escaped(start, at);
      // Also true of NaN, the end of the text.
      if (!(code >= SPACE)) throw new JsonFault();
      at += 1;
    }
  }

  /** The string that starts at `start` and whose first escape stands at `at`. */
  #escaped(start: number, at: number): string {
    const source = this.#source;
    let text = '';
    let from = start;
    for (let here = at; ; ) {
      const code = source.charCodeAt(here);
      if (code === QUOTE) {
        this.#at = here + 1;
        return text + source.slice(from, here);
      }
      if (!(code >= SPACE)) throw new JsonFault();
      if (code !== BACKSLASH) {
        here += 1;
        continue;
      }
      text += source.slice(from, here);
      const letter = source.charAt(here + 1);
      if (letter === 'u') {
        const unit = hex4(source, here + 2);
        here += 6;
        text += String.fromCharCode(unit);
        // A high surrogate must be followed by an escaped low one; a low one alone passes.
        if (unit >= 0xd800 && unit <= 0xdbff) {
          if (source.charAt(here) !== '\\' || source.charAt(here + 1) !== 'u') throw new JsonFault();
          const low = hex4(source, here + 2);
          if (low < 0xdc00 || low > 0xdfff) throw new JsonFault();
          here += 6;
          text += String.fromCharCode(low);
        }
      } else {
        const character = ESCAPES[letter];
        if (character === undefined) throw new JsonFault();
        here += 2;
        text += character;
      }
      from = here;
    }
  }
}

function hex4(source: string, at: number): number {
  const digits = source.slice(at, at + 4);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new JsonFault();
  return Number.parseInt(digits, 16);
}
