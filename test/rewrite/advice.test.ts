import { expect, test } from 'vitest';
import { explainText } from '../golden/golden-files.ts';

/** A query that is refused, what its refusal advises in words, and the query that follows the advice. */
const advised: readonly (readonly [refused: string, words: RegExp, instead: string])[] = [
  ['t.skip(1).count()', /`orderBy\(\.\.\.\)\.skip\(m\)`/, 't.orderBy("x").skip(1).count()'],
  ['t.slice(1, 2).count()', /`orderBy\(\.\.\.\)\.slice\(m, n\)`/, 't.orderBy({index: "x"}).slice(1, 2).count()'],
  ['t.limit(2).sum("x")', /`orderBy\(\.\.\.\)\.limit\(n\)`/, 't.orderBy("x").limit(2).sum("x")'],
  ['t.nth(0)("x")', /`orderBy\(\.\.\.\)\.nth\(n\)`/, 't.orderBy("x").nth(0)("x")'],
  [
    't.orderBy("x").skip(r.now().hours()).count()',
    /Write them out, or use `coerceTo\("array"\)` before it/,
    't.orderBy("x").skip(2).count()',
  ],
  [
    't.orderBy("x").concatMap(row => row("tags")).limit(2).count()',
    /Put it before `orderBy`, or behind the part/,
    't.orderBy("x").limit(2).concatMap(row => row("tags")).count()',
  ],
  [
    't.orderBy("x").map(row => row("n")).filter(n => n.gt(1)).limit(2).count()',
    /Put it behind the part of the order that is taken/,
    't.orderBy("x").filter(row => row("n").gt(1)).limit(2).map(row => row("n")).count()',
  ],
  ['t.getAll(1, 2).nth(0)("x")', /Use `orderBy\(\.\.\.\)\.nth\(n\)`/, 't.getAll(1, 2).orderBy("x").nth(0)("x")'],
  [
    't("x").offsetsOf(1)',
    /Use `orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't("x").orderBy(x => x).coerceTo("array").offsetsOf(1)',
  ],
  [
    't.group("k").limit(1).count()',
    /Use `orderBy\(\.\.\.\)\.limit\(n\)`/,
    't.group("k").orderBy("x").limit(1).count()',
  ],
  [
    't.fold(0, (acc, row) => acc)',
    /or use `orderBy\(\.\.\.\)\.coerceTo\("array"\)`/,
    't.orderBy("x").coerceTo("array").fold(0, (acc, row) => acc)',
  ],
  [
    't("k").distinct().map(k => ({k, n: u.filter({k}).count()})).orderBy("n").limit(2).count()',
    /Put an `orderBy` behind `map`, with the row itself as the last key: `orderBy\(\.\.\., row => row\)`/,
    't("k").distinct().map(k => ({k, n: u.filter({k}).count()})).orderBy("n", row => row).limit(2).count()',
  ],
  [
    't.orderBy("x").merge(row => ({n: u.filter({k: row("k")}).count()})).max("n")("x")',
    /Move the `orderBy` behind `merge`, with the row itself as the last key/,
    't.merge(row => ({n: u.filter({k: row("k")}).count()})).orderBy("x", row => row).max("n")("x")',
  ],
  [
    't.union(u, {interleave: false}).orderBy("x").limit(2)("x").coerceTo("array")',
    /Order the union, with the row itself as the last key/,
    't.union(u, {interleave: false}).orderBy("x", row => row).limit(2)("x").coerceTo("array")',
  ],
  [
    't.group("k").innerJoin(u, (a, b) => a("x").eq(b("id"))).count()',
    /the rows of each group\. Join before `group`/,
    't.eqJoin("x", u).zip().group("k").count()',
  ],
  [
    't.sum(row => u.getAll(row("k"), {index: "k"}).fold(0, (acc, found) => acc.add(1)))',
    /a fold cannot be undone\. Use `orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't.sum(row => u.getAll(row("k"), {index: "k"}).orderBy("x").coerceTo("array").fold(0, (acc, found) => acc.add(1)))',
  ],
  ['t.sample(2).count()', /Watch the whole/, 't.count()'],
  [
    't.innerJoin(u, (a, b) => a("x").gt(b("x"))).count()',
    /further conditions after it in an `and`/,
    't.innerJoin(u, (a, b) => a("k").eq(b("k")).and(a("x").gt(b("x")))).count()',
  ],
  ['t.count().add(r.random())', /Take it out/, 't.count().add(1)'],
  ['t.count().add(r.http("x"))', /Fetch it in the client/, 't.count()'],
  [
    't.count().coerceTo("string").add(r.uuid())',
    /without an argument/,
    't.count().coerceTo("string").add(r.uuid("x"))',
  ],
  ['r.map(t, u, (a, b) => 1).sum()', /Map over one sequence/, 't.map(a => 1).sum()'],
  [
    't.indexList().count()',
    /Watch the table in the database `rethinkdb`/,
    'r.db("rethinkdb").table("table_config").get("x")("indexes").count()',
  ],
  [
    't.getNearest(r.point(0, 0), {index: "k"}).count()',
    /Use `getIntersecting`/,
    't.getIntersecting(r.circle([0, 0], 10), {index: "k"}).count()',
  ],
  [
    't.map(row => row("tags").map(tag => u.get(tag)("n")).sum()).sum()',
    /Make an element of each with `concatMap`/,
    't.concatMap(row => row("tags").map(tag => ({tag}))).map(row => u.get(row("tag"))("n").default(0)).sum()',
  ],
  [
    't.map(row => u.getAll(row("k"), row("x"), {index: "k"}).count()).sum()',
    /Make an element of each key with `concatMap`/,
    't.concatMap(row => [row("k"), row("x")].map(k => ({k}))).eqJoin("k", u, {index: "k"}).count()',
  ],
  [
    't.map(row => u.filter(other => other("x").gt(row("x"))).count()).sum()',
    /Look them up by what is equal/,
    't.map(row => u.filter(other => other("x").eq(row("x"))).count()).sum()',
  ],
  [
    't.map(row => u.between(row("x"), 9).count()).sum()',
    /by `getAll`, or by a `filter`/,
    't.map(row => u.getAll(row("k"), {index: "k"}).count()).sum()',
  ],
  [
    't.group("k").map(row => u.get(row("x"))("n")).sum()',
    /before `group`/,
    't.merge(row => ({n: u.get(row("x"))("n").default(0)})).group("k").sum("n")',
  ],
  [
    't.map(row => u.getAll(row("k"), {index: "k"}).limit(2).coerceTo("array")).count()',
    /Use `orderBy` on them/,
    't.map(row => u.getAll(row("k"), {index: "k"}).orderBy("x").limit(2).coerceTo("array")).count()',
  ],
  [
    'r.branch(t.isEmpty(), t.group("k").count(), 1)',
    /Use `ungroup`/,
    'r.branch(t.isEmpty(), t.group("k").count().ungroup().coerceTo("array"), 1)',
  ],
  ['t.sum(r.args(r.expr(["x"]).map(x => x)))', /Write them out/, 't.sum("x")'],
  ['t.get(u.count()).ne(null)', /Read that first/, 't.get(1).ne(null)'],
  ['t.getAll(u.count()).count()', /Read that first/, 't.getAll(1).count()'],
  [
    't.orderBy({index: "x"}).limit(r.now().hours()).count()',
    /Write it out/,
    't.orderBy({index: "x"}).limit(2).count()',
  ],
  ['t.group({index: r.now().toISO8601()}).count()', /Write it out/, 't.group({index: "k"}).count()'],
  ['t(r.now().toISO8601()).count()', /Write it out/, 't("xy").count()'],
  ['t.union([r.now()]).count()', /use `coerceTo\("array"\)` on each/, 't.coerceTo("array").union([r.now()]).count()'],
  ['t.union(u.count()).count()', /Unite tables and selections alone/, 't.union(u).count()'],
  [
    't.orderBy({index: "x"}).limit(3).limit(2).union(u).count()',
    /Use `coerceTo\("array"\)` on each/,
    't.orderBy({index: "x"}).limit(3).limit(2).coerceTo("array").union(u.coerceTo("array")).count()',
  ],
  [
    't.union(u, {interleave: "x"}).count()',
    /order what comes of the union/,
    't.union(u).orderBy("x").coerceTo("array").count()',
  ],
  [
    't("x").reduce((a, b) => a.add(b).add(u.count()))',
    /in a `map` before/,
    't("x").map(x => x.add(u.count())).reduce((a, b) => a.add(b))',
  ],
];

test.each(advised)('%s is refused, and what is advised is live: %s', (refused, words, instead) => {
  const outcome = explainText(`${refused}.changes()`);
  expect(outcome.kind === 'refused' ? outcome.message : outcome.kind).toMatch(words);
  expect(explainText(`${instead}.changes()`).kind).toBe('rewritten');
});
