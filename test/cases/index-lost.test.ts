// Indexes that are dropped, renamed or made anew under feeds, whatever they read the index for: where there is one again feeds go
// on with what it holds, where there is none they end, in the words of the server. rethinkdb/rethinkdb#6100, #6093.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { OpenFeedSettings } from '../../proxy/feed/opening/open-feed-settings.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { DEADLINE_MS, type Feed } from '../support/servers/fetch.ts';
import { connectPeer, type Peer } from '../support/servers/peer.ts';
import { REAL } from '../support/servers/server-names.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';

const DB = 'lost';
const T = (r: Reql): Reql => r.table('t');

/** Cannot be watched where the index is a function. */
const OF_FIELDS: ReadonlySet<string> = new Set(['a page of an order', 'group by the index']);

/** Every way to read an index of `t`. */
const forms: readonly (readonly [name: string, query: Query, shows?: Shows])[] = [
  ['getAll of one key', (r) => T(r).getAll(5, { index: 'n' }).count()],
  ['getAll of several keys', (r) => T(r).getAll(5, 6, { index: 'n' }).sum('n')],
  ['between', (r) => T(r).between(1, 9, { index: 'n' }).max('n')('n')],
  ['orderBy', (r) => T(r).orderBy({ index: 'n' }).count()],
  [
    'orderBy, descending',
    (r) =>
      T(r)
        .orderBy({ index: r.desc('n') })
        .map((row: Reql) => row('n'))
        .sum(),
  ],
  ['between and orderBy', (r) => T(r).between(1, 9, { index: 'n' }).orderBy({ index: 'n' }).avg('n')],
  ['the first rows of an order', (r) => T(r).orderBy({ index: 'n' }).limit(2).sum('n')],
  ['a page of an order', (r) => T(r).orderBy({ index: 'n' }).skip(1).limit(2).count()],
  ['min by the index', (r) => T(r).min({ index: 'n' })('id').add(0)],
  ['max by the index', (r) => T(r).max({ index: 'n' })('id').add(0)],
  ['group by the index', (r) => T(r).group({ index: 'n' }).count(), 'groups'],
  ['group of what it selects', (r) => T(r).getAll(5, { index: 'n' }).group('k').count(), 'groups'],
  ['contains', (r) => T(r).getAll(5, { index: 'n' })('k').contains('a')],
  ['distinct rows', (r) => T(r).getAll(5, { index: 'n' })('k').distinct(), 'rows'],
  [
    'concatMap',
    (r) =>
      T(r)
        .getAll(5, { index: 'n' })
        .concatMap((row: Reql) => [row('k'), row('n')]),
    'rows',
  ],
  ['a union with another table', (r) => T(r).getAll(5, { index: 'n' }).union(r.table('u')).count()],
  [
    'an expression over two tables',
    (r) =>
      r
        .table('u')
        .count()
        .add(T(r).getAll(5, { index: 'n' }).count()),
  ],
];

/** A feed that RethinkDB makes whole, united with one of its own: it cannot be read again. */
const united: Query = (r) =>
  r
    .table('u')
    .changes()
    .union(T(r).getAll(5, { index: 'n' }).count().changes());

/** What is done to the index, and how feeds end that are told of it. */
interface Event {
  readonly name: string;
  readonly writes: readonly Query[];
  /** Written again and again until a feed has noticed. */
  readonly until?: Query;
  /** Asked until it is so: where rows are read RethinkDB learns of it some time after it has said that it is done. */
  readonly isDone?: Query;
  /** Whether there is an index of a function then. */
  readonly isOfFunction?: boolean;
  /** How feeds end that are not healed, or cannot be. */
  readonly ends: RegExp;
}

/** An answer to a client of V0_3. */
interface OldBody {
  readonly t: number;
  readonly r: readonly { readonly new_val?: unknown }[];
}

const NOT_FOUND = /^Index `n` was not found on table `lost\.t`\.$/;
const REPLACED = /^The secondary index `n` was replaced by a different one\.$/;

