// `livefold explain`: what it says, what it cannot read and where, and what it knows that RethinkDB refuses.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import { rewrite } from '../../rewrite/rewrite.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { serverRefusal } from '../../src/command/server-refusal.ts';
import { alphaEqual } from '../support/checks/alpha-equal.ts';
import { ran } from '../support/checks/ran.ts';
import { evaluate } from '../support/evaluate.ts';

/** The first line, and a line that says more. */
const LIVE =
  'Live. It shows one value: {new_val} first with includeInitial, then {old_val, new_val} whenever it differs.';

test.each([
  [
    "r.table('orders').sum('total').changes()",
    [
      LIVE,
      'Plan: server, since its state is constant. RethinkDB sends the documents, and folds `sum`.',
      'State: kept inside RethinkDB; it does not grow.',
      "RethinkDB watches: r.table('orders')",
      'Fields that are read: `total` of `orders`.',
    ],
  ],
  [
    "r.table('orders').filter({open: true}).group('city').max('total').changes()",
    [
      'Live. It shows a value for each group: {group, old_val, new_val}.',
      'Plan: proxy, since its state grows, or has to be checked. RethinkDB sends elements, and the proxy folds `max`, for each group.',
      'State: kept in the proxy; it grows per group, and in each per distinct value.',
      "RethinkDB watches: r.table('orders').filter({ open: true })",
      'Fields that are read: all of `orders`.',
    ],
  ],
  [
    "r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction')).limit(10).changes()",
    [
      'Live. It shows rows: {old_val, new_val} for each that comes, changes or goes.',
      'Plan: proxy, since its state grows, or has to be checked. RethinkDB sends elements, and the proxy folds the first 10 of an order over `count`, for each group, as rows.',
      'State: kept in the proxy; it grows per row, per group.',
      "RethinkDB watches: r.table('t')",
      'Fields that are read: `k` of `t`.',
    ],
  ],
  [
    "r.expr({n: r.table('t').count(), s: r.table('u').sum('x')}).changes()",
    [
      LIVE,
      'Plan: proxy, since a write may come as several changes, and what is between them never was. RethinkDB sends elements, and the proxy folds an expression over `count`, `sum`.',
      'State: kept in the proxy; it does not grow.',
      "RethinkDB watches: r.table('t') and r.table('u')",
      'Fields that are read: none of `t`; `x` of `u`.',
    ],
  ],
  [
    "r.table('t')('x').distinct().count().changes()",
    [
      LIVE,
      'Plan: proxy, since its state grows, or has to be checked. RethinkDB sends elements, and the proxy folds `count` over `distinct`.',
      'State: kept in the proxy; it grows per distinct value.',
      "RethinkDB watches: r.table('t')('x')",
      'Fields that are read: `x` of `t`.',
    ],
  ],
])('%s is summed up in six lines, then what RethinkDB is asked', async (query, summary) => {
  const { printed, exits } = await ran(['explain', query]);
  expect(printed.slice(0, 5)).toEqual(summary);
  expect(printed[5]).toBe('Shared: equal queries of one user are carried by one feed of RethinkDB.');
  expect(printed[6]).toMatch(/^RethinkDB is asked/);
  expect(exits).toEqual([]);
});

test.each([
  ["r.table('orders').count().changes().map(r.js('(x) => x'))", [], 'RethinkDB runs the terms after `changes`'],
  ["r.table('orders').count().changes().map(x => r.table('u').get(1))", [], 'RethinkDB runs the terms after `changes`'],
  ["r.table('orders').count().changes().union(r.table('u').changes())", [], 'RethinkDB runs the terms after `changes`'],
  ["r.table('orders').count().changes()", ['--no-share'], 'nothing is, under --no-share'],
])('%s %j is not shared, and it says why', async (query, options, why) => {
  const { printed } = await ran(['explain', query, ...options]);
  expect(printed[5]).toBe(`Not shared: ${why}.`);
});

