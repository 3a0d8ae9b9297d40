// The merge sort of the C++ library that the server is built with. Any stable sort gives the same order; but a key may
// raise an error, and which element's error comes first depends on which elements are compared first.

/** Whether `a` comes before `b`. */
type Before<Item> = (a: Item, b: Item) => boolean;

const CHUNK = 7;

/** The items in order. */
export function stableSort<Item>(items: readonly Item[], before: Before<Item>): readonly Item[] {
  if (items.length < 2) return items;
  const middle = (items.length + 1) >> 1;
  const left = sortHalf(items.slice(0, middle), before);
  const right = sortHalf(items.slice(middle), before);
  return left.length <= right.length ? merge(left, right, before) : mergeBackward(left, right, before);
}

function sortHalf<Item>(items: readonly Item[], before: Before<Item>): readonly Item[] {
  let sorted: readonly Item[] = inChunks(items, CHUNK, (chunk) => insertionSort(chunk, before));
  for (let step = CHUNK; step < items.length; step *= 2) {
    const size = step;
    sorted = inChunks(sorted, size * 2, (pair) => merge(pair.slice(0, size), pair.slice(size), before));
  }
  return sorted;
}

function inChunks<Item>(
  items: readonly Item[],
  size: number,
  change: (chunk: readonly Item[]) => readonly Item[],
): readonly Item[] {
  const changed: Item[] = [];
  for (let start = 0; start < items.length; start += size) {
    for (const item of change(items.slice(start, start + size))) changed.push(item);
  }
  return changed;
}

function insertionSort<Item>(items: readonly Item[], before: Before<Item>): readonly Item[] {
  const sorted: Item[] = [];
  for (const item of items) {
    const [first] = sorted;
    if (first !== undefined && before(item, first)) {
      sorted.unshift(item);
      continue;
    }
    let place = sorted.length;
    for (; place > 0; place--) {
      const last = sorted[place - 1];
      if (last === undefined || !before(item, last)) break;
    }
    sorted.splice(place, 0, item);
  }
  return sorted;
}

function merge<Item>(left: readonly Item[], right: readonly Item[], before: Before<Item>): readonly Item[] {
  const merged: Item[] = [];
  let at = 0;
  let other = 0;
  for (;;) {
    const a = left[at];
    const b = right[other];
    if (a === undefined || b === undefined) break;
    const takeRight = before(b, a);
    merged.push(takeRight ? b : a);
    if (takeRight) other += 1;
    else at += 1;
  }
  return [...merged, ...left.slice(at), ...right.slice(other)];
}

function mergeBackward<Item>(left: readonly Item[], right: readonly Item[], before: Before<Item>): readonly Item[] {
  const merged: Item[] = [];
  let at = left.length;
  let other = right.length;
  for (;;) {
    const a = left[at - 1];
    const b = right[other - 1];
    if (a === undefined || b === undefined) break;
    const takeLeft = before(b, a);
    merged.push(takeLeft ? a : b);
    if (takeLeft) at -= 1;
    else other -= 1;
  }
  return [...left.slice(0, at), ...right.slice(0, other), ...merged.reverse()];
}
