// Adds up the documents of a feed to the state that they tell of, and holds them to the laws on the way: each `old_val` is
// what was there before, and never equals the `new_val`.

import { isDeepStrictEqual } from 'node:util';

/** How documents add up. */
export type Shows = 'value' | 'groups' | 'rows';

interface Change {
  readonly group?: unknown;
  readonly old_val?: unknown;
  readonly new_val?: unknown;
  readonly state?: unknown;
}

/** The state of a feed by its documents. */
export class FeedState {
  readonly #shows: Shows;
  /** Values by group; under `undefined` the one value of a scalar feed. */
  readonly #values: { readonly group: unknown; value: unknown }[] = [];
  readonly #rows: unknown[] = [];

  constructor(shows: Shows) {
    this.#shows = shows;
  }

  /** Takes a document in. Throws where it breaks a law. */
  add(document: unknown): void {
    if (!isChange(document)) throw new Error(`not a change: ${JSON.stringify(document)}`);
    if (document.state !== undefined) return;
    const { old_val: before, new_val: now } = document;
    if ('old_val' in document && isSame(before, now)) {
      throw new Error(`nothing changed in ${JSON.stringify(document)}`);
    }
    if (this.#shows === 'rows') this.#addRow(document);
    else this.#addValue(document);
  }

  /** The value that a scalar feed shows last; `undefined` before the first. */
  get value(): unknown {
    return this.#values[0]?.value;
  }

  /** Whether this is the state that a query without `changes` gave; `same` compares values. */
  equals(result: unknown, same: (a: unknown, b: unknown) => boolean = isClose): boolean {
    switch (this.#shows) {
      case 'value':
        return this.#values.length > 0 && same(this.#values[0]?.value, result);
      case 'groups':
        return sameBag(
          this.#values.map(({ group, value }) => ({ group, reduction: value })),
          // A group that is null cannot be told from one that is gone.
          Array.isArray(result) ? result.filter((row) => !isPlain(row) || row['reduction'] !== null) : result,
          same,
        );
      case 'rows':
        // A row that is null comes and goes unseen.
        return sameBag(this.#rows, Array.isArray(result) ? result.filter((row) => row !== null) : result, same);
    }
  }

  toString(): string {
    return JSON.stringify(this.#shows === 'rows' ? this.#rows : this.#values);
  }

  #addRow({ old_val: before, new_val: now }: Change): void {
    if (before !== null && before !== undefined) {
      const at = this.#rows.findIndex((row) => isSame(row, before));
      if (at === -1) throw new Error(`${JSON.stringify(before)} goes, but is not in ${this}`);
      this.#rows.splice(at, 1);
    }
    if (now !== null && now !== undefined) this.#rows.push(now);
  }

  #addValue(change: Change): void {
    const known = this.#values.find(({ group }) => isSame(group, change.group));
    if (known !== undefined && !isSame(known.value, change.old_val)) {
      throw new Error(`${JSON.stringify(change)} follows ${JSON.stringify(known.value)}`);
    }
    if (this.#shows === 'groups' && change.new_val === null) {
      if (known !== undefined) this.#values.splice(this.#values.indexOf(known), 1);
    } else if (known === undefined) {
      this.#values.push({ group: change.group, value: change.new_val });
    } else {
      known.value = change.new_val;
    }
  }
}

function isChange(document: unknown): document is Change {
  return typeof document === 'object' && document !== null;
}

function sameBag(state: readonly unknown[], result: unknown, same: (a: unknown, b: unknown) => boolean): boolean {
  if (!Array.isArray(result) || result.length !== state.length) return false;
  const left: unknown[] = [...result];
  return state.every((row) => {
    const at = left.findIndex((candidate) => same(row, candidate));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** Equal to ReQL: 0 and -0 are. */
export function isSame(a: unknown, b: unknown): boolean {
  return isAlike(a, b, (x, y) => x === y);
}

/** Equal, numbers within a part in 10^9. */
function isClose(a: unknown, b: unknown): boolean {
  return isAlike(a, b, (x, y) => Math.abs(x - y) <= 1e-9 * Math.max(1, Math.abs(y)));
}

function isAlike(a: unknown, b: unknown, number: (a: number, b: number) => boolean): boolean {
  if (typeof a === 'number' && typeof b === 'number') return number(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isAlike(item, b[at], number));
  }
  if (!isPlain(a) || !isPlain(b)) return isDeepStrictEqual(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isAlike(a[key], b[key], number))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