test('of what is joined it says what is read, by which keys rows are found, and what is kept', async () => {
  const query =
    "r.table('orders').eqJoin('customer', r.table('customers')).zip().map(x => r.table('visits').filter({city: x('city')}).count()).sum().changes()";
  const { printed } = await ran(['explain', query]);
  expect(printed.slice(4, 9)).toEqual([
    "Reads of r.table('visits'): city.",
    "Reads of r.table('orders'): city, customer.",
    "Reads of r.table('customers'): city, id.",
    "Join 1: pairs of r.table('orders') by `customer` and r.table('customers') by `id`; kept are both sides, by their keys.",
    "Join 2: each row of join 1 looks up `count` of r.table('visits') by `city` = r.expr((row) => row('city')), of which are kept all, by that key; kept are the rows with what they found.",
  ]);
});

test.each([
  "r.table('orders').count().changes().run(conn, {db: 'shop'});",
  "const feed = await r.table('orders').count().changes().run(conn);",
  "const t = r.table('orders'); return t.count().changes().run(conn, (error, feed) => { feed.each(console.log); })",
  "r.table('orders').count().changes() // how many",
  "  r.table('orders')\n    .count()\n    .changes()\n",
  '[1,[152,[[43,[[15,["orders"]]]]],{"include_initial":true}]]',
  ' [ 1 , [152, [[43, [[15, ["orders"]]]]]] ]',
])('%s is a query as programs and drivers have it', async (text) => {
  const { printed, exits } = await ran(['explain', text]);
  expect(printed[1]).toBe(
    'Plan: server, since its state is constant. RethinkDB sends the documents, and folds `count`.',
  );
  expect(exits).toEqual([]);
});

