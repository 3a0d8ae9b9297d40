// RethinkDB's own feeds as merges: document by document, with the options of each; what is refused; and a client that is slow.

import { describe, expect, test } from 'vitest';
import { explain } from '../../rewrite/explain.ts';
import { rewrite } from '../../rewrite/rewrite.ts';
import { driverError } from '../support/checks/driver-error.ts';
import { MergeState } from '../support/checks/merge-state.ts';
import type { Query, Reql } from '../support/reql.ts';
import { connectRaw } from '../support/servers/raw.ts';
import { bases } from '../support/servers/servers.ts';
import type { Row } from '../support/servers/stage.ts';
import { onSharingStage } from '../support/sharing.ts';

const DB = 'mergerows';
const gone = { _delete: true };
const V = (r: Reql): Reql => r.table('v');

interface Case {
  readonly name: string;
  readonly query: (r: Reql) => Reql;
  readonly options?: object;
  readonly seed: readonly Row[];
  readonly writes: readonly Query[];
  /** What is shown up to the first write, and after it. */
  readonly first: readonly object[];
  readonly later: readonly object[];
}

const a: Row = { name: 'a', n: 1, k: 'x' };

const cases: readonly Case[] = [
  {
    name: 'the key is that of the table',
    query: V,
    seed: [a],
    writes: [
      (r) => V(r).get('a').update({ n: 2 }),
      (r) => V(r).get('a').replace({ name: 'a', k: 'x' }),
      (r) => V(r).get('a').delete(),
    ],
    first: [{ body: { _delete: true, ...a }, key: 'a' }],
    later: [
      { body: { n: 2 }, key: 'a', reverse: { n: 1 } },
      { body: { n: gone }, key: 'a', reverse: { n: 2 } },
      { body: gone, key: 'a', reverse: { name: 'a', k: 'x' } },
    ],
  },
  {
    name: 'states and types',
    query: (r) => V(r).filter({ k: 'x' }),
    options: { includeStates: true, includeTypes: true },
    seed: [a],
    writes: [
      (r) => V(r).get('a').update({ n: 2 }),
      (r) => V(r).get('a').update({ k: 'y' }),
      (r) => V(r).insert({ ...a, name: 'b' }),
    ],
    first: [
      { state: 'initializing', type: 'state' },
      { body: { _delete: true, ...a }, key: 'a', type: 'initial' },
      { state: 'ready', type: 'state' },
    ],
    later: [
      { body: { n: 2 }, key: 'a', reverse: { n: 1 }, type: 'change' },
      { body: gone, key: 'a', reverse: { ...a, n: 2 }, type: 'remove' },
      { body: { ...a, name: 'b' }, key: 'b', reverse: gone, type: 'add' },
    ],
  },
  {
    name: 'what is made of a row has the key of the row',
    query: (r) => V(r).map((row: Reql) => row('n')),
    seed: [a],
    writes: [
      (r) => V(r).get('a').update({ k: 'y' }),
      (r) => V(r).get('a').update({ n: 2 }),
      (r) => V(r).get('a').update({ n: 'no number' }),
    ],
    first: [{ body: 1, key: 'a' }],
    later: [
      { body: 2, key: 'a', reverse: 1 },
      { body: 'no number', key: 'a', reverse: 2 },
    ],
  },
  {
    name: 'fields of a row, and rows that lack them',
    query: (r) =>
      V(r)
        .withFields('n')
        .filter((row: Reql) => row('n').lt(3)),
    seed: [a],
    writes: [
      (r) => V(r).get('a').update({ n: 3 }),
      (r) => V(r).insert({ name: 'b' }),
      (r) => V(r).get('b').update({ n: 0 }),
    ],
    first: [{ body: { _delete: true, n: 1 }, key: 'a' }],
    later: [
      { body: gone, key: 'a', reverse: { n: 1 } },
      { body: { n: 0 }, key: 'b', reverse: gone },
    ],
  },
  {
    name: 'in a union the key tells the branch',
    query: (r) => V(r).union(r.table('t')).pluck('n'),
    seed: [a],
    writes: [(r) => r.table('t').insert({ id: 'a', n: 5 }), (r) => V(r).get('a').update({ n: 2 })],
    first: [{ body: { _delete: true, n: 1 }, key: [0, 'a'] }],
    later: [
      { body: { n: 5 }, key: [1, 'a'], reverse: gone },
      { body: { n: 2 }, key: [0, 'a'], reverse: { n: 1 } },
    ],
  },
  {
    name: 'one row, which is not there at first',
    query: (r) => V(r).get('a'),
    seed: [],
    writes: [(r) => V(r).insert(a), (r) => V(r).get('a').delete()],
    first: [{ body: gone, key: 'a' }],
    later: [
      { body: a, key: 'a', reverse: gone },
      { body: gone, key: 'a', reverse: a },
    ],
  },
  {
    name: 'a row takes the place of another, with offsets',
    query: (r) =>
      V(r)
        .orderBy({ index: r.desc('n') })
        .limit(1),
    options: { includeOffsets: true },
    seed: [a],
    writes: [(r) => V(r).insert({ name: 'b', n: 2 }), (r) => V(r).get('b').update({ n: 3 })],
    first: [{ body: { _delete: true, ...a }, key: 'a', new_offset: 0 }],
    later: [
      { body: gone, key: 'a', old_offset: 0, reverse: a },
      { body: { name: 'b', n: 2 }, key: 'b', new_offset: 0, reverse: gone },
      { body: { n: 3 }, key: 'b', new_offset: 0, old_offset: 0, reverse: { n: 2 } },
    ],
  },
];

