// Reducers of a client's own over values with their counts, and aggregates by name.

import { error } from '../support/checks/matchers.ts';
import type { Argument, Reql } from '../support/reql.ts';
import type { FeedCase } from './case.ts';

const rows = {
  t: [
    { id: 1, x: 1, k: 'a' },
    { id: 2, x: 1, k: 'a' },
    { id: 3, x: 2, k: 'b' },
  ],
};
const unknown = (optarg: string): ReturnType<typeof error> =>
  error('COMPILE', `Unrecognized optional argument \`${optarg}\`.`);
/** Documents of a reducer do not add up to a value: the tests of the laws add them up. */
const as = (feed: Reql): Reql => feed;
const counts = (_group: Reql, values: Reql): Argument => [[values.map((pair) => pair(1)).sum(), 1]];

export const reducerCases: readonly FeedCase[] = [
  {
    name: 'a value in the place of another is one document, all else tells how often a value comes or goes',
    source: 'issue 5: reducers over values with multiplicities',
    seed: rows,
    query: (r) => r.table('t').group('k')('x'),
    changes: { reducer: counts, includeInitial: true, includeStates: true, includeTypes: true },
    after: as,
    initial: [
      { state: 'initializing', type: 'state' },
      { group: 'a', value: 2, count: 1, type: 'initial' },
      { group: 'b', value: 1, count: 1, type: 'initial' },
      { state: 'ready', type: 'state' },
    ],
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 4, x: 1, k: 'a' }),
        expect: [{ group: 'a', old_val: 2, new_val: 3, type: 'change' }],
      },
      {
        write: (r) => r.table('t').get(3).delete(),
        expect: [{ group: 'b', value: 1, count: -1, type: 'remove' }],
      },
      {
        write: (r) => r.table('t').insert({ id: 5, x: 0, k: null }),
        expect: [{ group: null, value: 1, count: 1, type: 'add' }],
      },
      {
        write: (r) => r.table('t').get(4).update({ k: 'b' }),
        expect: [
          { group: 'a', old_val: 3, new_val: 2, type: 'change' },
          { group: 'b', value: 1, count: 1, type: 'add' },
        ],
      },
    ],
    without: unknown('reducer'),
  },
  {
    name: 'counts of outputs are used as given',
    source: 'issue 5: counts -2 and 3',
    seed: rows,
    query: (r) => r.table('t')('x'),
    changes: { reducer: (values: Reql) => values.map((pair) => [pair(0), pair(0).mul(5).sub(7)]) },
    after: as,
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ value: 1, count: 2 }] },
      { write: (r) => r.table('t').get(3).delete(), expect: [{ value: 2, count: -3 }] },
      {
        write: (r) => r.table('t').insert([{ id: 1, x: 1 }]),
        expect: [{ value: 1, count: -2 }],
      },
    ],
    without: unknown('reducer'),
  },
  {
    name: 'a reducer of two arguments gets null for the group where there are no groups',
    source: 'issue 5',
    seed: rows,
    query: (r) => r.table('t'),
    changes: { reducer: (group: Reql, values: Reql) => [[[group, values.count()], 1]], includeInitial: true },
    after: as,
    initial: [{ value: [null, 3], count: 1 }],
    steps: [
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: [{ old_val: [null, 3], new_val: [null, 2] }],
      },
    ],
    without: unknown('reducer'),
  },
  {
    name: 'terms after changes see the documents of a reducer',
    source: 'issue 5; DESIGN 3: terms after changes',
    seed: rows,
    query: (r) => r.table('t').group('k')('x'),
    changes: { reducer: (_group: Reql, values: Reql) => values, includeInitial: true, squash: true },
    after: (feed) => feed.filter((change) => change('group').eq('a')).withFields('value', 'count'),
    initial: [{ value: 1, count: 2 }],
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ value: 1, count: -1 }] },
    ],
    without: unknown('reducer'),
  },
  {
    name: 'a reducer with too few arguments is refused',
    source: 'issue 5: bad input',
    seed: rows,
    query: (r) => r.table('t').group('k'),
    changes: { reducer: (values: Reql) => values },
    refused: error('QUERY_LOGIC', 'Expected function with 2 arguments but found function with 1 argument.'),
    without: unknown('reducer'),
  },
  {
    name: 'a reducer that is no function is refused',
    source: 'issue 5: bad input',
    seed: rows,
    query: (r) => r.table('t'),
    changes: { reducer: 'sum' },
    refused: error('QUERY_LOGIC', 'Expected type FUNCTION but found DATUM:\n"sum"'),
    without: unknown('reducer'),
  },
  {
    name: 'a reducer over something that is no stream is refused',
    source: 'issue 5: bad input',
    seed: rows,
    query: (r) => r.table('t').count(),
    changes: { reducer: (values: Reql) => values },
    refused: error('QUERY_LOGIC', /^`reducer` is for the elements of a stream/),
    without: unknown('reducer'),
  },
  {
    name: 'an aggregate by name is one value',
    source: 'issue 5: named reducers',
    seed: rows,
    query: (r) => r.table('t')('id'),
    changes: { aggregate: 'product mod 13', includeInitial: true },
    after: as,
    initial: [{ new_val: 6 }],
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [{ old_val: 6, new_val: 2 }] },
      { write: (r) => r.table('t').insert({ id: 11 }), expect: [{ old_val: 2, new_val: 9 }] },
    ],
    without: unknown('aggregate'),
  },
  {
    name: 'an aggregate by name over groups is a value per group',
    source: 'issue 5: named reducers, after group',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => row('id').mul(2)),
    changes: { aggregate: 'product mod 13' },
    after: as,
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [{ group: 'b', old_val: 6, new_val: null }] },
      { write: (r) => r.table('t').insert({ id: 6, k: 'a' }), expect: [{ group: 'a', old_val: 8, new_val: 5 }] },
    ],
    without: unknown('aggregate'),
  },
  {
    name: 'a name that no aggregate has is refused with those there are',
    source: 'issue 5: bad input',
    seed: rows,
    query: (r) => r.table('t'),
    changes: { aggregate: 'quotient' },
    refused: error('QUERY_LOGIC', /^None of the aggregates \(`median`, .*, `letters`\) is called `quotient`\.$/),
    without: unknown('aggregate'),
  },
];
