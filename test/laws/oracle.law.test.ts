// After any history of writes, a live query at rest shows what the one-shot query gives; on the way each `old_val` is what
// was shown before. Both plans tell the same. All live queries are opened at once in both plans, and watched over HISTORIES
// histories (LIVEFOLD_HISTORIES); LIVEFOLD_RUNS says how often, for each law, LIVEFOLD_SEED from which seed.
// LIVEFOLD_QUERIES, a regular expression, says which of them by their names.
// With LIVEFOLD_SHRINK a failure is made small, which takes its time.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { isSame } from '../support/checks/feed-state.ts';
import { type Truth, truthOf } from '../support/checks/oracle.ts';
import { Watcher } from '../support/checks/watcher.ts';
import {
  anyHistories,
  type Histories,
  rowTerm,
  type Step,
  singleHistories,
  writeQuery,
} from '../support/queries/histories.ts';
import { type LiveQuery, liveQueries } from '../support/queries/live-queries.ts';
import type { Query } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';
import { TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const SEED = process.env['LIVEFOLD_SEED'];
const QUERIES = new RegExp(process.env['LIVEFOLD_QUERIES'] ?? '');
const PARAMETERS = {
  numRuns: RUNS,
  endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined,
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
};
/** Histories that are played one after the other to the same feeds. */
const HISTORIES = Number(process.env['LIVEFOLD_HISTORIES'] ?? 4);
const HOURS = 6 * 3_600_000;
/**
 * How long a feed may say nothing before it is ready, in milliseconds. A thousand are opened at once, in one process
 * with both proxies and the database; those over two tables ask upstream four more times after `initializing`, each time behind all others.
 */
const OPENING_MS = 60_000;
const DB = 'oracle';
const PLANS = ['server', 'proxy'] as const;
const SOFT = { durability: 'soft' };

interface Law {
  readonly law: string;
  readonly played: fc.Arbitrary<Histories>;
  readonly asked: fc.Arbitrary<object>;
  /** Whether feeds are ready before the first write: what comes before is in the initial value or not, as it happens. */
  readonly settled: boolean;
}

const laws: readonly Law[] = [
  {
    law: 'at rest the feeds show what the queries give',
    played: anyHistories(HISTORIES),
    asked: fc.record({ includeStates: fc.boolean(), includeTypes: fc.boolean(), squash: fc.boolean() }),
    settled: false,
  },
  {
    law: 'both plans show the same documents',
    played: singleHistories(HISTORIES),
    asked: fc.constant({ includeStates: true }),
    settled: true,
  },
];

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let ground: Ground;
    let writes: Connection;
    let readers: readonly Reader[];
    beforeAll(async () => {
      // Values of any type, of which an index does not hold all.
      ground = await openGround(under, DB, ['v']);
      ({ writes } = ground);
      readers = await Promise.all(
        PLANS.map(async (plan) => {
          const reader = await ground.reader(plan);
          const echo = await reader.feed((r) => r.table('t').union(r.table('u')).changes());
          return { plan, reader, echo };
        }),
      );
    });
    afterAll(() => ground.close());

    /** Writes, and waits until RethinkDB has told all feeds: two changes may come to two feeds in different orders else. */
    const change = async (query: Query): Promise<void> => {
      const count = changesIn(await writes.run(query, SOFT));
      await Promise.all(readers.map(({ echo }) => echo.take(count)));
    };

    const begin = async (rows: Histories['rows']): Promise<void> => {
      await change((r) => r.expr(TABLES.map((table) => r.table(table).delete())));
      await change((r) => r.table('t').insert(rows.map((row) => rowTerm(r, row))));
    };

    const play = async (steps: readonly Step[], together: boolean, after: () => Promise<void>): Promise<void> => {
      const queries = steps.map(({ table, write }) => writeQuery(table, write));
      if (together) await change((r) => r.expr(queries.map((query) => query(r))));
      else {
        for (const query of queries) {
          await change(query);
          await after();
        }
      }
    };

    const watch = (told: LiveQuery, asked: object): Promise<readonly Watcher[]> =>
      Promise.all(readers.map(({ plan, reader }) => Watcher.open(reader, plan, told, asked)));

    /** Watches queries while histories are played, and gives what is wrong. */
    const follow = async (
      queries: readonly LiveQuery[],
      { rows, histories }: Histories,
      asked: object,
      settled: boolean,
    ): Promise<readonly Failure[]> => {
      const failures: Failure[] = [];
      const attempt = async (told: LiveQuery, step: () => Promise<void>): Promise<void> => {
        await step().catch((error: unknown) => void failures.push({ told, error }));
      };
      const watched: { readonly told: LiveQuery; readonly watchers: readonly Watcher[] }[] = [];
      await begin(rows);
      await Promise.all(
        queries.map((told) =>
          attempt(told, async () => {
            const watchers = await watch(told, asked);
            watched.push({ told, watchers });
            if (settled) await Promise.all(watchers.map((watcher) => watcher.ready(OPENING_MS)));
          }),
        ),
      );
      // What the values over several sources were before and after each write.
      const moments = new Map<LiveQuery, unknown[]>(
        watched
          .filter(
            ({ told: { several, moments, shows } }) => moments === true || (several === true && shows === undefined),
          )
          .map(({ told }) => [told, []]),
      );
      const remember = async (): Promise<void> => {
        await Promise.all([...moments].map(async ([told, had]) => had.push((await truthOf(writes, told)).shown)));
      };
      if (settled) await remember();
      for (const steps of histories) {
        if (failures.length > 0) break;
        await play(steps, !settled, remember);
        await Promise.all(
          watched.map(({ told, watchers }) =>
            attempt(told, async () => {
              const now = await truthOf(writes, told);
              await Promise.all(watchers.map((watcher) => watcher.rest(now, OPENING_MS)));
              if (settled && told.several !== true) await agree(watchers, now);
              const had = moments.get(told);
              if (settled && had !== undefined) for (const watcher of watchers) onlyShows(watcher, had);
            }),
          ),
        );
      }
      await Promise.all(watched.flatMap(({ watchers }) => watchers.map((watcher) => watcher.close())));
      return failures;
    };

    test.each(laws)(
      '$law',
      async ({ played, asked: options, settled }) => {
        // Once queries have failed, only they are watched: what is made small is their history.
        let left = liveQueries.filter(({ name }) => QUERIES.test(name));
        await fc.assert(
          fc.asyncProperty(played, options, async (histories, asked) => {
            const failures = await follow(left, histories, asked, settled);
            if (failures.length === 0) return;
            left = failures.map(({ told }) => told);
            throw new Error(failures.map(({ told, error }) => `${told.name}: ${error}`).join('\n'));
          }),
          PARAMETERS,
        );
      },
      HOURS,
    );
  });
}

