// Rows that move in an index while a feed reads it: RethinkDB tells of no change whose projections are equal, and looks only
// then on which side of the first reading the row was. CASES N1, rethinkdb/rethinkdb#5216.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { FeedState } from '../support/checks/feed-state.ts';
import { rest } from '../support/checks/rest.ts';
import type { Argument, Query, Reql } from '../support/reql.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Row, type Stage, setStage } from '../support/servers/stage.ts';

const ROWS = 2400;
const END = (ROWS * 3) / 4;
const HALF = END / 2;
const KEYS = 20;
/** Small, so that a feed reads often while rows move. */
const BATCH = { maxBatchRows: 40 };

interface Watched {
  readonly name: string;
  readonly of: (t: Reql, r: Reql) => Reql;
  /** Only RethinkDB has indexes of places. */
  readonly places?: true;
  /** Its state grows with the rows; a fold inside RethinkDB would take minutes. */
  readonly grows?: true;
}

const range = (t: Reql): Reql => t.between(0, END, { index: 'k' });

/** The western three quarters of where rows are. */
const inArea = (t: Reql, r: Reql): Reql =>
  t.getIntersecting(r.polygon([-1, -1], [75, -1], [75, 1], [-1, 1]), { index: 'at' });

const WATCHED: readonly Watched[] = [
  { name: 'sum of a range', of: (t) => range(t).sum('n') },
  { name: 'count of a range', of: (t) => range(t).count() },
  {
    name: 'count of what a client makes of a range',
    of: (t) =>
      range(t)
        .map((row) => ({ id: row('id') }))
        .count(),
  },
  { name: 'sum of a part of rows', of: (t) => range(t).filter({ n: 1 }).pluck('n').sum('n') },
  { name: 'sum of a field', of: (t) => range(t)('n').sum() },
  {
    name: 'sum that can fail',
    of: (t) =>
      range(t)
        .pluck('n')
        .sum((row: Reql) => row('n').mul(2)),
  },
  { name: 'count of rows with fields', of: (t) => range(t).withFields('n').count() },
  {
    name: 'count of items',
    of: (t) =>
      range(t)
        .concatMap((row) => [row('n'), 2])
        .count(),
  },
  { name: 'two aggregates of a range', of: (t, r) => r.expr([range(t).count(), range(t).sum('n')]) },
  {
    name: 'a union of ranges',
    of: (t) =>
      t
        .between(0, HALF, { index: 'k' })
        .union(t.between(HALF, END, { index: 'k' }))
        .count(),
  },
  { name: 'groups of a range', grows: true, of: (t) => range(t).group('g').count().ungroup().sum('reduction') },
  { name: 'an order', of: (t, r) => t.orderBy({ index: r.desc('k') }).count() },
  { name: 'the first of an order', of: (t) => t.orderBy({ index: 'k' }).limit(500).sum('n') },
  { name: 'several keys', of: (t, r) => t.getAll(r.args([...Array(KEYS).keys()]), { index: 'few' }).count() },
  { name: 'one key', of: (t) => t.getAll(7, { index: 'few' }).count() },
  {
    name: 'a range of a compound index',
    of: (t, r) => t.between(['a', r.minval], ['a', END], { index: 'compound' }).sum('n'),
  },
  { name: 'a range of a multi index', of: (t) => t.between(0, END, { index: 'tags' }).count() },
  { name: 'a range of an index of a function', of: (t) => t.between(-END, 1, { index: 'negative' }).count() },
  { name: 'a range of keys', of: (t) => t.between(100, ROWS).count() },
  { name: 'rows of an area', places: true, of: (t, r) => inArea(t, r).count() },
  { name: 'a sum over an area', places: true, of: (t, r) => inArea(t, r).filter({ n: 1 }).sum('n') },
  {
    name: 'groups of an area',
    places: true,
    grows: true,
    of: (t, r) => inArea(t, r).group('g').count().ungroup().count(),
  },
  { name: 'many keys', of: (t) => t.getAll(...[...Array(300).keys()].map((i) => i * 7)).sum('n') },
];

