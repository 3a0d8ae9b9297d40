import { expect, test } from 'vitest';
import type { ValueSubject } from '../../../proxy/feed/operator/difference.ts';
import {
  documentDatum,
  documentText,
  type FeedDocument,
  readDocument,
} from '../../../proxy/feed/subscription/documents.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';

type Side = Datum | undefined;

const none = undefined;

const change = (of: ValueSubject, old: Side, now: Side): FeedDocument => ({
  kind: 'change',
  of,
  key: of === 'value' ? '' : 'k',
  group: of === 'group' ? 'a' : undefined,
  old,
  now,
});

/** What was there, what is there, the document without its type, and the type. */
type Row = readonly [old: Side, now: Side, document: object, type: string];

const appearing: readonly Row[] = [
  [none, 5, { new_val: 5, old_val: null }, 'add'],
  [5, none, { new_val: null, old_val: 5 }, 'remove'],
  [none, null, { new_val: null }, 'add'],
  [null, none, { old_val: null }, 'remove'],
];
const changing = (comes: string, goes: string): readonly Row[] => [
  [5, 6, { new_val: 6, old_val: 5 }, 'change'],
  [null, 5, { new_val: 5, old_val: null }, comes],
  [5, null, { new_val: null, old_val: 5 }, goes],
];

const table: { readonly [Of in ValueSubject]: readonly Row[] } = {
  value: changing('add', 'remove'),
  group: [...appearing, ...changing('change', 'change')],
  row: appearing,
};

for (const of of ['value', 'group', 'row'] as const) {
  test.each(table[of])(`of a ${of}, from %j to %j`, (old, now, sides, type) => {
    const document = change(of, old, now);
    const plain = of === 'group' ? { group: 'a', ...sides } : sides;
    expect(documentDatum(document, false)).toEqual(plain);
    expect(documentDatum(document, true)).toEqual({ ...plain, type });
    for (const types of [false, true]) {
      expect(JSON.parse(documentText(document, types))).toEqual(documentDatum(document, types));
    }
  });

  test(`the documents of a fold about a ${of} are read as they were meant`, () => {
    const keyOf = (): string => (of === 'value' ? '' : 'k');
    const initial: FeedDocument = { ...change(of, none, none), kind: 'initial', of, now: null } as FeedDocument;
    for (const [old, now] of table[of]) {
      const document = change(of, old, now);
      expect(readDocument(documentDatum(document, true), { of, keyOf })).toEqual(document);
    }
    expect(readDocument(documentDatum(initial, true), { of, keyOf })).toMatchObject({ kind: 'initial', now: null });
  });
}
