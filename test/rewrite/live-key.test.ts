// Which live queries are the same, and which of their parts: by texts, each with variables of its own.

import { expect, test } from 'vitest';
import type { IndexFields } from '../../rewrite/index.ts';
import type { Live } from '../../rewrite/live.ts';
import { liveKey } from '../../rewrite/live-key.ts';
import { recognize } from '../../rewrite/recognize.ts';
import type { Entry, Term } from '../../rewrite/reql/term/term.ts';
import { evaluate } from '../support/evaluate.ts';

const plainIndex: IndexFields = { fields: ['k'], compound: false, multi: false };

function liveOf(
  term: Term,
  options: Readonly<Record<string, Term>> = {},
  index: IndexFields | null = plainIndex,
): Live {
  const globalOptargs: readonly Entry[] = Object.entries(options);
  const recognized = recognize({ term, globalOptargs }, { indexes: () => index });
  if (recognized.kind !== 'live') throw new Error(`${recognized.kind}: ${JSON.stringify(term)}`);
  return recognized.live;
}

/** A query over the table `t`. */
function termOf(text: string): Term {
  return evaluate(text.replace(/\bt(?=[.(])/g, 'r.table("t")'));
}

/** The key of a query over `t`. */
function keyOf(text: string, options?: Readonly<Record<string, Term>>, index?: IndexFields | null): string | undefined {
  return liveKey(liveOf(termOf(text), options, index));
}

const datum = (value: boolean | number | string): Term => ({ kind: 'datum', value });

test.each([
  ['t.sum(a => a("x")).changes()', 't.sum(b => b("x")).changes()'],
  ['t.sum(r.row("x")).changes()', 't.sum(b => b("x")).changes()'],
  ['t.count({a: 1, b: 2}).changes()', 't.count({b: 2, a: 1.0}).changes()'],
  ['t.count().changes()', 't.count().changes({includeInitial: true, includeStates: true, squash: true})'],
  ['t.count().changes()', 't.count().changes().pluck("new_val")'],
  ['t.reduce((a, b) => a.add(b)).changes()', 't.reduce((x, y) => x.add(y)).changes()'],
])('one query, written in two ways: %s and %s', (one, other) => {
  expect(keyOf(one)).toBeDefined();
  expect(keyOf(other)).toBe(keyOf(one));
});

test.each([
  ['t.sum("x").changes()', 't.sum("y").changes()'],
  ['t.sum("x").changes()', 't.avg("x").changes()'],
  ['t.count(0).changes()', 't.count(-0).changes()'],
  ['t.count(1).changes()', 't.count("1").changes()'],
  ['t.reduce((a, b) => a.sub(b)).changes()', 't.reduce((a, b) => b.sub(a)).changes()'],
  ['t.filter({a: 1}).count().changes()', 't.filter({a: 2}).count().changes()'],
  ['t.filter({a: 1}).count().changes()', 't.filter({a: 1}, {default: true}).count().changes()'],
  ['t("x").changes({aggregate: "median"})', 't("x").changes({aggregate: "variance"})'],
])('two queries: %s and %s', (one, other) => {
  expect(keyOf(one)).toBeDefined();
  expect(keyOf(other)).not.toBe(keyOf(one));
});

test('which database a table is in is said by the query, or by the connection', () => {
  const key = (table: string, options: Readonly<Record<string, Term>> = {}): string | undefined =>
    liveKey(liveOf(evaluate(`${table}.filter(a => r.table("u").get(a("u")).ne(null)).count().changes()`), options));
  const [test, other] = [{ db: evaluate('r.db("test")') }, { db: evaluate('r.db("other")') }];
  const inTest = key('r.table("t")');
  expect(inTest).toBeDefined();
  expect(key('r.db("test").table("t")')).toBe(inTest);
  expect(key('r.table("t")', test)).toBe(inTest);
  expect(key('r.table("t")', other)).not.toBe(inTest);
  expect(key('r.db("other").table("t")', other)).toBe(key('r.table("t")', other));
  // The other table is in the database of the connection.
  expect(key('r.db("test").table("t")', other)).not.toBe(inTest);
  expect(key('r.table("test")')).not.toBe(inTest);
});

test('run options make two queries where they may make a difference to the value', () => {
  const text = 't.count().changes()';
  const plain = keyOf(text);
  expect(keyOf(text, { profile: datum(true), max_batch_rows: datum(3), include_initial: datum(true) })).toBe(plain);
  expect(keyOf(text, { db: datum('other') })).not.toBe(plain);
  expect(keyOf(text, { read_mode: datum('outdated') })).not.toBe(plain);
  expect(keyOf(text, { array_limit: datum(5) })).not.toBe(plain);
});

test('what is known of an index is part of a query that reads it', () => {
  const text = 't.between(1, 5, {index: "k"}).count().changes()';
  expect(keyOf(text)).toBe(keyOf(text, {}, { ...plainIndex }));
  expect(keyOf(text, {}, { ...plainIndex, fields: ['l'] })).not.toBe(keyOf(text));
  expect(keyOf(text, {}, null)).not.toBe(keyOf(text));
});

test.each(['t.count(row => row("at").lt(r.now())).changes()', 't.max("x").default(r.now()).changes()'])(
  'a query of its moment is like no other: %s',
  (text) => {
    expect(keyOf(text)).toBeUndefined();
  },
);

test.each([
  ['one sum', 't.sum(a => a("x")).add(t.sum(b => b("x")))', [1], 1],
  ['one sum, by `r.row`', 't.sum(r.row("x")).add(t.sum(b => b("x")))', [1], 1],
  ['two sums', 't.sum(a => a("x")).add(t.sum(b => b("y")))', [2], 2],
  [
    'one sum of what one filter leaves',
    't.filter(a => a("k").gt(1)).sum("x").div(t.filter(b => b("k").gt(1)).sum("x"))',
    [1],
    1,
  ],
  ['one list', 't.map(a => a("x")).coerceTo("array").add(t.map(b => b("x")).coerceTo("array"))', [2], 2],
  [
    'a sum and a count, with one count of rows without the field',
    't.map(a => a("x")).sum().div(t.map(b => b("x")).count())',
    [3],
    3,
  ],
])('equal parts of a query are one, whatever the numbers of their variables: %s', (_, text, consumers, values) => {
  const { sources, watched } = liveOf(termOf(`${text}.changes()`));
  expect(sources.map((source) => source.projections.length)).toEqual(consumers);
  expect(watched.kind === 'expression' ? watched.of.length : 1).toBe(values);
});

test('the database of the connection makes no difference where each table names its own', () => {
  const named = 'r.db("test").table("t").count().changes()';
  // As rethinkdb-ts says it: a name, which RethinkDB looks at only for a table that names none.
  for (const options of [{ db: datum('test') }, { db: datum('other') }, { db: evaluate('r.db("other")') }]) {
    expect(keyOf(named, options)).toBe(keyOf(named));
  }
  expect(keyOf('t.count().changes()', { db: datum('test') })).not.toBe(keyOf('t.count().changes()'));
});
