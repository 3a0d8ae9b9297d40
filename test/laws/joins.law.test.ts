// Random queries of joins, look-ups for each row, groups, orders and aggregates show at rest what their one-shot form gives,
// whatever is written to either table, or are refused by a text that names the term. LIVEFOLD_RUNS says how often, LIVEFOLD_SEED
// from which seed.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DriverError } from '../support/checks/driver-error.ts';
import type { Shows } from '../support/checks/feed-state.ts';
import { truthOf } from '../support/checks/oracle.ts';
import { Watcher } from '../support/checks/watcher.ts';
import { anyHistories, rowTerm, writeQuery } from '../support/queries/histories.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Argument, Reql } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';
import { TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const SEED = process.env['LIVEFOLD_SEED'];
const PARAMETERS = { numRuns: RUNS, endOnFailure: true, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };
/** Queries that are watched at once, and histories that are played to them. */
const [QUERIES, HISTORIES] = [16, 3];
const HOURS = 6 * 3_600_000;
const DB = 'joins_law';

/** A part of a query: how it reads, and what it does. */
interface Part<In> {
  readonly text: string;
  readonly build: (r: Reql, on: In) => Reql;
}

type Step = Part<Reql>;
type OfRow = Part<Reql>;

const field = (name: string, otherwise: Argument): OfRow => ({
  text: `row(${name})`,
  build: (_, row) => row(name).default(otherwise),
});

const keyOfTable: OfRow[] = [field('id', 0), field('n', 0), field('x', 0)];
const textKey: OfRow[] = [field('k', 'b'), { text: "'a'", build: (r) => r.expr('a') }];

const otherTable = fc.constantFrom(...TABLES);

/** Rows that are found for a row. */
const found: fc.Arbitrary<OfRow> = fc.oneof(
  fc.tuple(otherTable, fc.constantFrom(...textKey)).map(([table, key]) => ({
    text: `${table}.getAll(${key.text}, k)`,
    build: (r: Reql, row: Reql) => r.table(table).getAll(key.build(r, row), { index: 'k' }),
  })),
  fc.tuple(otherTable, fc.constantFrom(...textKey)).map(([table, key]) => ({
    text: `${table}.getAll(${key.text}, tags)`,
    build: (r: Reql, row: Reql) => r.table(table).getAll(key.build(r, row), { index: 'tags' }),
  })),
  fc.tuple(otherTable, fc.constantFrom(...keyOfTable)).map(([table, key]) => ({
    text: `${table}.filter({n: ${key.text}})`,
    build: (r: Reql, row: Reql) => r.table(table).filter({ n: key.build(r, row) }),
  })),
  fc.tuple(otherTable, fc.constantFrom(...keyOfTable)).map(([table, key]) => ({
    text: `${table}.filter(o => o(n).eq(${key.text}).and(o(id).gt(1)))`,
    build: (r: Reql, row: Reql) =>
      r.table(table).filter((other: Reql) => other('n').eq(key.build(r, row)).and(other('id').gt(1))),
  })),
  fc.tuple(otherTable, fc.constantFrom(...textKey)).map(([table, key]) => ({
    text: `${table}.filter(o => o(k).eq(${key.text}).and(o(id).ge(row(id))))`,
    build: (r: Reql, row: Reql) =>
      r.table(table).filter((other: Reql) =>
        other('k')
          .eq(key.build(r, row))
          .and(other('id').ge(row('id').default(0))),
      ),
  })),
);

/** What is made of them: a number each time. */
const figures: readonly Step[] = [
  { text: 'count()', build: (_, rows) => rows.count() },
  { text: 'sum(n)', build: (_, rows) => rows.sum('n') },
  { text: 'avg(n)', build: (_, rows) => rows.avg('n').default(-1).mul(12).round() },
  { text: 'max(id)', build: (_, rows) => rows.max('id')('id').default(0) },
  { text: 'min(n)', build: (_, rows) => rows.min('n')('n').default(0) },
  { text: '(k).distinct().count()', build: (_, rows) => rows('k').distinct().count() },
  { text: 'filter(n > 0).count()', build: (_, rows) => rows.filter((other: Reql) => other('n').gt(0)).count() },
  {
    text: 'map(n + 1).sum()',
    build: (_, rows) =>
      rows
        .map((other: Reql) => other('n').add(1))
        .sum()
        .default(-2),
  },
  { text: 'orderBy(id).limit(2).sum(id)', build: (_, rows) => rows.orderBy('id').limit(2).sum('id') },
  { text: 'orderBy(desc id).nth(0)', build: (r, rows) => rows.orderBy(r.desc('id')).nth(0)('id').default(0) },
  { text: 'orderBy(id)(id)', build: (_, rows) => rows.orderBy('id')('id').coerceTo('array').count() },
  { text: 'isEmpty()', build: (r, rows) => r.branch(rows.isEmpty(), 1, 0) },
  { text: 'contains(a)', build: (r, rows) => r.branch(rows('k').contains('a'), 1, 0) },
  {
    text: 'reduce',
    build: (_, rows) =>
      rows('id')
        .reduce((a: Reql, b: Reql) => a.add(b))
        .default(0),
  },
];

const figure: fc.Arbitrary<OfRow> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(found, fc.constantFrom(...figures)).map(([rows, of]) => ({
      text: `${rows.text}.${of.text}`,
      build: (r: Reql, row: Reql) => of.build(r, rows.build(r, row)),
    })),
  },
  fc.tuple(otherTable, fc.constantFrom(...keyOfTable)).map(([table, key]) => ({
    text: `${table}.get(${key.text})(n)`,
    build: (r: Reql, row: Reql) => r.table(table).get(key.build(r, row))('n').default(0),
  })),
  otherTable.map((table) => ({ text: `${table}.count()`, build: (r: Reql) => r.table(table).count() })),
);