interface Reader {
  readonly plan: string;
  readonly reader: Connection;
  /** Shows each change of a row, after all other feeds of this connection were told of it. */
  readonly echo: Feed;
}

/** How many rows a write, or several, changed; a write that the server refuses (an object merged into a time) changes none. */
function changesIn(result: unknown): number {
  if (Array.isArray(result)) return result.reduce<number>((sum, one) => sum + changesIn(one), 0);
  const { inserted, replaced, deleted } = { inserted: 0, replaced: 0, deleted: 0, ...Object(result) };
  return inserted + replaced + deleted;
}

interface Failure {
  readonly told: LiveQuery;
  readonly error: unknown;
}

/** Reads until all watchers are at rest and have seen equally much, and compares what they saw. */
async function agree(watchers: readonly Watcher[], now: Truth): Promise<void> {
  const most = Math.max(...watchers.map(({ documents }) => documents.length));
  await Promise.all(
    watchers.map(async (watcher) => {
      await watcher.reach(most);
      await watcher.rest(now);
    }),
  );
  if (watchers.some(({ documents }) => documents.length > most)) return agree(watchers, now);
  const [first, ...others] = watchers.map(inOrder);
  const other = others.find((documents) => !isSame(documents, first));
  if (other !== undefined) throw new Error(`${print(other)} is not ${print(first)}`);
}

/** Fails where a value was shown that the query had at no moment. */
function onlyShows({ documents }: Watcher, had: readonly unknown[]): void {
  for (const document of documents) {
    const value =
      typeof document === 'object' && document !== null && 'new_val' in document ? document.new_val : undefined;
    if (value === undefined || had.some((moment) => isSame(moment, value))) continue;
    throw new Error(`${print(document)} shows what was at no moment; there were ${print(had)}`);
  }
}

/** Documents in an order that does not depend on how the rows of one write come: within each group, or sorted as rows. */
function inOrder({ told: { shows = 'value' }, documents }: Watcher): readonly unknown[] {
  if (shows === 'value') return documents;
  if (shows === 'rows') return documents.map(print).sort();
  return documents
    .map((document, at) => ({ group: print(groupOf(document)), at, document }))
    .sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.at - b.at))
    .map(({ document }) => document);
}

/** As JSON: 0 and -0 print alike, as they are equal to ReQL. */
function print(document: unknown): string {
  return JSON.stringify(document);
}

function groupOf(document: unknown): unknown {
  return typeof document === 'object' && document !== null && 'group' in document ? document.group : null;
}