/** Noticed when the server is asked. */
const seen: readonly Event[] = [
  { name: 'dropped', writes: [(r) => T(r).indexDrop('n')], ends: NOT_FOUND },
  { name: 'renamed', writes: [(r) => T(r).indexRename('n', 'other')], ends: NOT_FOUND },
];

/** The server tells by itself, also where nobody asks before all is done. */
const told: readonly Event[] = [
  {
    name: 'made anew as it was',
    writes: [(r) => T(r).indexDrop('n'), (r) => T(r).indexCreate('n'), (r) => T(r).indexWait('n')],
    ends: REPLACED,
  },
  {
    name: 'made anew in another way, with a write between',
    writes: [
      (r) => T(r).indexDrop('n'),
      (r) => T(r).insert({ id: 9, n: 5, k: 'b' }),
      (r) => T(r).indexCreate('n', (row: Reql) => row('n').mul(-1)),
      (r) => T(r).indexWait('n'),
    ],
    isOfFunction: true,
    ends: REPLACED,
  },
  {
    name: 'overwritten by another one, and then written to',
    writes: [
      (r) => T(r).indexCreate('m', (row: Reql) => row('n').mul(-1)),
      (r) => T(r).indexWait('m'),
      (r) => T(r).indexRename('m', 'n', { overwrite: true }),
    ],
    until: (r) => T(r).insert({ id: T(r).count().add(100), n: 5, k: 'b' }),
    isDone: (r) => T(r).getAll(5, { index: 'n' }).isEmpty(),
    isOfFunction: true,
    ends: REPLACED,
  },
];

const PLANS = ['server', 'proxy'] as const;
const OFTEN_MS = 100;
const NEVER_MS = 3_600_000;
/** On a server of several threads an index may be there and not there in turns, where rows are read. */
const STEADY_MS = 1_000;

