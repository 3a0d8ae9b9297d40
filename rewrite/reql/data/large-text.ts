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
  #text: string;

  constructor(datum: readonly Datum[] | DatumObject) {
    this.#datum = datum;
    this.#text = isObject(datum) ? '{' : '[';
    this.#open = [opened(datum)];
  }

  /**
   * Writes some more: less than a millisecond's worth, unless a single text is long. Says whether all is written, and known from then on.
   * Raises what `jsonText` raises.
   */
  go(): boolean {
    let open = this.#open.at(-1);
    for (let pieces = 0; pieces < AT_ONCE && open !== undefined; pieces++) {
      this.#write(open);
      open = this.#open.at(-1);
    }
    return open === undefined;
  }

  #write(open: Open): void {
    const { keys, values } = open;
    const value = values[open.next];
    if (value === undefined) {
      this.#text += keys === undefined ? ']' : '}';
      this.#open.pop();
      if (this.#open.length === 0) keepText(this.#datum, this.#text);
      return;
    }
    const key = keys?.[open.next];
    this.#text += `${open.next === 0 ? '' : ','}${key === undefined ? '' : `${stringText(key)}:`}`;
    open.next++;
    if (typeof value === 'object' && value !== null && isLargerThan(value, AT_ONCE)) {
      this.#text += isObject(value) ? '{' : '[';
      this.#open.push(opened(value));
    } else {
      this.#text += jsonText(value);
    }
  }
}

function opened(datum: readonly Datum[] | DatumObject): Open {
  if (!isObject(datum)) return { keys: undefined, values: datum, next: 0 };
  const keys = sortedKeys(datum);
  return { keys, values: keys.map((key) => datum[key] ?? null), next: 0 };
}
