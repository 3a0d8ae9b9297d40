// Random histories of writes: few rows, few keys, few values, so that things cancel often.

import fc from 'fast-check';
import type { Argument, Query, Reql } from './reql.ts';
import type { Row } from './stage.ts';

/** A write as data, so that a failure prints it. */
export type Write =
  | { readonly kind: 'insert'; readonly row: Row; readonly conflict: 'replace' | 'update' }
  | { readonly kind: 'update'; readonly id: number; readonly fields: Row }
  | { readonly kind: 'replace'; readonly row: Row }
  | { readonly kind: 'delete'; readonly id: number }
  | { readonly kind: 'insert all'; readonly rows: readonly Row[] }
  | { readonly kind: 'update all'; readonly fields: Row }
  | { readonly kind: 'add to all'; readonly n: number }
  | { readonly kind: 'delete all of'; readonly k: string };

/** Rows to begin with, and what is then written to which table. */
export interface History {
  readonly rows: readonly Row[];
  readonly writes: readonly { readonly table: 't' | 'u'; readonly write: Write }[];
}

const IDS = 4;
const id = fc.integer({ min: 1, max: IDS });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 4 });

const k = fc.constantFrom('a', 'b', 'c');
const n = fc.integer({ min: 0, max: 3 });
/** Doubles whose sums round, cancel and hide each other. */
const x = fc.constantFrom(null, 0, -0, 1, 2, -1, 0.1, 0.2, 0.3, 0.7, 1e16, -1e16, 1e-9, 1e300, 5e-324, 123456.789);
/** Values of many types, some of which JavaScript would confuse. */
const v = fc.constantFrom<Argument>(
  null,
  0,
  -0,
  '',
  '0',
  false,
  true,
  1,
  1.5,
  'a',
  [],
  [0],
  [1, 'a'],
  { a: 1 },
  { a: [null] },
);
const tags = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });

const fields: fc.Arbitrary<Row> = fc
  .record({ k: maybe(k), n: maybe(n), x: maybe(x), v: maybe(v), tags: maybe(tags) })
  .map(present);

/** Objects are set as a whole: an update merges them otherwise. */
const row: fc.Arbitrary<Row> = fc.tuple(id, fields).map(([key, rest]) => ({ id: key, ...rest }));

/** Writes of one row. */
const single: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), row, conflict: fc.constantFrom('replace', 'update') }),
  fc.record({ kind: fc.constant('update' as const), id, fields }),
  fc.record({ kind: fc.constant('replace' as const), row }),
  fc.record({ kind: fc.constant('delete' as const), id }),
);

/** Writes of any number of rows. */
const any: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: single },
  fc.record({ kind: fc.constant('insert all' as const), rows: fc.array(row, { maxLength: IDS }) }),
  fc.record({ kind: fc.constant('update all' as const), fields }),
  fc.record({ kind: fc.constant('add to all' as const), n: fc.integer({ min: -1, max: 1 }) }),
  fc.record({ kind: fc.constant('delete all of' as const), k }),
);

const historyOf = (write: fc.Arbitrary<Write>, maxLength: number): fc.Arbitrary<History> =>
  fc.record({
    rows: fc.uniqueArray(row, { maxLength: IDS, selector: (one) => one['id'] }),
    writes: fc.array(fc.record({ table: fc.constantFrom('t', 't', 't', 'u'), write }), { maxLength }),
  });

/** Histories in which every write changes one row at most. */
export const singleHistory: fc.Arbitrary<History> = historyOf(single, 8);

/** Histories of all kinds of writes. */
export const anyHistory: fc.Arbitrary<History> = historyOf(any, 8);

/** The query that does a write. */
export function writeQuery(table: string, write: Write): Query {
  return (r) => termOf(r, r.table(table), write);
}

function termOf(r: Reql, table: Reql, write: Write): Reql {
  switch (write.kind) {
    case 'insert':
      return table.insert(r.expr(write.row), { conflict: write.conflict });
    case 'update':
      return table.get(write.id).update(literally(r, write.fields));
    case 'replace':
      return table.get(idOf(write.row)).replace(write.row);
    case 'delete':
      return table.get(write.id).delete();
    case 'insert all':
      return table.insert([...write.rows], { conflict: 'replace' });
    case 'update all':
      return table.update(literally(r, write.fields));
    case 'add to all':
      return table.hasFields('n').update((old) => ({ n: old('n').add(write.n) }));
    case 'delete all of':
      return table.getAll(write.k, { index: 'k' }).delete();
  }
}

function literally(r: Reql, values: Row): Row {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, key === 'v' ? r.literal(value) : value]),
  );
}

function idOf({ id: key }: Row): Argument {
  return key ?? null;
}

function present(values: { readonly [key: string]: Argument | undefined }): Row {
  const kept: Record<string, Argument> = {};
  for (const [key, value] of Object.entries(values)) if (value !== undefined) kept[key] = value;
  return kept;
}
