// The first of many in an order, without putting the rest in order.

/** The first `most` items, in order; equal ones in the order in which they are given. */
export function firstInOrder<Item>(
  items: readonly Item[],
  most: number,
  compare: (a: Item, b: Item) => number,
): readonly Item[] {
  if (items.length <= most) return [...items].sort(compare);
  const first = items.slice(0, most).sort(compare);
  for (const item of items.slice(most)) {
    const last = first.at(-1);
    if (last === undefined || compare(item, last) >= 0) continue;
    first.pop();
    const at = first.findIndex((each) => compare(item, each) < 0);
    first.splice(at < 0 ? first.length : at, 0, item);
  }
  return first;
}
