// Reducers of a client's own over values and their counts: aggregates written as reducers are the built-in ones, on every
// server, while rows come, change, go, and come again.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Counted, OutputState } from '../support/checks/outputs.ts';
import { rest } from '../support/checks/rest.ts';
import { anyHistory, writeQuery } from '../support/queries/histories.ts';
import type { Argument, Query, Reql } from '../support/reql.ts';

import { liveServers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 10);

interface Written {
  readonly name: string;
  readonly reducer: (r: Reql, values: Reql) => Argument;
  /** The built-in aggregate over a stream or over groups, where it is one value. */
  readonly value?: (stream: Reql) => Reql;
  /** What is a list of values. */
  readonly list?: (stream: Reql) => Reql;
  /** What the outputs of a group are that has values. */
  readonly outputs?: readonly Omit<Counted, 'group'>[];
}

const reducers: readonly Written[] = [
  {
    name: 'count',
    reducer: (_, values) => [[values.map((pair) => pair(1)).sum(), 1]],
    value: (stream) => stream.count(),
  },
  {
    name: 'distinct',
    reducer: (_, values) => values.map((pair) => [pair(0), 1]),
    list: (stream) => stream.distinct(),
  },
  { name: 'min', reducer: (_, values) => [[values(0)(0), 1]], value: (stream) => stream.min() },
  { name: 'max', reducer: (_, values) => [[values.nth(-1)(0), 1]], value: (stream) => stream.max() },
  {
    name: 'weighted sum',
    reducer: (_, values) => [[values.map((pair) => pair(0).mul(pair(1))).sum(), 1]],
    value: (stream) => stream.sum(),
  },
  { name: 'identity', reducer: (_, values) => values, list: (stream) => stream.coerceTo('array') },
  {
    name: 'outputs of negative and higher counts',
    reducer: (_, values) =>
      values
        .map((pair) => ['x', pair(1).mul(0)])
        .union([
          ['x', -2],
          ['y', 1],
          ['y', 2],
          ['z', 0],
        ]),
    outputs: [
      { value: 'x', count: -2 },
      { value: 'y', count: 3 },
    ],
  },
];

/** Four rounds: rows come, change, a group goes as a whole, and comes again. */
const rounds: readonly Query[] = [
  (r) =>
    r.table('t').insert([
      { id: 1, k: 'a', n: 3 },
      { id: 2, k: 'a', n: 3 },
      { id: 3, k: 'a', n: 1 },
      { id: 4, k: 'b', n: 0 },
      { id: 5, k: null, n: 7 },
    ]),
  (r) =>
    r.expr([
      r.table('t').get(3).update({ n: 5 }),
      r.table('t').get(4).update({ k: 'a' }),
      r.table('t').get(1).delete(),
      r.table('t').insert({ id: 6, k: 'b', n: 2 }),
    ]),
  (r) => r.table('t').getAll('a', { index: 'k' }).delete(),
  (r) =>
    r.table('t').insert([
      { id: 7, k: 'a', n: 3 },
      { id: 8, k: 'a', n: 4 },
    ]),
];

describe.each(liveServers)('$name', (server) => {
  describe.skipIf(!server.there)('reducers', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, `reducer_${server.plan}`);
    });
    afterAll(() => stage.close());

    test.each(reducers)('$name by group', async (written) => {
      await stage.seed({});
      const feed = await stage.feeds.feed((r) =>
        r
          .table('t')
          .group('k')('n')
          .changes({
            includeInitial: true,
            reducer: (_group: Reql, values: Reql) => written.reducer(r, values),
          }),
      );
      const state = new OutputState();
      for (const round of rounds) {
        await stage.writes.run(round);
        await rest(feed, state, await groupedOutputs(stage, written));
      }
      await feed.close();
    });

    test.each(reducers)('$name of all', async (written) => {
      await stage.seed({ t: [{ id: 9, k: 'c', n: 6 }] });
      const feed = await stage.feeds.feed((r) =>
        r
          .table('t')('n')
          .changes({ includeInitial: true, reducer: (values: Reql) => written.reducer(r, values) }),
      );
      const state = new OutputState();
      for (const round of [...rounds, ((r) => r.table('t').delete()) satisfies Query]) {
        await stage.writes.run(round);
        await rest(feed, state, await outputsOfAll(stage, written));
      }
      await feed.close();
    });

    test('an output of another shape ends the feed with an error that shows it', async () => {
      await stage.seed({ t: [{ id: 1, k: 'a', n: 1 }] });
      const feed = await stage.feeds.feed((r) =>
        r
          .table('t')('n')
          .changes({
            includeInitial: true,
            reducer: (values: Reql) => r.branch(values.count().gt(1), [['x', 1.5]], values),
          }),
      );
      expect(await feed.take(1)).toEqual([{ value: 1, count: 1 }]);
      await stage.writes.run((r) => r.table('t').insert({ id: 2, n: 2 }));
      const ending = await feed.ending();
      expect(ending.kind === 'failed' ? ending.error.message : '').toContain('but gave ["x",1.5].');
    });
  });
});

