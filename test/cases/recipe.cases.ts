// The four parts of the recipe in the client's hands: inverses, bases, emits, reducers.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';

const two = {
  t: [
    { id: 1, k: 'a', n: 2 },
    { id: 2, k: 'b', n: 3 },
  ],
};
const add = (a: Reql, b: Reql): Reql => a.add(b);
const sub = (a: Reql, b: Reql): Reql => a.sub(b);
const unknown = (name: string): ReturnType<typeof error> =>
  error('COMPILE', `Unrecognized optional argument \`${name}\`.`);
const arity = error('COMPILE', 'Expected 2 arguments but found 3.');

export const recipeCases: readonly FeedCase[] = [
  {
    name: 'an inverse as the second argument of reduce',
    source: 'rethinkdb/rethinkdb#1118; DESIGN 4: reduce(f, g)',
    seed: two,
    query: (r) => r.table('t')('n').reduce(add, sub),
    after: (feed) => feed,
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 7 }), expect: steps(5, 10) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(10, 7) },
    ],
    without: arity,
  },
  {
    name: 'an inverse as an option of reduce',
    source: 'rethinkdb/rethinkdb#1118; DESIGN 4: reduce(f, {reverse: g})',
    seed: two,
    query: (r) => r.table('t')('n').reduce(add, { reverse: sub }),
    after: (feed) => feed,
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(5, 3) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(3, null) },
      { write: (r) => r.table('t').insert({ id: 3, n: 4 }), expect: steps(null, 4) },
    ],
    without: arity,
  },
  {
    name: 'an inverse as an option of changes',
    source: 'DESIGN 4: changes({reverse: g})',
    seed: two,
    query: (r) => r.table('t')('n').reduce(add),
    changes: { includeInitial: true, reverse: sub },
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 7 }), expect: steps(5, 10) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(10, 7) },
    ],
    without: unknown('reverse'),
  },
  {
    name: 'a fold with an inverse and an emit',
    source: 'issue 5: fold(base, f).changes({reverse: g, emit: h})',
    seed: two,
    query: (r) => r.table('t').fold(100, (acc, row) => acc.add(row('n'))),
    changes: {
      includeInitial: true,
      reverse: (acc: Reql, row: Reql) => acc.sub(row('n')),
      emit: (acc: Reql) => ({ total: acc }),
    },
    after: (feed) => feed,
    initial: initially({ total: 105 }),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 0 }), expect: steps({ total: 105 }, { total: 103 }) }],
    without: error('COMPILE', /^Unrecognized optional argument `(reverse|emit)`\.$/),
  },
  {
    name: 'a base without an inverse',
    source: 'rethinkdb/rethinkdb#1118: reduce(f, {base, emit})',
    seed: two,
    query: (r) =>
      r
        .table('t')('n')
        .reduce((acc, n) => acc.mul(n)),
    changes: { includeInitial: true, base: 10, emit: (acc: Reql) => acc.add(1) },
    after: (feed) => feed,
    initial: initially(61),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 0 }), expect: steps(61, 1) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(1, 31) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(31, 11) },
    ],
    without: error('COMPILE', /^Unrecognized optional argument `(base|emit)`\.$/),
  },
  {
    name: 'an inverse that is wrong never shows a wrong value',
    source: 'issue 5: laws checked, not trusted',
    plans: ['auto', 'proxy'],
    seed: two,
    query: (r) => r.table('t')('n').reduce(add),
    changes: { includeInitial: true, reverse: add },
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 7 }), expect: steps(5, 10) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(10, 7) },
    ],
    without: unknown('reverse'),
  },
  {
    name: 'a reducer over the values of each group',
    source: 'issue 5: group(key).changes({reducer})',
    seed: two,
    query: (r) => r.table('t').group('k'),
    changes: {
      includeInitial: true,
      reducer: (_: Reql, values: Reql) => [[values.map((pair) => pair(0)('n').mul(pair(1))).sum(), 1]],
    },
    after: (feed) => feed,
    initial: bag({ group: 'a', value: 2, count: 1 }, { group: 'b', value: 3, count: 1 }),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 7 }), expect: [{ group: 'a', old_val: 2, new_val: 7 }] }],
    without: unknown('reducer'),
  },
];
