// Queries that RethinkDB 2.4.4 watches by itself, as it said when it was asked, are left to it; those that it watches only where the
// data happen to allow it are not. A sample of some 17,000 selections under one or two terms, of which it accepted 2,500.

import { describe, expect, test } from 'vitest';
import { recognize } from '../../rewrite/recognize.ts';
import { GOLDEN_KNOWLEDGE } from '../golden/golden-files.ts';
import { evaluate } from '../support/evaluate.ts';

function becomes(query: string): string {
  const term = evaluate(`((t, u) => ${query}.changes())(r.table("t"), r.table("u"))`);
  return recognize({ term, globalOptargs: [] }, GOLDEN_KNOWLEDGE).kind;
}

/** Terms that a feed of rows takes; X is the feed. */
const OF_ROWS = [
  'X',
  'X.filter({k: "a"})',
  'X.map(x => x("n"))',
  'X.pluck("n")',
  'X.merge({b: 1})',
  'X("n")',
  'X.union(u)',
  'r.union(X, X)',
  'X.default(null)',
  'r.branch(true, X, null)',
  'X.coerceTo("stream")',
];
const OF_FIRSTS = [
  'X',
  'X.filter({k: "a"})',
  'X.union(u)',
  'r.union(X, X)',
  'X.default(null)',
  'r.branch(true, X, null)',
  'X.coerceTo("stream")',
];
const OF_RANGES = ['X.distinct({index: "id"})', 'X.orderBy({index: "n"})'];
const OF_ONE_ROW = ['X', 'r.branch(true, X, null)'];

const accepted: readonly (readonly [of: string, terms: readonly string[]])[] = [
  ['t', [...OF_ROWS, ...OF_RANGES]],
  ['t.getAll(1, 2)', OF_ROWS],
  ['t.getAll("a", {index: "k"})', OF_ROWS],
  ['t.between(1, 9, {index: "n"})', [...OF_ROWS, ...OF_RANGES]],
  ['t.union(u)', OF_ROWS],
  ['r.db("rethinkdb").table("stats")', OF_ROWS],
  ['r.do(1, x => t)', [...OF_ROWS, ...OF_RANGES]],
  ['r.branch(true, t, u)', [...OF_ROWS, ...OF_RANGES]],
  ['t.orderBy({index: "n"}).limit(2)', OF_FIRSTS],
  ['t.get(1)', OF_ONE_ROW],
  ['t.min({index: "n"})', OF_ONE_ROW],
  ['t.max()', OF_ONE_ROW],
  ['t.config()', OF_ONE_ROW],
  ['t.orderBy({index: "n"}).nth(0)', OF_ONE_ROW],
];

describe.each(accepted)('over %s', (of, terms) => {
  test.each(terms)('%s is left to RethinkDB', (term) => {
    expect(becomes(term.replaceAll('X', of))).toBe('untouched');
  });
});

/** RethinkDB watches these where there is such a row, or no row at all, and refuses them otherwise. */
const byChance: readonly string[] = [
  't.get(1).default(null)',
  't.get(1).default({})',
  't.get(1).coerceTo("object")',
  'r.branch(t.get(1).count().gt(0), t.get(1), null)',
  't.min().default(null)',
  't.config().default({})',
  't.group("k")',
  't.group("k").count()',
  't.orderBy("id").group("k").avg("n")',
  't.getAll().concatMap(x => [x])',
];

test.each(byChance)('%s is live, whatever the data are when it is opened', (query) => {
  expect(becomes(query)).toBe('live');
});
