// Feeds that RethinkDB ends or spoils for reasons of its own are read again, and go on with the net change: an overflow of its queue, a
// table that is cut into other shards. Final errors end them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { connectRaw, type RawClient } from '../support/servers/raw.ts';
import { REAL } from '../support/servers/server-names.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';

const DB = 'healing';
const ROWS = 300;
const SLOW_MS = 30_000;
const PLANS = ['server', 'proxy'] as const;
/** Rows that change under those who do not read. LIVEFOLD_ROWS says how many. */
const MANY = Number(process.env['LIVEFOLD_ROWS'] ?? 100);
/** What the proxy may keep. Of many rows the changes, as they come, would take several times as much. */
const ENOUGH_BYTES = Math.max(512 * 1024, MANY * 80);
/** Rows where it does not matter how many there are: folds cost the embedded server milliseconds a row. */
const FEW = 30;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly name: string; readonly query: Query; readonly shows?: Shows }[] = [
  { name: 'a count', query: (r) => T(r).count() },
  { name: 'a sum', query: (r) => T(r).sum('n') },
  { name: 'an average', query: (r) => T(r).avg('n') },
  { name: 'a maximum', query: (r) => T(r).max('n')('n') },
  { name: 'an expression', query: (r) => T(r).sum('n').div(T(r).count()) },
  { name: 'a list', query: (r) => T(r)('n').distinct().count() },
  { name: 'groups', query: (r) => T(r).group('k').sum('n'), shows: 'groups' },
  { name: 'counts of groups', query: (r) => T(r).group('k').count(), shows: 'groups' },
  { name: 'rows of groups', query: (r) => T(r).group('k').sum('n').ungroup(), shows: 'rows' },
  { name: 'distinct values', query: (r) => T(r)('k').distinct(), shows: 'rows' },
  {
    name: 'a leaderboard',
    query: (r) => T(r).group('k').sum('n').ungroup().orderBy(r.desc('reduction')).limit(2),
    shows: 'rows',
  },
  { name: 'a reduction', query: (r) => T(r)('n').reduce((a: Reql, b: Reql) => a.add(b)) },
];

/** Those whose state is small, with what a client writes: of many rows groups outgrow the server plan. */
const stalling: readonly { readonly query: Query; readonly text: string; readonly shows?: Shows }[] = [
  { query: (r) => T(r).sum('n'), text: "table('t').sum('n')" },
  { query: (r) => T(r).group('k').sum('n'), text: "table('t').group('k').sum('n')", shows: 'groups' },
];

