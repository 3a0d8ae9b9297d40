// The documents of a feed with a reducer: how often a value is an output of a group, against how often it was before.

import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { datumBytes } from '../../memory/datum-bytes.ts';
import type { Identity, OutputChange } from '../operator/difference.ts';
import type { OutputsDocument } from './documents.ts';

/**
 * The documents that tell of the changes of one group's outputs: one per value, in ReQL's order of values, but a single one
 * where all that happened is that one value, there once, took the place of another that was there once.
 */
export function outputDocuments(
  owner: Identity,
  changes: readonly OutputChange[],
  initial: boolean,
): readonly OutputsDocument[] {
  const made = (changed: OutputsDocument['changed']): OutputsDocument => ({
    kind: 'outputs',
    ...owner,
    initial,
    changed,
  });
  const [a, b, ...more] = changes;
  if (!initial && a !== undefined && b !== undefined && more.length === 0) {
    if (goesOnce(a) && comesOnce(b)) return [made([a, b])];
    if (goesOnce(b) && comesOnce(a)) return [made([b, a])];
  }
  return changes.toSorted((one, other) => compareDatums(one.value, other.value)).map((change) => made([change]));
}

function goesOnce({ before, after }: OutputChange): boolean {
  return before === 1 && after === 0;
}

function comesOnce({ before, after }: OutputChange): boolean {
  return before === 0 && after === 1;
}

/** `{group, value, count}`, or `{group, old_val, new_val}` for a value in the place of another. */
export function outputDatum({ group, changed }: OutputsDocument): DatumObject {
  const [change, other] = changed;
  const owner = group === undefined ? {} : { group };
  if (other !== undefined) return { ...owner, new_val: other.value, old_val: change.value };
  return { count: change.after - change.before, ...owner, value: change.value };
}

/** The `type` under `include_types`: `add` and `remove` for a value that is there more or less often. */
export function outputType({ initial, changed: [change, other] }: OutputsDocument): string {
  if (initial) return 'initial';
  if (other !== undefined) return 'change';
  return change.after > change.before ? 'add' : 'remove';
}

/** Bytes that changes of outputs take, estimated. */
export function outputBytes(changed: readonly OutputChange[]): number {
  let bytes = 0;
  for (const { key, value } of changed) bytes += CHANGE + 2 * key.length + datumBytes(value);
  return bytes;
}

/** What one of them is beside its value, an entry in a map included. */
const CHANGE = 160;

/** The changes of one group's outputs, composed: each value told once. */
export class ComposedOutputs {
  readonly #owner: Identity;
  readonly #changed = new Map<string, OutputChange>();
  #bytes = 0;
  #at: number | undefined;

  constructor({ key, group }: Identity) {
    this.#owner = { key, group };
  }

  get key(): string | undefined {
    return this.#owner.key;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether all is as it was. */
  get isEmpty(): boolean {
    return this.#changed.size === 0;
  }

  /** `at`: the place of the changes in the history, where there is one. */
  add(changes: readonly OutputChange[], at: number | undefined): void {
    this.#at = at;
    for (const change of changes) {
      const known = this.#changed.get(change.key);
      const before = known?.before ?? change.before;
      const bytes = outputBytes([change]);
      if (known === undefined) this.#bytes += bytes;
      this.#changed.set(change.key, { ...change, before });
      if (before !== change.after) continue;
      this.#changed.delete(change.key);
      this.#bytes -= bytes;
    }
  }

  documents(): readonly OutputsDocument[] {
    const documents = outputDocuments(this.#owner, [...this.#changed.values()], false);
    const at = this.#at;
    return at === undefined ? documents : documents.map((document) => ({ ...document, at }));
  }
}
