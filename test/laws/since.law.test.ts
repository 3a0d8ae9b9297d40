// A client that takes its feeds up by the `rev` of the last document that it has seen gets the net change since, once for each
// thing, wherever it stopped: killed, its carrier killed so that the feed is read again, all killed, while nobody followed; and it
// is refused where, and only where, what has changed is not kept. Every sixteenth live query is watched, or those of LIVEFOLD_PORTION
// and LIVEFOLD_QUERIES (`portion.ts`); LIVEFOLD_RUNS says how often.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { HISTORY_DOCUMENTS } from '../../proxy/feed/revisions/history.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import type { Plan } from '../../rewrite/plan/choose-plan.ts';
import { eventually } from '../support/checks/eventually.ts';
import { RevClient, type RevQuery } from '../support/checks/taken-up.ts';
import { anyHistories, type Step, writeQuery } from '../support/queries/histories.ts';
import { liveQueries } from '../support/queries/live-queries.ts';
import { portionOf } from '../support/queries/portion.ts';
import type { Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { SeenShares } from '../support/servers/seen-shares.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { createTable, TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
/** Of the live queries every so manieth is watched where no portion is named. */
const EACH = 16;
const CUTS = 3;
const DB = 'sinces';
const HOURS = 6 * 3_600_000;
const T = (r: Reql): Reql => r.table('t');

/** Queries of each kind of what names rows, which are watched besides. */
const kinds: readonly RevQuery[] = [
  { name: 'a count', query: (r) => T(r).count() },
  {
    name: 'a list',
    query: (r) =>
      T(r)('n')
        .coerceTo('array')
        .orderBy((n: Reql) => n),
  },
  { name: 'sums of groups', shows: 'groups', query: (r) => T(r).group('k').sum('n') },
  { name: 'distinct values', shows: 'rows', query: (r) => T(r)('n').distinct() },
  {
    name: 'rows that are there several times',
    shows: 'rows',
    query: (r) => T(r).concatMap((row: Reql) => row('tags').default([])),
  },
  {
    name: 'a leaderboard',
    shows: 'rows',
    query: (r) => T(r).group('k').count().ungroup().orderBy(r.desc('reduction'), 'group').limit(2),
  },
  { name: 'a page of rows', shows: 'rows', query: (r) => T(r).orderBy({ index: 'id' }).skip(1).limit(2) },
  {
    name: 'how often the outputs of a reducer are there',
    shows: 'rows',
    query: (r) => T(r).hasFields('k', 'n').group('k')('n'),
    changes: () => ({ reducer: (_: Reql, values: Reql) => values.map((pair: Reql) => [pair(0), pair(1)]) }),
    truth: (r) => T(r).hasFields('k', 'n').group('k', 'n').count().ungroup()('reduction'),
  },
];

const watched = (): readonly RevQuery[] => [...portionOf(kinds, 1), ...portionOf(liveQueries, EACH)];

/** How a client comes to take its feeds up again. */
const cut = fc.record({
  how: fc.constantFrom('client killed', 'carrier killed', 'nobody followed', 'all killed'),
  /** Of what it has seen it has forgotten so many of the last documents. */
  forgets: fc.nat(3),
  squash: fc.boolean(),
});
type Cut = typeof cut extends fc.Arbitrary<infer Of> ? Of : never;

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let base: Base;
    let writes: Connection;
    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      for (const table of TABLES) {
        await createTable(writes, table);
        await writes.run((r) => r.table(table).indexCreate('v'));
        await writes.run((r) => r.table(table).indexWait());
      }
    });
    afterAll(async () => {
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await base.close();
    });

    const write = async (steps: readonly Step[]): Promise<void> => {
      for (const { table, write: one } of steps) await writes.run(writeQuery(table, one), { durability: 'soft' });
    };

    const started = async (
      plan: Plan,
      historyDocuments: number,
    ): Promise<{ proxy: RunningProxy; shares: SeenShares }> => {
      const shares = new SeenShares();
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now, lingerMs: 60_000, historyDocuments };
      return { proxy: await proxyOver(base.address, createOpenFeed(settings), { observers: [shares] }), shares };
    };

    const play = async (
      histories: readonly (readonly Step[])[],
      cuts: readonly Cut[],
      plan: Plan,
      historyDocuments: number,
    ): Promise<void> => {
      const told = watched();
      const { proxy, shares } = await started(plan, historyDocuments);
      await writes.run((r) => r.expr(TABLES.map((table) => r.table(table).delete())));
      const keeper = await RevClient.open(proxy, DB, told, {});
      const client = await RevClient.open(proxy, DB, told, { includeInitial: true });
      await client.rest(writes);
      for (const [index, { how, forgets, squash }] of cuts.entries()) {
        await write(histories[2 * index] ?? []);
        await client.rest(writes);
        client.forget(forgets);
        if (how === 'nobody followed') await Promise.all([client.leave(), keeper.leave()]);
        else await client.close();
        // A reading on another connection is told as one net change.
        if (how === 'carrier killed') await keeper.reconnect();
        // No connection is left: the state rests until somebody comes.
        if (how === 'all killed') await keeper.close();
        await write(histories[2 * index + 1] ?? []);
        await shares.areHealed();
        const places = new Map(told.map(({ name }) => [name, client.placeOf(name)]));
        const outcomes = await client.takeUp({ squash }, true);
        if (how === 'nobody followed' || how === 'all killed') await keeper.reconnect();
        const refused = told.filter(({ name }) => outcomes.get(name) === 'refused');
        if (historyDocuments > 0) expect(refused.map(({ name }) => name)).toEqual([]);
        for (const { name } of refused) {
          // A change since then is not kept.
          await keeper.drain();
          await eventually(`${name} has changed`, () => keeper.placeOf(name) > (places.get(name) ?? ''));
        }
        await client.rest(writes);
      }
      await startedAnew(plan, client, told);
      await Promise.all([client.close(), keeper.close()]);
      await proxy.destroy();
    };

    /** Another proxy, or the same started anew: there values are taken up, and nothing else is. */
    const startedAnew = async (plan: Plan, client: RevClient, told: readonly RevQuery[]): Promise<void> => {
      const { proxy } = await started(plan, HISTORY_DOCUMENTS);
      const twin = client.twin();
      const outcomes = await twin.takeUp({}, false, proxy);
      for (const { name, shows } of told) {
        const isValue = (shows ?? 'value') === 'value';
        expect([name, outcomes.get(name)]).toEqual([name, isValue ? 'taken up' : 'refused']);
      }
      await twin.close();
      await proxy.destroy();
    };

    test.each([
      ['server', HISTORY_DOCUMENTS],
      ['proxy', HISTORY_DOCUMENTS],
      ['proxy', 0],
    ] as const)(
      '%s plan, a history of %s changes',
      async (plan, historyDocuments) => {
        await fc.assert(
          fc.asyncProperty(
            anyHistories(2 * CUTS),
            fc.array(cut, { minLength: CUTS, maxLength: CUTS }),
            ({ histories }, cuts) => play(histories, cuts, plan, historyDocuments),
          ),
          { numRuns: RUNS, endOnFailure: true },
        );
      },
      HOURS,
    );
  });
}
