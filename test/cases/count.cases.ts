// Live counts.

import { type FeedCase, initially, steps } from './case.ts';
import { NUMBER } from './upstream.ts';

const three = {
  t: [
    { id: 1, x: 1, k: 'a' },
    { id: 2, x: 2, k: 'b' },
    { id: 3, k: 'a' },
  ],
};

export const countCases: readonly FeedCase[] = [
  {
    name: 'count over an index follows a job, and is silent for other jobs',
    source: 'CASES A2, rethinkdb/rethinkdb#3735',
    query: (r) => r.table('t').getAll('j7', { index: 'job' }).count(),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert([{ job: 'j7' }, { job: 'j7' }, { job: 'j7' }]), expect: steps(0, 1, 2, 3) },
      { write: (r) => r.table('t').insert([{ id: 1, job: 'j8' }, { job: 'j8' }]), expect: [] },
      { write: (r) => r.table('t').get(1).update({ job: 'j7' }), expect: steps(3, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'count of a table follows inserts and deletes, and is silent for updates',
    source: 'rethinkdb/rethinkdb#1118',
    seed: three,
    query: (r) => r.table('t').count(),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 5 }), expect: [] },
      { write: (r) => r.table('t').get(1).replace({ id: 1 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 1 }, { conflict: 'replace' }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 2) },
      { write: (r) => r.table('t').insert({ id: 1 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').delete(), expect: steps(3, 2, 1, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'count by a predicate follows rows that begin and cease to meet it',
    source: 'CASES D1, rethinkdb/rethinkdb#1593',
    seed: three,
    query: (r) => r.table('t').count((row) => row('x').gt(1)),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 9 }), expect: steps(1, 2) },
      { write: (r) => r.table('t').get(2).update({ x: 8 }), expect: [] },
      { write: (r) => r.table('t').get(2).update({ x: 0 }), expect: steps(2, 1) },
      { write: (r) => r.table('t').get(3).update({ x: 3 }), expect: steps(1, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count by a predicate of r.row is the same',
    source: 'CASES D1, rethinkdb/rethinkdb#1593, rethinkdb/rethinkdb-ts#40',
    seed: three,
    query: (r) => r.table('t').count(r.row('x').gt(1)),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').get(1).update({ x: 9 }), expect: steps(1, 2) }],
    without: NUMBER,
  },
  {
    name: 'count of a value counts the elements that equal it',
    source: 'issue 2: count (all, value, predicate)',
    seed: three,
    query: (r) => r.table('t')('k').count('a'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(2).update({ k: 'a' }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(2).update({ k: null }), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count by an object counts the rows that equal it, as the one-shot query does',
    source: 'issue 2: count (all, value, predicate)',
    seed: {
      t: [
        { id: 1, x: 1 },
        { id: 2, x: 1 },
      ],
    },
    query: (r) => r.table('t').without('id').count({ x: 1 }),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ y: 1 }), expect: steps(2, 1) },
      { write: (r) => r.table('t').insert({ id: 3, x: 1 }), expect: steps(1, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count after filter, with a default for rows without the field',
    source: 'a user who counts open tickets',
    seed: three,
    query: (r) => r.table('t').filter(r.row('x').lt(2), { default: true }).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(3).update({ x: 7 }), expect: steps(2, 1) },
      { write: (r) => r.table('t').get(2).update({ x: 0 }), expect: steps(1, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count after map, pluck, hasFields, withFields and merge',
    source: 'DESIGN 3: sources that the server accepts',
    seed: three,
    query: (r) =>
      r
        .table('t')
        .hasFields('x')
        .merge((row) => ({ y: row('x').add(1) }))
        .withFields('x', 'y')
        .pluck('y')
        .map((row) => row('y'))
        .filter((y) => y.gt(1))
        .count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(3).update({ x: 3 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(2).update({ x: -3 }), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count between keys, bounds as asked for',
    source: 'DESIGN 3: sources that the server accepts',
    seed: three,
    query: (r) => r.table('t').between(1, 3, { leftBound: 'open', rightBound: 'closed' }).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert([{ id: 1.5 }, { id: 4 }, { id: 0 }]), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'count of getAll with a key twice counts its row twice',
    source: 'DESIGN 9: getAll(1,2,1) yields row 1 twice',
    seed: three,
    query: (r) => r.table('t').getAll(1, 2, 1).count(),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: steps(3, 2) },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 2 }), expect: steps(0, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'count of a union counts inserts into either table',
    source: 'CASES B6, rethinkdb/rethinkdb#4323',
    seed: { t: [{ id: 1 }], u: [{ id: 1 }, { id: 2 }] },
    query: (r) => r.table('t').union(r.table('u')).count(),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('u').insert({ id: 3 }), expect: steps(3, 4) },
      { write: (r) => r.table('t').insert({ id: 3 }), expect: steps(4, 5) },
      { write: (r) => r.table('u').get(1).delete(), expect: steps(5, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'count of a union of a table with itself counts every row twice',
    source: 'a user who unites overlapping ranges',
    seed: three,
    query: (r) =>
      r
        .table('t')
        .union(r.table('t').getAll('a', { index: 'k' }))
        .count(),
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(2).update({ k: 'a' }), expect: steps(5, 6) },
      { write: (r) => r.table('t').get(2).delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 4 }), expect: steps(4, 5) },
    ],
    without: NUMBER,
  },
  {
    name: 'count after concatMap counts what each row gives',
    source: 'CASES A6, rethinkdb/rethinkdb#5268',
    seed: {
      t: [
        { id: 1, tags: ['a', 'b', 'b'] },
        { id: 2, tags: ['b'] },
        { id: 3, tags: [] },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => row('tags'))
        .count(),
    initial: initially(4),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['a', 'c'] }),
        expect: steps(4, 5),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'count of the first rows by an index stays at the limit',
    source: 'DESIGN 3: orderBy({index}).limit',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
      ],
    },
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(3).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 3 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').insert({ id: 4, n: 0 }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'an orderBy alone before a count is of no account',
    source: 'DESIGN 3',
    seed: three,
    query: (r) => r.table('t').orderBy('x').count(),
    initial: initially(3),
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
  {
    name: 'a NUL and characters beyond ASCII in a filter are counted right',
    source: 'CASES H2, rethinkdb/rethinkdb#3163, sysown/proxysql#4755',
    seed: {
      t: [
        { id: 1, s: 'a\u0000b' },
        { id: 2, s: 'é😀' },
        { id: 3, s: 'a' },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .filter({ s: 'a\u0000b' })
        .count()
        .add(r.table('t').filter({ s: 'é😀' }).count().mul(10)),
    initial: initially(11),
    steps: [
      { write: (r) => r.table('t').get(3).update({ s: 'é😀' }), expect: steps(11, 21) },
      { write: (r) => r.table('t').get(3).update({ s: 'a\u0000b' }), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 4, s: 'a\u0000b' }), expect: steps(12, 13) },
    ],
    without: NUMBER,
  },
  {
    name: 'the methods of r count too',
    source: 'facts/drivers.md: r.count(stream)',
    seed: three,
    query: (r) => r.count(r.table('t')),
    initial: initially(3),
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
];
