// Feeds of merges through random histories of writes: the bodies lead to what the query gives, the reverses back to all that was
// before, and what is composed is the change from first to last. Every fourth live query is opened, all of them where LIVEFOLD_RUNS
// says that there is more than one run; LIVEFOLD_QUERIES, a regular expression, which of them by their names.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { MergeState } from '../support/checks/merge-state.ts';
import { truthOf } from '../support/checks/oracle.ts';
import { anyHistories, type Histories, rowTerm, writeQuery } from '../support/queries/histories.ts';
import { type LiveQuery, liveQueries } from '../support/queries/live-queries.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';
import { TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const QUERIES = new RegExp(process.env['LIVEFOLD_QUERIES'] ?? '');
const HISTORIES = 2;
/** Of the queries every so manieth is watched in a short run. */
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
      const told = liveQueries.filter(({ name }, at) => QUERIES.test(name) && (RUNS > 1 || at % EACH === 0));
      const watched = await Promise.all(told.map((query) => Watched.open(reader, query, options)));
      for (const steps of histories) {
        for (const { table, write } of steps) await writes.run(writeQuery(table, write), { durability: 'soft' });
        await Promise.all(watched.map((one) => one.rest(writes)));
      }
      await Promise.all(watched.map((one) => one.close()));
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

/** A query that is watched by merges. */
class Watched {
  readonly #told: LiveQuery;
  readonly #feed: Feed;
  readonly #state: MergeState;

  private constructor(told: LiveQuery, feed: Feed) {
    this.#told = told;
    this.#feed = feed;
    this.#state = new MergeState(told.shows ?? 'value');
  }

  static async open(connection: Connection, told: LiveQuery, options: object): Promise<Watched> {
    const feed = await connection.feed((r) =>
      told.query(r).changes({ includeInitial: true, format: 'merge', ...told.changes?.(r), ...options }),
    );
    return new Watched(told, feed);
  }

  /** Reads until the state is what the query gives. */
  async rest(writes: Connection): Promise<void> {
    const { shown } = await truthOf(writes, this.#told);
    await this.#drain();
    while (!this.#state.equals(shown)) {
      await this.#take(1).catch((error: Error) => {
        throw new Error(
          `${this.#told.name}: rests at ${this.#state}, the query gives ${JSON.stringify(shown)}: ${error.message}`,
        );
      });
      await this.#drain();
    }
    this.#state.check();
  }

  close(): Promise<void> {
    return this.#feed.close();
  }

  #drain(): Promise<void> {
    return this.#take(this.#feed.waiting.length);
  }

  async #take(count: number): Promise<void> {
    for (const document of await this.#feed.take(count)) {
      try {
        this.#state.add(document);
      } catch (error) {
        throw new Error(`${this.#told.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}
