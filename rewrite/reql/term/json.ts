// Reads JSON text the way RethinkDB reads it (rapidjson, default flags), keeping where each value stands in the text and
// every key of an object, repeated ones too. Any text gives a value or a reason, at any depth.

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  JsonCursor,
  JsonFault,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Scalar,
} from './json-cursor.ts';

interface Span {
  /** Offset of the first UTF-16 unit of the value in the text. */
  readonly start: number;
  /** Offset after its last unit. */
  readonly end: number;
}

/** `null`, a boolean, a number or a string. */
export interface JsonScalar extends Span {
  readonly kind: 'scalar';
  readonly value: Scalar;
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

/** What a text is: a value, or no JSON, for a reason in the server's words and from an offset on. */
export type ReadJson = { readonly json: Json } | { readonly fault: string; readonly at: number };

/** Reads a text that is to be one JSON value, at any depth. Never throws. */
export function readJson(source: string): ReadJson {
  const scanner = new Scanner(source);
  try {
    return { json: scanner.document() };
  } catch (fault) {
    if (fault instanceof JsonFault) return { fault: fault.message, at: Math.min(scanner.at, source.length) };
    throw fault;
  }
}

const CLOSING = { array: CLOSE_BRACKET, object: CLOSE_BRACE } as const;

const UNCLOSED = {
  array: "Missing a comma or ']' after an array element.",
  object: "Missing a comma or '}' after an object member.",
} as const;

class Scanner {
  readonly #text: JsonCursor;

  get at(): number {
    return this.#text.at;
  }

  constructor(source: string) {
    this.#text = new JsonCursor(source);
  }

  /** One value and nothing after it. */
  document(): Json {
    if (Number.isNaN(this.#text.next())) throw new JsonFault('The document is empty.');
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
        const code = this.#text.next();
        if (code !== COMMA && code !== CLOSING[parent.kind]) throw new JsonFault(UNCLOSED[parent.kind]);
        this.#text.at += 1;
        if (code === COMMA) {
          if (parent.kind === 'object') keys.push(this.#text.key());
          break;
        }
        parent.end = this.#text.at;
        open.pop();
        value = parent;
      }
    }
  }

  /** Reads a scalar or an empty array or object whole; opens any other and returns `undefined`. */
  #begin(open: (OpenArray | OpenObject)[], keys: string[]): Json | undefined {
    const code = this.#text.next();
    const start = this.#text.at;
    if (code === OPEN_BRACKET) {
      this.#text.at += 1;
      const array: OpenArray = { kind: 'array', start, end: start, items: [] };
      if (this.#text.next() === CLOSE_BRACKET) return this.#close(array);
      open.push(array);
      return undefined;
    }
    if (code === OPEN_BRACE) {
      this.#text.at += 1;
      const object: OpenObject = { kind: 'object', start, end: start, fields: [] };
      if (this.#text.next() === CLOSE_BRACE) return this.#close(object);
      open.push(object);
      keys.push(this.#text.key());
      return undefined;
    }
    const value = this.#text.scalar(code);
    return { kind: 'scalar', start, end: this.#text.at, value };
  }

  #close<Opened extends OpenArray | OpenObject>(opened: Opened): Opened {
    this.#text.at += 1;
    opened.end = this.#text.at;
    return opened;
  }

  #finish(value: Json): Json {
    this.#text.end();
    return value;
  }
}
