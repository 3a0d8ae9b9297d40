// Live expressions from a grammar, as JavaScript text, so that a failure prints a query that can be run: sources, per-element
// terms, aggregates, groups, rows and pure terms over them.

import fc from 'fast-check';
import type { Shows } from '../checks/feed-state.ts';

/** A generated query without its `changes`. */
export interface Expression {
  readonly text: string;
  readonly shows: Shows;
}

type Text = fc.Arbitrary<string>;

const one = (...texts: readonly string[]): Text => fc.constantFrom(...texts);

/** Puts generated parts into a text, in the places of `$0`, `$1`, ... */
const fill = (text: string, ...parts: readonly Text[]): Text =>
  fc.tuple(...parts).map((filled) => filled.reduce((all, part, index) => all.replaceAll(`$${index}`, part), text));

const T = 'r.table("t")';
const U = 'r.table("u")';

const number = one(
  'd("n")',
  'd("n").default(0)',
  'd("n").default(0).add(1)',
  'd("n").mul(2)',
  'd("n").default(1).mul(3)',
);
const test = one(
  'd("n").gt(1)',
  'd("k").eq("a")',
  'd("n").default(0).lt(2)',
  'd.hasFields("n")',
  'd("k").default("a").ne("b")',
);

const source = fc.oneof(
  { weight: 4, arbitrary: fc.constant(T) },
  one(
    U,
    `${T}.getAll(1, 2, 3)`,
    `${T}.getAll(1, 1)`,
    `${T}.getAll("a", "b", {index: "k"})`,
    `${T}.between(1, 4)`,
    `${T}.between(0, 3, {index: "n"})`,
    `${T}.union(${U})`,
    `${T}.orderBy("n")`,
    `${T}.filter({k: "a"})`,
    `${T}.hasFields("n")`,
  ),
  fill(`${T}.filter(d => $0)`, test),
);

/** Streams of objects. */
const objects = fc.oneof(
  { weight: 3, arbitrary: source },
  fill('$0.map(d => ({n: d("n").default(0), k: d("k").default("z")}))', source),
  fill('$0.pluck("n", "k")', source),
  fill('$0.without("x", "v")', source),
  fill('$0.merge(d => ({n: d("n").default(0).add(1)}))', source),
  fill('$0.withFields("n", "k")', source),
  fill('$0.concatMap(d => [d, d])', source),
);

/** Streams of other things. */
const items = fc.oneof(fill('$0.concatMap(d => d("tags").default([]))', source), fill('$0("n")', source));

const overObjects = fc.oneof(
  one(
    '.count()',
    '.sum("n")',
    '.avg("n").default(null)',
    '.min("n")("n").default(null)',
    '.max("n")("n").default("none")',
    '.isEmpty()',
    '("k").distinct().count()',
    '("k").distinct().coerceTo("array")',
    '.map(d => d("n").default(0)).reduce((a, b) => a.add(b)).default(0)',
    '.map(d => d("n").default(0)).reduce((a, b) => r.branch(a.gt(b), a, b)).default(null)',
    '.map(d => d("n")).sum()',
    '.pluck("k").distinct().count()',
    '("n").coerceTo("array").count()',
  ),
  fill('.count(d => $0)', test),
  fill('.sum(d => $0)', number),
  fill('.avg(d => $0).default(0)', number),
);

const overItems = one(
  '.count()',
  '.distinct().count()',
  '.isEmpty()',
  '.contains("x")',
  '.min().default(null)',
  '.count(1)',
);

const aggregate = fc.oneof(fill('$0$1', objects, overObjects), fill('$0$1', items, overItems));

const key = one(
  '"k"',
  '"n"',
  '"k", "n"',
  'd => d("k").default("none")',
  'd => d("n").default(0).gt(1)',
  '"tags", {multi: true}',
);
const perGroup = one(
  '.count()',
  '.sum("n")',
  '.avg("n")',
  '.max("n")("n")',
  '.filter(d => d("n").gt(0)).count()',
  '.map(d => d("n").default(0)).sum()',
  '("n").distinct().count()',
  '.isEmpty()',
);
const groups = fill('$0.group($1)$2', objects, key, perGroup);

const rows = fc.oneof(
  fill('$0.ungroup()', groups),
  fill('$0.ungroup().orderBy(r.desc("reduction")).limit($1)', groups, one('1', '2', '3')),
  fill('$0.ungroup().orderBy("reduction", "group").limit(2)', groups),
  fill('$0.ungroup().filter(g => g("reduction").gt(1))', groups),
  fill('$0.ungroup().map(g => ({name: g("group"), value: g("reduction")}))', groups),
  fill('$0.ungroup().pluck("group")', groups),
  fill('$0.distinct()', objects),
  fill('$0.concatMap(d => [d, d])', source),
  fill('$0.ungroup().map(g => [g("reduction"), $1])', groups, aggregate),
);

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    aggregate,
    fill('$0$1', rows, one('.count()', '.isEmpty()', '.coerceTo("array").count()', '.distinct().count()')),
    one(`${T}.get(1)("n").default(0)`, `${T}.get(2)("k").default("none")`),
    fill('r.expr({a: $0, b: $1})', tie('value'), tie('value')),
    fill('r.expr([$0, $1])', tie('value'), tie('value')),
    fill(`r.branch(${T}.count().gt(2), $0, $1)`, tie('value'), tie('value')),
    fill('$0.do(v => [v, v.typeOf()])', tie('value')),
    fill('$0.default("none")', tie('value')),
    fill('$0.eq($1)', tie('value'), tie('value')),
    fill('$0.coerceTo("string")', tie('value')),
  ),
}));

/** Any live expression of the grammar. */
export const expressions: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 3, arbitrary: value.map((text): Expression => ({ text, shows: 'value' })) },
  groups.map((text): Expression => ({ text, shows: 'groups' })),
  rows.map((text): Expression => ({ text, shows: 'rows' })),
);
