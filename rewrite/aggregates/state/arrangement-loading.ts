// Entries that come before anybody reads them. They are sorted in runs as they come, and the runs are merged once all are there,
// into leaves that are nearly full: less time than putting each in its place, and less memory than that leaves behind.
//
//   come:   7 3 9 | 1 8 3 | 2 5        a run is sorted when it is full
//   runs:   3 7 9   1 3 8   2 5        the least of their heads is the next entry
//   leaves: 1 2 3×2 | 5 7 8 | 9

import type { Datum } from '../../reql/data/datum.ts';
import { Branch, MOST, type Tree } from './arrangement-branch.ts';
import { type Entry, Leaf } from './arrangement-leaf.ts';
import { compareEntries, type Order } from './arrangement-places.ts';
import { Coming, MergedRuns, type Run } from './merged-runs.ts';

/** Entries of the first run, and of the longest. */
const FIRST_RUN = 32;
const LONGEST_RUN = 4096;
/**
 * Sorting a run cannot be left and gone on with: where it took longer than this, in milliseconds, the runs after it are half as
 * long. What a comparison costs is only seen then: it may be of hundreds of fields, or of long arrays.
 */
const RUN_MS = 4;
/** Entries that are merged in one step. */
const STEP = 8;
/** Entries of a leaf, and nodes of a branch: some can come before it has to be split. */
const FULL = (MOST * 7) / 8;

/** Entries that come in any order. */
export class Loading {
  readonly #order: Order;
  readonly #now: () => number;
  readonly #runs: Run[] = [];
  /** What goes again: once all are there. */
  readonly removed: Pick<Entry, 'key' | 'row'>[] = [];
  #coming: Coming;
  /** Entries of the run that comes. */
  #run = FIRST_RUN;

  /** @param now milliseconds, by which it is told what sorting costs */
  constructor(order: Order, now: () => number) {
    this.#order = order;
    this.#now = now;
    this.#coming = new Coming(order);
  }

  /** The length of the run that comes. */
  get run(): number {
    return this.#run;
  }

  add(key: Datum, row: Datum): void {
    this.#coming.push(key, row);
    if (this.#coming.length === this.#run) this.#sortRun();
  }

  remove(key: Datum, row: Datum): void {
    this.removed.push({ key, row });
  }

  /** Builds a tree of all that came, in steps: each gives an entry that is equal to another before it, or `undefined`. */
  *build(): Generator<Entry | undefined, Built> {
    this.#sortRun();
    const leaves = new Leaves(this.#order);
    const runs = new MergedRuns(this.#order, this.#runs);
    let merged = 0;
    for (let run = runs.first; run !== undefined; run = runs.first) {
      const { key, row } = run;
      if (leaves.isLast(key, row)) {
        leaves.again();
        yield { key, row, count: 1 };
      } else {
        leaves.push(key, row);
        if (++merged % STEP === 0) yield undefined;
      }
      runs.advance();
    }
    return leaves.built();
  }

  #sortRun(): void {
    const start = this.#now();
    this.#runs.push(this.#coming.sorted());
    const isShort = this.#now() - start < RUN_MS;
    this.#run = isShort ? Math.min(2 * this.#run, LONGEST_RUN) : Math.max(this.#run / 2, 1);
    this.#coming = new Coming(this.#order);
  }
}

/** A tree, and how many different entries it has. */
export interface Built {
  readonly tree: Tree;
  readonly distinct: number;
}

/** Leaves that are filled one after the other, and the branches above them. */
class Leaves {
  readonly #order: Order;
  readonly #leaves: Level = { nodes: [], keys: [], rows: [] };
  #distinct = 0;
  #keys: Datum[] = [];
  #rows: Datum[] = [];
  #counts: number[] | undefined;

  constructor(order: Order) {
    this.#order = order;
  }

  /** Whether an entry is equal to the last one. */
  isLast(key: Datum, row: Datum): boolean {
    const last = this.#keys.length - 1;
    return last >= 0 && compareEntries(this.#order, this.#keys[last], this.#rows[last], key, row) === 0;
  }

  /** The last one is there once more. */
  again(): void {
    const counts = this.#counts ?? this.#keys.map(() => 1);
    counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
    this.#counts = counts;
  }

  /** Adds an entry behind all others. */
  push(key: Datum, row: Datum): void {
    if (this.#keys.length === FULL) this.#close();
    this.#distinct++;
    this.#keys.push(key);
    if (this.#order.hasRows) this.#rows.push(row);
    this.#counts?.push(1);
  }

  built(): Built {
    this.#close();
    let level = this.#leaves;
    while (level.nodes.length > 1) level = this.#above(level);
    const [tree = new Leaf([], this.#order.hasRows ? [] : undefined, undefined)] = level.nodes;
    return { tree, distinct: this.#distinct };
  }

  #close(): void {
    const { nodes, keys, rows } = this.#leaves;
    keys.push(this.#keys[0] ?? null);
    rows.push(this.#rows[0] ?? null);
    const counts = this.#counts === undefined ? undefined : withRoom(this.#counts);
    nodes.push(new Leaf(withRoom(this.#keys), this.#order.hasRows ? withRoom(this.#rows) : undefined, counts));
    this.#keys = [];
    this.#rows = [];
    this.#counts = undefined;
  }

  #above({ nodes, keys, rows }: Level): Level {
    const above: Level = { nodes: [], keys: [], rows: [] };
    for (let start = 0; start < nodes.length; start += FULL) {
      const part = <Item>(items: readonly Item[]): Item[] => withRoom(items.slice(start, start + FULL));
      above.nodes.push(new Branch(part(nodes), part(keys), this.#order.hasRows ? part(rows) : undefined));
      above.keys.push(keys[start] ?? null);
      above.rows.push(rows[start] ?? null);
    }
    return above;
  }
}

/** Nodes side by side, and the first entry of each. */
interface Level {
  readonly nodes: Tree[];
  readonly keys: Datum[];
  readonly rows: Datum[];
}

/** The same items with room for as many as a node has, and no more: V8 gives an array of half of that it when it grows. */
function withRoom<Item>(items: readonly Item[]): Item[] {
  const roomy = items.slice(0, MOST / 2);
  for (let i = MOST / 2; i < items.length; i++) roomy.push(items[i] as Item);
  return roomy;
}
