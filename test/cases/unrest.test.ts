// Writes that never pause: no value is shown in between the changes of one write. CASES N3, RethinkDB/rethinkdb-go#290.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSame } from '../support/checks/feed-state.ts';
import type { Query, Reql } from '../support/reql.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Row, type Stage, setStage } from '../support/servers/stage.ts';

const IDS = 6;
/** Writes of one row each, each sent when the one before it is answered. */
const WRITES = 150;

/** Parts of one table, and what holds of them at every moment. */
interface Watched {
  readonly name: string;
  readonly parts: (t: Reql, r: Reql) => readonly Reql[];
  readonly holds: (...parts: readonly number[]) => boolean;
}

const same = (a = 0, b = 0): boolean => a === b;
const summed = (a = 0, b = 0, sum = 0): boolean => a + b === sum;
const even = (count = 0): boolean => count % 2 === 0;

const WATCHED: readonly Watched[] = [
  {
    name: 'the first rows are as many as there are, up to two',
    parts: (t) => [t.orderBy({ index: 'n' }).limit(2).count(), t.count()],
    holds: (first = 0, all = 0) => first === Math.min(2, all),
  },
  {
    name: 'the greatest by an index is the greatest',
    parts: (t, r) => [
      t
        .orderBy({ index: r.desc('n') })
        .limit(1)
        .sum('n'),
      t.max('n')('n').default(0),
    ],
    holds: same,
  },
  {
    name: 'two halves of an index are the whole',
    parts: (t) => [t.between(0, 50, { index: 'n' }).count(), t.between(50, 100, { index: 'n' }).count(), t.count()],
    holds: summed,
  },
  {
    name: 'two keys are all',
    parts: (t) => [t.getAll('a', { index: 'k' }).count(), t.getAll('b', { index: 'k' }).count(), t.count()],
    holds: summed,
  },
  {
    name: 'what two indexes hold is the same',
    parts: (t) => [t.between('a', 'z', { index: 'k' }).sum('n'), t.between(0, 100, { index: 'n' }).sum('n')],
    holds: same,
  },
  {
    name: 'keys that are named twice are there twice',
    parts: (t) => [t.getAll('a', 'b', 'a', 'b', { index: 'k' }).count()],
    holds: even,
  },
];

function rowOf(at: number): Row {
  return { id: at % IDS, n: (at * 37) % 100, k: (at * 7) % 3 === 0 ? 'a' : 'b' };
}

function writeAt(at: number): Query {
  const soft = { durability: 'soft' };
  if (at % 5 === 4)
    return (r) =>
      r
        .table('t')
        .get(at % IDS)
        .delete(soft);
  return (r) => r.table('t').insert(rowOf(at), { conflict: 'replace', ...soft });
}

for (const server of liveServers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, 'unrest');
    });
    afterAll(() => stage.close());

    test('no feed shows a moment that never was', async () => {
      const { feeds, writes } = stage;
      const opened = await Promise.all(
        WATCHED.map(async (watched) => {
          const query: Query = (r) => r.expr(watched.parts(r.table('t'), r));
          return { watched, query, feed: await feeds.feed((r) => query(r).changes({ includeInitial: true })) };
        }),
      );
      for (let at = 0; at < WRITES; at++) await writes.run(writeAt(at));
      const wrong: unknown[] = [];
      for (const { watched, query, feed } of opened) {
        const now = await writes.run(query);
        const shown: unknown[] = [...(await feed.take(feed.waiting.length))];
        while (!isSame(partsOf(shown.at(-1)), now)) shown.push(...(await feed.take(1)));
        expect(shown.length).toBeGreaterThan(1);
        for (const document of shown) {
          if (!watched.holds(...partsOf(document))) wrong.push({ name: watched.name, document });
        }
      }
      expect(wrong).toEqual([]);
    });
  });
}

function partsOf(document: unknown): readonly number[] {
  const value: unknown = Object(document).new_val;
  return Array.isArray(value) ? value : [];
}
