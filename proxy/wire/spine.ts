// The spine of a query: its outermost term, the first argument of that, the first argument of that one, and so on, down
// through the bodies of functions. It stands at the beginning of a query's bytes, however long the query is, and is read
// as they come. CHANGES that the proxy takes over is on it.
//
//   [1,[71,[[152,[[43,[[15,["t"]]]]]],5]]]        spine: 71, 152, 43, 15
//   [1,[64,[[69,[[2,[1]],[152,[[43, ...           spine: 64, 69, 152, 43, ...
//
// Callers owe: the bytes are those of a query's body from its first byte on. They may be anything at all, JSON or not.

import { TermType } from '../../rewrite/reql/term-type.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Numbers of more digits are no term's. */
const MOST_DIGITS = 9;

/**
 * What is expected next. `query`: the bracket around the query; `term`: that of a term; `type`: a digit of its number, or
 * what ends it; `arguments`: the bracket around its arguments; `parameters`: those of a function, to be skipped.
 */
type Expected = 'query' | 'term' | 'type' | 'arguments' | 'parameters' | 'nothing';

/** Reads the spine of one query. */
export class Spine {
  readonly #visit: (type: number) => boolean;
  #expected: Expected = 'query';
  /** The number that is being read; the first one is the query's own type. */
  #number = 0;
  #digits = 0;
  /** Whether a number has ended and only its comma is missing. */
  #numberEnded = false;
  #terms = -1;
  /** Inside of parameters: brackets open, and where in a text. */
  #depth = 0;
  #inText = false;
  #escaped = false;

  /** `visit` is called with each term's type from the outermost inwards, and says whether the next is wanted. */
  constructor(visit: (type: number) => boolean) {
    this.#visit = visit;
  }

  /** Whether there is no more to be seen, or nobody wants it. */
  get ended(): boolean {
    return this.#expected === 'nothing';
  }

  /** Takes the bytes that follow: `bytes[start..end)`. */
  push(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end && this.#expected !== 'nothing'; at++) this.#take(bytes[at] ?? 0);
  }

  #take(byte: number): void {
    if (this.#expected === 'parameters') this.#skip(byte);
    else if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) this.#step(byte);
    else if (this.#expected === 'type' && this.#digits > 0) this.#numberEnded = true;
  }

  #step(byte: number): void {
    if (this.#expected === 'type') {
      this.#type(byte);
    } else if (byte !== OPEN) {
      this.#expected = 'nothing';
    } else if (this.#expected === 'arguments') {
      this.#expected = this.#number === TermType.FUNC ? 'parameters' : 'term';
    } else {
      this.#expected = 'type';
      this.#number = 0;
      this.#digits = 0;
      this.#numberEnded = false;
    }
  }

  #type(byte: number): void {
    if (byte >= ZERO && byte <= NINE && !this.#numberEnded && this.#digits < MOST_DIGITS) {
      this.#number = 10 * this.#number + byte - ZERO;
      this.#digits++;
      return;
    }
    // A term without arguments is on the spine, and the last.
    const plain = this.#digits > 0 && (byte === COMMA || byte === CLOSE);
    this.#terms++;
    const wanted = plain && (this.#terms === 0 || this.#visit(this.#number));
    if (!wanted || byte === CLOSE) this.#expected = 'nothing';
    else this.#expected = this.#terms === 0 ? 'term' : 'arguments';
  }

  /** Skips one value and the comma after it: the parameters of a function, before its body. */
  #skip(byte: number): void {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inText = false;
    } else if (byte === QUOTE) {
      this.#inText = true;
    } else if (byte === OPEN || byte === OPEN_BRACE) {
      this.#depth++;
    } else if (byte === CLOSE || byte === CLOSE_BRACE) {
      this.#depth--;
      if (this.#depth < 0) this.#expected = 'nothing';
    } else if (byte === COMMA && this.#depth === 0) {
      this.#expected = 'term';
    }
  }
}
