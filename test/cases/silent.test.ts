// RethinkDB 2.4.4 loses count of a feed whose queue runs over while its first rows are read, and says nothing more while nothing is
// written. Such a reading is begun anew; one that merely takes long is waited for.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { FeedState } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { REAL } from '../support/servers/server-names.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { writtenLog } from '../support/servers/written-log.ts';

const DB = 'silent';
const ROWS = 1_500;
/** Rows that change while the others are read: more than there is room for. */
const CHANGED = 200;
const PLANS = ['server', 'proxy'] as const;
const DEADLINE_MS = 60_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly Query[] = [
  (r) => T(r).sum('n'),
  (r) => T(r).filter({ k: 'k0' })('n').sum(),
  (r) =>
    T(r)
      .map((row: Reql) => row('n').mul(2))
      .avg(),
];
/** Small batches: the rows are read one batch after the other, with the changes between. */
const SMALL = { maxBatchRows: 20 };

for (const under of bases) {
  describe.skipIf(!under.there || under.name !== REAL).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let base: Base;
    let writes: Connection;
    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      await writes.run((r) => r.tableCreate('t'));
      const rows: Query = (r) => r.range(ROWS).map((id: Reql) => ({ id, n: id.mod(9), k: 'k0' }));
      await writes.run((r) => T(r).insert(rows(r), { durability: 'soft' }));
    });
    afterAll(async () => {
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await base.close();
    });

    /** Opens feeds whose queue upstream is full at once, while all rows change. */
    const open = async (
      healMs: number,
      play: (feeds: readonly Followed[], reasons: () => string[]) => Promise<void>,
    ) => {
      const { log, lines } = writtenLog('info');
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now, upstreamQueueSize: 1, healMs };
      const proxy = await proxyOver(base.address, createOpenFeed(settings), { log });
      const client = await official.connect(proxy.address, { db: DB });
      const followed = await Promise.all(
        watched.map(async (query) => {
          const feed = await client.feed((r) => query(r).changes({ includeInitial: true }), SMALL);
          return { query, feed, state: new FeedState('value') };
        }),
      );
      await writes.run((r) =>
        T(r)
          .between(0, CHANGED)
          .update({ n: r.row('n').add(1) }, { durability: 'soft' }),
      );
      await play(followed, () => lines.flatMap((line) => JSON.parse(line).reason ?? []));
      await client.close();
      await proxy.destroy();
    };

    test(
      'what RethinkDB never ends is begun anew',
      () =>
        open(DEADLINE_MS, async (followed, reasons) => {
          await restAll(followed, writes, DEADLINE_MS);
          expect(reasons()).toContainEqual(expect.stringContaining('RethinkDB has stopped telling'));
        }),
      DEADLINE_MS * 2,
    );

    test(
      'where nothing is read again it ends, and says so',
      () =>
        open(0, async (followed) => {
          for (const { feed } of followed) {
            const ending = await feed.ending(DEADLINE_MS);
            expectError(
              ending.kind === 'failed' ? ending.error : undefined,
              error('OP_FAILED', /^RethinkDB has stopped telling what there is at first: nothing came for \d+ seconds/),
            );
          }
        }),
      DEADLINE_MS * 2,
    );
  });
}
