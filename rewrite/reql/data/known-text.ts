// The JSON texts of large data that have been written already: in turns, ahead of whoever sends them, or as the new value of one change
// that is the old value of the next. A memo, which lasts as long as the data.

const texts = new WeakMap<object, string>();

/** Values and keys, about, from which on a datum is large: what is smaller is written in less than a millisecond. */
export const LARGE = 1000;
/** Characters of a text that are written in the time of a value. */
const CHARACTERS_PER_VALUE = 64;

/** The text of an array or an object, where it is known. */
export function knownText(datum: object): string | undefined {
  return texts.get(datum);
}

/** Keeps the text of an array or an object, which must not change. */
export function keepText(datum: object, text: string): void {
  texts.set(datum, text);
}

/** Whether a datum has more values than so many. Takes no longer than to count them. */
export function isLargerThan(datum: unknown, values: number): boolean {
  return leftOf(datum, values) < 0;
}

/** What is left of a number of values when those of a datum are taken off it; below 0 where they are more. */
function leftOf(datum: unknown, values: number): number {
  if (typeof datum === 'string') return values - 1 - datum.length / CHARACTERS_PER_VALUE;
  if (typeof datum !== 'object' || datum === null) return values - 1;
  let left = values - 1;
  if (Array.isArray(datum)) {
    if (datum.length > left) return -1;
    for (const item of datum) {
      left = leftOf(item, left);
      if (left < 0) break;
    }
    return left;
  }
  for (const value of Object.values(datum)) {
    left = leftOf(value, left);
    if (left < 0) break;
  }
  return left;
}