const lefts: readonly Part<undefined>[] = [
  { text: 't', build: (r) => r.table('t') },
  { text: 'u', build: (r) => r.table('u') },
  { text: 't.filter(k: a)', build: (r) => r.table('t').filter({ k: 'a' }) },
  { text: 't.getAll(a, b)', build: (r) => r.table('t').getAll('a', 'b', { index: 'k' }) },
  { text: 't.between(1, 3)', build: (r) => r.table('t').between(1, 3) },
  { text: 't.orderBy(id).limit(2)', build: (r) => r.table('t').orderBy({ index: 'id' }).limit(2) },
  { text: 't.orderBy(desc n, id).limit(3)', build: (r) => r.table('t').orderBy(r.desc('n'), 'id').limit(3) },
  { text: 't.union(u)', build: (r) => r.table('t').union(r.table('u')) },
];

/** A pair as a row like others. */
const flat = (pair: Reql): Argument => ({
  id: pair('left')('id').default(0).mul(10).add(pair('right')('id').default(0)),
  k: pair('right')('k').default('b'),
  n: pair('left')('n').default(0),
  x: pair('right')('n').default(1),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(otherTable, fc.constantFrom('n', 'x')).map(([table, by]) => ({
    text: `eqJoin(${by}, ${table})`,
    build: (r: Reql, rows: Reql) => rows.eqJoin(by, r.table(table)).map(flat),
  })),
  fc.tuple(otherTable, fc.constantFrom('k', 'tags')).map(([table, index]) => ({
    text: `eqJoin(k, ${table}, ${index})`,
    build: (r: Reql, rows: Reql) => rows.eqJoin('k', r.table(table), { index }).map(flat),
  })),
  otherTable.map((table) => ({
    text: `innerJoin(${table}, n = id)`,
    build: (r: Reql, rows: Reql) =>
      rows.innerJoin(r.table(table), (row: Reql, other: Reql) => row('n').default(0).eq(other('id'))).map(flat),
  })),
  otherTable.map((table) => ({
    text: `outerJoin(${table}, k = k and id <= id)`,
    build: (r: Reql, rows: Reql) =>
      rows
        .outerJoin(r.table(table), (row: Reql, other: Reql) =>
          row('k')
            .default('b')
            .eq(other('k').default('b'))
            .and(row('id').le(other('id'))),
        )
        .map(flat),
  })),
  {
    weight: 3,
    arbitrary: figure.map((of) => ({
      text: `merge({f: ${of.text}})`,
      build: (r: Reql, rows: Reql) =>
        rows.map((row: Reql) => ({
          id: row('id'),
          k: row('k').default('b'),
          n: of.build(r, row),
          x: row('n').default(0),
        })),
    })),
  },
  figure.map((of) => ({
    text: `filter(${of.text} > 0)`,
    build: (r: Reql, rows: Reql) => rows.filter((row: Reql) => of.build(r, row).gt(0)),
  })),
  found.map((of) => ({
    text: `concatMap(${of.text})`,
    build: (r: Reql, rows: Reql) =>
      rows.concatMap((row: Reql) =>
        of.build(r, row).map((other: Reql) => ({
          id: other('id').mul(10).add(row('id')),
          k: other('k').default('b'),
          n: other('n').default(0),
          x: row('n').default(0),
        })),
      ),
  })),
  fc.constant({ text: 'filter(n > 0)', build: (_: Reql, rows: Reql) => rows.filter((row: Reql) => row('n').gt(0)) }),
);

interface End extends Step {
  readonly shows: Shows;
}

const ends: fc.Arbitrary<End> = fc.oneof(
  fc.constantFrom<End>(
    { text: 'count()', shows: 'value', build: (_, rows) => rows.count() },
    { text: 'sum(n)', shows: 'value', build: (_, rows) => rows.sum('n') },
    { text: 'max(id)', shows: 'value', build: (_, rows) => rows.max('id')('id').default(null) },
    { text: 'rows', shows: 'rows', build: (_, rows) => rows.pluck('id', 'n').map((row: Reql) => row) },
    { text: 'group(k).count()', shows: 'groups', build: (_, rows) => rows.group('k').count() },
    { text: 'group(k).sum(n)', shows: 'groups', build: (_, rows) => rows.group('k').sum('n') },
    { text: '(k).distinct()', shows: 'rows', build: (_, rows) => rows('k').distinct() },
    { text: 'orderBy(id, n)(id)', shows: 'value', build: (_, rows) => rows.orderBy('id', 'n')('id').coerceTo('array') },
    {
      text: 'orderBy(desc n, id).limit(2)',
      shows: 'rows',
      build: (r, rows) =>
        rows
          .orderBy(r.desc('n'), 'id')
          .limit(2)
          .map((row: Reql) => [row('id'), row('n').default(0)]),
    },
  ),
  figure.map(
    (of): End => ({
      text: `sum(${of.text})`,
      shows: 'value',
      build: (r, rows) => rows.sum((row: Reql) => of.build(r, row)),
    }),
  ),
  figure.map(
    (of): End => ({
      text: `group(${of.text}).count()`,
      shows: 'groups',
      build: (r, rows) => rows.group((row: Reql) => of.build(r, row)).count(),
    }),
  ),
);

const queries: fc.Arbitrary<LiveQuery> = fc
  .tuple(fc.constantFrom(...lefts), fc.array(steps, { minLength: 1, maxLength: 3 }), ends)
  .map(([left, between, end]) => ({
    name: [left.text, ...between.map(({ text }) => text), end.text].join('.'),
    shows: end.shows,
    query: (r) =>
      end.build(
        r,
        between.reduce((rows, step) => step.build(r, rows), left.build(r, undefined)),
      ),
  }));

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let ground: Ground;
    let writes: Connection;
    let reader: Connection;
    beforeAll(async () => {
      ground = await openGround(under, DB);
      ({ writes } = ground);
      reader = await ground.reader('auto');
    });
    afterAll(() => ground.close());

    test(
      'random joins and look-ups show what their one-shot form gives, or are refused by name',
      async () => {
        let shown = 0;
        await fc.assert(
          fc.asyncProperty(
            fc.array(queries, { minLength: QUERIES, maxLength: QUERIES }),
            anyHistories(HISTORIES),
            async (asked, { rows, histories }) => {
              await writes.run((r) => r.expr(TABLES.map((table) => r.table(table).delete({ durability: 'soft' }))));
              await writes.run((r) => r.table('t').insert(rows.map((row) => rowTerm(r, row))));
              await writes.run((r) => r.table('u').insert(rows.slice(0, 2).map((row) => rowTerm(r, row))));
              const watchers = (await Promise.all(asked.map((told) => open(reader, told)))).filter(
                (watcher) => watcher !== undefined,
              );
              shown += watchers.length;
              for (const steps of [[], ...histories]) {
                for (const { table, write } of steps) await writes.run(writeQuery(table, write));
                const failures = await Promise.all(watchers.map((watcher) => restAt(writes, watcher)));
                const wrong = failures.filter((failure) => failure !== undefined);
                if (wrong.length > 0) throw new Error(wrong.join('\n'));
              }
              await Promise.all(watchers.map((watcher) => watcher.close()));
            },
          ),
          PARAMETERS,
        );
        expect(shown).toBeGreaterThan((RUNS * QUERIES) / 2);
      },
      HOURS,
    );
  });
}

/** A feed of a query; `undefined` where it is refused by a text that names a term. */
async function open(reader: Connection, told: LiveQuery): Promise<Watcher | undefined> {
  try {
    return await Watcher.open(reader, 'auto', told, {});
  } catch (error) {
    if (error instanceof DriverError && /^Cannot watch a query .*`/.test(error.text)) return undefined;
    throw new Error(`${told.name}: ${error}`);
  }
}

/** Why a feed does not come to rest at the truth. */
async function restAt(writes: Connection, watcher: Watcher): Promise<string | undefined> {
  try {
    await watcher.rest(await truthOf(writes, watcher.told));
    return undefined;
  } catch (error) {
    return `${watcher.told.name}: ${error}`;
  }
}
