// Subscribers that come, go, die and stop reading while a table is written to: each of them sees a chain that ends at the truth,
// a late one is told the same as an early one from there on, his first values hold all writes from before he asked,
// and upstream has one feed for each query that somebody follows, and none when all have left. LIVEFOLD_RUNS says how many
// histories are played, for each plan and database; each has some sixty joins. Where there are several, the number of joins is
// printed, and LIVEFOLD_FIGURES names a file that gets a line with it for each history.

import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningProxy } from '../../proxy/listener.ts';
import { Follower, type FollowerOptions } from '../support/checks/follower.ts';
import { truthOf } from '../support/checks/oracle.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Reql } from '../support/reql.ts';
import { type Connection, official, type RawConnection } from '../support/servers/drivers.ts';
import { type Cursor, Feed } from '../support/servers/fetch.ts';
import { type Base, bases, proxyOver, rewriting } from '../support/servers/servers.ts';
import { createTable } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const FIGURES = process.env['LIVEFOLD_FIGURES'];
const PLANS = ['server', 'proxy'] as const;
const CONNECTIONS = 4;
const DB = 'sharing';
/** Who follows, and does nothing else: what upstream runs for him is counted. */
const USER = 'follower';
const LOGIN = { db: DB, user: USER, password: '' };
/** Who stays of those who came together. */
const FEW = 3;

const T = (r: Reql): Reql => r.table('t');
const watched = [
  { name: 'a count', query: (r) => T(r).count() },
  { name: 'a sum of a function', query: (r) => T(r).sum((row: Reql) => row('n')) },
  { name: 'an expression', query: (r) => T(r).max('n')('n').add(T(r).count()).default(0) },
  { name: 'the last of all stamps', query: (r) => T(r)('stamp').max().default(0) },
  { name: 'sums of groups', shows: 'groups', query: (r) => T(r).group('k').sum('n') },
  { name: 'distinct values', shows: 'rows', query: (r) => T(r)('n').distinct() },
  {
    name: 'a leaderboard',
    shows: 'rows',
    query: (r) => T(r).group('k').count().ungroup().orderBy('reduction').limit(1),
  },
] as const satisfies readonly LiveQuery[];
/** The query whose value says which writes it holds. */
const STAMPS = watched.findIndex(({ name }) => name === 'the last of all stamps');

interface Join {
  readonly query: number;
  readonly connection: number;
  readonly options: FollowerOptions;
}
/** One who does not read. */
interface Stalled {
  readonly query: number;
  readonly cursor: Cursor;
}
interface Write {
  readonly id: number;
  readonly k: string;
  readonly n: number;
}

/** What happens, one after the other. */
type Event =
  /**
   * Some join at once, in the proxy plan right after so many rows were written at once, while nothing else happens; of those few stay.
   */
  | { readonly kind: 'joins'; readonly joins: readonly Join[]; readonly rows: number }
  /** Many join while writes are on their way, and, with `dies`, while a connection goes, which may be their own. */
  | {
      readonly kind: 'rush';
      readonly joins: readonly Join[];
      readonly writes: readonly Write[];
      readonly dies?: number;
    }
  /** One joins who does not read. */
  | { readonly kind: 'stall'; readonly query: number }
  /** He who has not read for longest reads on. */
  | { readonly kind: 'wake' }
  | { readonly kind: 'leave'; readonly who: readonly number[] }
  | { readonly kind: 'die'; readonly connection: number }
  /** The connection goes of those who do not read. */
  | { readonly kind: 'stalled die' }
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  | { readonly kind: 'delete'; readonly id: number }
  | { readonly kind: 'rest' };

