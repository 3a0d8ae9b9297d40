// Whether a reverse undoes its function, tried on values: unapply after apply gives back the acc, and two elements in either
// order give the same. What fails is told with the smallest values found.

import type { Warning } from '../aggregates/aggregate.ts';
import { compareDatums } from '../reql/data/compare.ts';
import { type Datum, getField, isObject } from '../reql/data/datum.ts';
import { jsonText } from '../reql/data/json-text.ts';
import { ReqlError } from '../reql/error.ts';
import type { Combine } from './reduction-tree.ts';

/** Values for which a reverse does not keep a law. */
export interface Counterexample {
  readonly law: Law;
  readonly acc: Datum;
  readonly elements: readonly Datum[];
  readonly expected: Datum;
  /** What came instead: a value, or the text of an error. */
  readonly found: Datum;
}

/** A law that a live reduction keeps. */
export type Law =
  | 'the reverse undoes the function'
  | 'the order of elements does not matter'
  | 'the grouping of elements does not matter';

/** A function of the client and the reverse that it claims to have. */
export interface ReversiblePair {
  readonly apply: Combine;
  readonly unapply: Combine;
}

/** Doubles may differ by rounding: by this much of themselves, or of the largest number at hand. */
const OF_ITSELF = 1e-9;
const OF_LARGEST = 1e-13;

/** The reverse after the function: a counterexample, if it is one. Where the function itself fails there is no law. */
export function checkUndone(pair: ReversiblePair, acc: Datum, element: Datum): Counterexample | undefined {
  const applied = attempt(() => pair.apply(acc, element));
  if (applied instanceof ReqlError) return undefined;
  const found = attempt(() => pair.unapply(applied, element));
  if (!(found instanceof ReqlError) && same(acc, found, [acc, element, applied])) return undefined;
  return { law: 'the reverse undoes the function', acc, elements: [element], expected: acc, found: asDatum(found) };
}

/** Two elements in either order: a counterexample, if they are one. */
export function checkOrder(pair: ReversiblePair, acc: Datum, a: Datum, b: Datum): Counterexample | undefined {
  const expected = attempt(() => pair.apply(pair.apply(acc, a), b));
  const found = attempt(() => pair.apply(pair.apply(acc, b), a));
  if (expected instanceof ReqlError || found instanceof ReqlError || same(expected, found, [acc, a, b])) {
    return undefined;
  }
  return { law: 'the order of elements does not matter', acc, elements: [a, b], expected, found };
}

/** Without a base the first element is the first acc, so that either may be the first: a counterexample, if they are one. */
export function checkFirst(pair: ReversiblePair, a: Datum, b: Datum): Counterexample | undefined {
  const expected = attempt(() => pair.apply(a, b));
  const found = attempt(() => pair.apply(b, a));
  if (expected instanceof ReqlError || found instanceof ReqlError || same(expected, found, [a, b])) return undefined;
  return { law: 'the order of elements does not matter', acc: a, elements: [b], expected, found };
}

/** Elements may be reduced in parts, and the parts with one another: a counterexample, if these are one. */
export function checkGrouping(apply: Combine, a: Datum, b: Datum, c: Datum): Counterexample | undefined {
  const expected = attempt(() => apply(apply(a, b), c));
  const found = attempt(() => apply(a, apply(b, c)));
  if (expected instanceof ReqlError || found instanceof ReqlError || same(expected, found, [a, b, c])) return undefined;
  return { law: 'the grouping of elements does not matter', acc: a, elements: [b, c], expected, found };
}

/**
 * All laws on all of some elements; the smallest counterexample. `base` is the acc of no elements; where it is `undefined`,
 * elements are accs too. Accs that were met can be tried as well.
 */
export function checkReverse(
  pair: ReversiblePair,
  base: Datum | undefined,
  elements: readonly Datum[],
  met: readonly Datum[] = [],
): Counterexample | undefined {
  const found: (Counterexample | undefined)[] = [];
  for (const acc of [...(base === undefined ? elements : [base]), ...met]) {
    for (const a of elements) {
      found.push(checkUndone(pair, acc, a));
      for (const b of elements) found.push(checkOrder(pair, acc, a, b));
    }
  }
  if (base === undefined) for (const a of elements) for (const b of elements) found.push(checkFirst(pair, a, b));
  return smallest(found);
}

/** The counterexample with the shortest text. */
export function smallest(found: readonly (Counterexample | undefined)[]): Counterexample | undefined {
  let best: Counterexample | undefined;
  for (const one of found) {
    if (one !== undefined && (best === undefined || sizeOf(one) < sizeOf(best))) best = one;
  }
  return best;
}

/** A counterexample in words. */
export function warningOf({ law, acc, elements, expected, found }: Counterexample): Warning {
  const values = elements.map((value) => jsonText(value)).join(' and ');
  const counterexample = `acc ${jsonText(acc)}, ${values}, expected ${jsonText(expected)}, found ${jsonText(found)}`;
  return { law, counterexample };
}

function sizeOf({ acc, elements }: Counterexample): number {
  return jsonText([acc, ...elements]).length;
}

function attempt(work: () => Datum): Datum | ReqlError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ReqlError) return error;
    throw error;
  }
}

function asDatum(value: Datum | ReqlError): Datum {
  return value instanceof ReqlError ? value.message : value;
}

/** What is left after an element was taken out against what the function makes of those left: a counterexample, if they differ. */
export function checkRest(acc: Datum, element: Datum, rest: Datum, anew: Datum): Counterexample | undefined {
  if (same(anew, rest, [acc, element, anew])) return undefined;
  return { law: 'the reverse undoes the function', acc: anew, elements: [element], expected: anew, found: rest };
}

function same(a: Datum, b: Datum, around: readonly Datum[]): boolean {
  return compareDatums(a, b) === 0 || near(a, b, Math.max(...around.map(largest)) * OF_LARGEST);
}

function near(a: Datum, b: Datum, slack: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return Math.abs(a - b) <= OF_ITSELF * Math.max(Math.abs(a), Math.abs(b)) + slack;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => near(item, b[index] ?? null, slack));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => {
        const other = getField(b, key);
        return other !== undefined && near(a[key] ?? null, other, slack);
      })
    );
  }
  return compareDatums(a, b) === 0;
}

function largest(datum: Datum): number {
  if (typeof datum === 'number') return Math.abs(datum);
  if (typeof datum !== 'object' || datum === null) return 0;
  return Math.max(0, ...Object.values(datum).map(largest));
}
