// Several selections of one table as one source. RethinkDB tells a write as a change of each selection that the row leaves,
// enters or stays in, and never that they belong together. Read as one selection that holds all of them, a write is one
// change, and each row tells in which of them it is.
//
//   getAll('a', {index}), getAll('b', {index})           getAll('a', 'b', {index})
//   between(0, 5, {index}), getAll(7, {index})           between(0, 7, {index}), of which only the rows of the two
//   anything, and the table                              the table
//   selections by two indexes                            the table, of which only the rows of the two
//
// The first rows of an order are kept by us then: RethinkDB tells their changes later than those of the table (btree.cc).

import type { Builder } from '../reql/build/build.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { indexValue, indexValues, isKey } from './index-values.ts';
import { between, hull, isWithin, type Range } from './range.ts';
import type { Keys, ReadIndex, TableSelection } from './table-selection.ts';

/** A selection, and what is read for it and for others. */
export interface OneReading {
  readonly selection: TableSelection;
  /** The selection that is read. */
  readonly read: CallTerm;
  /** The index of which every row of `read` is known to be in; `undefined` where that is the primary key. */
  readonly within: string | undefined;
}

/** The selections of one table as one; by the text of each. `undefined` where one alone is read, each row once. */
export function oneReadings(
  selections: ReadonlyMap<string, TableSelection>,
  t: Builder,
): ReadonlyMap<string, OneReading> | undefined {
  const all = [...selections.values()];
  const [first] = all;
  if (first === undefined || (all.length === 1 && !repeats(first))) return undefined;
  const { read, within, isExact } = covering(t, first, all);
  const isFiltered = !isExact && all.every((selection) => !takesAll(selection, within));
  const rows = isFiltered
    ? t.filter(
        read,
        t.func((row) => isInAny(t, all, row, within), 1),
      )
    : read;
  return new Map([...selections].map(([text, selection]) => [text, { selection, read: rows, within }]));
}

/** Whether a selection can give a row several times: by a `multi` index, or as `getAll('a', 'a')` does. */
export function canRepeat({ index, rows }: TableSelection): boolean {
  return index.known.multi || (rows.kind === 'keys' && [...rows.keys.values()].some(({ times }) => times > 1));
}

/** Whether one write to a row is several changes of a selection, which one reading of it would tell as one. */
function repeats(selection: TableSelection): boolean {
  return !selection.index.known.multi && canRepeat(selection);
}

/** Whether a selection is all that is read. */
function takesAll({ index, rows }: TableSelection, within: string | undefined): boolean {
  return rows.kind === 'all' && (index.name === undefined || index.name === within);
}

interface Covering extends Pick<OneReading, 'read' | 'within'> {
  /** No other rows are read. */
  readonly isExact: boolean;
}

/** A selection that gives each row of several once: by their index, where it is one for all and not `multi`. */
function covering(t: Builder, first: TableSelection, all: readonly TableSelection[]): Covering {
  const { table, index } = first;
  const whole = { read: table, within: undefined, isExact: false };
  if (index.known.multi || all.some((one) => one.index.name !== index.name)) return whole;
  const keys = all.flatMap((one) => (one.rows.kind === 'keys' && one.first === undefined ? [one.rows] : []));
  if (keys.length === all.length) return { read: byKeys(t, table, index, keys), within: index.name, isExact: true };
  const range = hull(t, all.flatMap(rangesOf));
  const isWhole = index.name === undefined && range.from === undefined && range.to === undefined;
  return isWhole ? whole : { read: between(t, table, range, index.name), within: index.name, isExact: false };
}

function byKeys(t: Builder, table: CallTerm, { name }: ReadIndex, lists: readonly Keys[]): CallTerm {
  const keys = new Map(lists.flatMap((list) => [...list.keys]));
  const terms = [...keys.values()].map(({ key }) => key);
  return t.getAll(table, ...terms, name === undefined ? {} : { index: name });
}

const EVERYTHING: Range = { from: undefined, to: undefined, fromOpen: false, toOpen: false };

function rangesOf({ rows }: TableSelection): readonly Range[] {
  switch (rows.kind) {
    case 'all':
      return [EVERYTHING];
    case 'range':
      return [rows.range];
    case 'keys':
      return [...rows.keys.values()].map(({ key }) => ({ from: key, to: key, fromOpen: false, toOpen: false }));
  }
}

