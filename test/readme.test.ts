// Every query of the README is what it says: live, and right over numbers that are easily got wrong.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDefinition, reductionBy } from '../rewrite/analyze/define-aggregate.ts';
import { type Explanation, explain } from '../rewrite/explain.ts';
import { freshVars } from '../rewrite/reql/build/fresh-vars.ts';
import { printTerm } from '../rewrite/reql/print/print.ts';
import { serializeTerm } from '../rewrite/reql/term/serialize.ts';
import type { KnownIndexes } from '../rewrite/sources/known-index.ts';
import type { Shows } from './support/checks/feed-state.ts';
import { namedStatistics } from './support/checks/named-statistics.ts';
import { truthOf } from './support/checks/oracle.ts';
import { Watcher } from './support/checks/watcher.ts';
import { evaluate } from './support/evaluate.ts';
import type { LiveQuery } from './support/queries/live-queries.ts';
import { queriesIn, watchedIn } from './support/queries/written-queries.ts';
import type { Argument, Query } from './support/reql.ts';
import { servers } from './support/servers/servers.ts';
import { type Row, type Stage, setStage } from './support/servers/stage.ts';

const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
const written = queriesIn(readme);

/** What the README names as refused by RethinkDB itself. */
const leftAlone: readonly string[] = ['t.sample(2).changes()', "t.orderBy('x').changes()"];
const live = written.filter((query) => !leftAlone.includes(query));

/** Its `changes` is not at the end; test/cases/after.cases.ts plays one of its kind. */
const IN_A_DO = "r.expr('k').do(k => t.group(k).count().changes())";

/** One-shot forms of queries that RethinkDB does not know at all, or answers in no order: a live list is in that of values. */
const oneShot: ReadonlyMap<string, string> = new Map([
  ['t.filter({k: "a"}).coerceTo("array")', 't.filter({k: "a"}).coerceTo("array").orderBy(row => row)'],
  ['t("x").coerceTo("array")', 't("x").coerceTo("array").orderBy(x => x)'],
  ['t("x").reduce((acc, x) => acc.mul(x), {base: 1})', 't("x").fold(1, (acc, x) => acc.mul(x))'],
  ['t("x").reduce((a, b) => a.add(b), (a, b) => a.sub(b))', 't("x").reduce((a, b) => a.add(b))'],
  [
    't.reduce((acc, row) => acc.add(row("x")), {reverse: (acc, row) => acc.sub(row("x")), base: 0})',
    't.fold(0, (acc, row) => acc.add(row("x")))',
  ],
  ["r.table('t')('x').reduce((a, b) => a.mul(b), (a, b) => a.div(b))", "r.table('t')('x').reduce((a, b) => a.mul(b))"],
]);

/** Rows with all fields that the queries read. */
function rowOf(id: number, k: string, x: number): Row {
  return { id, k, x, n: id, total: x, city: k, team: k, points: x };
}

const rows: readonly Row[] = [
  rowOf(1, 'a', 1e9 + 4),
  rowOf(2, 'a', 1e9 + 7),
  rowOf(3, 'a', 1e9 + 13),
  rowOf(4, 'b', 1e9 + 16),
  rowOf(5, 'b', 0.1),
];
const writes: readonly Query[] = [
  (r) => r.table('u').insert([rowOf(1, 'u', 1), rowOf(2, 'v', 2)], { conflict: 'replace' }),
  (r) => r.table('t').get(4).delete(),
  (r) => r.table('t').get(5).update({ x: -0.3, total: -0.3, points: -0.3 }),
  (r) => r.table('t').insert(rowOf(6, 'c', 1e16)),
  (r) => r.table('t').get(6).delete(),
];

function explained(query: string): Explanation {
  return explain(`[1,${serializeTerm(termOf(query))}]`, 'auto', { indexes });
}

/** Indexes of one field, called after it; all primary keys are `id`. */
const indexes: KnownIndexes = ({ index }) => ({
  fields: [index ?? 'id'],
  compound: false,
  multi: false,
  primaryKey: 'id',
});

function termOf(query: string): ReturnType<typeof evaluate> {
  return evaluate(`(t => ${query})(r.table('t'))`);
}

test('the README has queries, and those that it says are left alone', () => {
  expect(live.length).toBeGreaterThan(45);
  for (const query of leftAlone) {
    expect(written).toContain(query);
    expect(explained(query)).toMatchObject({ kind: 'untouched' });
  }
});

test.each(live)('%s is rewritten', (query) => {
  expect(explained(query)).toMatchObject({ kind: 'rewritten' });
});

