// One answer of RethinkDB's goes wrong, whichever it is: of those to the queries of feeds, of those to the questions about
// them, while they are opened, read again or handed over. Whoever is still there is shown the truth, chained; upstream has one feed
// for each query, but while it is handed over, and none in the end. LIVEFOLD_RUNS says how many answers are chosen.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { eventually } from '../support/checks/eventually.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { UpstreamFeeds } from '../support/checks/upstream-feeds.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type AnswerFault, type AnswerFaults, answerFaults, type Suffering } from '../support/servers/answer-faults.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { createTable } from '../support/servers/stage.ts';

const DB = 'answer_faults';
/** Who follows, and does nothing else: what upstream runs for him is counted. */
const USER = 'answered';
const PLANS = ['server', 'proxy'] as const;
const ROWS = 40;
/** A reading that says nothing is begun anew after some seconds, the next one after twice as many. */
const DEADLINE_MS = 30_000;
const HAND_OVER_MS = 2_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly query: Query; readonly shows?: Shows }[] = [
  { query: (r) => T(r).sum('n') },
  { query: (r) => T(r).group('k').count(), shows: 'groups' },
  { query: (r) => T(r)('n').distinct().count() },
];

const KINDS: readonly AnswerFault[] = ['reset', 'error', 'silence'];
/** Opening the feeds takes some ten answers, and each healing some ten more. */
const MOST_ANSWERS = 40;
const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const faults: readonly Suffering[] = KINDS.flatMap((kind, at) => {
  const count = Math.min(MOST_ANSWERS, RUNS);
  return Array.from({ length: count }, (_, one) => ({
    kind,
    at: Math.floor((MOST_ANSWERS / count) * (one + (at + 1) / 4)),
  }));
});

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let base: Base;
    let writes: Connection;
    let looks: Connection;
    let link: AnswerFaults;
    let proxy: RunningProxy;
    const upstream = new UpstreamFeeds(USER);
    /** What the next connection suffers. */
    let suffers: Suffering | undefined;

    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      looks = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      await createTable(writes, 't');
      const users = (r: Reql): Reql => r.db('rethinkdb').table('users');
      await writes.run((r) => users(r).insert({ id: USER, password: '' }, { conflict: 'replace' }));
      await writes.run((r) => r.db(DB).grant(USER, { read: true }));
      link = await answerFaults(base.address, () => suffers);
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now, upstreamQueueSize: 5 };
      proxy = await proxyOver(link.address, createOpenFeed(settings), { observers: [upstream] });
    });
    afterAll(async () => {
      await proxy.destroy();
      await link.close();
      await writes.run((r) => r.dbDrop(DB));
      await writes.run((r) => r.db('rethinkdb').table('users').get(USER).delete());
      await writes.close();
      await looks.close();
      await base.close();
    });

    const upstreamHas = async (count: number): Promise<void> => {
      const deadline = performance.now() + DEADLINE_MS;
      let has = await upstream.running(writes);
      while (has !== count && performance.now() < deadline) has = await upstream.running(writes);
      expect(has).toBe(count);
    };

    const connect = (suffering: Suffering | undefined): Promise<Connection> => {
      suffers = suffering;
      return official.connect(proxy.address, { db: DB, user: USER, password: '' });
    };

    const follow = (connection: Connection): Promise<readonly Followed[]> =>
      Promise.all(
        watched.map(async ({ query, shows = 'value' }) => {
          const feed = await connection.feed((r) => query(r).changes({ includeInitial: true }));
          return { query, feed, state: new FeedState(shows) };
        }),
      );

    test.each(faults)(
      'a $kind in the place of answer $at',
      async (suffering) => {
        await writes.run((r) => T(r).delete());
        await writes.run((r) => T(r).insert(r.range(ROWS).map((id: Reql) => ({ id, n: id.mod(9), k: id.mod(4) }))));
        const looking = upstream.watch(looks);
        // One carries, one takes over and suffers as well, one is there in the end.
        const suffering2 = { ...suffering, at: suffering.at + 7 };
        const first = await connect(suffering);
        // Whoever suffers may be told so, at whatever he does.
        const [one] = await Promise.allSettled([follow(first)]);
        const second = await connect(suffering2);
        const two = follow(second).catch(() => {});
        const lasting = await connect(undefined);
        const followed = await follow(lasting);
        for (let round = 0; round < 3; round++) {
          await writes.run((r) => T(r).update({ n: r.row('n').add(1) }, { durability: 'soft' }));
        }
        await writes.run((r) => T(r).get(1).delete());
        await restAll(followed, writes, DEADLINE_MS);
        // Whom an error has not ended is shown the truth as well.
        if (one.status === 'fulfilled' && suffering.kind !== 'reset') await restAll(one.value, writes, DEADLINE_MS);
        await first.close().catch(() => {});
        await writes.run((r) => T(r).get(2).update({ n: 100, k: 1 }));
        await restAll(followed, writes, DEADLINE_MS);
        await two;
        await second.close().catch(() => {});
        await writes.run((r) => T(r).get(3).update({ n: 101, k: 2 }));
        await restAll(followed, writes, DEADLINE_MS);
        await upstreamHas(watched.length);
        await lasting.close();
        await upstreamHas(0);
        expect(await looking()).toBeLessThan(HAND_OVER_MS);
        await eventually('all connections are closed', () => link.open === 0);
      },
      DEADLINE_MS * 4,
    );
  });
}