/** Whether a row is in one of several selections, as ReQL. */
function isInAny(t: Builder, all: readonly TableSelection[], row: Term, within: string | undefined): Term {
  const tests = all.map((selection) => isIn(t, selection, row, within));
  return tests.length === 1 ? (tests[0] ?? t.datum(false)) : t.or(...tests);
}

/** Whether a row is in a selection, as ReQL; of the first rows of an order, whether it is in the order. */
function isIn(t: Builder, { index, rows }: TableSelection, row: Term, within: string | undefined): Term {
  if (!index.known.multi) return allOf(t, singleTests(t, index, rows, row, within));
  const values = indexValues(t, row, index.known);
  return t.contains(
    values,
    t.func((value) => allOf(t, valueTests(t, rows, value)), 1),
  );
}

/** The elements of a row in a selection, as an array: once for each time that the selection gives the row. */
export function elementsIn(
  t: Builder,
  { selection: { index, rows }, within }: OneReading,
  row: Term,
  elements: (value: Term) => Term,
): Term {
  if (index.known.multi) {
    const values = indexValues(t, row, index.known);
    const test = t.func((value) => allOf(t, valueTests(t, rows, value)), 1);
    const own = rows.kind === 'all' ? values : t.filter(values, test);
    return t.concatMap(
      own,
      t.func((value) => repeated(t, rows, value, elements(value)), 1),
    );
  }
  const value = indexValue(t, row, index.known);
  const tests = singleTests(t, index, rows, row, within);
  const all = repeated(t, rows, value, elements(value));
  return tests.length === 0 ? all : t.branch(allOf(t, tests), all, []);
}

function allOf(t: Builder, tests: readonly Term[]): Term {
  const [test, ...more] = tests;
  return test === undefined ? t.datum(true) : more.length === 0 ? test : t.and(test, ...more);
}

/** Elements as often as a key is named. */
function repeated(t: Builder, rows: TableSelection['rows'], value: Term, elements: Term): Term {
  if (rows.kind !== 'keys') return elements;
  const named = [...rows.keys.values()].flatMap(({ key, times }) => Array<Term>(times).fill(key));
  if (named.length === rows.keys.size) return elements;
  const own = t.filter(
    t.array(...named),
    t.func((key) => t.eq(key, value), 1),
  );
  return t.concatMap(
    own,
    t.func(() => elements, 1),
  );
}

/** What has to hold of a row that is in a selection by an index that is not `multi`. Nothing here raises. */
function singleTests(
  t: Builder,
  index: ReadIndex,
  rows: TableSelection['rows'],
  row: Term,
  within: string | undefined,
): readonly Term[] {
  const { name, known } = index;
  const value = indexValue(t, row, index.known);
  const own = valueTests(t, rows, value);
  if (name === undefined) return own;
  const isThere = t.hasFields(row, ...known.fields);
  return name === within || holdsKeysAlone(rows) ? [isThere, ...own] : [isThere, isKey(t, value), ...own];
}

/** Whether all values in a selection can be keys: no others lie between two bounds of one type. */
function holdsKeysAlone(rows: TableSelection['rows']): boolean {
  switch (rows.kind) {
    case 'all':
      return false;
    case 'keys':
      return true;
    case 'range': {
      const [from, to] = [typeOfDatum(rows.range.from), typeOfDatum(rows.range.to)];
      return from !== undefined && from === to;
    }
  }
}

function typeOfDatum(term: Term | undefined): string | undefined {
  return term?.kind === 'datum' ? typeof term.value : undefined;
}

/** What has to hold of a value of the index. */
function valueTests(t: Builder, rows: TableSelection['rows'], value: Term): readonly Term[] {
  switch (rows.kind) {
    case 'all':
      return [];
    case 'range':
      return rows.range.from === undefined && rows.range.to === undefined ? [] : [isWithin(t, value, rows.range)];
    case 'keys': {
      const keys = [...rows.keys.values()].map(({ key }) => key);
      const [only] = keys;
      return [only !== undefined && keys.length === 1 ? t.eq(value, only) : t.contains(t.array(...keys), value)];
    }
  }
}
