// A place in a JSON text, and what can be read there, the way RethinkDB reads it (rapidjson, default flags): white space,
// scalars and keys. What nests is the business of whoever reads.

import { numberFault, readNumber } from './json-number.ts';
import { stringFault } from './json-string.ts';

export const COMMA = 0x2c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
export const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
export const BACKSLASH = 0x5c;

/** The text is not JSON. The message is the reason that the server's reader gives. */
export class JsonFault extends Error {}

/** `null`, a boolean, a number or a string. */
export type Scalar = null | boolean | number | string;

/** Reads a text from the left to the right. What it reads raises JsonFault where it is not there. */
export class JsonCursor {
  readonly source: string;
  /** The offset of the next UTF-16 unit. */
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Skips white space and looks at the next unit; NaN at the end. */
  next(): number {
    for (;;) {
      const code = this.source.charCodeAt(this.at);
      if (code !== SPACE && code !== NEWLINE && code !== RETURN && code !== TAB) return code;
      this.at += 1;
    }
  }

  /** Checks that nothing follows. The server reads a C string: a NUL ends the text. */
  end(): void {
    const code = this.next();
    if (this.at < this.source.length && code !== 0)
      throw new JsonFault('The document root must not follow by other values.');
  }

  /** A key and its colon. */
  key(): string {
    if (this.next() !== QUOTE) throw new JsonFault('Missing a name for object member.');
    const key = this.#string();
    if (this.next() !== COLON) throw new JsonFault('Missing a colon after a name of object member.');
    this.at += 1;
    return key;
  }

  /** The scalar that begins with the unit `code`, which is the next one. */
  scalar(code: number): Scalar {
    if (code === QUOTE) return this.#string();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number();
    if (this.#word('null')) return null;
    if (this.#word('true')) return true;
    if (this.#word('false')) return false;
    throw new JsonFault('Invalid value.');
  }

  #word(word: string): boolean {
    if (!this.source.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  #number(): number {
    const number = readNumber(this.source, this.at);
    if (number === undefined) throw new JsonFault(numberFault(this.source, this.at));
    this.at = number.end;
    return number.value;
  }

  #string(): string {
    const source = this.source;
    const start = this.at + 1;
    let at = start;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === QUOTE) {
        this.at = at + 1;
        return source.slice(start, at);
      }
      if (code === BACKSLASH) return this.#escaped(start, at);
      // Also true of NaN, the end of the text.
      if (!(code >= SPACE)) throw new JsonFault(stringFault(source, start));
      at += 1;
    }
  }

  /** The string that starts at `start` and whose first escape stands at `at`. */
  #escaped(start: number, at: number): string {
    const { source } = this;
    let end = at;
    for (let code = source.charCodeAt(end); code !== QUOTE; code = source.charCodeAt(end)) {
      if (Number.isNaN(code)) throw new JsonFault(stringFault(source, start));
      end += code === BACKSLASH ? 2 : 1;
    }
    const string = unescaped(source.slice(start - 1, end + 1));
    // A high surrogate that is an escape must be followed by an escaped low one; a low one alone passes.
    if (string === undefined || LONE_HIGH.test(string)) {
      const fault = stringFault(source, start);
      if (string === undefined || fault !== undefined) throw new JsonFault(fault);
    }
    this.at = end + 1;
    return string;
  }
}

const LONE_HIGH = /[\ud800-\udbff](?![\udc00-\udfff])/;

function unescaped(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
