// The documents of a feed with a reducer: how often a value is an output of a group, against how often it was before.

import { compareDatums } from '../../rewrite/reql/compare.ts';
import type { Datum, DatumObject } from '../../rewrite/reql/datum.ts';
import type { FeedDocument, OutputsDocument } from './documents.ts';

/** A value that is an output more or less often than before. */
export interface OutputChange {
  readonly value: Datum;
  /** `datumKey` of the value. */
  readonly key: string;
  readonly before: number;
  readonly after: number;
}

/** Whose outputs these are: `key` and `group` of the documents. */
type Owner = Pick<OutputsDocument, 'key' | 'group'>;

/**
 * The documents that tell of the changes of one group's outputs: one per value, in ReQL's order of values, but a single one
 * where all that happened is that one value, there once, took the place of another that was there once.
 */
export function outputDocuments(
  owner: Owner,
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

interface Composed {
  readonly owner: Owner;
  readonly initial: Map<string, OutputChange>;
  readonly changed: Map<string, OutputChange>;
}

/** The same story with each value of each group told once. States keep their places, and initial values as `keepInitials` says. */
export function composeOutputs(documents: Iterable<FeedDocument>, keepInitials: boolean): FeedDocument[] {
  const story: (FeedDocument | Composed)[] = [];
  const groups = new Map<string | undefined, Composed>();
  for (const document of documents) {
    if (document.kind !== 'outputs' || (document.initial && keepInitials)) {
      story.push(document);
      continue;
    }
    let group = groups.get(document.key);
    if (group === undefined) {
      const { key, group: datum } = document;
      group = { owner: { key, group: datum }, initial: new Map(), changed: new Map() };
      groups.set(key, group);
      story.push(group);
    }
    for (const change of document.changed) take(group, change, document.initial);
  }
  return story.flatMap((part): readonly FeedDocument[] => ('owner' in part ? told(part) : [part]));
}

function take({ initial, changed }: Composed, change: OutputChange, isInitial: boolean): void {
  const into = isInitial || initial.has(change.key) ? initial : changed;
  const before = into.get(change.key)?.before ?? change.before;
  into.set(change.key, { ...change, before });
}

function told({ owner, initial, changed }: Composed): readonly OutputsDocument[] {
  const differing = (changes: Map<string, OutputChange>): readonly OutputChange[] =>
    [...changes.values()].filter(({ before, after }) => before !== after);
  return [...outputDocuments(owner, differing(initial), true), ...outputDocuments(owner, differing(changed), false)];
}