const connection = fc.nat(CONNECTIONS - 1);
const query = fc.nat(watched.length - 1);
const options = fc.record({
  includeStates: fc.boolean(),
  includeTypes: fc.boolean(),
  squash: fc.constantFrom(false, false, true),
});
const join: fc.Arbitrary<Join> = fc.record({ query, connection, options });
const id = fc.nat(5);
const write: fc.Arbitrary<Write> = fc.record({ id, k: fc.constantFrom('a', 'b'), n: fc.nat(3) });
const kind = <Kind extends string>(one: Kind): fc.Arbitrary<Kind> => fc.constant(one);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('joins'),
      joins: fc.array(join, { minLength: 1, maxLength: 40 }),
      rows: fc.constantFrom(0, 0, 30, 300),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        kind: kind('rush'),
        joins: fc.array(join, { minLength: 5, maxLength: 40 }),
        writes: fc.array(write, { minLength: 1, maxLength: 8 }),
        dies: connection,
      },
      { requiredKeys: ['kind', 'joins', 'writes'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('stall'), query }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('wake' as const, 'stalled die' as const, 'rest' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('leave'), who: fc.array(fc.nat(30), { minLength: 1, maxLength: 10 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('die'), connection }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('writes'), writes: fc.array(write, { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete'), id }) },
);

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

    const connect = (): Promise<Connection> => official.connect(proxy.address, LOGIN);

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

    const queryOf = (at: number): LiveQuery => watched[at] as LiveQuery;
    let joined = 0;
    /** Counts the writes, over all histories. */
    let stamp = 0;

    /** One history. */
    const play = async (events: readonly Event[]): Promise<void> => {
      const before = joined;
      await writes.run((r) => T(r).delete({ durability: 'soft' }));
      const connections = await Promise.all(Array.from({ length: CONNECTIONS }, connect));
      // Nobody reads its cursors: the driver asks for one answer, and for no more.
      let lazy: RawConnection = await official.dial(proxy.address, LOGIN);
      let stalled: Stalled[] = [];
      const followers = new Set<Follower>();
      const truths = new Map<number, ReturnType<typeof truthOf>>();
      const truth = (at: number): ReturnType<typeof truthOf> => {
        const known = truths.get(at) ?? truthOf(writes, queryOf(at));
        truths.set(at, known);
        return known;
      };
      const put = async (row: Write): Promise<void> => {
        truths.clear();
        stamp++;
        const stamped = { ...row, stamp };
        await writes.run((r) => T(r).insert(stamped, { conflict: 'replace', durability: 'soft' }));
        truths.clear();
      };
      const putMany = async (count: number): Promise<void> => {
        if (count === 0) return;
        truths.clear();
        stamp++;
        // What they add up to only grows, so that the truth is reached once.
        const rows = Array.from({ length: count }, (_, at) => ({ id: `${at}`, k: 'c', n: 4 + stamp, stamp }));
        await writes.run((r) => T(r).insert(rows, { conflict: 'replace', durability: 'soft' }));
        truths.clear();
      };
      const open = async (one: Join): Promise<Follower> => {
        const { query: ask, shows = 'value' } = queryOf(one.query);
        const feed = await (connections[one.connection] as Connection).feed((r) =>
          ask(r).changes({ includeInitial: true, ...one.options }),
        );
        joined++;
        return new Follower(feed, { ...one, shows });
      };
      /** All of whom a connection does not take away: the others are none of ours any more. */
      const openAll = async (joins: readonly Join[], dying?: number): Promise<readonly Follower[]> => {
        const opened = await Promise.allSettled(joins.map(open));
        return opened.flatMap((one, at) => {
          if (one.status === 'fulfilled') return one.value.following.connection === dying ? [] : [one.value];
          if (joins[at]?.connection === dying) return [];
          throw one.reason;
        });
      };
      /** Reads until each has been shown the truth, and holds those who came late to those who came early. */
      const rest = async (): Promise<void> => {
        for (const follower of followers) await follower.readTo(await truth(follower.following.query));
        for (const told of bySeen(followers)) for (const follower of told) follower.expectSuffixOf(told[0] as Follower);
        const all = [...[...followers].map(({ following }) => following), ...stalled];
        await upstreamHas(new Set(all.map(({ query: at }) => at)).size);
      };
      const stay = async (came: readonly Follower[]): Promise<void> => {
        for (const follower of came) followers.add(follower);
        await rest();
        await leave(came.slice(FEW));
      };
      const leave = async (gone: readonly Follower[]): Promise<void> => {
        for (const follower of gone) followers.delete(follower);
        await Promise.all(gone.map(({ feed }) => feed.close()));
      };
      const die = async (at: number): Promise<void> => {
        for (const follower of followers) if (follower.following.connection === at) followers.delete(follower);
        await (connections[at] as Connection).close();
        connections[at] = await connect();
      };
      const wake = async ({ query: at, cursor }: Stalled): Promise<void> => {
        const { shows = 'value' } = queryOf(at);
        const follower = new Follower(new Feed(cursor), { query: at, connection: -1, shows, options: {} });
        await follower.readTo(await truth(at));
        await follower.feed.close();
      };
      const happen: { readonly [Kind in Event['kind']]: (event: Extract<Event, { kind: Kind }>) => Promise<void> } = {
        async joins({ joins, rows }) {
          // How long RethinkDB folds many changes at once can only be guessed.
          if (plan === 'proxy') await putMany(rows);
          const came = await openAll(joins);
          for (const follower of came) {
            if (follower.following.options.includeStates !== true) continue;
            // His first values hold everything that was written before.
            await follower.readFirst();
            const { holds, shown } = await truth(follower.following.query);
            if (!holds(follower.state)) throw new Error(`begins at ${follower.state}, not at ${JSON.stringify(shown)}`);
          }
          await stay(came);
        },
        async rush({ joins, writes: rows, dies }) {
          // Those that come are greater.
          const known = (await truth(STAMPS)).shown;
          if (typeof known !== 'number') throw new TypeError('no stamp');
          const coming = openAll(joins, dies);
          const going = dies === undefined ? undefined : die(dies);
          const written = Promise.all(rows.map(put));
          const came = await coming;
          await going;
          await written;
          for (const follower of came) {
            const { query: at, options: asked } = follower.following;
            if (at !== STAMPS || asked.includeStates !== true) continue;
            await follower.readFirst();
            expect(follower.state.value).toBeGreaterThanOrEqual(known);
          }
          await stay(came);
        },
        async stall({ query: at }) {
          const cursor = await official.open(lazy, (r) => queryOf(at).query(r).changes({ includeInitial: true }));
          joined++;
          stalled.push({ query: at, cursor });
        },
        async wake() {
          const first = stalled.shift();
          if (first !== undefined) await wake(first);
        },
        async leave({ who }) {
          const all = [...followers];
          await leave([...new Set(who.flatMap((at) => all[at] ?? []))]);
        },
        die: ({ connection: at }) => die(at),
        async 'stalled die'() {
          stalled = [];
          await lazy.close({ noreplyWait: false });
          lazy = await official.dial(proxy.address, LOGIN);
        },
        async writes({ writes: rows }) {
          for (const row of rows) await put(row);
        },
        async delete({ id: gone }) {
          truths.clear();
          await writes.run((r) => T(r).get(gone).delete({ durability: 'soft' }));
        },
        rest,
      };
      for (const one of events) await happen[one.kind](one as never);
      await rest();
      for (const one of stalled) await wake(one);
      await lazy.close({ noreplyWait: false });
      for (const { close } of connections) await close();
      await upstreamHas(0);
      const figures = { law: 'sharing', plan, over: under.name, joins: joined - before };
      if (FIGURES !== undefined) appendFileSync(FIGURES, `${JSON.stringify(figures)}\n`);
    };

    test(
      'histories of those who follow',
      async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(event, { minLength: 8, maxLength: 24 }), (events) => play(events)),
          { numRuns: RUNS, endOnFailure: true },
        );
        if (RUNS > 1) process.stdout.write(`${joined} joins over ${under.name}, ${plan} plan\n`);
      },
      RUNS * 60_000,
    );
  });
}

/** Those who are told each change as it came, by what they follow: who has been told of the most is the first. */
function bySeen(followers: Iterable<Follower>): Iterable<readonly Follower[]> {
  const told = new Map<number, Follower[]>();
  for (const follower of followers) {
    const { query: at, options: asked } = follower.following;
    if (asked.squash === true) continue;
    told.set(at, [...(told.get(at) ?? []), follower]);
  }
  return [...told.values()].map((all) => all.toSorted((a, b) => b.told.length - a.told.length));
}
