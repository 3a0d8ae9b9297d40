// Random histories of writes: few rows, few keys, few values, so that things cancel often.

import fc from 'fast-check';
import type { Argument, Query, Reql } from '../reql.ts';
import type { Row } from '../servers/stage.ts';

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

/** A write to one of the tables. */
export interface Step {
  readonly table: 't' | 'u';
  readonly write: Write;
}

/** Rows to begin with, and what is then written to which table. */
export interface History {
  readonly rows: readonly Row[];
  readonly writes: readonly Step[];
}

/** Histories that follow upon each other: each begins with what the one before has left, the first with rows. */
export interface Histories {
  readonly rows: readonly Row[];
  readonly histories: readonly (readonly Step[])[];
}

const IDS = 4;
const id = fc.integer({ min: 1, max: IDS });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined, freq: 4 });

const k = fc.constantFrom('a', 'b', 'c');
const n = fc.integer({ min: 0, max: 3 });
/** Doubles whose sums round, cancel and hide each other. */
const x = fc.oneof(
  fc.constantFrom(null, 0, -0, 1, 2, -1, 0.1, 0.2, 0.3, 0.7, 1e-9, 123456.789),
  fc.constantFrom(1e16, -1e16, 2 ** 53, 2 ** 53 + 2, 1e300, -1e300, 5e-324, -5e-324),
);
/** An instant as seen from another time zone. */
const NOON_IN_ATHENS = { ISO8601: '2020-01-01T12:00:00+02:00' };
/** Values of many types, some of which JavaScript would confuse, or order otherwise. */
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
  'é',
  '\u{ffff}',
  '\u{1f600}',
  new Date('2020-01-01T10:00:00Z'),
  NOON_IN_ATHENS,
  Buffer.from([0, 255]),
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

const someRows = fc.uniqueArray(row, { maxLength: IDS, selector: (one) => one['id'] });

const stepsOf = (write: fc.Arbitrary<Write>, maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ table: fc.constantFrom('t', 't', 't', 'u'), write }), { maxLength });

const historiesOf = (write: fc.Arbitrary<Write>, count: number): fc.Arbitrary<Histories> =>
  fc.record({
    rows: someRows,
    histories: fc.array(stepsOf(write, 5), { minLength: count, maxLength: count }),
  });

/** Histories of all kinds of writes. */
export const anyHistory: fc.Arbitrary<History> = fc.record({ rows: someRows, writes: stepsOf(any, 8) });

/** So many histories of all kinds of writes. */
export const anyHistories = (count: number): fc.Arbitrary<Histories> => historiesOf(any, count);

/** So many histories in which every write changes one row at most. */
export const singleHistories = (count: number): fc.Arbitrary<Histories> => historiesOf(single, count);

/** The query that does a write. */
export function writeQuery(table: string, write: Write): Query {
  return (r) => termOf(r, r.table(table), write);
}

/** A row as ReQL. */
export function rowTerm(r: Reql, written: Row): Reql {
  return r.expr(valueTerm(r, written));
}

// JSON has no -0 in JavaScript, and a Date no time zone.
function valueTerm(r: Reql, value: Argument): Argument {
  if (Object.is(value, -0)) return r.expr(0).mul(-1);
  if (value === NOON_IN_ATHENS) return r.ISO8601(NOON_IN_ATHENS.ISO8601);
  if (Array.isArray(value)) return value.map((item) => valueTerm(r, item));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, valueTerm(r, item)]));
}

function termOf(r: Reql, table: Reql, write: Write): Reql {
  switch (write.kind) {
    case 'insert':
      return table.insert(rowTerm(r, write.row), { conflict: write.conflict });
    case 'update':
      return table.get(write.id).update(literally(r, write.fields));
    case 'replace':
      return table.get(idOf(write.row)).replace(rowTerm(r, write.row));
    case 'delete':
      return table.get(write.id).delete();
    case 'insert all':
      return table.insert(
        write.rows.map((one) => rowTerm(r, one)),
        { conflict: 'replace' },
      );
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
    Object.entries(values).map(([key, value]) => {
      const term = valueTerm(r, value);
      return [key, key === 'v' ? r.literal(term) : term];
    }),
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
