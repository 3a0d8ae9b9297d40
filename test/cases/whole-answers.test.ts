// Where RethinkDB 2.4.4 loses rows of a one-shot query because a batch has taken too long, the live query shows them, and so does the
// truth that feeds are held to.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueNow } from '../support/checks/value-now.ts';
import { Watcher } from '../support/checks/watcher.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Reql } from '../support/reql.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { REAL } from '../support/servers/server-names.ts';
import { bases } from '../support/servers/servers.ts';

const PLANS = ['server', 'proxy'] as const;
/** Rows that are alike in the index. */
const ROWS = [1, 2, 4].map((id) => ({ id, n: 3, k: id === 1 ? 'a' : 'c' }));
const TOLD: LiveQuery = {
  name: 'rows alike in an index, by more keys',
  shows: 'rows',
  query: (r) => r.table('t').orderBy('k', r.desc('id'), { index: 'n' }).limit(2),
};
/** So many numbers take RethinkDB longer to count than a first batch may take. */
const SLOW = 1_000_000;
/** Its first two rows. */
const FIRST = [ROWS[0], ROWS[2]];

for (const under of bases.filter(({ name }) => name === REAL)) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let ground: Ground;
    beforeAll(async () => {
      ground = await openGround(under, 'whole_answers');
      await ground.writes.run((r) => r.table('t').insert(ROWS));
    });
    afterAll(() => ground.close());

    test('a batch that ends among rows alike in an index loses the others', async () => {
      for (const options of [{ maxBatchSeconds: 0 }, { maxBatchRows: 1 }]) {
        expect(await ground.writes.run(TOLD.query, options)).toEqual(FIRST.slice(0, 1));
      }
    });

    test('the truth about a query is whole, however long it takes', async () => {
      const slow = (r: Reql): Reql =>
        r
          .table('t')
          .orderBy('k', (row: Reql) => r.range(SLOW).count().mul(0).add(row('id')), { index: 'n' })
          .limit(2);
      expect(await valueNow(ground.writes, slow)).toEqual(ROWS.slice(0, 2));
    });

    test.each(PLANS)('the live query shows all rows, %s plan', async (plan) => {
      const reader = await ground.reader(plan);
      const watcher = await Watcher.open(reader, plan, TOLD, {});
      const holds = { holds: (state: { equals(rows: unknown): boolean }) => state.equals(FIRST), shown: FIRST };
      await watcher.rest(holds);
      await watcher.close();
    });
  });
}
