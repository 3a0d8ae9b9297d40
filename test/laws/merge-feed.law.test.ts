// Feeds of merges through random histories of writes: the bodies lead to what the query gives, the reverses back to all that was
// before, and what is composed is the change from first to last. Every fourth live query is opened, or those of LIVEFOLD_PORTION and
// LIVEFOLD_QUERIES (`portion.ts`); LIVEFOLD_RUNS says how often.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { truthOf } from '../support/checks/oracle.ts';
import { WatchedMerges } from '../support/checks/watched-merges.ts';
import { anyHistories, type Histories, rowTerm, writeQuery } from '../support/queries/histories.ts';
import { type LiveQuery, liveQueries } from '../support/queries/live-queries.ts';
import { portionOf } from '../support/queries/portion.ts';
import type { Connection } from '../support/servers/drivers.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';
import { TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const HISTORIES = 2;
/** Of the queries every so manieth is watched where no portion is named. */
const EACH = 4;
const HOURS = 6 * 3_600_000;
const DB = 'merges';
const PLANS = ['server', 'proxy'] as const;

const asked = fc.record({
  includeStates: fc.boolean(),
  includeTypes: fc.boolean(),
  squash: fc.constantFrom(false, true, 0.01),
});

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let ground: Ground;
    let writes: Connection;
    let reader: Connection;
    beforeAll(async () => {
      ground = await openGround(under, DB, ['v']);
      ({ writes } = ground);
      reader = await ground.reader(plan);
    });
    afterAll(() => ground.close());

    const play = async ({ rows, histories }: Histories, options: object): Promise<void> => {
      await writes.run((r) => r.expr(TABLES.map((table) => r.table(table).delete())));
      await writes.run((r) => r.table('t').insert(rows.map((row) => rowTerm(r, row))));
      const told = portionOf(liveQueries, EACH);
      const watched = await Promise.all(told.map((query) => open(reader, query, options)));
      for (const steps of histories) {
        for (const { table, write } of steps) await writes.run(writeQuery(table, write), { durability: 'soft' });
        await Promise.all(
          watched.map(async ({ told: query, merges }) => merges.rest((await truthOf(writes, query)).shown)),
        );
      }
      await Promise.all(watched.map(({ merges }) => merges.close()));
    };

    test(
      'bodies lead on, reverses lead back, and both compose',
      async () => {
        await fc.assert(fc.asyncProperty(anyHistories(HISTORIES), asked, play), { numRuns: RUNS, endOnFailure: true });
      },
      HOURS,
    );
  });
}

/** A live query that is watched by merges. */
interface Watched {
  readonly told: LiveQuery;
  readonly merges: WatchedMerges;
}

async function open(connection: Connection, told: LiveQuery, options: object): Promise<Watched> {
  const feed = await connection.feed((r) =>
    told.query(r).changes({ includeInitial: true, format: 'merge', ...told.changes?.(r), ...options }),
  );
  return { told, merges: new WatchedMerges(told.name, feed, told.shows ?? 'value') };
}
