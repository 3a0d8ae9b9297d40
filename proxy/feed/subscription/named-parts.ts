// Changes told as changes of things that have a name, so that those of one thing compose: a row that takes the place of another is
// one that goes and one that comes, and each output of a reducer is a thing of its own, which is there so many times.

import { keyAt, type Path } from '../../../rewrite/kinds/key-places.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { Change, ChangeDocument, FeedDocument, InitialDocument, OutputsDocument } from './documents.ts';

/** The names of rows: themselves, their group, keys that they show, or their value and which copy of it they are. */
export type RowsNamed = 'itself' | 'group' | 'copy' | { readonly paths: readonly Path[] };

/** What names one row. */
interface Name {
  /** The same for what has one name. */
  readonly key: string;
  readonly id?: Datum;
  readonly group?: Datum;
}

/** The changes of single things that a change is. */
export function namedParts(change: Change, named: RowsNamed): readonly Change[] {
  return placed(change, partsOf(change, named));
}

/** The same, told by their old and new values: of what names them only the key is there. */
export function singleParts(change: Change, named: RowsNamed): readonly Change[] {
  if (change.kind === 'outputs') {
    const { key, changed, ...rest } = change;
    const parts = changed.map((one) => ({ ...rest, key: `${key ?? ''} ${one.key}`, changed: [one] as const }));
    return placed(change, parts);
  }
  return namedParts(change, named).map((part) => {
    if (part.kind === 'outputs' || part.of !== 'row') return part;
    const { id: _, ...rest } = part;
    return { ...rest, group: change.group };
  });
}

/** Parts of a change have places of their own, the last one that of the change. */
function placed(change: Change, parts: readonly Change[]): readonly Change[] {
  const { at } = change;
  if (at === undefined || parts.length < 2) return parts;
  return parts.map((part, index) => ({ ...part, at: at - (parts.length - 1 - index) }));
}

function partsOf(change: Change, named: RowsNamed): readonly Change[] {
  if (change.kind === 'outputs') return outputParts(change);
  if (change.of === 'value' && named === 'group') return [wholeOfGroups(change)];
  if (change.of !== 'row' || change.id !== undefined) return [change];
  const { old, now, copies } = change;
  const before = old === undefined ? undefined : nameOf(old, copies?.old ?? 1, named);
  const after = now === undefined ? undefined : nameOf(now, copies?.now ?? 1, named);
  if (before !== undefined && after !== undefined && before.key !== after.key) {
    return [
      { ...change, ...before, now: undefined },
      { ...change, ...after, old: undefined },
    ];
  }
  return [{ ...change, ...(before ?? after) }];
}

/** The first documents, each with its name. */
export function namedOpening(documents: readonly FeedDocument[], named: RowsNamed): readonly FeedDocument[] {
  const counts = new Map<string, number>();
  const copyOf = (row: Datum): number => {
    const key = datumKey(row);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
  return documents.flatMap((document): readonly FeedDocument[] => {
    if (document.kind === 'outputs') return outputParts(document).map(initially);
    if (document.kind !== 'initial' || document.of !== 'row' || document.now === undefined) return [document];
    if (document.id !== undefined) return [document];
    const copy = named === 'copy' ? copyOf(document.now) : 1;
    return [{ ...document, ...nameOf(document.now, copy, named) }];
  });
}

function nameOf(row: Datum, copy: number, named: RowsNamed): Name {
  if (named === 'itself') return { key: datumKey(row), id: row };
  if (named === 'copy') return { key: `${copy} ${datumKey(row)}`, id: [row, copy] };
  if (named === 'group') {
    const group = isObject(row) ? (getField(row, 'group') ?? null) : null;
    return { key: datumKey(group), group };
  }
  const id = keyAt(row, named.paths);
  return { key: datumKey(id), id };
}

/** The value that stands for all groups is not there while it is null. */
function wholeOfGroups({ old, now, ...change }: ChangeDocument): ChangeDocument {
  return { ...change, old: old ?? undefined, now: now ?? undefined };
}

/** Outputs as things of which there is a number; none of which there are 0. */
function outputParts({ key: group, changed, at, ...owner }: OutputsDocument): readonly ChangeDocument[] {
  return changed.map(({ key, value, before, after }) => ({
    ...(at === undefined ? {} : { at }),
    kind: 'change',
    of: 'row',
    key: `${group ?? ''} ${key}`,
    group: owner.group,
    id: value,
    old: before === 0 ? undefined : before,
    now: after === 0 ? undefined : after,
  }));
}

function initially({ of, key, group, id = null, now = null }: ChangeDocument): InitialDocument {
  return { kind: 'initial', of, key, group, id, now };
}