/** A row of which all that is in an index follows from `k`. */
function rowAt(id: number, k: number): Row {
  return { id, k, n: 1, few: k % KEYS, g: k % 2 === 0 ? 'a' : 'b', tags: [k, (k + ROWS / 2) % ROWS] };
}

/** A row with a place on a line from west to east. */
function withPlace(row: Row): Row {
  const place = { $reql_type$: 'GEOMETRY', type: 'Point', coordinates: [(100 * Number(row['k'])) / ROWS, 0] };
  return { ...row, at: place };
}

/** The writes, in the order of keys that are spread over the whole index. `stored` is how rows are written. */
function writes(stored: (row: Row) => Row): readonly Query[] {
  const rows: Row[] = [];
  const gone: number[] = [];
  for (let i = 0; i < ROWS / 2; i++) {
    const id = (i * 1013) % ROWS;
    // Halfway around, so that rows move up, down, into the range and out of it; or away, and perhaps back elsewhere.
    const to = (id + HALF + (i % 97)) % ROWS;
    const { tags, ...same } = rowAt(id, id);
    if (i % 6 === 0) gone.push(id);
    else if (i % 6 === 1) rows.push(rowAt(ROWS + i, to));
    else if (i % 6 === 2) rows.push({ ...same, tags: Array.isArray(tags) ? [...tags].reverse() : [], other: i });
    else rows.push(rowAt(id, to));
  }
  const batch = (at: number): Query => {
    const part = <Item>(items: readonly Item[]): readonly Item[] =>
      items.slice((items.length * at) / BATCHES, (items.length * (at + 1)) / BATCHES);
    const [deleted, back] = [part(gone), part(gone).filter((_, index) => index % 2 === 0)];
    const rowsBack: readonly Argument[] = back.map((id) => stored(rowAt(id, (id * 31) % ROWS)));
    return (r) =>
      r.expr([
        r
          .table('moving')
          .getAll(...deleted)
          .delete({ durability: 'soft' }),
        r.table('moving').insert([...part(rows).map(stored), ...rowsBack], { conflict: 'replace', durability: 'soft' }),
      ]);
  };
  return [...Array(BATCHES).keys()].map(batch);
}

const BATCHES = 40;

for (const server of liveServers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    const stored = (row: Row): Row => (server.real ? withPlace(row) : row);
    beforeAll(async () => {
      stage = await setStage(server, 'moving');
      const { writes: database } = stage;
      await database.run((r) => r.tableCreate('moving'));
      await database.run((r) =>
        r.expr([
          r.table('moving').indexCreate('k'),
          r.table('moving').indexCreate('few'),
          r.table('moving').indexCreate('compound', (row: Reql) => [row('g'), row('k')]),
          r.table('moving').indexCreate('tags', { multi: true }),
          r.table('moving').indexCreate('negative', (row: Reql) => row('k').mul(-1)),
          ...(server.real ? [r.table('moving').indexCreate('at', { geo: true })] : []),
        ]),
      );
      await database.run((r) => r.table('moving').indexWait());
      const rows = [...Array(ROWS).keys()].map((id) => stored(rowAt(id, id)));
      await database.run((r) => r.table('moving').insert(rows, { durability: 'soft' }));
    });
    afterAll(() => stage.close());

    test('every feed ends at what its query gives', async () => {
      const watched = WATCHED.filter(
        ({ grows, places }) => (grows !== true || server.plan !== 'server') && (places !== true || server.real),
      );
      const opening = watched.map(async ({ name, of }) => {
        const query: Query = (r) => of(r.table('moving'), r);
        const feed = await stage.feeds.feed((r) => query(r).changes({ includeInitial: true }), BATCH);
        return { name, query, feed };
      });
      for (const write of writes(stored)) await stage.writes.run(write);
      for (const { name, query, feed } of await Promise.all(opening)) {
        const now = await stage.writes.run(query);
        await rest(feed, new FeedState('value'), now).catch((error: Error) => {
          throw new Error(`${name}: ${error.message}`);
        });
        await feed.close();
      }
    });
  });
}
