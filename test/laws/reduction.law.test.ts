// Reductions of every kind, after any history of writes, show at rest what the one-shot query gives, in both plans: derived,
// with a reverse, from a base, in a tree, by name. LIVEFOLD_RUNS sets the number of histories for each server; in each of them
// all reductions are watched at once.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { FeedState } from '../support/checks/feed-state.ts';
import { rest } from '../support/checks/rest.ts';
import { valueNow } from '../support/checks/value-now.ts';
import { INVERSES } from '../support/queries/aggregates.ts';
import { anyHistory, writeQuery } from '../support/queries/histories.ts';
import type { Argument, Query, Reql } from '../support/reql.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 10);

interface Reduction {
  readonly name: string;
  /** What is watched, and what says the truth unless `truth` does. */
  readonly query: Query;
  readonly changes?: (r: Reql) => { readonly [option: string]: Argument };
  readonly truth?: Query;
  readonly shows?: 'groups';
}

const letters: Query = (r) => r.table('t')('k');
const numbers: Query = (r) => r.table('t')('id');
const shifted: Query = (r) =>
  r
    .table('t')('id')
    .map((id) => id.add(1));
const cells: Query = (r) =>
  r
    .table('t')
    .hasFields('n')
    .map((row) => ({ n: row('n'), id: row('id'), rows: 1 }));

const reductions: readonly Reduction[] = [
  {
    name: 'concatenation',
    query: (r) =>
      letters(r)
        .reduce((a, b) => a.add(b))
        .split('')
        .orderBy((letter) => letter),
  },
  { name: 'mul', query: (r) => numbers(r).reduce((a, b) => a.mul(b)) },
  {
    name: 'mul with a reverse',
    query: (r) => numbers(r).reduce((a, b) => a.mul(b)),
    changes: () => ({ reverse: (a: Reql, b: Reql) => a.div(b) }),
  },
  {
    name: 'mul by group',
    query: (r) =>
      r
        .table('t')
        .group('k')('id')
        .reduce((a, b) => a.mul(b)),
    shows: 'groups',
  },
  {
    name: 'setUnion',
    query: (r) =>
      r
        .table('t')('tags')
        .reduce((a, b) => a.setUnion(b))
        .orderBy((tag) => tag),
  },
  {
    name: 'merge',
    query: (r) =>
      r
        .table('t')
        .map((row) => r.object(row('id').coerceTo('string'), row('n').default(null)))
        .reduce((a, b) => a.merge(b)),
  },
  { name: 'max by a field', query: (r) => cells(r).reduce((a, b) => r.branch(a('n').gt(b('n')), a, b))('n') },
  {
    name: 'max by a field and a key',
    query: (r) => cells(r).reduce((a, b) => r.branch(r.expr([a('n'), a('id')]).gt([b('n'), b('id')]), a, b)),
  },
  { name: 'product modulo a prime', query: (r) => shifted(r).reduce((a, b) => a.mul(b).mod(13)) },
  {
    name: 'product modulo a prime with a reverse',
    query: (r) => shifted(r).reduce((a, b) => a.mul(b).mod(13)),
    changes: (r) => ({ reverse: (a: Reql, b: Reql) => a.mul(r.expr([...INVERSES])(b)).mod(13) }),
  },
  {
    name: 'product modulo a prime by name',
    query: shifted,
    changes: () => ({ aggregate: 'product mod 13' }),
    truth: (r) => shifted(r).fold(1, (a, b) => a.mul(b).mod(13)),
  },
  {
    name: 'letters by name',
    query: letters,
    changes: () => ({ aggregate: 'letters' }),
    truth: (r) => letters(r).distinct(),
  },
  {
    name: 'letters by name and group',
    query: (r) => r.table('t').group('n')('k'),
    changes: () => ({ aggregate: 'letters' }),
    truth: (r) => r.table('t').group('n')('k').distinct(),
    shows: 'groups',
  },
  {
    name: 'objects of several fields',
    query: (r) => cells(r).reduce((a, b) => ({ n: a('n').add(b('n')), rows: a('rows').add(b('rows')) }))('n'),
  },
  {
    name: 'objects of several fields with a reverse',
    query: (r) =>
      cells(r).reduce((a, b) => ({
        n: a('n').add(b('n')),
        id: a('id').add(b('id')),
        rows: a('rows').add(b('rows')),
      })),
    changes: () => ({
      reverse: (a: Reql, b: Reql) => ({
        n: a('n').sub(b('n')),
        id: a('id').sub(b('id')),
        rows: a('rows').sub(b('rows')),
      }),
    }),
  },
  {
    name: 'fold with a reverse',
    query: (r) => r.table('t').fold(0, (acc, row) => acc.add(row('id').mul(row('id')))),
    changes: () => ({ reverse: (acc: Reql, row: Reql) => acc.sub(row('id').mul(row('id'))) }),
  },
];

const forced = liveServers.filter(({ plan }) => plan !== 'auto');

describe.each(forced)('$name', (server) => {
  describe.skipIf(!server.there)('reductions', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, `reduction_${server.plan}`);
    });
    afterAll(() => stage.close());

    test('rest at what the queries give', async () => {
      await fc.assert(
        fc.asyncProperty(anyHistory, async ({ rows, writes }) => {
          await stage.seed({ t: rows });
          const feeds = await Promise.all(reductions.map((reduction) => opened(stage, reduction)));
          for (const { table, write } of writes) await stage.writes.run(writeQuery(table, write));
          for (const [index, reduction] of reductions.entries()) await atRest(stage, reduction, feeds[index]);
          await Promise.all(feeds.map((feed) => feed.close()));
        }),
        { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined },
      );
    }, 3_600_000);
  });
});

type Feed = Awaited<ReturnType<typeof opened>>;

function opened(stage: Stage, { query, changes }: Reduction) {
  return stage.feeds.feed((r) => query(r).changes({ includeInitial: true, ...changes?.(r) }));
}

async function atRest(stage: Stage, { name, query, truth, shows }: Reduction, feed: Feed | undefined): Promise<void> {
  if (feed === undefined) throw new Error('no feed');
  await rest(feed, new FeedState(shows ?? 'value'), await valueNow(stage.writes, truth ?? query), name);
}
