// Missing things: fields that functions read, and values of indexes.

import { bag, error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT } from './upstream.ts';

const some = {
  t: [
    { id: 1, k: 'a', n: 1 },
    { id: 2, k: 'a', n: 2 },
    { id: 3, k: 'b', n: 2 },
  ],
};
const held = {
  t: [
    { id: 1, n: 1 },
    { id: 2, n: { no: 'key' } },
    { id: 3, n: [1, null] },
    { id: 4 },
    { id: 5, n: [1, 2] },
    { id: 6, n: null },
  ],
};
const tied = {
  t: [
    { id: 3, n: 1 },
    { id: 1, n: 1 },
    { id: 2, n: 1 },
    { id: 4, n: 0 },
  ],
};
const missing = error('NON_EXISTENCE', /^No attribute `n` in object/);
const goes = (old_val: unknown): object => ({ old_val, new_val: null });
const comes = (new_val: unknown): object => ({ old_val: null, new_val });
const inGroup = (group: unknown, document: object): unknown => ({ group, ...document });

export const missingCases: readonly FeedCase[] = [
  ...(['sum', 'avg', 'max'] as const).map(
    (aggregate): FeedCase => ({
      name: `a constant field of \`${aggregate}\` that is missing is missed by the query, and not by each row`,
      source: 'RethinkDB 2.4.4: it is evaluated before the rows are read',
      query: (r) => r.table('t')[aggregate](r.expr({})('a')).default('d'),
      refused: error('QUERY_LOGIC', 'Cannot convert STRING to SEQUENCE'),
      without: error('QUERY_LOGIC', 'Cannot convert STRING to SEQUENCE'),
    }),
  ),
  {
    name: 'a constant group that is missing is missed by the query, and not by each row',
    source: 'RethinkDB 2.4.4: it is evaluated before the rows are read',
    query: (r) => r.table('t').group(r.expr({})('a')).count().default('d'),
    refused: error('QUERY_LOGIC', 'Cannot convert STRING to SEQUENCE'),
    without: error('QUERY_LOGIC', 'Cannot convert STRING to SEQUENCE'),
  },
  {
    name: 'while a function misses a field the query has no groups',
    source: 'RethinkDB 2.4.4: the error of one row is that of all groups',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => row('n'))
        .count(),
    shows: 'groups',
    initial: bag(inGroup('a', { new_val: 2 }), inGroup('b', { new_val: 1 })),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 4, k: 'c' }),
        expect: bag(inGroup('a', goes(2)), inGroup('b', goes(1))),
      },
      { write: (r) => r.table('t').insert({ id: 5, k: 'a', n: 0 }), expect: [] },
      {
        write: (r) => r.table('t').get(4).delete(),
        expect: bag(inGroup('a', comes(3)), inGroup('b', comes(1))),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'while what stands in for a field is missing as well the query has no value',
    source: 'RethinkDB 2.4.4: an error of the argument of default is that of the query',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n').default(row('k')))
        .count()
        .default('none'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 'none') },
      { write: (r) => r.table('t').get(4).update({ k: 'd' }), expect: steps('none', 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'an error without words in a default raises what was caught',
    source: 'RethinkDB 2.4.4: r.error() in a default',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => row('n').default(r.error()))
        .count(),
    shows: 'groups',
    initial: bag(inGroup('a', { new_val: 2 }), inGroup('b', { new_val: 1 })),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 4, k: 'b' }),
        expect: bag(inGroup('a', goes(2)), inGroup('b', goes(1))),
      },
      {
        write: (r) => r.table('t').get(4).update({ n: 7 }),
        expect: bag(inGroup('a', comes(2)), inGroup('b', comes(2))),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'while a function misses a field there are no rows of groups, and no value over them',
    source: 'RethinkDB 2.4.4: the error of one row is that of all that stands above',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => row('n'))
        .sum()
        .ungroup()('reduction')
        .sum(),
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, k: 'c' }), expect: steps(5, null) },
      { write: (r) => r.table('t').get(4).update({ n: 7 }), expect: steps(null, 12) },
    ],
    without: NUMBER,
  },
  {
    name: 'while a function misses a field nothing is distinct',
    source: 'RethinkDB 2.4.4: the error of one row is that of distinct',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n'))
        .distinct(),
    shows: 'rows',
    initial: bag({ new_val: 1 }, { new_val: 2 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: bag(goes(1), goes(2)) },
      { write: (r) => r.table('t').get(4).update({ n: 2 }), expect: bag(comes(1), comes(2)) },
    ],
    without: ARRAY,
  },
  {
    name: 'while a function misses a field the number of distinct values is unknown',
    source: 'RethinkDB 2.4.4: the error of one row is that of distinct',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n'))
        .distinct()
        .count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: steps(2, null) },
      { write: (r) => r.table('t').get(4).update({ n: 3 }), expect: steps(null, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'a default takes the place of distinct values that cannot be told',
    source: 'RethinkDB 2.4.4: distinct is an array, all of which is there when a default looks',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n'))
        .distinct()
        .default(['unknown'])
        .coerceTo('array'),
    initial: initially([1, 2]),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: steps([1, 2], ['unknown']) },
      { write: (r) => r.table('t').get(4).update({ n: 3 }), expect: steps(['unknown'], [1, 2, 3]) },
    ],
    without: ARRAY,
  },
  {
    name: 'a filter that raises for a missing field leaves no count while there is one',
    source: 'RethinkDB 2.4.4: filter with default: r.error()',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('n').gt(1), { default: r.error() })
        .count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: steps(2, null) },
      { write: (r) => r.table('t').get(4).update({ n: 3 }), expect: steps(null, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'an order by an index leaves out what the index does not hold',
    source: 'RethinkDB 2.4.4: objects, null and arrays with them are no keys',
    seed: held,
    query: (r) => r.table('t').orderBy({ index: 'n' }).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(4).update({ n: 0 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(1).update({ n: null }), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'the list in the order of an index has what the index holds',
    source: 'RethinkDB 2.4.4: objects, null and arrays with them are no keys',
    seed: held,
    query: (r) => r.table('t').orderBy({ index: 'n' })('id').coerceTo('array'),
    initial: initially([5, 1]),
    steps: [{ write: (r) => r.table('t').get(2).update({ n: 0 }), expect: steps([5, 1], [5, 2, 1]) }],
    without: ARRAY,
  },
  {
    name: 'groups by an index are of what the index holds',
    source: 'RethinkDB 2.4.4: objects, null and arrays with them are no keys',
    seed: held,
    query: (r) => r.table('t').group({ index: 'n' }).count(),
    shows: 'groups',
    initial: bag(inGroup(1, { new_val: 1 }), inGroup([1, 2], { new_val: 1 })),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(3)
            .update({ n: [1] }),
        expect: [inGroup([1], comes(1))],
      },
    ],
    without: NUMBER,
  },
  {
    name: 'rows that are equal in the index are in the order of their primary keys',
    source: 'RethinkDB 2.4.4: the keys of an index end with the primary key',
    seed: tied,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(3)('id').coerceTo('array'),
    initial: initially([4, 1, 2]),
    steps: [{ write: (r) => r.table('t').get(4).delete(), expect: steps([4, 1, 2], [1, 2, 3]) }],
    without: ARRAY,
  },
  {
    name: 'a descending order by an index is descending in the primary keys too',
    source: 'RethinkDB 2.4.4: the keys of an index end with the primary key',
    seed: tied,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(4)('id')
        .coerceTo('array'),
    initial: initially([3, 2, 1, 4]),
    steps: [{ write: (r) => r.table('t').get(4).update({ n: 2 }), expect: steps([3, 2, 1, 4], [4, 3, 2, 1]) }],
    without: ARRAY,
  },
  {
    name: 'a row that an index holds several times is counted as often, squashed or not',
    source: 'RethinkDB 2.4.4: it squashes by row',
    seed: { t: [{ id: 1, tags: ['p', 'q'] }] },
    query: (r) => r.table('t').between('p', 'q', { index: 'tags', rightBound: 'closed' }).count(),
    changes: { includeInitial: true, squash: true },
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, tags: ['q', 'q', 'r'] }), expect: 'law' },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'the first rows of an order by an index are a list',
    source: 'somebody who wants the best row, and no error where there is none',
    seed: tied,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(2).nth(1)('id').default('none'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(1, 2) },
      {
        write: (r) =>
          r
            .table('t')
            .filter((row) => row('id').gt(2))
            .delete(),
        expect: 'law',
      },
    ],
    without: error('QUERY_LOGIC', 'Cannot convert NUMBER to SEQUENCE'),
  },
  {
    name: 'a page of an order by an index',
    source: 'somebody who shows the second page of a table',
    seed: tied,
    query: (r) => r.table('t').orderBy({ index: 'n' }).slice(1, 3)('id').coerceTo('array'),
    initial: initially([1, 2]),
    steps: [{ write: (r) => r.table('t').get(4).delete(), expect: steps([1, 2], [2, 3]) }],
    without: ARRAY,
  },
  {
    name: 'a page by skip and limit',
    source: 'somebody who shows pages of a table the way that tutorials do',
    seed: tied,
    query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).limit(2)('id').coerceTo('array'),
    initial: initially([1, 2]),
    steps: [{ write: (r) => r.table('t').get(4).delete(), expect: steps([1, 2], [2, 3]) }],
    without: ARRAY,
  },
  {
    name: 'rows of groups inside an object',
    source: 'somebody who shows groups beside a total',
    seed: some,
    query: (r) => r.expr({ groups: r.table('t').group('k').count().ungroup(), all: r.table('t').count() }),
    initial: initially({
      all: 3,
      groups: [
        { group: 'a', reduction: 2 },
        { group: 'b', reduction: 1 },
      ],
    }),
    steps: [{ write: (r) => r.table('t').get(3).delete(), expect: 'law' }],
    without: OBJECT,
  },
  {
    name: 'a fold over rows of groups',
    source: 'somebody who joins groups into a text',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .fold('', (text, row) => text.add(row('group'))),
    initial: initially('ab'),
    steps: [{ write: (r) => r.table('t').get(3).update({ k: 'c' }), expect: steps('ab', 'ac') }],
    without: error('QUERY_LOGIC', 'Cannot convert STRING to SEQUENCE'),
  },
  {
    name: 'rows that miss a field are left out where rows themselves are watched',
    source: 'RethinkDB 2.4.4: a feed of map leaves them out',
    seed: some,
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('n').gt(0))
        .concatMap((row) => [row('n')]),
    shows: 'rows',
    initial: bag({ new_val: 1 }, { new_val: 2 }, { new_val: 2 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [goes(1)] },
    ],
    without: error('QUERY_LOGIC', 'Cannot call `changes` after `concat_map`.'),
  },
  {
    name: 'a missing field without a row to miss it',
    source: 'RethinkDB 2.4.4: no attribute',
    seed: { t: [{ id: 1 }] },
    query: (r) => r.table('t').get(1)('n'),
    initial: initially(null),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 1 }), expect: steps(null, 1) }],
    without: missing,
  },
];
