// The cases of live counts, sums and averages through the other two drivers (the official one plays all cases), and what
// a driver sees when it comes back.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playFeed, playRun } from '../support/checks/play.ts';
import { drivers, official } from '../support/servers/drivers.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';
import type { FeedCase } from './case.ts';
import { feedCases, runCases } from './index.ts';

/** The cases that every driver has to see. */
const FOR_ALL = /CASES (A2|A4|B1|B3|B4|B6|C1|C3|C4|D1|D3|D5|G2|G7|H2|N12)\b/;

/** The options of `changes` that rethinkdbdash sends; others it refuses by itself. */
const SENT_BY_DASH: ReadonlySet<string> = new Set([
  'squash',
  'includeInitial',
  'includeStates',
  'includeTypes',
  'includeOffsets',
]);

/** The query with an option of `changes` that there is not: rethinkdbdash refuses it by itself. */
const NOT_FOR_DASH = 'an option that is none is a compile error';

/** The query with a table of a table: rethinkdb-ts sends an argument more, of which the server complains first. */
const NOT_FOR_TS = 'left to the server, which refuses it: a table of a table';

const toldFeeds = feedCases.filter(({ source }) => FOR_ALL.test(source));
const toldRuns = runCases.filter(({ source }) => FOR_ALL.test(source));

// A case that lost its source would be left out without a word.
test('every named case is told through the other drivers', () => {
  const named = ['A2', 'A4', 'B1', 'B3', 'B4', 'B6', 'C1', 'C3', 'C4', 'D1', 'D3', 'D5', 'G2', 'G7', 'H2', 'N12'];
  const sources = [...toldFeeds, ...toldRuns].map(({ source }) => source).join('\n');
  expect(named.filter((name) => !new RegExp(`CASES ${name}\\b`).test(sources))).toEqual([]);
});

for (const server of servers.filter(({ plan }) => plan === 'auto')) {
  for (const driver of drivers.filter((other) => other !== official)) {
    describe.skipIf(!server.there)(`${driver.name} on ${server.name}`, () => {
      let stage: Stage;
      beforeAll(async () => {
        stage = await setStage(server, `drivers_${driver.name.replaceAll('-', '_')}`, driver);
      });
      afterAll(() => stage.close());

      const sends = ({ name, changes = {} }: FeedCase): boolean =>
        (driver.name !== 'rethinkdb-ts' || name !== NOT_FOR_TS) &&
        (driver.name !== 'rethinkdbdash' || Object.keys(changes).every((option) => SENT_BY_DASH.has(option)));
      for (const told of toldFeeds.filter(sends)) test(told.name, () => playFeed(stage, told, true));
      const runs = toldRuns.filter(({ name }) => driver.name !== 'rethinkdbdash' || name !== NOT_FOR_DASH);
      for (const told of runs) test(told.name, () => playRun(stage, told));

      // CASES F5, rethinkdb/rethinkdb#3471
      test('a client that comes back starts from the truth', async () => {
        await stage.seed({ t: Array.from({ length: 10 }, (_, id) => ({ id })) });
        const login = { db: stage.db };
        const watch = async (): Promise<unknown> => {
          const connection = await driver.connect(stage.client, login);
          const feed = await connection.feed((r) => r.table('t').count().changes({ includeInitial: true }));
          const documents = await feed.take(1);
          await connection.close();
          return documents;
        };
        expect(await watch()).toStrictEqual([{ new_val: 10 }]);
        await stage.writes.run((r) => r.table('t').insert([{ id: 10 }, { id: 11 }, { id: 12 }]));
        await stage.writes.run((r) => r.table('t').get(0).delete());
        expect(await watch()).toStrictEqual([{ new_val: 12 }]);
      });
    });
  }
}
