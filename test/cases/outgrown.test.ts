// A fold inside RethinkDB that would have to copy too many rows with each change: under the server plan the proxy goes on with it, and
// nobody sees but that it is fast; where only RethinkDB can fold it, it ends, and says so.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { MOST_ELEMENTS } from '../../rewrite/plan/server/outgrown.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { restAll } from '../support/checks/followed.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { writtenLog } from '../support/servers/written-log.ts';

const DB = 'outgrown';
const DEADLINE_MS = 60_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly name: string; readonly query: Query; readonly shows: Shows }[] = [
  { name: 'groups', query: (r) => T(r).group('k').sum('n'), shows: 'groups' },
  { name: 'a maximum', query: (r) => T(r).max('n')('n'), shows: 'value' },
  { name: 'rows', query: (r) => T(r)('n').distinct(), shows: 'rows' },
];

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let base: Base;
    let writes: Connection;
    let proxy: RunningProxy;
    const { log, lines } = writtenLog('info');
    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      const settings = { plan: 'server', limits: DEFAULT_LIMITS, now: Date.now, healMs: 0 } as const;
      proxy = await proxyOver(base.address, createOpenFeed(settings), { log });
    });
    afterAll(async () => {
      await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await base.close();
    });

    /** As many rows as a fold may keep, but for some. */
    const makeTable = async (missing: number): Promise<void> => {
      await writes.run((r) => r.branch(r.tableList().contains('t'), r.tableDrop('t'), {}));
      await writes.run((r) => r.tableCreate('t'));
      await addRows(0, MOST_ELEMENTS - missing);
    };

    const addRows = (from: number, to: number): Promise<unknown> =>
      writes.run((r) =>
        T(r).insert(
          r.range(from, to).map((id: Reql) => ({ id, n: id.mod(9), k: id.mod(4) })),
          { durability: 'soft' },
        ),
      );

    const healings = (): readonly unknown[] =>
      lines
        .map((line) => JSON.parse(line))
        .filter(({ reason }) => String(reason).startsWith('Livefold: RethinkDB would'));

    test.each(watched)(
      '$name of too many rows are shown from the beginning',
      async ({ query, shows }) => {
        await makeTable(-1);
        const client = await official.connect(proxy.address, { db: DB });
        const before = healings().length;
        const feed = await client.feed((r) => query(r).changes({ includeInitial: true }));
        const followed = [{ query, feed, state: new FeedState(shows) }];
        await restAll(followed, writes, DEADLINE_MS);
        await writes.run((r) => T(r).update({ n: r.row('n').add(1) }, { durability: 'soft' }));
        await restAll(followed, writes, DEADLINE_MS);
        expect(healings().length).toBe(before + 1);
        await client.close();
      },
      DEADLINE_MS * 2,
    );

    test(
      'a feed that outgrows the fold goes on, chained',
      async () => {
        await makeTable(10);
        const client = await official.connect(proxy.address, { db: DB });
        const [groups] = watched;
        if (groups === undefined) throw new Error('nothing is watched');
        const { query, shows } = groups;
        const feed = await client.feed((r) => query(r).changes({ includeInitial: true }));
        const followed = [{ query, feed, state: new FeedState(shows) }];
        await restAll(followed, writes, DEADLINE_MS);
        const before = healings().length;
        await addRows(MOST_ELEMENTS - 10, MOST_ELEMENTS);
        await restAll(followed, writes, DEADLINE_MS);
        expect(healings().length).toBe(before);
        await addRows(MOST_ELEMENTS, MOST_ELEMENTS + 5);
        await restAll(followed, writes, DEADLINE_MS);
        expect(healings().length).toBe(before + 1);
        await client.close();
      },
      DEADLINE_MS * 2,
    );

    test(
      'terms after changes that only RethinkDB can run end with an error that says what would work',
      async () => {
        await makeTable(-1);
        const client = await official.connect(proxy.address, { db: DB });
        const failed = await client
          .feed((r) => T(r).group('k').sum('n').changes({ includeStates: true }).offsetsOf(1))
          .then((feed) => feed.ending(DEADLINE_MS))
          // RethinkDB may have read all before it answers at all.
          .then(
            (ending) => (ending.kind === 'failed' ? ending.error : undefined),
            (refused: unknown) => refused,
          );
        expectError(failed, error('RESOURCE_LIMIT', /^Livefold: RethinkDB would have to copy more than \d+ elements/));
        await client.close();
      },
      DEADLINE_MS,
    );
  });
}
