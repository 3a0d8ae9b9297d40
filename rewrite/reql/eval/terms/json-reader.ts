// JSON text as data, with the reasons that the server's JSON reader (rapidjson) gives for what is none.

import { type Datum, setField } from '../../data/datum.ts';
import { stringText } from '../../data/json-text.ts';
import { finite } from '../../data/number.ts';
import { sanitizeObject } from '../../data/pseudo.ts';
import { logicError } from '../../error.ts';
import { readNumber } from '../../term/json-number.ts';
import { type ArrayLimits, limited } from '../streams/materialize.ts';

/** A datum yet to be made (which may raise errors about the data), or why there is none. */
export type ReadJson = { readonly value: () => Datum } | { readonly fault: string };

/** Raised inside this file only. */
class Fault extends Error {}

type Build = () => Datum;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Reads one text once. */
export class JsonReader {
  readonly #text: string;
  readonly #limits: ArrayLimits;
  #at = 0;

  constructor(text: string, limits: ArrayLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** The whole text as one value. */
  document(): ReadJson {
    try {
      if (this.#next() === '') return { fault: 'The document is empty.' };
      const value = this.#value();
      if (this.#next() !== '') return { fault: 'The document root must not follow by other values.' };
      return { value };
    } catch (error) {
      if (error instanceof Fault) return { fault: error.message };
      throw error;
    }
  }

  /** Skips white space and looks at the next character; '' at the end. */
  #next(): string {
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') return char;
      this.#at += 1;
    }
  }

  #value(): Build {
    const char = this.#next();
    if (char === '{') return this.#object();
    if (char === '[') return this.#array();
    if (char === '"') {
      const string = this.#string();
      return () => string;
    }
    if (char === 'n') return this.#word('null', null);
    if (char === 't') return this.#word('true', true);
    if (char === 'f') return this.#word('false', false);
    return this.#number();
  }

  #word(word: string, value: null | boolean): Build {
    if (!this.#text.startsWith(word, this.#at)) throw new Fault('Invalid value.');
    this.#at += word.length;
    return () => value;
  }

  #object(): Build {
    const fields: (readonly [string, Build])[] = [];
    this.#at += 1;
    if (this.#next() === '}') this.#at += 1;
    else {
      do {
        if (this.#next() !== '"') throw new Fault('Missing a name for object member.');
        const key = this.#string();
        if (this.#next() !== ':') throw new Fault('Missing a colon after a name of object member.');
        this.#at += 1;
        fields.push([key, this.#value()]);
      } while (this.#goesOn('}', "Missing a comma or '}' after an object member."));
    }
    return () => buildObject(fields);
  }

  #array(): Build {
    const items: Build[] = [];
    this.#at += 1;
    if (this.#next() === ']') this.#at += 1;
    else {
      do items.push(this.#value());
      while (this.#goesOn(']', "Missing a comma or ']' after an array element."));
    }
    return () => {
      const array = items.map((build) => build());
      return limited(array, this.#limits);
    };
  }

  #goesOn(close: string, fault: string): boolean {
    const char = this.#next();
    if (char !== ',' && char !== close) throw new Fault(fault);
    this.#at += 1;
    return char === ',';
  }

  #number(): Build {
    const number = readNumber(this.#text, this.#at);
    if (number === undefined) throw new Fault(numberFault(this.#text.slice(this.#at)));
    this.#at = number.end;
    return () => finite(number.value);
  }

  #string(): string {
    this.#at += 1;
    let string = '';
    for (;;) {
      const char = this.#text.charAt(this.#at);
      if (char === '') throw new Fault('Missing a closing quotation mark in string.');
      if (char < ' ') throw new Fault('Invalid escape character in string.');
      this.#at += 1;
      if (char === '"') return string;
      string += char === '\\' ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text.charAt(this.#at);
    this.#at += 1;
    if (char !== 'u') {
      const plain = ESCAPES.get(char);
      if (plain === undefined) throw new Fault('Invalid escape character in string.');
      return plain;
    }
    const unit = this.#hex();
    if (unit < 0xd800 || unit > 0xdbff) return String.fromCharCode(unit);
    const invalid = new Fault('The surrogate pair in string is invalid.');
    if (!this.#text.startsWith('\\u', this.#at)) throw invalid;
    this.#at += 2;
    const low = this.#hex();
    if (low < 0xdc00 || low > 0xdfff) throw invalid;
    return String.fromCharCode(unit, low);
  }

  #hex(): number {
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw new Fault('Incorrect hex digit after \\u escape in string.');
    this.#at += 4;
    return Number.parseInt(digits, 16);
  }
}

function buildObject(fields: readonly (readonly [string, Build])[]): Datum {
  const object: Record<string, Datum> = {};
  const keys = new Set<string>();
  for (const [key, build] of fields) {
    const value = build();
    if (keys.has(key)) throw logicError(`Duplicate key ${stringText(key)} in JSON.`);
    keys.add(key);
    setField(object, key, value);
  }
  return sanitizeObject(object, true);
}

// Why no number could be read at the start of a text.
function numberFault(text: string): string {
  const integer = /^-?(?:0|[1-9][0-9]*)/.exec(text)?.[0];
  if (integer === undefined) return 'Invalid value.';
  const fraction = /^\.[0-9]*/.exec(text.slice(integer.length))?.[0] ?? '';
  if (fraction === '.') return 'Miss fraction part in number.';
  const rest = text.slice(integer.length + fraction.length);
  if (/^[eE][+-]?(?![0-9])/.test(rest)) return 'Miss exponent in number.';
  return 'Number too big to be stored in double.';
}
