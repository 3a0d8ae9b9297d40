// Documents as merges: what each kind of feed shows, document by document, and what is refused.

import { describe, expect, test } from 'vitest';
import { rewrite } from '../../rewrite/rewrite.ts';
import { MergeState } from '../support/checks/merge-state.ts';
import type { Query, Reql } from '../support/reql.ts';
import { bases } from '../support/servers/servers.ts';
import type { Row } from '../support/servers/stage.ts';
import { onSharingStage } from '../support/sharing.ts';

const DB = 'mergecases';
/** Rows of a table by their names. */
const NAMES = ['a', 'b', 'c'];
const gone = { _delete: true };

interface Case {
  readonly name: string;
  readonly query: (r: Reql) => Reql;
  readonly options?: object;
  readonly seed?: readonly Row[];
  /** `t` if absent. */
  readonly table?: string;
  readonly writes: readonly Query[];
  readonly shows: readonly object[];
}

const insert =
  (row: Row): Query =>
  (r) =>
    r.table('t').insert(r.expr(row));
const update =
  (id: number, fields: Row): Query =>
  (r) =>
    r.table('t').get(id).update(fields);
const remove =
  (id: number): Query =>
  (r) =>
    r.table('t').get(id).delete();

/** A field of the row of `t` that a row names in `n`, or null. */
const lookedUp = (r: Reql, row: Reql): Reql => r.table('t').get(row('n'))('k').default(null);