test('the README shows what it says', async () => {
  const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
  const [, query = '', shown = ''] = /livefold explain "(.*)"\n((?: {4}# .*\n)+)/.exec(readme) ?? [];
  const { printed } = await ran(['explain', query]);
  expect(printed.map((line) => `    # ${line}\n`).join('')).toBe(shown);
});

test('--full prints what evaluates to the very term that RethinkDB gets', async () => {
  // The proxy asks for both, whatever a client wants to see.
  const query = "r.table('orders').sum('total').changes({includeInitial: true, includeStates: true})";
  const { printed } = await ran(['explain', '--full', query]);
  const text = printed.join('\n');
  expect(text).toMatch(/^\/\/ Live\. .*\n\/\/ Plan: server, /);
  const rewritten = rewrite(queryOfText(query));
  if (rewritten.kind !== 'rewritten') throw new Error(rewritten.kind);
  expect(alphaEqual(evaluate(`(${text}\n)`), rewritten.term)).toBe(true);
});

test('an index by which less would be read is asked to be told, and is not named once it is', async () => {
  const query = "r.db('shop').table('orders').between(1, 5, {index: 'place'}).count().changes()";
  const { printed } = await ran(['explain', query]);
  expect(printed.join('\n')).toContain('holds, and reads less where these are fields: --index shop.orders.place=FIELD');
  for (const told of ['orders.place=city', 'orders.place=']) {
    expect((await ran(['explain', query, '--index', told])).printed.join('\n')).not.toContain('The proxy asks');
  }
});

test('what an index holds can be told', async () => {
  const query = "r.db('shop').table('orders').group({index: 'place'}).count().changes()";
  const asked = await ran(['explain', query]);
  expect(asked.printed[0]).toMatch(/^It depends on what the index `place` of .* holds/);
  expect(asked.printed[1]).toContain('--index shop.orders.place=FIELD');
  for (const [told, asks] of [
    ['orders.place=city', "row('city')"],
    ['shop.orders.place=city,street', "row('street')"],
    ['orders.place=tags:multi', "row('tags')"],
  ]) {
    const { printed, exits } = await ran([
      'explain',
      '--full',
      query,
      '--index',
      'orders.other=x',
      '--index',
      told ?? '',
    ]);
    expect(printed.join('\n')).toContain(asks);
    expect(exits).toEqual([]);
  }
  const ofFunction = await ran(['explain', query, '--index', 'orders.place=']);
  expect(ofFunction.printed[0]).toMatch(/^Refused: /);
  expect(ofFunction.exits).toEqual([1]);
  const elsewhere = await ran(['explain', query, '--index', 'other.orders.place=city']);
  expect(elsewhere.printed[0]).toMatch(/^It depends/);
  const wrong = await ran(['explain', query, '--index', 'place']);
  expect(wrong.complaints[0]).toContain('It must be TABLE.INDEX=FIELD');
  expect(wrong.exits).toEqual([2]);
});

const ASKED_ONCE = 'Left alone. It has no `changes`: RethinkDB answers it once, or refuses it in its own words.';

test.each([
  ["r.table('t').changes()", 'Left alone. RethinkDB accepts it, or refuses it in its own words.', []],
  ["r.table('t').nth(0).changes()", 'Left alone. RethinkDB accepts it, or refuses it in its own words.', []],
  ["r.expr(1).div(r.table('t').count())", ASKED_ONCE, []],
  ["r.table('t').getAll(1, {index: 'k'}).update({n: 1})", ASKED_ONCE, []],
  ["r.js('1').changes()", 'Left alone. RethinkDB accepts it, or refuses it in its own words.', []],
  ['r.expr([1]).count().changes()', 'Left alone, and RethinkDB refuses it: Cannot convert NUMBER to SEQUENCE', [1]],
  ['r.expr(null).changes()', 'Left alone, and RethinkDB refuses it: Cannot convert NULL to SEQUENCE', [1]],
  [
    "r.table('t').sample(2).changes()",
    'Left alone, and RethinkDB refuses it: Cannot call `changes` on an eager stream.',
    [1],
  ],
  [
    "r.db('d').table('t').orderBy('x').changes()",
    'Left alone, and RethinkDB refuses it: Cannot call `changes` on an eager stream.',
    [1],
  ],
  [
    "r.table('t').orderBy('a').pluck('id').changes({squash: true}).limit(3)",
    'Left alone, and RethinkDB refuses it: Cannot call `changes` on an eager stream.\n' +
      "A part of an order is live: write `limit` behind it, as r.table('t').orderBy('a').pluck('id').limit(100).changes({ squash: true }).",
    [1],
  ],
  [
    "r.table('t').update({a: 1}).changes()",
    'Left alone, and RethinkDB refuses it: Cannot convert OBJECT to SEQUENCE',
    [1],
  ],
  ["r.table('t').changes(1)", 'Left alone, and RethinkDB refuses it: Expected 1 argument but found 2.', [1]],
  ["r.expr(1).add('a')", 'Left alone, and RethinkDB refuses it: Expected type NUMBER but found STRING.', [1]],
  ["r.table('a').sample(1).count().changes()", 'Refused: Cannot watch a query with `sample`', [1]],
])('%s: %s', async (query, said, codes) => {
  const { printed, exits } = await ran(['explain', query]);
  expect(printed.join('\n').slice(0, said.length)).toBe(said);
  expect(exits).toEqual(codes);
});

interface Fact {
  readonly reql: string;
  readonly ast: unknown;
  readonly res: { readonly t: number; readonly r: readonly unknown[] };
}

function facts(name: string): readonly Fact[] {
  const text = readFileSync(fileURLToPath(new URL(`../facts/${name}.jsonl`, import.meta.url)), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const isError = ({ res }: Fact): boolean => res.t >= 16;

test('what RethinkDB is said to refuse, it refused when it was asked, in these words', async () => {
  const there = facts('changes_refused').filter(({ reql }) => !reql.includes('nope'));
  const recorded = [...there, ...facts('signatures').filter((_, index) => index % 25 === 0)];
  let told = 0;
  for (const fact of recorded) {
    const query = `[1,${JSON.stringify(fact.ast)}]`;
    const refusal = parseQuery(query).type === 'malformed' ? undefined : await serverRefusal(query);
    if (refusal === undefined) continue;
    told += 1;
    expect(isError(fact), fact.reql).toBe(true);
    expect(fact.res.r[0], fact.reql).toBe(refusal);
  }
  // All but those that depend on rows, or that the in-memory server is not asked.
  expect(told).toBeGreaterThan(0.8 * recorded.filter(isError).length);
});

/** Texts that stand between backticks. */
const quoted = (text: string): string => `\`${text}\``;
const HOLE = `\${}`;

const OPERATORS: readonly (readonly [text: string, operator: string, instead: string])[] = [
  ["x('a') + 1", '+', '.add(...)'],
  ["1 + x('a')", '+', '.add(...)'],
  ["x('a') - 1", '-', '.sub(...)'],
  ["x('a') * 2", '*', '.mul(...)'],
  ["x('a') / 2", '/', '.div(...)'],
  ["x('a') % 2", '%', '.mod(...)'],
  ["x('a') < 1", '<', '.lt(...)'],
  ["x('a') >= 1", '>=', '.ge(...)'],
  ["x('a') > 1 && x('b') > 2", '>', '.gt(...)'],
  ["x('a') == 1", '==', '.eq(...)'],
  ["x('a') === x('b')", '===', '.eq(...)'],
  ["x('a') !== null", '!==', '.ne(...)'],
  ["x('a').eq(1) && x('b').eq(2)", '&&', '.and(...)'],
  ["x('a').eq(1) || true", '||', '.or(...)'],
  ["x('a') ?? 0", '??', '.default(...)'],
  ["!x('a')", '!', '.not()'],
  ["-x('a')", '-', '.mul(-1)'],
  ["~x('a')", '~', '.bitNot()'],
  ["x('a') & 1", '&', '.bitAnd(...)'],
  ["'a' in x", 'in', '.hasFields(...)'],
  ["x('a') ? 1 : 2", '? :', 'r.branch(...)'],
  ["{ if (x('a')) return 1; return 2; }", 'if', 'r.branch(...)'],
  [quoted(`\${x('a')}!`), HOLE, '.add(...)'],
  ["[1, {b: (y => y('c') + 1)(x)}]", '+', '.add(...)'],
];

test.each(OPERATORS)('%s: the operator %s is told of where it stands, with %s', async (body, operator, instead) => {
  const text = `r.table('t').map(x => ${body}).count().changes()`;
  const { printed, complaints, exits } = await ran(['explain', text]);
  const [complaint, line = '', caret = ''] = complaints;
  expect(complaint).toBe(
    `livefold: cannot read the query: JavaScript's \`${operator}\` knows no ReQL. Write \`${instead}\``,
  );
  expect(line).toBe(`  ${text}`);
  const sign = operator === '? :' ? '?' : operator === HOLE ? 'x' : operator;
  expect(line.slice(caret.indexOf('^')).startsWith(sign), caret).toBe(true);
  expect(printed).toEqual([]);
  expect(exits).toEqual([2]);
});

test('operators on what is no ReQL are as ever', () => {
  const name = quoted(`a\${1 + 1}`);
  const text = `r.table('t').map(x => ({ n: [1, 2].length > 1 && !false ? 2 * 3 : 0, name: ${name}, x, ...{ y: null ?? 4 } }))`;
  expect(queryOfText(text)).toBe(queryOfText("r.table('t').map(x => ({n: 6, name: 'a2', x: x, y: 4}))"));
});

test.each([
  ['r.table(', /Unexpected token: the text ends too early/, 8],
  ["r.table('t').count(.changes()", /Unexpected token/, 19],
  ["r.table('t')\n  .filter({a: })\n  .count()", /Unexpected token/, 14],
  ["r.table('t').cout().changes()", /there is no `\.cout` in ReQL: did you mean `\.count`\?$/, 13],
  ["r.table('t').cnt().changes()", /there is no `\.cnt` in ReQL: did you mean `\.count`\?$/, 13],
  ["r.table('t').get_all(1)", /there is no `\.get_all` in ReQL: did you mean `\.getAll`\?$/, 13],
  ["r.table('t').filter(x => x.total.gt(1))", /there is no `\.total` in ReQL\. A field is read with `\('total'\)`/, 27],
  ["r.table('t').filter(x => x.length.gt(1))", /there is no `\.length` in ReQL/, 27],
  ["r.tabel('t').count()", /there is no `r\.tabel` in ReQL: did you mean `r\.table`\?$/, 2],
  ['r.customers.count()', /there is no `r\.customers` in ReQL$/, 2],
  ['[1,(globalThis.ran = true,[152])]', /begins as JSON does, and is not JSON: here/, 3],
  ['[1,[152,[[43,[[15,["t"]]]]]]', /begins as JSON does, and is not JSON: it ends too early/, 28],
  ['[globalThis.ran = true]', /begins as JSON does, and is not JSON: here/, 1],
  ["[1,[15,['t']]]", /begins as JSON does, and is not JSON: here/, 8],
])('%j is told of with its place', async (text, complaint, column) => {
  const { complaints, exits } = await ran(['explain', text]);
  expect(complaints[0]).toMatch(complaint);
  expect(complaints).toHaveLength(3);
  expect(text).toContain(complaints[1]?.slice(2));
  expect(complaints[2]).toBe(`  ${' '.repeat(column)}^`);
  expect(exits).toEqual([2]);
  expect('ran' in globalThis).toBe(false);
});

test.each([
  [
    '[152,[[43,[[15,["t"]]]]]]',
    /this JSON is no query: .*Unrecognized QueryType: 152\. A query to explain is `\[1, term\]`/,
  ],
  ['[]', /this JSON is no query/],
  ["r.table('t').map(x => { x('a').add(1) }).count()", /A function of the query returns nothing/],
  ["r.table('t').count(Math.max(r.table('t').count(), 1))", /JavaScript cannot calculate with ReQL/],
  ['const t = 5', /This is not ReQL/],
  ['function f() {}', /there is no query/],
  ['nothing.count()', /nothing is not defined/],
])('%s is one line and exit code 2', async (text, complaint) => {
  const { complaints, exits } = await ran(['explain', text]);
  expect(complaints).toEqual([expect.stringMatching(complaint)]);
  expect(exits).toEqual([2]);
});

test('a long line is cut around the mistake', async () => {
  const { complaints } = await ran(['explain', `r.table('t').filter({${'a: 1, '.repeat(100)}b: }).count()`]);
  expect(complaints[1]?.length).toBeLessThan(110);
  expect(complaints[1]?.charAt(complaints[2]?.indexOf('^') ?? 0)).toBe('}');
});

test('deep data is no trouble', async () => {
  for (const depth of [500, 4000]) {
    const json = `[1,[152,[[43,[[39,[[15,["t"]],{"a":${'[2,['.repeat(depth)}1${']]'.repeat(depth)}}]]]]]]]`;
    const { printed, exits } = await ran(['explain', '--full', json]);
    expect(printed.join('\n').length).toBeLessThan(1000 + 400 * depth);
    expect(exits).toEqual(depth < 1000 ? [] : [1]);
  }
});

test.each([
  [
    "r.table('t').count()",
    'one value as merges: {body} first with includeInitial, then {body, reverse} whenever it differs',
  ],
  ["r.table('t').group('k').count()", 'a value for each group as merges: {group, body, reverse}'],
  [
    "r.table('t').merge(x => ({n: r.table('u').get(x('u'))('n')}))",
    "rows as merges: {key, body, reverse} for each that comes, changes or goes; `key` is the primary key of r.table('t'), or [row, n] where rows do not show it",
  ],
  [
    "r.table('t').concatMap(x => x('tags'))",
    'rows as merges: {key, body, reverse} for each that comes, changes or goes; `key` is [row, n], the nth of the rows that are equal',
  ],
])('%s with merges says what names each of them', async (query, shows) => {
  const { printed } = await ran(['explain', `${query}.changes({format: 'merge'})`]);
  expect(printed[0]).toBe(`Live. It shows ${shows}.`);
});