for (const base of bases) {
  describe.skipIf(!base.there).each(PLANS)(`${base.name}, %s plan`, (plan) => {
    let running: Base;
    let writes: Connection;
    let proxy: RunningProxy;
    let client: Connection;
    /** For whose feeds RethinkDB keeps few changes. */
    let narrow: RunningProxy;
    let narrowClient: Connection;
    beforeAll(async () => {
      running = await base.start();
      writes = await official.connect(running.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now };
      proxy = await proxyOver(running.address, createOpenFeed(settings));
      client = await official.connect(proxy.address, { db: DB });
      narrow = await proxyOver(running.address, createOpenFeed({ ...settings, upstreamQueueSize: 20 }));
      narrowClient = await official.connect(narrow.address, { db: DB });
    });
    afterAll(async () => {
      for (const connection of [client, narrowClient]) await connection.close();
      for (const one of [proxy, narrow]) await one.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await running.close();
    });

    const makeTable = async (rows: number): Promise<void> => {
      await writes.run((r) => r.branch(r.tableList().contains('t'), r.tableDrop('t'), {}));
      await writes.run((r) => r.tableCreate('t'));
      await writes.run((r) => T(r).wait());
      await writes.run((r) =>
        T(r).insert(
          r.range(rows).map((id: Reql) => ({ id, n: id.mod(7), k: r.expr('k').add(id.mod(5).coerceTo('string')) })),
          { durability: 'soft' },
        ),
      );
    };

    /** A table with rows in it, and feeds of everything that is watched. */
    const begin = async (
      options: object,
      over: Connection = client,
      rows: number = FEW,
    ): Promise<readonly Followed[]> => {
      await makeTable(rows);
      return Promise.all(
        watched.map(async ({ query, shows = 'value' }) => {
          const feed = await over.feed((r) =>
            query(r).changes({ includeInitial: true, includeStates: true, ...options }),
          );
          const state = new FeedState(shows);
          for (const document of await feed.takeUntil('ready', isReady)) state.add(document);
          return { query, feed, state };
        }),
      );
    };

    const rest = async (followed: readonly Followed[]): Promise<void> => {
      // A fold over 300 changes takes RethinkDB seconds where the state grows with its rows.
      await restAll(followed, writes, SLOW_MS);
      for (const { feed } of followed) await feed.close();
    };

    test.each([
      ['of a client is short', { changefeedQueueSize: 20 }, () => client],
      ['of RethinkDB runs over', {}, () => narrowClient],
    ])(
      'a queue that %s is nothing that a client sees',
      async (_, options, over) => {
        const followed = await begin(options, over(), ROWS);
        await writes.run((r) => T(r).update({ n: r.row('n').add(1), k: 'k1' }, { durability: 'soft' }));
        await writes.run((r) => T(r).get(3).update({ n: 100 }));
        await rest(followed);
      },
      SLOW_MS * 2,
    );

    test(
      'who has stopped reading while all rows change is told the net change, and little waits for him',
      async () => {
        const small = await proxyOver(
          running.address,
          createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: Date.now }),
          {
            maxMemory: ENOUGH_BYTES,
          },
        );
        await makeTable(MANY);
        const stalled: { readonly peer: RawClient; readonly query: Query; readonly state: FeedState }[] = [];
        for (const { query, text, shows = 'value' } of stalling) {
          const peer = await connectRaw(small.address, 'V0_4', MANY + 10_000);
          const state = new FeedState(shows);
          const asked = `r.db('${DB}').${text}.changes({includeInitial: true, includeStates: true})`;
          let body = JSON.parse(await peer.ask(queryOfText(asked)));
          for (;;) {
            for (const document of body.r) state.add(document);
            if (body.r.some(isReady)) break;
            body = JSON.parse(await peer.more());
          }
          stalled.push({ peer, query, state });
        }
        // The changes are more than there is memory for: the things that have changed bound what waits.
        for (let round = 0; round < 3; round++) {
          await writes.run((r) => T(r).update({ n: r.row('n').add(1) }, { durability: 'soft' }));
        }
        for (const { peer, query, state } of stalled) {
          const truth = await writes.run(query);
          while (!state.equals(truth)) for (const document of JSON.parse(await peer.more()).r) state.add(document);
          peer.close();
        }
        await small.destroy();
      },
      MANY * 5 + 60_000,
    );

    test.runIf(base.name === REAL)(
      'a table that is cut into other shards goes on',
      async () => {
        const followed = await begin({});
        for (const shards of [3, 1]) {
          await writes.run((r) =>
            T(r)
              .get(1)
              .update({ n: r.row('n').add(10) }),
          );
          await writes.run((r) => T(r).reconfigure({ shards, replicas: 1 }));
          await writes.run((r) => T(r).wait());
          await writes.run((r) =>
            T(r)
              .get(2)
              .update({ k: `k${shards}`, n: 5 }),
          );
        }
        await rest(followed);
      },
      60_000,
    );

    test.runIf(base.name === REAL)('who wants to know is told that a feed is being healed', async () => {
      const [first, ...more] = await begin({ includeHealing: true });
      for (const { feed } of more) await feed.close();
      await writes.run((r) => T(r).reconfigure({ shards: 2, replicas: 1 }));
      await writes.run((r) => T(r).wait());
      const told = (await first?.feed.takeUntil('healed', (document) => isState(document, 'healed'))) ?? [];
      expect(told.filter((document) => isState(document, 'healing'))).toHaveLength(1);
      await first?.feed.close();
    });

    /** Why feeds are ended at once, and what the server says. */
    const finals: readonly {
      readonly name: string;
      readonly writes: readonly Query[];
      readonly says: ReturnType<typeof error>;
    }[] = [
      {
        name: 'the table is dropped',
        writes: [(r) => r.tableDrop('t')],
        says: error('OP_FAILED', /^Changefeed aborted|^Table `healing\.t` does not exist\.$/),
      },
      {
        name: 'the database is dropped',
        writes: [(r) => r.dbDrop(DB)],
        says: error('OP_FAILED', /^Changefeed aborted|^Database `healing` does not exist\.$/),
      },
      {
        name: 'the right is taken',
        writes: [
          (r) => r.db(DB).grant('reader', { read: false }),
          (r) => T(r).insert({ id: 'new', n: 1000, k: 'new' }),
        ],
        says: error('PERMISSION', /^User `reader` does not have the required `read` permission/),
      },
      {
        name: 'a value is of the wrong type',
        writes: [(r) => T(r).insert({ id: 'new', n: 'many', k: 'new' })],
        says: error('QUERY_LOGIC', /^Expected type NUMBER but found STRING\.$/),
      },
    ];

    const ends = async (followed: readonly Followed[], says: ReturnType<typeof error>): Promise<void> => {
      for (const { feed, query } of followed) {
        const ending = await feed
          .ending()
          .catch((late: Error) => Promise.reject(new Error(`${query}: ${late.message}`)));
        if (ending.kind !== 'failed') throw new Error(`${query}: no error`);
        expectError(ending.error, says);
      }
    };

    const asReader = async (play: (reader: Connection) => Promise<void>): Promise<void> => {
      const users = (r: Reql): Reql => r.db('rethinkdb').table('users');
      await writes.run((r) => r.branch(r.dbList().contains(DB), {}, r.dbCreate(DB)));
      await writes.run((r) => users(r).insert({ id: 'reader', password: '' }, { conflict: 'replace' }));
      await writes.run((r) => r.db(DB).grant('reader', { read: true }));
      const reader = await official.connect(narrow.address, { db: DB, user: 'reader', password: '' });
      try {
        await play(reader);
      } finally {
        await reader.close();
        await writes.run((r) => users(r).get('reader').delete());
        await writes.run((r) => r.branch(r.dbList().contains(DB), {}, r.dbCreate(DB)));
      }
    };

    test.each(finals)('when $name feeds end at once, in the words of RethinkDB', ({ writes: done, says }) =>
      asReader(async (reader) => {
        const followed = await begin({}, reader);
        for (const write of done) await writes.run(write);
        // A number is what these read.
        await ends(says.kind === 'QUERY_LOGIC' ? followed.slice(1, 3) : followed, says);
      }),
    );

    test.each(finals)('when $name while feeds are being read again they end at once', ({ writes: done, says }) =>
      asReader(async (reader) => {
        const followed = await begin({}, reader);
        const changed = writes
          .run((r) => T(r).update({ n: r.row('n').add(1), k: 'k1' }, { durability: 'soft' }))
          // The table may go under it.
          .catch(() => {});
        for (const write of done) await writes.run(write);
        await changed;
        await ends(says.kind === 'QUERY_LOGIC' ? followed.slice(1, 3) : followed, says);
      }),
    );

    test('a sign of life comes while nothing changes', async () => {
      const followed = await begin({ heartbeat: 0.05 });
      for (const { feed } of followed) {
        await feed.takeUntil('a sign of life', (document) => isState(document, 'alive'));
        await feed.takeUntil('another one', (document) => isState(document, 'alive'));
        await feed.close();
      }
    });
  });
}

function isState(document: unknown, state: string): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === state;
}

function isReady(document: unknown): boolean {
  return isState(document, 'ready');
}