const cases: readonly Case[] = [
  {
    name: 'one value has neither key nor group',
    query: (r) => r.table('t').count(),
    writes: [insert({ id: 1 }), remove(1)],
    shows: [{ body: 0 }, { body: 1, reverse: 0 }, { body: 0, reverse: 1 }],
  },
  {
    name: 'a value that is an object is merged key by key',
    query: (r) => r.table('t').max('n').pluck('n', 'k').default({}),
    writes: [insert({ id: 1, n: 1, k: 'a' }), update(1, { n: 2 }), remove(1)],
    shows: [
      { body: { _delete: {} } },
      { body: { k: 'a', n: 1 }, reverse: { _delete: {} } },
      { body: { n: 2 }, reverse: { n: 1 } },
      { body: { _delete: {} }, reverse: { k: 'a', n: 2 } },
    ],
  },
  {
    name: 'groups come and go',
    query: (r) => r.table('t').group('k').count(),
    options: { includeTypes: true },
    seed: [{ id: 1, k: null }],
    writes: [insert({ id: 2, k: 'a' }), insert({ id: 3, k: 'a' }), remove(1)],
    shows: [
      { body: 1, group: null, type: 'initial' },
      { body: 1, group: 'a', reverse: gone, type: 'add' },
      { body: 2, group: 'a', reverse: 1, type: 'change' },
      { body: gone, group: null, reverse: 1, type: 'remove' },
    ],
  },
  {
    name: 'rows of ungroup are named by their group',
    query: (r) => r.table('t').group('k').count().ungroup(),
    seed: [{ id: 0, k: 'z' }],
    writes: [insert({ id: 1, k: 'a' }), insert({ id: 2, k: 'a' })],
    shows: [
      { body: { _delete: true, group: 'z', reduction: 1 }, group: 'z' },
      { body: { group: 'a', reduction: 1 }, group: 'a', reverse: gone },
      { body: { reduction: 2 }, group: 'a', reverse: { reduction: 1 } },
    ],
  },
  {
    name: 'a leaderboard: a group takes the place of another',
    query: (r) => r.table('t').group('k').sum('n').ungroup().orderBy(r.desc('reduction')).limit(1),
    seed: [{ id: 1, k: 'a', n: 1 }],
    writes: [insert({ id: 2, k: 'b', n: 2 })],
    shows: [
      { body: { _delete: true, group: 'a', reduction: 1 }, group: 'a' },
      { body: gone, group: 'a', reverse: { group: 'a', reduction: 1 } },
      { body: { group: 'b', reduction: 2 }, group: 'b', reverse: gone },
    ],
  },
  {
    name: 'distinct values name themselves',
    query: (r) => r.table('t')('k').distinct(),
    seed: [{ id: 1, k: 'a' }],
    writes: [update(1, { k: null })],
    shows: [
      { body: 'a', key: 'a' },
      { body: gone, key: 'a', reverse: 'a' },
      { body: null, key: null, reverse: gone },
    ],
  },
  {
    name: 'rows that are known by their value alone are counted',
    query: (r) => r.table('t').concatMap((row) => row('tags')),
    seed: [{ id: 1, tags: ['a', 'a'] }],
    writes: [update(1, { tags: ['a'] })],
    shows: [
      { body: 'a', key: ['a', 1] },
      { body: 'a', key: ['a', 2] },
      { body: gone, key: ['a', 2], reverse: 'a' },
    ],
  },
  {
    name: 'rows of a page are named by the primary key of their table, and composed by it',
    query: (r) => r.table('v').orderBy({ index: 'n' }).skip(1).limit(1),
    seed: [
      { name: 'a', n: 1 },
      { name: 'b', n: 3 },
    ],
    table: 'v',
    writes: [(r) => r.table('v').get('b').update({ n: 4 }), (r) => r.table('v').insert({ name: 'c', n: 2 })],
    shows: [
      { body: { _delete: true, name: 'b', n: 3 }, key: 'b' },
      { body: { n: 4 }, key: 'b', reverse: { n: 3 } },
      { body: gone, key: 'b', reverse: { name: 'b', n: 4 } },
      { body: { name: 'c', n: 2 }, key: 'c', reverse: gone },
    ],
  },
  {
    name: 'rows of an order by a field are named by the primary key as well',
    query: (r) =>
      r
        .table('v')
        .between('a', 'z')
        .filter((row: Reql) => row('n').gt(0))
        .orderBy(r.desc('n'))
        .limit(1),
    seed: [
      { name: 'a', n: 1 },
      { name: 'b', n: 3 },
    ],
    table: 'v',
    writes: [(r) => r.table('v').get('b').update({ n: 4 }), (r) => r.table('v').get('b').delete()],
    shows: [
      { body: { _delete: true, name: 'b', n: 3 }, key: 'b' },
      { body: { n: 4 }, key: 'b', reverse: { n: 3 } },
      { body: gone, key: 'b', reverse: { name: 'b', n: 4 } },
      { body: { name: 'a', n: 1 }, key: 'a', reverse: gone },
    ],
  },
  {
    name: 'what is made of the rows of an order is named by its value',
    query: (r) => r.table('v').orderBy('n').limit(1).pluck('n'),
    seed: [
      { name: 'a', n: 1 },
      { name: 'b', n: 3 },
    ],
    table: 'v',
    writes: [(r) => r.table('v').get('a').update({ n: 2 })],
    shows: [
      { body: { _delete: true, n: 1 }, key: [{ n: 1 }, 1] },
      { body: gone, key: [{ n: 1 }, 1], reverse: { n: 1 } },
      { body: { n: 2 }, key: [{ n: 2 }, 1], reverse: gone },
    ],
  },
  {
    name: 'rows beside what is looked up for them are named by the primary key of their table',
    query: (r) => r.table('v').merge((row: Reql) => ({ of: lookedUp(r, row) })),
    seed: [{ name: 'a', n: 1 }],
    table: 'v',
    writes: [insert({ id: 1, k: 'x' }), (r) => r.table('v').get('a').update({ n: 2 })],
    shows: [
      { body: { _delete: true, name: 'a', n: 1, of: null }, key: 'a' },
      { body: { of: 'x' }, key: 'a', reverse: { of: null } },
      { body: { n: 2, of: null }, key: 'a', reverse: { n: 1, of: 'x' } },
    ],
  },
  {
    name: 'so are rows that are made anew, wherever they show that key',
    query: (r) =>
      r
        .table('v')
        .orderBy(r.desc('n'))
        .limit(1)
        .map((row: Reql) => ({ who: { is: row('name') }, of: lookedUp(r, row) }))
        .without('more'),
    seed: [{ name: 'a', n: 1 }],
    table: 'v',
    writes: [insert({ id: 1, k: 'x' })],
    shows: [
      { body: { _delete: true, who: { is: 'a' }, of: null }, key: 'a' },
      { body: { of: 'x' }, key: 'a', reverse: { of: null } },
    ],
  },
  {
    name: 'rows that show another value in the place of their key are named by their value',
    query: (r) => r.table('v').merge((row: Reql) => ({ name: lookedUp(r, row) })),
    seed: [{ name: 'a', n: 1 }],
    table: 'v',
    writes: [insert({ id: 1, k: 'x' })],
    shows: [
      { body: { _delete: true, name: null, n: 1 }, key: [{ name: null, n: 1 }, 1] },
      { body: gone, key: [{ name: null, n: 1 }, 1], reverse: { name: null, n: 1 } },
      { body: { name: 'x', n: 1 }, key: [{ name: 'x', n: 1 }, 1], reverse: gone },
    ],
  },
  {
    name: 'a pair whose right row is found by its primary key is named by the left row',
    query: (r) => r.table('t').eqJoin('k', r.table('t')),
    seed: [{ id: 1, k: 2 }, { id: 2 }, { id: 3 }],
    writes: [update(2, { n: 1 }), update(1, { k: 3 }), remove(1)],
    shows: [
      { body: { _delete: true, left: { id: 1, k: 2 }, right: { id: 2 } }, key: 1 },
      { body: { right: { n: 1 } }, key: 1, reverse: { right: { n: gone } } },
      {
        body: { left: { k: 3 }, right: { _delete: true, id: 3 } },
        key: 1,
        reverse: { left: { k: 2 }, right: { id: 2, n: 1 } },
      },
      { body: gone, key: 1, reverse: { left: { id: 1, k: 3 }, right: { id: 3 } } },
    ],
  },
  {
    name: 'a pair whose right row is found by an index is named by both rows',
    query: (r) => r.table('v').eqJoin('n', r.table('v'), { index: 'n' }).pluck('left', 'right'),
    seed: [{ name: 'a', n: 1 }],
    table: 'v',
    writes: [(r) => r.table('v').get('a').update({ x: 1 })],
    shows: [
      { body: { _delete: true, left: { name: 'a', n: 1 }, right: { name: 'a', n: 1 } }, key: ['a', 'a'] },
      {
        body: { left: { x: 1 }, right: { x: 1 } },
        key: ['a', 'a'],
        reverse: { left: { x: gone }, right: { x: gone } },
      },
    ],
  },
  {
    name: 'zipped pairs hide which rows they are of, and are named by their value',
    query: (r) => r.table('t').eqJoin('k', r.table('t')).zip(),
    seed: [{ id: 1, k: 2 }, { id: 2 }],
    writes: [update(2, { n: 1 })],
    shows: [
      { body: { _delete: true, id: 2, k: 2 }, key: [{ id: 2, k: 2 }, 1] },
      { body: gone, key: [{ id: 2, k: 2 }, 1], reverse: { id: 2, k: 2 } },
      { body: { id: 2, k: 2, n: 1 }, key: [{ id: 2, k: 2, n: 1 }, 1], reverse: gone },
    ],
  },
  {
    name: 'outputs of a reducer: how often each is there',
    query: (r) => r.table('t').group('k')('n'),
    options: { reducer: (_: Reql, values: Reql) => values.map((pair) => [pair(0), pair(1)]) },
    seed: [{ id: 1, k: 'a', n: 5 }],
    writes: [insert({ id: 2, k: 'a', n: 5 }), update(2, { n: 6 })],
    shows: [
      { body: 1, group: 'a', key: 5 },
      { body: 2, group: 'a', key: 5, reverse: 1 },
      { body: 1, group: 'a', key: 5, reverse: 2 },
      { body: 1, group: 'a', key: 6, reverse: gone },
    ],
  },
  {
    name: 'keys of data that look like the marker',
    query: (r) => r.table('t').get(1).default({})('v').default(null),
    seed: [{ id: 1, v: { _delete: 1, __delete: 1 } }],
    writes: [update(1, { v: { _delete: 2 } })],
    shows: [
      { body: { _delete: true, __delete: 1, ___delete: 1 } },
      { body: { __delete: 2 }, reverse: { __delete: 1 } },
    ],
  },
];

