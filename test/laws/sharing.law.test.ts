// Subscribers that come, go, die and stop reading while a table is written to: each of them sees a chain that ends at the truth,
// what a late one is told is what an early one is told from there on, what a client has written he sees at once, and upstream has
// one feed for all of them, or none when all have left. LIVEFOLD_RUNS says how often, for each plan and database, and
// LIVEFOLD_FIGURES names a file that gets a line with the number of joins for each query.

import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningProxy } from '../../proxy/listener.ts';
import { FeedState } from '../support/checks/feed-state.ts';
import { truthOf } from '../support/checks/oracle.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { type Cursor, Feed } from '../support/servers/fetch.ts';
import { type Base, bases, proxyOver, rewriting } from '../support/servers/servers.ts';
import { createTable } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const FIGURES = process.env['LIVEFOLD_FIGURES'];
const PLANS = ['server', 'proxy'] as const;
const CONNECTIONS = 3;
const DB = 'sharing';
/** Who follows, and does nothing else: what upstream runs for him is counted. */
const USER = 'follower';

/** What happens, one after the other. */
type Event =
  | { readonly kind: 'join'; readonly connection: number; readonly asks: { readonly includeStates: boolean } }
  /** Many join at once, and leave when they have been shown the truth. */
  | { readonly kind: 'crowd'; readonly count: number }
  /** One joins who does not read. */
  | { readonly kind: 'stall' }
  /** He who has not read for longest reads on. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'leave'; readonly who: number }
  | { readonly kind: 'die'; readonly connection: number }
  | { readonly kind: 'write'; readonly id: number; readonly k: string; readonly n: number }
  | { readonly kind: 'delete'; readonly id: number };

const connection = fc.nat(CONNECTIONS - 1);
const asks = fc.record({ includeStates: fc.boolean(), includeTypes: fc.boolean() });
const id = fc.nat(5);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('join' as const), connection, asks }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crowd' as const), count: fc.integer({ min: 5, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('stall' as const, 'wake' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), connection }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), id, k: fc.constantFrom('a', 'b'), n: fc.nat(3) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
);

const T = (r: Reql): Reql => r.table('t');
const watched: readonly LiveQuery[] = [
  { name: 'a count', query: (r) => T(r).count() },
  { name: 'a sum of a function', query: (r) => T(r).sum((row: Reql) => row('n')) },
  { name: 'an expression', query: (r) => T(r).max('n')('n').add(T(r).count()).default(0) },
  { name: 'sums of groups', shows: 'groups', query: (r) => T(r).group('k').sum('n') },
  { name: 'distinct values', shows: 'rows', query: (r) => T(r)('n').distinct() },
  {
    name: 'a leaderboard',
    shows: 'rows',
    query: (r) => T(r).group('k').count().ungroup().orderBy('reduction').limit(1),
  },
];

/** One who does not read. */
interface Stalled {
  readonly cursor: Cursor;
  readonly state: FeedState;
}

