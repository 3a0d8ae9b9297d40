// Sorting by functions of the elements. Elements on which a function has no value come before all others.

import { compareDatums } from '../../data/compare.ts';
import type { Datum } from '../../data/datum.ts';
import { ReqlError } from '../../error.ts';
import { type Meter, OutOfSteps } from '../../meter.ts';
import type { Func } from '../core/func.ts';
import { stableSort } from './stable-sort.ts';

/** A key to order by. */
export interface Comparison {
  readonly func: Func;
  readonly descending: boolean;
}

/** A key in a box; `null` where the function has no value. */
type Key = { readonly key: Datum } | null;

/** An element with its keys, each computed when first needed. */
export class Keyed {
  readonly element: Datum;
  readonly #keys: Key[] = [];

  constructor(element: Datum) {
    this.element = element;
  }

  /** The key by a function. */
  key(index: number, func: Func): Key {
    const known = this.#keys[index];
    if (known !== undefined) return known;
    const key = func.tryDatum1(this.element);
    const made = key === undefined ? null : { key };
    this.#keys[index] = made;
    return made;
  }
}

/** Steps that one comparison of a sort takes, its share of the copying included. */
const COMPARISON_STEPS = 2;

/** Compares two elements by all keys: negative, zero or positive. */
export function compareKeyed(a: Keyed, b: Keyed, comparisons: readonly Comparison[], meter: Meter): number {
  meter.spend(COMPARISON_STEPS);
  for (const [index, { func, descending }] of comparisons.entries()) {
    const left = a.key(index, func);
    const right = b.key(index, func);
    if (left === null && right === null) continue;
    const order = left === null ? -1 : right === null ? 1 : compareDatums(left.key, right.key, meter);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** The elements in order; those that compare equal stay as they were. */
export function sortBy(elements: readonly Datum[], comparisons: readonly Comparison[], meter: Meter): readonly Datum[] {
  if (elements.length < 2) return elements;
  const keyed = elements.map((element) => new Keyed(element));
  const columns = plainColumns(keyed, comparisons);
  if (columns !== undefined) return sortPlain(elements, columns, meter);
  const sorted = stableSort(keyed, (a, b) => compareKeyed(a, b, comparisons, meter) < 0);
  return sorted.map(({ element }) => element);
}

/** Keys of one kind, by which elements are compared without looking at what they are. */
interface Column {
  /** `undefined` where an element has no key. */
  readonly keys: readonly (number | string | undefined)[];
  readonly descending: boolean;
}

/** Steps of a comparison of plain keys, and what each key after the first adds. */
const PLAIN_STEPS = 1 / 4;
const FURTHER_STEPS = 1 / 16;
/** Surrogates: JavaScript compares them as they stand in UTF-16, the server as UTF-8. */
const SURROGATE = /[\ud800-\udfff]/;
/** Strings up to this length are compared in about the time of two numbers. */
const SHORT = 64;

/**
 * The keys of all elements, where each comparison has only numbers or only short strings; `undefined` otherwise, and where one
 * cannot be told: which of several errors comes first depends on which elements are compared first.
 */
function plainColumns(keyed: readonly Keyed[], comparisons: readonly Comparison[]): readonly Column[] | undefined {
  try {
    const columns: Column[] = [];
    for (const [index, { func, descending }] of comparisons.entries()) {
      const keys = plainKeys(keyed, index, func);
      if (keys === undefined) return undefined;
      columns.push({ keys, descending });
    }
    return columns;
  } catch (error) {
    if (error instanceof ReqlError && !(error instanceof OutOfSteps)) return undefined;
    throw error;
  }
}

function plainKeys(keyed: readonly Keyed[], index: number, func: Func): Column['keys'] | undefined {
  const keys: (number | string | undefined)[] = [];
  let type: 'number' | 'string' | undefined;
  for (const element of keyed) {
    const key = element.key(index, func)?.key;
    if (key !== undefined) {
      if (typeof key !== 'number' && typeof key !== 'string') return undefined;
      type ??= typeof key === 'number' ? 'number' : 'string';
      if (typeof key !== type) return undefined;
      if (typeof key === 'string' && (key.length > SHORT || SURROGATE.test(key))) return undefined;
    }
    keys.push(key);
  }
  return keys;
}

function sortPlain(elements: readonly Datum[], columns: readonly Column[], meter: Meter): readonly Datum[] {
  const { length } = elements;
  const steps = PLAIN_STEPS + FURTHER_STEPS * (columns.length - 1);
  meter.spend(length * Math.ceil(Math.log2(length)) * steps);
  const order = Array.from({ length }, (_, index) => index);
  order.sort((a, b) => {
    for (const { keys, descending } of columns) {
      const compared = comparePlain(keys[a], keys[b]);
      if (compared !== 0) return descending ? -compared : compared;
    }
    return 0;
  });
  return order.map((index) => elements[index] ?? null);
}

function comparePlain(a: number | string | undefined, b: number | string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
