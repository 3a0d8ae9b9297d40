// The binary heap of the C++ library that the server is built with. Which of equal items comes out first, and which
// items are compared at all, follows from its shape.

/** Items of which the least is at the top. */
export class Heap<Item> {
  readonly #before: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];

  /** `before`: whether `a` is to come out before `b`. */
  constructor(before: (a: Item, b: Item) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  get top(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#rise(this.#items.length - 1, item);
  }

  pop(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#rise(this.#sink(), last);
  }

  // Moves the hole at the top down to a leaf, always to the child that comes out first; the right one where neither does.
  #sink(): number {
    const items = this.#items;
    let hole = 0;
    for (let child = 2; child <= items.length; child = 2 * hole + 2) {
      const right = items[child];
      const left = items[child - 1];
      if (left === undefined) break;
      const place = right === undefined || this.#before(left, right) ? child - 1 : child;
      items[hole] = items[place] ?? left;
      hole = place;
    }
    return hole;
  }

  #rise(from: number, item: Item): void {
    const items = this.#items;
    let hole = from;
    while (hole > 0) {
      const place = (hole - 1) >> 1;
      const parent = items[place];
      if (parent === undefined || !this.#before(item, parent)) break;
      items[hole] = parent;
      hole = place;
    }
    items[hole] = item;
  }
}