/** One who follows. */
interface Follower {
  readonly connection: number;
  readonly feed: Feed;
  readonly state: FeedState;
  /** Changes that he was told. */
  readonly told: string[];
}

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let base: Base;
    let proxy: RunningProxy;
    let writes: Connection;
    beforeAll(async () => {
      base = await under.start();
      proxy = await proxyOver(base.address, rewriting(plan));
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      await createTable(writes, 't');
      await writes.run((r) =>
        r.db('rethinkdb').table('users').insert({ id: USER, password: '' }, { conflict: 'replace' }),
      );
      await writes.run((r) => r.db(DB).grant(USER, { read: true }));
    });
    afterAll(async () => {
      await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.run((r) => r.db('rethinkdb').table('users').get(USER).delete());
      await writes.close();
      await base.close();
    });

    /** Queries that upstream runs for those who follow. */
    const feedsUpstream = async (): Promise<unknown> =>
      writes.run((r) =>
        r
          .db('rethinkdb')
          .table('jobs')
          .filter((job: Reql) => job('type').eq('query').and(job('info')('user').eq(USER)))
          .count(),
      );

    const upstreamHas = async (count: number): Promise<void> => {
      const deadline = performance.now() + 5_000;
      let have = await feedsUpstream();
      while (have !== count && performance.now() < deadline) have = await feedsUpstream();
      expect(have).toBe(count);
    };

    test.each(watched)(
      '$name',
      async (told) => {
        let joins = 0;
        const play = async (events: readonly Event[]): Promise<void> => {
          await writes.run((r) => T(r).delete());
          const connections = await Promise.all(
            Array.from({ length: CONNECTIONS }, () =>
              official.connect(proxy.address, { db: DB, user: USER, password: '' }),
            ),
          );
          // Its cursors are read by nobody: the driver asks for one answer, and for no more.
          const lazy = await official.dial(proxy.address, { db: DB, user: USER, password: '' });
          const stalled: Stalled[] = [];
          const followers: Follower[] = [];
          const leave = (gone: readonly Follower[]): void => {
            for (const follower of gone) followers.splice(followers.indexOf(follower), 1);
          };
          const read = async ({ feed, state, told: changes }: Follower): Promise<void> => {
            for (const document of await feed.take(feed.waiting.length)) {
              state.add(document);
              if (isChange(document))
                changes.push(JSON.stringify([document.group, document.old_val, document.new_val]));
            }
          };
          const rest = async (): Promise<void> => {
            const truth = await truthOf(writes, told);
            for (const follower of followers) {
              await read(follower);
              while (!truth.holds(follower.state)) {
                const [document] = await follower.feed.take(1).catch((error: Error) => {
                  throw new Error(`rests at ${follower.state}, not ${JSON.stringify(truth.shown)}: ${error.message}`);
                });
                follower.state.add(document);
                if (isChange(document)) {
                  follower.told.push(JSON.stringify([document.group, document.old_val, document.new_val]));
                }
                await read(follower);
              }
            }
            // Those who came late were told what those who came early were told from then on.
            const [first] = followers;
            for (const { told: late } of followers) {
              expect(late).toEqual(first?.told.slice(first.told.length - late.length));
            }
          };
          /** Reads on until he is shown the truth, and leaves. */
          const wake = async ({ cursor, state }: Stalled): Promise<void> => {
            const truth = await truthOf(writes, told);
            const feed = new Feed(cursor);
            while (!truth.holds(state) || feed.waiting.length > 0) {
              const [document] = await feed.take(1).catch((error: Error) => {
                throw new Error(`wakes at ${state}, not ${JSON.stringify(truth.shown)}: ${error.message}`);
              });
              state.add(document);
            }
            await feed.close();
          };
          const happen: { readonly [Kind in Event['kind']]: (event: Extract<Event, { kind: Kind }>) => Promise<void> } =
            {
              async crowd({ count }) {
                joins += count;
                const truth = await truthOf(writes, told);
                const come = Array.from({ length: count }, async (_, at) => {
                  const feed = await (connections[at % CONNECTIONS] as Connection).feed((r) =>
                    told.query(r).changes({ includeInitial: true, includeStates: true }),
                  );
                  const state = new FeedState(told.shows ?? 'value');
                  for (const document of await feed.takeUntil('ready', isReady)) state.add(document);
                  if (!truth.holds(state)) throw new Error(`begins at ${state}, not at ${JSON.stringify(truth.shown)}`);
                  await feed.close();
                });
                await Promise.all(come);
              },
              async stall() {
                joins++;
                const cursor = await official.open(lazy, (r) => told.query(r).changes({ includeInitial: true }));
                stalled.push({ cursor, state: new FeedState(told.shows ?? 'value') });
              },
              async wake() {
                const [first] = stalled.splice(0, 1);
                if (first !== undefined) await wake(first);
              },
              async join(joined) {
                joins++;
                const feed = await (connections[joined.connection] as Connection).feed((r) =>
                  told.query(r).changes({ includeInitial: true, ...joined.asks }),
                );
                const follower: Follower = {
                  connection: joined.connection,
                  feed,
                  state: new FeedState(told.shows ?? 'value'),
                  told: [],
                };
                followers.push(follower);
                if (joined.asks.includeStates) {
                  // Everything that was written before is in what he is shown first.
                  const first = await feed.takeUntil('ready', isReady);
                  for (const document of first) follower.state.add(document);
                  const truth = await truthOf(writes, told);
                  if (!truth.holds(follower.state)) {
                    throw new Error(`begins at ${follower.state}, not at ${JSON.stringify(truth.shown)}`);
                  }
                }
                await rest();
              },
              async leave({ who }) {
                const follower = followers[who];
                if (follower === undefined) return;
                leave([follower]);
                await follower.feed.close();
              },
              async die({ connection: at }) {
                leave(followers.filter((follower) => follower.connection === at));
                await (connections[at] as Connection).close();
                connections[at] = await official.connect(proxy.address, { db: DB, user: USER, password: '' });
              },
              async write({ kind: _, ...row }) {
                await writes.run((r) => T(r).insert(row, { conflict: 'replace', durability: 'soft' }));
              },
              async delete({ id: gone }) {
                await writes.run((r) => T(r).get(gone).delete({ durability: 'soft' }));
              },
            };
          for (const one of events) await happen[one.kind](one as never);
          await rest();
          await upstreamHas(followers.length + stalled.length === 0 ? 0 : 1);
          for (const one of stalled) await wake(one);
          await lazy.close({ noreplyWait: false });
          for (const { close } of connections) await close();
          await upstreamHas(0);
        };
        await fc.assert(
          fc.asyncProperty(fc.array(event, { minLength: 4, maxLength: 25 }), (events) => play(events)),
          { numRuns: RUNS, endOnFailure: true },
        );
        const figures = { law: told.name, plan, over: under.name, runs: RUNS, joins };
        if (FIGURES !== undefined) appendFileSync(FIGURES, `${JSON.stringify(figures)}\n`);
      },
      RUNS * 30_000,
    );
  });
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}

interface ChangeDocument {
  readonly group?: unknown;
  readonly old_val: unknown;
  readonly new_val: unknown;
}

function isChange(document: unknown): document is ChangeDocument {
  return typeof document === 'object' && document !== null && 'old_val' in document;
}