/** Options that cannot be, and what is said. */
const refused: readonly (readonly [options: object, says: string])[] = [
  [{ format: 'x' }, 'The option `format` is "merge", or left out for documents of old_val and new_val; found "x".'],
  [{ format: null }, 'The option `format` is "merge", or left out'],
  [{ format: 'merge', nope: 1 }, 'Unrecognized optional argument `nope`.'],
];

for (const under of bases) {
  describe.skipIf(!under.there).each(['server', 'proxy'] as const)(`merges over ${under.name}, %s plan`, (plan) => {
    test('what each kind of feed shows', async () => {
      await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes, connect }) => {
        await writes.run((r) => r.tableCreate('v', { primaryKey: 'name' }));
        await writes.run((r) => r.table('v').indexCreate('n'));
        await writes.run((r) => r.table('v').indexWait());
        const client = await connect();
        for (const { name, query, options = {}, seed = [], table = 't', writes: all, shows } of cases) {
          await writes.run((r) => r.expr([r.table('t').delete(), r.table('v').delete()]));
          await writes.run((r) => r.table(table).insert(seed.map((row) => r.expr(row))));
          const feed = await client.feed((r) =>
            query(r).changes({ includeInitial: true, format: 'merge', ...options }),
          );
          const initial = shows.filter((document) => !('reverse' in document)).length;
          const told = [...(await feed.take(initial))];
          const more = shows.length - initial;
          for (const write of all) {
            await writes.run(write);
            // Of several tables the changes of writes that follow one another at once may be one.
            if (more === all.length) told.push(...(await feed.take(1)));
          }
          told.push(...(await feed.take(shows.length - told.length)));
          expect([name, ...told]).toEqual([name, ...shows]);
          await feed.close();
        }
      });
    });

    test('rows keep their names where many change at once, whatever the primary key is called', async () => {
      await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes, connect }) => {
        await writes.run((r) => r.tableCreate('v', { primaryKey: 'name' }));
        await writes.run((r) => r.table('v').insert(NAMES.map((name, n) => ({ name, n }))));
        await writes.run((r) => r.table('t').insert(NAMES.map((k, id) => ({ id, k }))));
        const query: Query = (r) => r.table('v').merge((row: Reql) => ({ of: lookedUp(r, row) }));
        const feed = await (await connect()).feed((r) => query(r).changes({ includeInitial: true, format: 'merge' }));
        const state = new MergeState('rows');
        for (let round = 0; round < 12; round++) {
          // Each row takes the value of the one before it, some of them twice.
          const turns = [1, 2, 1].slice(round % 3);
          await writes.run((r) =>
            r.expr(
              turns.flatMap((turn) =>
                NAMES.map((name, at) =>
                  r
                    .table('v')
                    .get(name)
                    .update({ n: (at + round + turn) % NAMES.length }),
                ),
              ),
            ),
          );
          const truth = await writes.run((r) => query(r).coerceTo('array'));
          while (!state.equals(truth)) for (const document of await feed.take(1)) state.add(document);
        }
        state.check();
      });
    });

    test('terms after `changes` see them, and what one window of `squash` takes is one merge', async () => {
      await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes, connect }) => {
        await writes.run((r) => r.table('t').insert({ id: 1, k: 'a', n: 1 }));
        const client = await connect();
        const sums = (r: Reql): Reql => r.table('t').group('k').sum('n');
        const mapped = await client.feed((r) =>
          sums(r)
            .changes({ includeInitial: true, format: 'merge' })
            .map((document: Reql) => [document('group'), document('body')]),
        );
        const squashed = await client.feed((r) =>
          sums(r).changes({ includeInitial: true, format: 'merge', squash: 1 }),
        );
        expect([await mapped.take(1), await squashed.take(1)]).toEqual([[['a', 1]], [{ body: 1, group: 'a' }]]);
        for (const n of [2, 3]) await writes.run((r) => r.table('t').get(1).update({ n }));
        expect(await mapped.take(2)).toEqual([
          ['a', 2],
          ['a', 3],
        ]);
        const [first, ...more] = await squashed.take(1);
        const all = [first, ...more, ...(isNet(first, 3) ? [] : await squashed.take(1))];
        expect(all.at(-1)).toMatchObject({ body: 3, group: 'a' });
        for (const n of [4, 5, 6]) await writes.run((r) => r.table('t').get(1).update({ n }));
        expect(await squashed.take(1)).toEqual([{ body: 6, group: 'a', reverse: 3 }]);
      });
    });

    test.each(refused)('%j is refused', async (options, says) => {
      await onSharingStage(under, DB, { feeds: { plan } }, async ({ connect }) => {
        const client = await connect();
        const opened = client.feed((r) =>
          r
            .table('t')
            .count()
            .changes(options as never),
        );
        await expect(opened.catch((error: Error) => Promise.reject(error.message))).rejects.toContain(says);
      });
    });
  });
}

function isNet(document: unknown, body: number): boolean {
  return typeof document === 'object' && document !== null && 'body' in document && document.body === body;
}

test('the library says that merges are the proxy’s', () => {
  const refusedBy = rewrite('[1,[152,[[43,[[15,["t"]]]]],{"format":"merge"}]]');
  expect(refusedBy).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('merges are written by the proxy') },
  });
});