const refused: readonly (readonly [what: string, query: (r: Reql) => Reql, says: string])[] = [
  ['another format', (r) => V(r).changes({ format: 'x' }), 'The option `format` is "merge"'],
  ['a term that reads to the end', (r) => V(r).changes({ format: 'merge' }).count(), 'a feed never ends'],
  [
    'a feed beside it',
    (r) => V(r).changes({ format: 'merge' }).union(r.table('t').changes()),
    'Put it before `changes`',
  ],
  ['a sign of life of a feed that passes', (r) => V(r).changes({ heartbeat: 1 }), 'have no `heartbeat`'],
  ['revisions of what passes', (r) => V(r).changes({ includeRevs: true }), 'have no `include_revs`'],
  ['an option of healing', (r) => V(r).changes({ format: 'merge', includeHealing: true }), 'include_healing'],
  [
    'an order in a union',
    (r) =>
      V(r)
        .union(V(r).orderBy({ index: 'n' }).limit(1))
        .changes({ format: 'merge' }),
    '`limit`',
  ],
  ['a wrong squash', (r) => V(r).changes({ format: 'merge', squash: -1 }), 'Expected BOOL or a positive NUMBER'],
  [
    'an option that nobody knows',
    (r) => V(r).changes({ format: 'merge', nope: 1 }),
    'Unrecognized optional argument `nope`',
  ],
  ['what RethinkDB refuses', (r) => V(r).sample(2).changes({ format: 'merge' }), 'does not know `format`'],
  ['a table that is not there', (r) => r.table('w').changes({ format: 'merge' }), 'Table `mergerows.w` does not exist'],
];

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    test('what each shows, what is refused, and a client that is slow', async () => {
      await onSharingStage(under, DB, { feeds: { plan: 'auto' } }, async ({ writes, connect, proxy }) => {
        await writes.run((r) => r.tableCreate('v', { primaryKey: 'name' }));
        await writes.run((r) => V(r).indexCreate('n'));
        await writes.run((r) => V(r).indexWait());
        const client = await connect();
        for (const { name, query, options = {}, seed, writes: all, first, later } of cases) {
          await writes.run((r) => r.expr([V(r).delete(), r.table('t').delete()]));
          await writes.run((r) => V(r).insert(seed.map((row) => r.expr(row))));
          const feed = await client.feed((r) =>
            query(r).changes({ includeInitial: true, format: 'merge', ...options }),
          );
          const told = [...(await feed.take(first.length))];
          for (const write of all) await writes.run(write);
          told.push(...(await feed.take(later.length)));
          expect([name, ...told]).toEqual([name, ...first, ...later]);
          await feed.close();
        }
        for (const [what, query, says] of refused) {
          const opened = client.feed(query).then(
            () => 'it is not',
            (error: unknown) => driverError(error).text,
          );
          expect([what, await opened]).toEqual([what, expect.stringContaining(says)]);
        }
        await writes.run((r) => V(r).delete());
        const mapped = await client.feed((r) =>
          V(r)
            .changes({ format: 'merge' })
            .filter({ key: 'm' })
            .map((document: Reql) => document('body')('n')),
        );
        await writes.run((r) =>
          V(r).insert([
            { name: 'l', n: 0 },
            { name: 'm', n: 9 },
          ]),
        );
        expect(await mapped.take(1)).toEqual([9]);
        const slow = await connectRaw(proxy.address);
        const options = { format: 'merge', changefeed_queue_size: 5, include_initial: true };
        const answers = [await slow.ask(`[1,[152,[[15,["v"]]],${JSON.stringify(options)}],{"db":[14,["${DB}"]]}]`)];
        const quick = await client.feed((r) => V(r).changes({ format: 'merge' }));
        for (let n = 0; n < 50; n++) {
          await writes.run((r) =>
            V(r)
              .get(n % 2 === 0 ? 'l' : 'm')
              .update({ n: 100 + n }),
          );
        }
        await quick.take(50);
        const state = new MergeState('rows');
        let count = 0;
        while (
          !state.equals([
            { name: 'l', n: 148 },
            { name: 'm', n: 149 },
          ])
        ) {
          const { r: told } = JSON.parse(answers.shift() ?? (await slow.more()));
          for (const document of told) state.add(document);
          count += told.length;
        }
        state.check();
        // Fifty changes of two rows: most were composed while nobody asked.
        expect(count).toBeLessThan(30);
        slow.close();
        // RethinkDB's own queue is not made as short as the client's.
        const short = await client.feed((r) => V(r).changes({ format: 'merge', changefeedQueueSize: 1 }));
        const names = Array.from({ length: 20 }, (_, n) => `short${n}`);
        await writes.run((r) => V(r).insert(names.map((name) => ({ name }))));
        const told = (await short.take(names.length)) as readonly { readonly key: string }[];
        expect(told.map(({ key }) => key).sort()).toEqual([...names].sort());
      });
    });
  });
}

test('the library leaves it to the proxy, and explain says so', () => {
  const query = '[1,[152,[[15,["t"]]],{"format":"merge"}]]';
  expect(rewrite(query)).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('by the proxy') },
  });
  expect(explain(query)).toEqual({ kind: 'merged', query: "r.table('t').changes()" });
});