/** Streams of every kind; what the identity gives is the stream itself. */
const streams: readonly Query[] = [
  (r) => r.table('t')('v'),
  (r) => r.table('t').getAll('a', 'a', 'b', { index: 'k' })('id'),
  (r) => r.table('t').between(1, 3),
  (r) => r.table('t').filter({ k: 'a' }).pluck('n'),
  (r) => r.table('t').union(r.table('u'))('k'),
  (r) => r.table('t').orderBy({ index: 'id' }).limit(2)('id'),
  (r) => r.table('t').concatMap((row) => row('tags').default([])),
  (r) => r.table('t')('k').distinct(),
  (r) => r.table('t').group('k').count().ungroup(),
];

const forced = liveServers.filter(({ plan }) => plan !== 'auto');

describe.each(forced)('$name', (server) => {
  describe.skipIf(!server.there)('the identity', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, `identity_${server.plan}`);
    });
    afterAll(() => stage.close());

    test('gives any stream back, after any history', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, fc.boolean(), async ({ rows, writes }, squash) => {
          await stage.seed({ t: rows });
          const changes = { includeInitial: true, squash, reducer: (values: Reql) => values };
          const feeds = await Promise.all(streams.map((stream) => stage.feeds.feed((r) => stream(r).changes(changes))));
          for (const { table, write } of writes) await stage.writes.run(writeQuery(table, write));
          for (const [index, feed] of feeds.entries()) {
            const stream = streams[index];
            if (stream === undefined) continue;
            const items = asList(await stage.writes.run((r) => stream(r).coerceTo('array')));
            await rest(
              feed,
              new OutputState(),
              items.map((value) => ({ value, count: 1 })),
            );
            await feed.close();
          }
        }),
        { numRuns: RUNS },
      );
    }, 3_600_000);
  });
});

async function groupedOutputs(stage: Stage, { value, list, outputs }: Written): Promise<readonly Counted[]> {
  const groups = (over: (stream: Reql) => Reql): Promise<readonly Reduced[]> => {
    return stage.writes.run((r) => over(r.table('t').group('k')('n')).ungroup()).then(asReduced);
  };
  if (value !== undefined) {
    return (await groups(value)).map(({ group, reduction }) => ({ group, value: reduction, count: 1 }));
  }
  return (await groups(list ?? ((stream) => stream.count()))).flatMap(({ group, reduction }) =>
    outputs === undefined
      ? asList(reduction).map((item) => ({ group, value: item, count: 1 }))
      : outputs.map((output) => ({ group, ...output })),
  );
}

async function outputsOfAll(stage: Stage, { value, list, outputs = [] }: Written): Promise<readonly Counted[]> {
  const numbers = (r: Reql): Reql => r.table('t')('n');
  if ((await stage.writes.run((r) => numbers(r).count())) === 0) return [];
  if (value !== undefined) return [{ value: await stage.writes.run((r) => value(numbers(r))), count: 1 }];
  if (list === undefined) return outputs;
  return asList(await stage.writes.run((r) => list(numbers(r)))).map((item) => ({ value: item, count: 1 }));
}

interface Reduced {
  readonly group: unknown;
  readonly reduction: unknown;
}

function asReduced(result: unknown): readonly Reduced[] {
  return asList(result).filter(
    (row): row is Reduced => typeof row === 'object' && row !== null && 'group' in row && 'reduction' in row,
  );
}

function asList(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new Error(`not a list: ${JSON.stringify(result)}`);
  return result;
}
