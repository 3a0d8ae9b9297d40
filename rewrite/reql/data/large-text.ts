// The JSON text of a large datum, written in as many pieces as one likes, so that others are served meanwhile.

import { sortedKeys } from './compare.ts';
import { type Datum, type DatumObject, isObject } from './datum.ts';
import { jsonText, stringText } from './json-text.ts';
import { isLargerThan, keepText } from './known-text.ts';

/** Values that are written as one: what has more is taken apart. */
const AT_ONCE = 64;

/** An array or an object that is being written. */
interface Open {
  /** Of an object; `undefined` of an array. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Datum[];
  next: number;
}

/** A text that is being written. */
export class LargeText {
  readonly #datum: readonly Datum[] | DatumObject;
  readonly #open: Open[];
  /**
   * What is written so far. Each part is one text: V8 keeps a text that is put together piece by piece as a tree of all pieces, which
   * its collector would walk again and again until it is sent.
   */
  readonly #parts: string[];

  constructor(datum: readonly Datum[] | DatumObject) {
    this.#datum = datum;
    this.#parts = [isObject(datum) ? '{' : '['];
    this.#open = [opened(datum)];
  }

  /**
   * Writes some more: less than a millisecond's worth, unless a single text is long. Says whether all is written, and known from then on.
   * Raises what `jsonText` raises.
   */
  go(): boolean {
    const pieces: string[] = [];
    let open = this.#open.at(-1);
    for (let count = 0; count < AT_ONCE && open !== undefined; count++) {
      this.#write(open, pieces);
      open = this.#open.at(-1);
    }
    this.#parts.push(pieces.join(''));
    if (open === undefined) keepText(this.#datum, this.#parts.join(''));
    return open === undefined;
  }

  #write(open: Open, pieces: string[]): void {
    const { keys, values } = open;
    const value = values[open.next];
    if (value === undefined) {
      pieces.push(keys === undefined ? ']' : '}');
      this.#open.pop();
      return;
    }
    if (open.next > 0) pieces.push(',');
    const key = keys?.[open.next];
    if (key !== undefined) pieces.push(stringText(key), ':');
    open.next++;
    if (typeof value === 'object' && value !== null && isLargerThan(value, AT_ONCE)) {
      pieces.push(isObject(value) ? '{' : '[');
      this.#open.push(opened(value));
    } else {
      pieces.push(jsonText(value));
    }
  }
}

function opened(datum: readonly Datum[] | DatumObject): Open {
  if (!isObject(datum)) return { keys: undefined, values: datum, next: 0 };
  const keys = sortedKeys(datum);
  return { keys, values: keys.map((key) => datum[key] ?? null), next: 0 };
}