for (const base of bases) {
  describe.skipIf(!base.there)(base.name, () => {
    let running: Base;
    let writes: Connection;
    /** A proxy of each plan: all that happens to an index happens to feeds of both. */
    type Proxies = readonly RunningProxy[];
    /** Proxies that ask for the indexes often, that never do, and that heal nothing. */
    let asking: Proxies;
    let listening: Proxies;
    let ending: Proxies;

    const proxies = (settings: Partial<OpenFeedSettings>): Promise<Proxies> =>
      Promise.all(
        PLANS.map((plan) => {
          const openFeed = createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: Date.now, ...settings });
          return proxyOver(running.address, openFeed);
        }),
      );

    beforeAll(async () => {
      running = await base.start();
      writes = await official.connect(running.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      await writes.run((r) => r.tableCreate('u'));
      asking = await proxies({ checkIndexesEvery: OFTEN_MS });
      listening = await proxies({ checkIndexesEvery: NEVER_MS });
      ending = await proxies({ checkIndexesEvery: NEVER_MS, healMs: 0 });
    });

    afterAll(async () => {
      for (const proxy of [...asking, ...listening, ...ending]) await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await running.close();
    });

    const makeTable = async (): Promise<void> => {
      await writes.run((r) => r.branch(r.tableList().contains('t'), r.tableDrop('t'), {}));
      await writes.run((r) => r.tableCreate('t'));
      await writes.run((r) => T(r).indexCreate('n'));
      await writes.run((r) => T(r).indexWait());
      await writes.run((r) => T(r).insert([5, 6, 7].map((n) => ({ id: n, n, k: 'a' }))));
    };

    /** How many feeds of the proxies' own the server has open for the indexes of these tables. */
    const sentinels = async (): Promise<unknown> =>
      writes.run((r) =>
        r
          .db('rethinkdb')
          .table('jobs')
          .filter({ type: 'query' })
          .filter((job: Reql) => job('info')('query').match('livefold: no row').ne(null))
          .filter((job: Reql) => job('info')('query').match('"jobs"').eq(null))
          .count(),
      );

    const sentinelsBecome = async (count: number): Promise<void> => {
      const deadline = Date.now() + DEADLINE_MS;
      for (let now = await sentinels(); now !== count; now = await sentinels()) {
        if (Date.now() > deadline) throw new Error(`there are ${now} sentinels instead of ${count}`);
      }
    };

    interface Opened {
      readonly followed: readonly (Followed & { readonly name: string })[];
      /** Of the feed that RethinkDB makes whole. */
      readonly whole: Feed;
    }

    /** Connects to a proxy of each plan, and lets go of these connections afterwards. */
    const connected = async (
      all: Proxies,
      play: (connections: readonly Connection[]) => Promise<void>,
    ): Promise<void> => {
      const connections = await Promise.all(all.map(({ address }) => official.connect(address, { db: DB })));
      try {
        await play(connections);
      } finally {
        for (const connection of connections) await connection.close();
      }
    };

    const follow = async (connection: Connection, some = forms): Promise<Opened['followed']> => {
      const followed = [];
      for (const [name, query, shows = 'value'] of some) {
        const feed = await connection.feed((r) => query(r).changes({ includeInitial: true }));
        // There is no value of nothing.
        const truth: Query = shows === 'value' ? (r) => query(r).default(null) : query;
        followed.push({ name, query: truth, feed, state: new FeedState(shows) });
      }
      return followed;
    };

    const openAll = async (connection: Connection): Promise<Opened> => ({
      followed: await follow(connection),
      whole: await connection.feed(united),
    });

    /** Waits until it is true, and stays so. */
    const comesTrue = async (query: Query): Promise<void> => {
      const deadline = Date.now() + 4 * DEADLINE_MS;
      const steady = base.name === REAL ? STEADY_MS : 0;
      for (let since: number | undefined; since === undefined || Date.now() - since < steady; ) {
        const isTrue = (await writes.run(query).catch(() => false)) === true;
        since = isTrue ? (since ?? Date.now()) : undefined;
        if (Date.now() > deadline) throw new Error('the server has not learned of it');
      }
    };

    const happens = async ({ writes: done, until, isDone }: Event, isSeen: () => boolean): Promise<void> => {
      for (const write of done) await writes.run(write);
      const deadline = Date.now() + DEADLINE_MS;
      while (until !== undefined && !isSeen() && Date.now() < deadline) await writes.run(until);
      if (isDone !== undefined) await comesTrue(isDone);
    };

    const expectEnd = async (name: string, feed: Feed, ends: RegExp): Promise<void> => {
      const end = await feed.ending().catch((late: Error) => Promise.reject(new Error(`${name}: ${late.message}`)));
      expectError(end.kind === 'failed' ? end.error : undefined, error('OP_FAILED', ends));
    };

    const endsAll = (all: Proxies, event: Event): Promise<void> =>
      connected(all, async (connections) => {
        const opened = await Promise.all(connections.map(openAll));
        const feeds = opened.flatMap(({ followed, whole }) => [
          ...followed.map(({ name, feed }) => [name, feed] as const),
          ['united', whole] as const,
        ]);
        await happens(event, () => opened.every(({ whole }) => whole.over !== undefined));
        for (const [name, feed] of feeds) await expectEnd(name, feed, event.ends);
        for (const connection of connections) expect(await connection.run((r) => r.expr(1).add(1))).toBe(2);
        await sentinelsBecome(0);
      });

    const healsAll = (all: Proxies, event: Event): Promise<void> =>
      connected(all, async (connections) => {
        const opened = await Promise.all(connections.map(openAll));
        await happens(event, () => opened.every(({ whole }) => whole.over !== undefined));
        for (const { whole } of opened) await expectEnd('united', whole, event.ends);
        const every = opened.flatMap(({ followed }) => followed);
        const followed = every.filter(({ name }) => !event.isOfFunction || !OF_FIELDS.has(name));
        for (const { feed } of every.filter((one) => !followed.includes(one))) {
          const end = await feed.ending();
          expectError(end.kind === 'failed' ? end.error : undefined, error('QUERY_LOGIC', /the index `n` is /));
        }
        await restAll(followed, writes);
        await writes.run((r) => T(r).insert({ id: 6, n: -5, k: 'c' }, { conflict: 'replace' }));
        await writes.run((r) => T(r).insert({ id: 50, n: 5, k: 'd' }));
        await restAll(followed, writes);
        await sentinelsBecome(connections.length);
        for (const { feed } of followed) await feed.close();
        await sentinelsBecome(0);
      });

    test.each(seen)(
      'an index that is $name ends its feeds when it is looked for, and not there for a while',
      async (event) => {
        await makeTable();
        await endsAll(asking, event);
      },
    );

    test.each(told)(
      'an index that is $name is read again, without a question',
      async (event) => {
        await makeTable();
        await healsAll(listening, event);
      },
      60_000,
    );

    test('where nothing is healed, an index that is made anew ends its feeds', async () => {
      await makeTable();
      for (const event of told.slice(1, 2)) await endsAll(ending, event);
    });

    test('many feeds over one index cost one sentinel, which goes with the last of them', async () => {
      await makeTable();
      await connected(asking, async (connections) => {
        for (const connection of connections) {
          const feeds = [];
          for (let key = 0; key < 30; key++) {
            feeds.push(await connection.feed((r) => T(r).getAll(key, { index: 'n' }).count().changes()));
          }
          await sentinelsBecome(1);
          for (const feed of feeds.slice(1)) await feed.close();
          expect(await sentinels()).toBe(1);
          await feeds[0]?.close();
          await sentinelsBecome(0);
        }
      });
    });

    test('who may only read is told as well', async () => {
      await makeTable();
      await writes.run((r) => r.db('rethinkdb').table('users').insert({ id: 'reader', password: 'a' }));
      await writes.run((r) => r.db(DB).grant('reader', { read: true }));
      const readers = await Promise.all(
        asking.map(({ address }) => official.connect(address, { db: DB, user: 'reader', password: 'a' })),
      );
      try {
        const feeds = await Promise.all(
          readers.map((reader) => reader.feed((r) => T(r).getAll(5, { index: 'n' }).count().changes())),
        );
        await writes.run((r) => T(r).indexDrop('n'));
        for (const feed of feeds) await expectEnd('the count', feed, NOT_FOUND);
      } finally {
        for (const reader of readers) await reader.close();
        await writes.run((r) => r.db('rethinkdb').table('users').get('reader').delete());
      }
    });

    /** The last value that a client of V0_3 is shown once an index is another one, or how its feed ends. */
    const shownOld = async (peer: Peer, isLast: (body: OldBody) => boolean): Promise<OldBody> => {
      const deadline = Date.now() + DEADLINE_MS;
      let body: OldBody = { t: 3, r: [] };
      while (!isLast(body) && Date.now() < deadline) {
        peer.write(frame(1, '[2]'));
        body = JSON.parse((await peer.frame()).body);
      }
      return body;
    };

    const openOld = async (address: Address): Promise<Peer> => {
      const peer = await connectPeer(address);
      peer.write(Buffer.concat([word(0x5f75e83e), word(0), word(0x7e6970c7)]));
      expect(await peer.text()).toBe(text('SUCCESS').toString().slice(0, -1));
      const rows = `[78,[[15,[[14,["${DB}"]],"t"]],5],{"index":"n"}]`;
      peer.write(frame(1, `[1,[152,[[43,[${rows}]]]]]`));
      expect(JSON.parse((await peer.frame()).body).t).toBe(3);
      return peer;
    };

    // Answers of V0_3 come one by one, in the order of the questions.
    test('an index that is dropped ends feeds of the protocol V0_3', async () => {
      await makeTable();
      const peers = await Promise.all(asking.map(({ address }) => openOld(address)));
      try {
        for (const write of seen[0]?.writes ?? []) await writes.run(write);
        for (const body of await Promise.all(peers.map((peer) => shownOld(peer, ({ t }) => t !== 3)))) {
          expect(body).toMatchObject({ t: 18, r: [expect.stringMatching(NOT_FOUND)] });
        }
      } finally {
        for (const peer of peers) peer.socket.destroy();
      }
    });

    test('an index that is made anew in another way is read again by feeds of the protocol V0_3', async () => {
      await makeTable();
      const peers = await Promise.all(asking.map(({ address }) => openOld(address)));
      try {
        for (const write of told[1]?.writes ?? []) await writes.run(write);
        // No row has a 5 in the index that there is now.
        const isNone = ({ t, r }: OldBody): boolean => t !== 3 || r.at(-1)?.new_val === 0;
        for (const body of await Promise.all(peers.map((peer) => shownOld(peer, isNone)))) {
          expect([body.t, body.r.at(-1)?.new_val]).toEqual([3, 0]);
        }
      } finally {
        for (const peer of peers) peer.socket.destroy();
      }
    });

    test.runIf(base.name === REAL)('an index of places that is dropped ends its feeds', async () => {
      await makeTable();
      await writes.run((r) => T(r).indexCreate('at', { geo: true }));
      await writes.run((r) => T(r).indexWait('at'));
      await connected(asking, async (connections) => {
        const feeds = await Promise.all(
          connections.map((connection) =>
            connection.feed((r) =>
              T(r)
                .getIntersecting(r.polygon([0, 0], [9, 0], [9, 9]), { index: 'at' })
                .count()
                .changes({ includeInitial: true }),
            ),
          ),
        );
        for (const feed of feeds) expect(await feed.take(1)).toStrictEqual([{ new_val: 0 }]);
        await writes.run((r) => T(r).indexDrop('at'));
        const gone = /^Index `at` was not found on table `lost\.t`\.$/;
        for (const feed of feeds) await expectEnd('places', feed, gone);
      });
    });

    // Whatever happens to an index among writes, a feed is right at rest or has ended.
    test('among writes', async () => {
      await makeTable();
      await connected(asking, async (connections) => {
        for (const [round, event] of [...seen, ...told, ...told].entries()) {
          await writes.run((r) => r.branch(T(r).indexList().contains('n'), {}, T(r).indexCreate('n')));
          await writes.run((r) => T(r).indexWait('n'));
          const opened = await Promise.all(connections.map((connection) => follow(connection, forms.slice(0, 4))));
          const followed = opened.flat();
          const write = (id: number): Promise<unknown> =>
            writes.run((r) => T(r).insert({ id, n: 4 + (id % 4), k: 'a' }, { conflict: 'replace' }));
          for (const change of event.writes) {
            await write(10 * round + 100);
            await writes.run(change);
            await write(10 * round + 101);
          }
          if (seen.includes(event)) {
            for (const { feed } of followed) expect((await feed.ending()).kind).toBe('failed');
          } else {
            if (event.isDone !== undefined) await comesTrue(event.isDone);
            await restAll(followed, writes);
            for (const { feed } of followed) await feed.close();
          }
          await writes.run((r) => r.expr([T(r).get(5).delete(), T(r).insert({ id: 5, n: 5, k: 'a' })]));
          await writes.run((r) => r.branch(T(r).indexList().contains('n'), T(r).indexDrop('n'), {}));
          await writes.run((r) => r.branch(T(r).indexList().contains('other'), T(r).indexDrop('other'), {}));
        }
      });
    }, 60_000);

    test('a table that gets another name keeps its feeds, and what is opened by its old name is of the new table', async () => {
      await makeTable();
      const count = (r: Reql): Reql => T(r).getAll(5, { index: 'n' }).count().changes({ includeInitial: true });
      try {
        await connected(asking, async (connections) => {
          const opened = (): Promise<readonly Feed[]> =>
            Promise.all(connections.map((connection) => connection.feed(count)));
          const old = await opened();
          for (const feed of old) expect(await feed.take(1)).toStrictEqual([{ new_val: 1 }]);
          await writes.run((r) => T(r).config().update({ name: 'moved' }));
          await makeTable();
          const young = await opened();
          for (const feed of young) expect(await feed.take(1)).toStrictEqual([{ new_val: 1 }]);
          await writes.run((r) => T(r).indexDrop('n'));
          for (const feed of young) await expectEnd('the new table', feed, NOT_FOUND);
          await writes.run((r) => r.table('moved').insert({ id: 8, n: 5 }));
          for (const feed of old) expect(await feed.take(1)).toStrictEqual([{ old_val: 1, new_val: 2 }]);
        });
      } finally {
        await writes.run((r) => r.tableDrop('moved'));
      }
    });
  });
}