test('the definition that it shows is that of the example', async () => {
  const [text] = /const flags = (\{.*\});/.exec(readme)?.slice(1) ?? [];
  const shown = readDefinition(new Function(`return ${text}`)());
  const path: string = new URL('../examples/aggregates.js', import.meta.url).href;
  const examples: { readonly default: readonly unknown[] } = await import(path);
  const example = examples.default.map(readDefinition).find(({ name }) => name === shown.name);
  if (example === undefined) throw new Error(`no example is called ${shown.name}`);
  const [one, other] = [shown, example].map((definition) =>
    printTerm(reductionBy(definition, { kind: 'datum', value: [] }, undefined, freshVars())),
  );
  expect(one).toBe(other);
});

describe('over numbers that are easily got wrong', () => {
  let stage: Stage;
  beforeAll(async () => {
    const server = servers.find(({ plan, real }) => plan === 'auto' && !real);
    if (server === undefined) throw new Error('there is no proxy over the embedded server');
    stage = await setStage(server, 'readme');
  });
  afterAll(() => stage.close());

  const played = live.filter((query) => query !== IN_A_DO && !query.includes('reducer:'));
  test.each(played)('%s shows what the query gives', async (query) => {
    const told = watchedBy(query);
    await stage.seed({ t: rows });
    const watcher = await Watcher.open(stage.feeds, 'auto', told, {});
    for (const write of [undefined, ...writes]) {
      if (write !== undefined) await stage.writes.run(write);
      const { shown, holds } = await truthOf(stage.writes, truthBy(query));
      // The server adds and multiplies doubles in an order of its own.
      await watcher.rest({ shown, holds: (state) => (told.exact === undefined ? state.equals(shown) : holds(state)) });
    }
    await watcher.close();
  });

  test('the span of totals is exact', async () => {
    const query = live.find((one) => one.includes('reducer:'));
    if (query === undefined) throw new Error('no reducer');
    await stage.seed({ t: rows });
    const feed = await stage.feeds.feed(queryOf(query));
    const first = await feed.take(2);
    expect(first).toEqual(
      expect.arrayContaining([
        { group: 'a', value: 9, count: 1 },
        { group: 'b', value: 1e9 + 15.9, count: 1 },
      ]),
    );
    await stage.writes.run((r) =>
      r
        .table('t')
        .get(1)
        .update({ total: 1e9 + 1 }),
    );
    expect(await feed.take(1)).toEqual([{ group: 'a', old_val: 9, new_val: 12 }]);
    await stage.writes.run((r) => r.table('t').getAll('b', { index: 'k' }).delete());
    const state = await feed.takeUntil('group b is gone', (document) => Object(document).count === -1);
    expect(state.at(-1)).toMatchObject({ group: 'b', count: -1 });
    await feed.close();
  });
});

/** A query of the README as one that is watched. */
function watchedBy(query: string): LiveQuery {
  const { watched, options } = watchedIn(query);
  const told: LiveQuery = { name: query, query: queryOf(watched), shows: showsOf(explained(query)) };
  const aggregate = evaluateOptions(options)['aggregate'];
  if (aggregate === undefined) return told;
  const named = namedStatistics.find(({ call }) => JSON.stringify(call) === JSON.stringify(aggregate));
  if (named === undefined) throw new Error(`there is no oracle for ${JSON.stringify(aggregate)}`);
  const numbers: Query = (r) => queryOf(watched)(r).coerceTo('array');
  return { ...told, changes: () => ({ aggregate }), exact: { of: named.of, numbers, byName: true } };
}

/** The same for the one-shot query. */
function truthBy(query: string): LiveQuery {
  const { watched } = watchedIn(query);
  return { ...watchedBy(query), query: queryOf(oneShot.get(watched) ?? watched) };
}

function showsOf(explanation: Explanation): Shows {
  if (explanation.kind !== 'rewritten') throw new Error('not live');
  if (explanation.shape === 'one value') return 'value';
  return explanation.shape === 'a value per group' ? 'groups' : 'rows';
}

function evaluateOptions(text: string): Readonly<Record<string, Argument>> {
  return new Function(`return ${text === '' ? '{}' : text}`)();
}

/** What the README calls what the stage has. */
const names: readonly (readonly [name: string, here: string])[] = [
  ["r.db('shop')", 'r'],
  ["'orders'", "'t'"],
  ["'posts'", "'t'"],
  ["'comments'", "'u'"],
  ["'users'", "'u'"],
  ["'post'", "'n'"],
  ["post('author')", "post('n')"],
  ["('name')", "('k')"],
];

function queryOf(text: string): Query {
  const here = names.reduce((query, [name, here]) => query.replaceAll(name, here), text);
  return (r) => new Function('r', 't', `return ${here}`)(r, r.table('t'));
}
