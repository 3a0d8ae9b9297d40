// Streams over several feeds of which some have nothing to give: they wait, which takes no turns, and go on with what the
// others give. CASES N10. The embedded server runs in this process, so that its turns can be counted.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Bag, bag, expectDocuments } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

/** A stream over feeds of `t` and `u`, and what it gives of rows 1, 2 and 3 of `t`, and, later, of row 7 of `u`. */
interface Waiting {
  readonly name: string;
  readonly query: Query;
  readonly first: readonly unknown[];
  /** In any order where one write comes through two feeds of a union. */
  readonly later: readonly unknown[] | Bag;
}

const ids = (r: Reql, table: string): Reql => r.table(table).changes()('new_val')('id');
const pair = (a: Reql, b: Reql): readonly Reql[] => [a, b];

const streams: readonly Waiting[] = [
  {
    name: 'map over two feeds',
    query: (r) => r.map(ids(r, 't'), ids(r, 'u'), pair),
    first: [],
    later: [[1, 7]],
  },
  {
    name: 'map over two feeds, the silent one first',
    query: (r) => r.map(ids(r, 'u'), ids(r, 't'), pair),
    first: [],
    later: [[7, 1]],
  },
  {
    name: 'map over three feeds',
    query: (r) => r.map(ids(r, 't'), ids(r, 'u'), ids(r, 't'), (a: Reql, b: Reql, c: Reql) => [a, b, c]),
    first: [],
    later: [[1, 7, 1]],
  },
  {
    name: 'map over a feed and a list that is longer',
    query: (r) => r.map(ids(r, 'u'), ids(r, 't'), r.range(), (a: Reql, b: Reql, c: Reql) => [a, b, c]),
    first: [],
    later: [[7, 1, 0]],
  },
  {
    name: 'union of two feeds',
    query: (r) => ids(r, 't').union(ids(r, 'u')),
    first: [1, 2, 3],
    later: [7],
  },
  {
    name: 'union of a feed and a map over two',
    query: (r) => ids(r, 'u').union(r.map(ids(r, 't'), ids(r, 'u'), pair)),
    first: [],
    later: bag(7, [1, 7]),
  },
  {
    name: 'map over a union of feeds and a feed',
    query: (r) => r.map(ids(r, 't').union(ids(r, 't')), ids(r, 'u'), pair),
    first: [],
    later: [[1, 7]],
  },
  {
    name: 'concatMap over a map over two feeds',
    query: (r) => r.map(ids(r, 't'), ids(r, 'u'), pair).concatMap((both: Reql) => both),
    first: [],
    later: [1, 7],
  },
  {
    name: 'a filter of which nothing is left, over a union',
    query: (r) =>
      ids(r, 't')
        .union(ids(r, 'u'))
        .filter((id: Reql) => id.gt(5)),
    first: [],
    later: [7],
  },
  {
    name: 'skip over a union',
    query: (r) => ids(r, 't').union(ids(r, 'u')).skip(3),
    first: [],
    later: [7],
  },
  {
    name: 'limit over a map over two feeds',
    query: (r) => r.map(ids(r, 't'), ids(r, 'u'), pair).limit(2),
    first: [],
    later: [[1, 7]],
  },
  {
    name: 'fold over a map over two feeds',
    query: (r) =>
      r.map(ids(r, 't'), ids(r, 'u'), pair).fold(0, (acc: Reql, _: Reql) => acc.add(1), {
        emit: (_: Reql, row: Reql, acc: Reql) => [row.append(acc)],
      }),
    first: [],
    later: [[1, 7, 1]],
  },
  {
    name: 'offsetsOf over a union',
    query: (r) => ids(r, 't').union(ids(r, 'u')).offsetsOf(7),
    first: [],
    later: [3],
  },
];

/**
 * RethinkDB fills an answer for half a second, and waits for the silent feed meanwhile, unless an answer is full with one
 * element. The embedded server sends what there is.
 */
const ONE_BY_ONE = { maxBatchRows: 1 };

/** More turns than any of these takes, and fewer than a loop that never waits takes in no time. */
const MOST_TURNS = 2_000;

for (const server of servers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    let turns = 0;
    const queue = globalThis.queueMicrotask;
    beforeAll(async () => {
      stage = await setStage(server, 'waiting');
    });
    afterAll(() => stage.close());
    beforeEach(() => {
      turns = 0;
      vi.stubGlobal('queueMicrotask', (turn: () => void) => {
        turns++;
        if (turns > MOST_TURNS) throw new Error('it spins instead of waiting');
        queue(turn);
      });
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });

    const ways = server.real ? [ONE_BY_ONE] : [{}, ONE_BY_ONE];
    test.each(ways.flatMap((options) => streams.map((stream) => ({ ...stream, options }))))(
      '$name $options',
      async ({ query, first, later, options }) => {
        await stage.seed({});
        const feed = await stage.feeds.feed(query, options);
        for (const id of [1, 2, 3]) await stage.writes.run((r) => r.table('t').insert({ id }));
        expect(await stage.feeds.run((r) => r.expr(1).add(1))).toBe(2);
        expect(await feed.take(first.length)).toStrictEqual(first);
        expect(feed.waiting).toStrictEqual([]);
        await stage.writes.run((r) => r.table('u').insert({ id: 7 }));
        const { length } = later instanceof Bag ? later.documents : later;
        expectDocuments(await feed.take(length), later);
        await feed.close();
      },
      15_000,
    );
  });
}
