// Live reductions: with an inverse given, with one that is found, and with none.

import { bag, error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { NUMBER, OBJECT, STRING } from './upstream.ts';

const two = {
  t: [
    { id: 1, k: 'a', n: 2 },
    { id: 2, k: 'b', n: 3 },
  ],
};
const nothing = error('NON_EXISTENCE', 'Cannot reduce over an empty stream.');

export const reduceCases: readonly FeedCase[] = [
  {
    name: 'a reduction that is a sum',
    source: 'issue 5: reverse derived',
    seed: two,
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.add(b)),
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 10 }), expect: steps(5, 15) },
      { write: (r) => r.table('t').get(1).update({ n: 0 }), expect: steps(15, 13) },
      { write: (r) => r.table('t').delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 4, n: 1 }), expect: steps(null, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'a reduction of nothing is null, or its default',
    source: 'CASES C3, rethinkdb/rethinkdb#2629',
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.add(b)),
    initial: initially(null),
    steps: [{ write: (r) => r.table('t').insert({ id: 1, n: 4 }), expect: steps(null, 4) }],
    without: nothing,
  },
  {
    name: 'a product has no inverse at 0, and is right all the same',
    source: 'issue 5: no reverse',
    seed: two,
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.mul(b)),
    initial: initially(6),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 0 }), expect: steps(6, 0) },
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0, 15) },
    ],
    without: NUMBER,
  },
  {
    name: 'a maximum that is written out',
    source: 'issue 5: branch(a.gt(b), a, b) and its kin',
    seed: two,
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => r.branch(a.gt(b), a, b))
        .default('none'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: steps(3, 2) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(2, 'none') },
      { write: (r) => r.table('t').insert({ id: 3, n: -1 }), expect: steps('none', -1) },
    ],
    without: NUMBER,
  },
  {
    name: 'objects of several fields',
    source: 'issue 5: objects of such fields',
    seed: two,
    query: (r) =>
      r
        .table('t')
        .map((row) => ({ rows: 1, n: row('n') }))
        .reduce((a, b) => ({ rows: a('rows').add(b('rows')), n: a('n').add(b('n')) })),
    initial: initially({ rows: 2, n: 5 }),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: steps({ rows: 2, n: 5 }, { rows: 2, n: 7 }) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps({ rows: 2, n: 7 }, { rows: 1, n: 4 }) },
    ],
    without: OBJECT,
  },
  {
    name: 'a union of sets',
    source: 'issue 5: setUnion',
    seed: {
      t: [
        { id: 1, tags: ['a'] },
        { id: 2, tags: ['a'] },
      ],
    },
    query: (r) =>
      r
        .table('t')('tags')
        .reduce((a, b) => a.setUnion(b))
        .count(),
    initial: initially(1),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ tags: ['a', 'b'] }),
        expect: steps(1, 2),
      },
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ tags: ['b'] }),
        expect: steps(2, 1),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'a string where numbers were added is the error of the server',
    source: 'issue 5: types are checked at run time',
    seed: { t: [{ id: 1, n: 1 }] },
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.add(b)),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 2, n: 'x' }), expect: [] }],
    ends: error('QUERY_LOGIC', /^Expected type (NUMBER but found STRING|STRING but found NUMBER)\.$/),
    without: NUMBER,
  },
  {
    name: 'strings that are joined',
    source: 'issue 5: string concatenation',
    seed: { t: [{ id: 1, n: 'x' }] },
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.add(b)),
    initial: initially('x'),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, n: 'x' }), expect: steps('x', 'xx') },
      { write: (r) => r.table('t').get(1).delete(), expect: steps('xx', 'x') },
    ],
    without: STRING,
  },
  {
    name: 'a reduction by group',
    source: 'issue 5; issue 4: group as a combinator over any of them',
    seed: two,
    query: (r) =>
      r
        .table('t')
        .group('k')('n')
        .reduce((a, b) => a.add(b)),
    shows: 'groups',
    initial: bag({ group: 'a', new_val: 2 }, { group: 'b', new_val: 3 }),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'b' }), expect: 'law' },
      {
        write: (r) => r.table('t').insert({ id: 3, k: 'c', n: 1 }),
        expect: [{ group: 'c', old_val: null, new_val: 1 }],
      },
    ],
    without: NUMBER,
  },
];
