// A client that keeps what a feed tells it.

import { expect } from 'vitest';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';

/** One value, one value per group, or rows. */
export type Kind = 'value' | 'groups' | 'rows';

/** What a client knows that keeps the documents it gets. Fails on an old_val that is not what was there. */
export class Kept {
  readonly kind: Kind;
  value: Datum | undefined;
  readonly things = new Map<string, { readonly datum: Datum; count: number }>();

  /** Whether the value is computed by the test, which does not add as exactly as a feed. */
  #computed: boolean;

  /** `start` is the one-shot answer, where the feed does not tell what is there at first. */
  constructor(kind: Kind, start?: Datum) {
    this.#computed = start !== undefined;
    this.kind = kind;
    if (start === undefined) return;
    if (kind === 'value') this.value = start;
    else for (const [group, datum] of thingsOf(kind, start)) this.#come(group, datum);
  }

  take(document: Datum): void {
    if (!isObject(document)) throw new Error('a document is no object');
    const newVal = getField(document, 'new_val');
    const oldVal = getField(document, 'old_val');
    if (newVal === undefined && oldVal === undefined) return;
    if (newVal !== undefined && oldVal !== undefined) expect(equalDatums(oldVal, newVal)).toBe(false);
    const group = getField(document, 'group');
    if (this.kind === 'value') {
      if (oldVal !== undefined && this.#computed) expectClose(oldVal, this.value ?? null);
      else if (oldVal !== undefined) expect(oldVal).toEqual(this.value);
      this.#computed = false;
      this.value = newVal;
      return;
    }
    // Null beside another key is nothing; by itself it is a group or a row that is null.
    if (oldVal !== undefined && (oldVal !== null || newVal === undefined)) this.#go(group, oldVal);
    if (newVal !== undefined && (newVal !== null || oldVal === undefined)) this.#come(group, newVal);
  }

  /** Fails where the client does not know what the one-shot query gives. */
  check(truth: Datum): void {
    if (this.kind === 'value') expectClose(this.value ?? null, truth);
    else {
      const there = thingsOf(this.kind, truth).map(([group, datum]) => nameOf(group, datum));
      const kept = [...this.things].flatMap(([name, { count }]) => Array.from({ length: count }, () => name));
      expect(kept.sort()).toEqual(there.sort());
    }
  }

  #come(group: Datum | undefined, datum: Datum): void {
    const name = nameOf(group, datum);
    const known = this.things.get(name);
    if (known === undefined) this.things.set(name, { datum, count: 1 });
    else known.count++;
  }

  #go(group: Datum | undefined, datum: Datum): void {
    const name = nameOf(group, datum);
    const known = this.things.get(name);
    expect(known, `${name} goes and is not there`).toBeDefined();
    if (known === undefined) return;
    known.count--;
    if (known.count === 0) this.things.delete(name);
  }
}

function nameOf(group: Datum | undefined, datum: Datum): string {
  const rounded = typeof datum === 'number' ? Number(datum.toPrecision(12)) : datum;
  return group === undefined ? datumKey(datum) : `${datumKey(group)}: ${datumKey(rounded)}`;
}

/** The groups or rows of a one-shot answer. */
function thingsOf(kind: Kind, answered: Datum): readonly (readonly [Datum | undefined, Datum])[] {
  if (kind === 'groups') {
    const data = isObject(answered) ? getField(answered, 'data') : undefined;
    return list(data ?? []).map((pair) => [list(pair)[0], list(pair)[1] ?? null] as const);
  }
  return list(answered).map((item) => [undefined, item] as const);
}

export function list(datum: Datum): readonly Datum[] {
  if (!isList(datum)) throw new Error(`no array: ${JSON.stringify(datum)}`);
  return datum;
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}

function expectClose(found: Datum, truth: Datum): void {
  if (typeof found === 'number' && typeof truth === 'number') expect(Math.abs(found - truth)).toBeLessThan(1e-9);
  else if (isObject(found) && isObject(truth)) {
    expect(Object.keys(found).sort()).toEqual(Object.keys(truth).sort());
    for (const key of Object.keys(truth)) expectClose(getField(found, key) ?? null, getField(truth, key) ?? null);
  } else expect(found).toEqual(truth);
}
