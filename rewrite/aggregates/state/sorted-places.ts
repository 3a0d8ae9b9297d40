// Sorting by place: what is compared stays where it is.

/** So many are sorted by putting each in its place. */
const BLOCK = 8;

/** Compares what stands at two places: negative, zero or positive. */
export type ComparePlaces = (a: number, b: number) => number;

/** The places from 0 up to a length below 65,536, in the order of what stands there; of what is equal the first comes first. */
export function sortedPlaces(length: number, compare: ComparePlaces): Uint16Array {
  let places = placesTo(length);
  for (let start = 0; start < length; start += BLOCK)
    sortBlock(places, start, Math.min(start + BLOCK, length), compare);
  let other = new Uint16Array(length);
  for (let width = BLOCK; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) merge(places, other, start, width, compare);
    [places, other] = [other, places];
  }
  return places;
}

/**
 * The places of numbers, none of which is NaN, in their order; of equal ones the first comes first. Nothing is called for a comparison,
 * which takes a fifth of the time.
 */
export function placesOfNumbers(numbers: Float64Array): Uint16Array {
  const { length } = numbers;
  let places = placesTo(length);
  for (let start = 0; start < length; start += BLOCK)
    sortNumbers(numbers, places, start, Math.min(start + BLOCK, length));
  let other = new Uint16Array(length);
  for (let width = BLOCK; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) mergeNumbers(numbers, places, other, start, width);
    [places, other] = [other, places];
  }
  return places;
}

function placesTo(length: number): Uint16Array<ArrayBuffer> {
  const places = new Uint16Array(length);
  for (let place = 0; place < length; place++) places[place] = place;
  return places;
}

function sortNumbers(numbers: Float64Array, places: Uint16Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const place = at(places, i);
    const number = of(numbers, place);
    let to = i;
    for (; to > start && of(numbers, at(places, to - 1)) > number; to--) places[to] = at(places, to - 1);
    places[to] = place;
  }
}

function mergeNumbers(numbers: Float64Array, from: Uint16Array, to: Uint16Array, start: number, width: number): void {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let [left, right] = [start, middle];
  if (middle >= end || of(numbers, at(from, middle - 1)) <= of(numbers, at(from, middle))) {
    to.set(from.subarray(start, end), start);
    return;
  }
  for (let i = start; i < end; i++) {
    const isLeft = right >= end || (left < middle && of(numbers, at(from, left)) <= of(numbers, at(from, right)));
    to[i] = at(from, isLeft ? left++ : right++);
  }
}

function of(numbers: Float64Array, place: number): number {
  return numbers[place] ?? 0;
}

function sortBlock(places: Uint16Array, start: number, end: number, compare: ComparePlaces): void {
  for (let i = start + 1; i < end; i++) {
    const place = at(places, i);
    let to = i;
    for (; to > start && compare(at(places, to - 1), place) > 0; to--) places[to] = at(places, to - 1);
    places[to] = place;
  }
}

/** Merges two neighbors of a width into another array. */
function merge(from: Uint16Array, to: Uint16Array, start: number, width: number, compare: ComparePlaces): void {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let [left, right] = [start, middle];
  // Most of what comes in order is in order.
  if (middle < end && compare(at(from, middle - 1), at(from, middle)) <= 0) right = end;
  if (right === end) {
    to.set(from.subarray(start, end), start);
    return;
  }
  for (let i = start; i < end; i++) {
    const isLeft = right >= end || (left < middle && compare(at(from, left), at(from, right)) <= 0);
    to[i] = at(from, isLeft ? left++ : right++);
  }
}

function at(places: Uint16Array, index: number): number {
  return places[index] ?? 0;
}
