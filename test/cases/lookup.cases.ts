// Look-ups for each row in the rows of other tables, as either side changes.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER } from './upstream.ts';

const UNSTEADY = error('QUERY_LOGIC', 'Cannot call `changes` after a non-deterministic function.');

/** Posts in `t`, with their comments and authors in `u`. */
const forum = {
  t: [
    { id: 1, k: 'first', n: 10 },
    { id: 2, k: 'second', n: 11 },
  ],
  u: [
    { id: 10, k: 'Ada' },
    { id: 20, n: 1, x: 5 },
    { id: 21, n: 1, x: 7 },
  ],
};

/** What is looked up by a key, and by more that depends on the row. */
const above = (r: Reql, row: Reql): Reql =>
  r.table('u').filter((other: Reql) =>
    other('n')
      .eq(row('id'))
      .and(other('x').gt(row('id'))),
  );

const post = (id: number, title: string, comments: number, author: string | null): unknown => ({
  id,
  k: title,
  comments,
  author,
});

/** Posts in `t`, their comments in `u`, and who wrote these. */
const talk = {
  t: [{ id: 1 }, { id: 2 }, { id: 3 }],
  u: [
    { id: 'ada', k: 'Ada' },
    { id: 'bob', k: 'Bob' },
    { id: 20, n: 1, x: 'ada' },
    { id: 21, n: 1, x: 'bob' },
    { id: 22, n: 2, x: 'ada' },
  ],
};
const comments = (r: Reql, row: Reql): Reql => r.table('u').getAll(row('id'), { index: 'n' });
const commented = (id: number, ...told: readonly (readonly [number, string])[]): unknown => ({
  id,
  comments: told.map(([comment, by]) => ({ id: comment, by })),
});

export const lookupCases: readonly FeedCase[] = [
  {
    name: 'a list of posts with the number of their comments and the name of their author',
    source: 'what people ask for after counts',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .merge((row: Reql) => ({
          comments: r.table('u').getAll(row('id'), { index: 'n' }).count(),
          author: r.table('u').get(row('n'))('k').default(null),
        }))
        .without('n'),
    shows: 'rows',
    initial: bag({ new_val: post(1, 'first', 2, 'Ada') }, { new_val: post(2, 'second', 0, null) }),
    steps: [
      {
        write: (r) => r.table('u').insert({ id: 22, n: 2 }),
        expect: [{ old_val: post(2, 'second', 0, null), new_val: post(2, 'second', 1, null) }],
      },
      {
        write: (r) => r.table('u').get(10).update({ k: 'Eve' }),
        expect: [{ old_val: post(1, 'first', 2, 'Ada'), new_val: post(1, 'first', 2, 'Eve') }],
      },
      { write: (r) => r.table('u').get(20).update({ x: 6 }), expect: [] },
      {
        write: (r) => r.table('u').get(20).update({ n: 2 }),
        expect: bag(
          { old_val: post(1, 'first', 2, 'Eve'), new_val: post(1, 'first', 1, 'Eve') },
          { old_val: post(2, 'second', 1, null), new_val: post(2, 'second', 2, null) },
        ),
      },
      {
        write: (r) => r.table('t').get(2).update({ n: 10 }),
        expect: [{ old_val: post(2, 'second', 2, null), new_val: post(2, 'second', 2, 'Eve') }],
      },
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: [{ old_val: post(1, 'first', 1, 'Eve'), new_val: null }],
      },
    ],
    without: UNSTEADY,
  },
  {
    name: 'rows that pass a filter by what is looked up for them are counted',
    source: 'CASES: a count of rows whose owner is active',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .filter((row) => r.table('u').get(row('n')).ne(null))
        .count(),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('u').insert({ id: 11 }), expect: steps(1, 2) },
      { write: (r) => r.table('u').get(10).delete(), expect: steps(2, 1) },
      { write: (r) => r.table('t').get(2).update({ n: null }), expect: steps(1, 0) },
      { write: (r) => r.table('u').get(11).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).update({ n: 20 }), expect: steps(0, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'a sum that was looked up is wrong for a while only where it is read',
    source: 'a text among numbers of a row that nobody looks up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ n: row('id') })
            .sum('x'),
        )
        .sum(),
    initial: initially(12),
    steps: [
      { write: (r) => r.table('u').insert({ id: 30, n: 9, x: 'text' }), expect: [] },
      { write: (r) => r.table('u').get(20).update({ x: 6 }), expect: steps(12, 13) },
      { write: (r) => r.table('u').get(30).delete(), expect: [] },
      { write: (r) => r.table('t').insert({ id: 9 }), expect: [] },
      { write: (r) => r.table('u').insert({ id: 31, n: 9, x: 4 }), expect: steps(13, 17) },
      { write: (r) => r.table('u').get(31).update({ x: 'text' }), expect: [] },
    ],
    ends: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
    without: NUMBER,
  },
  {
    name: 'a field that is missing is no key, which a default catches and a function without one does not',
    source: 'the bad inputs of look-ups',
    seed: { t: [{ id: 1 }, { id: 2, n: null }, { id: 3, n: 10 }], u: [{ id: 10 }] },
    query: (r) =>
      r
        .table('t')
        .map((row) => r.table('u').get(row('n'))('id').default(0))
        .sum(),
    initial: initially(10),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 10 }), expect: steps(10, 20) },
      { write: (r) => r.table('t').get(3).update({ n: '10' }), expect: steps(20, 10) },
    ],
    without: NUMBER,
  },
  {
    name: 'without a default there is no value while a row has no key',
    source: 'the bad inputs of look-ups',
    seed: { t: [{ id: 1 }, { id: 3, n: 10 }], u: [{ id: 10 }] },
    query: (r) =>
      r
        .table('t')
        .map((row) => r.table('u').get(row('n'))('id'))
        .sum(),
    initial: initially(null),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(null, 10) },
      { write: (r) => r.table('u').get(10).delete(), expect: steps(10, null) },
      { write: (r) => r.table('u').insert({ id: 10 }), expect: steps(null, 10) },
    ],
    without: error('NON_EXISTENCE', /^No attribute `n`/),
  },
  {
    name: 'a key that depends on a function within is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('tags').map((tag: Reql) => r.table('u').get(tag)))
        .count(),
    refused: error('QUERY_LOGIC', /`get`.*depends on a variable of a function within.*`concatMap`/),
    without: error('NON_EXISTENCE', /^No attribute `tags`/),
  },
  {
    name: 'an order that ends with the row itself makes up for one that a look-up loses',
    source: 'the tags that most rows have, in an order',
    seed: { t: [{ id: 1, k: 'b' }, { id: 2, k: 'a' }, { id: 3 }], u: [{ id: 1, k: 'a' }] },
    query: (r) =>
      r
        .table('t')('k')
        .distinct()
        .map((k) => ({ k, n: r.table('u').filter({ k }).count() }))
        .orderBy(r.desc('n'), (row: Reql) => row)
        .limit(2)('k')
        .coerceTo('array'),
    initial: initially(['a', 'b']),
    steps: [
      { write: (r) => r.table('u').insert({ id: 2, k: 'b' }), expect: [] },
      { write: (r) => r.table('u').insert({ id: 3, k: 'b' }), expect: steps(['a', 'b'], ['b', 'a']) },
      { write: (r) => r.table('u').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').insert({ id: 4, k: '0' }), expect: steps(['b', 'a'], ['b', '0']) },
    ],
    without: ARRAY,
  },
  {
    name: 'the last rows of those that are looked up are refused in the words for streams, whatever else their filter reads',
    source: 'RethinkDB 2.4.4 counts from the end of lists alone',
    seed: forum,
    query: (r) => r.table('t').map((row) => above(r, row).orderBy('x').slice(-2).coerceTo('array')),
    refused: error('QUERY_LOGIC', 'Cannot use a negative left index on a stream.'),
    without: UNSTEADY,
  },
  {
    name: 'so is one from the end',
    source: 'RethinkDB 2.4.4 counts from the end of lists alone',
    seed: forum,
    query: (r) => r.table('t').sum((row: Reql) => above(r, row).orderBy('x').nth(-2)('x').default(0)),
    refused: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
    without: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
  },
  {
    name: 'rows that are looked up are no value, whatever else their filter reads: left to the server',
    source: 'RethinkDB 2.4.4 appends to lists alone',
    seed: forum,
    query: (r) => r.table('t').sum((row: Reql) => above(r, row).append(1).count()),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found SELECTION/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found SELECTION/),
  },
  {
    name: 'several keys for one row are refused, and say what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) => r.table('u').getAll(row('n'), row('id')).count())
        .sum(),
    refused: error('QUERY_LOGIC', /`getAll`.*several keys for each element.*`concatMap`/),
    without: NUMBER,
  },
  {
    name: 'a filter by no equality is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter((other) => other('n').gt(row('id')))
            .count(),
        )
        .sum(),
    refused: error('QUERY_LOGIC', /`filter`.*by no equality.*`row => row\('field'\)\.eq\(\.\.\.\)`/),
    without: NUMBER,
  },
  {
    name: 'a look-up for the elements of a group is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => r.table('u').get(row('n'))('id').default(0))
        .sum(),
    shows: 'groups',
    refused: error('QUERY_LOGIC', /`map`.*for each element of a group.*before `group`/),
    without: NUMBER,
  },
  {
    name: 'groups of the rows that each row finds',
    source: 'a figure over groups of what is looked up',
    seed: forum,
    query: (r) =>
      r.table('t').sum((row: Reql) =>
        r
          .table('u')
          .filter({ n: row('id') })
          .group('x')
          .count()
          .ungroup()
          .count(),
      ),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('u').insert({ id: 22, n: 1, x: 7 }), expect: [] },
      { write: (r) => r.table('u').insert({ id: 23, n: 2, x: 7 }), expect: steps(2, 3) },
      { write: (r) => r.table('u').get(20).delete(), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'rows whose field is among the values of a field of others, and those whose field is not there',
    source: 'who has ordered: a list of keys and `contains`',
    seed: { t: [{ id: 1 }, { id: 2, k: 'b' }, { id: 3, k: 'c' }], u: [{ id: 20, n: 1, x: 'b' }] },
    query: (r) =>
      r
        .table('t')
        .map((row) => [
          row('id'),
          r.table('u')('n').contains(row('id')),
          r.table('u').getAll(1, { index: 'n' })('x').coerceTo('array').contains(row('k')).not().default('none'),
        ]),
    shows: 'rows',
    initial: bag({ new_val: [1, true, 'none'] }, { new_val: [2, false, false] }, { new_val: [3, false, true] }),
    steps: [
      {
        write: (r) => r.table('u').insert({ id: 21, n: 1, x: 'c' }),
        expect: [{ old_val: [3, false, true], new_val: [3, false, false] }],
      },
      {
        write: (r) => r.table('u').get(20).update({ n: 2 }),
        expect: [{ old_val: [2, false, false], new_val: [2, true, true] }],
      },
      {
        write: (r) => r.table('u').get(21).delete(),
        expect: bag(
          { old_val: [1, true, 'none'], new_val: [1, false, 'none'] },
          { old_val: [3, false, false], new_val: [3, false, true] },
        ),
      },
    ],
    without: UNSTEADY,
  },
  {
    name: 'a join of rows that are looked up by a function is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ n: row('id') })
            .innerJoin(r.table('t'), (found: Reql, other: Reql) => found('n').eq(other('id')))
            .count(),
        )
        .sum(),
    refused: error('QUERY_LOGIC', /`innerJoin`.*rows that are looked up.*`eqJoin` right behind `getAll` or `filter`/),
    without: NUMBER,
  },
  {
    name: 'comments with the names of their authors, for each post',
    source: 'comments with their authors, for each post',
    seed: talk,
    query: (r) =>
      r.table('t').map((row) => ({
        id: row('id'),
        comments: comments(r, row)
          .map((found: Reql) => ({ id: found('id'), by: r.table('u').get(found('x'))('k').default('nobody') }))
          .orderBy('id')
          .coerceTo('array'),
      })),
    shows: 'rows',
    initial: bag(
      { new_val: commented(1, [20, 'Ada'], [21, 'Bob']) },
      { new_val: commented(2, [22, 'Ada']) },
      { new_val: commented(3) },
    ),
    steps: [
      {
        write: (r) => r.table('u').get('ada').update({ k: 'Eve' }),
        expect: bag(
          { old_val: commented(1, [20, 'Ada'], [21, 'Bob']), new_val: commented(1, [20, 'Eve'], [21, 'Bob']) },
          { old_val: commented(2, [22, 'Ada']), new_val: commented(2, [22, 'Eve']) },
        ),
      },
      {
        write: (r) => r.table('u').get(20).update({ n: 3 }),
        expect: bag(
          { old_val: commented(1, [20, 'Eve'], [21, 'Bob']), new_val: commented(1, [21, 'Bob']) },
          { old_val: commented(3), new_val: commented(3, [20, 'Eve']) },
        ),
      },
      {
        write: (r) => r.table('u').get('bob').delete(),
        expect: [{ old_val: commented(1, [21, 'Bob']), new_val: commented(1, [21, 'nobody']) }],
      },
      {
        write: (r) => r.table('u').get(21).delete(),
        expect: [{ old_val: commented(1, [21, 'nobody']), new_val: commented(1) }],
      },
    ],
    without: UNSTEADY,
  },
  {
    name: 'the last comment on each post with the name of its author',
    source: 'a merge that looks up, behind an order',
    seed: talk,
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        comments(r, row)
          .orderBy(r.desc('id'))
          .merge((found: Reql) => ({ by: r.table('u').get(found('x'))('k').default('nobody') }))
          .limit(1)('by')
          .coerceTo('array'),
      ]),
    shows: 'rows',
    initial: bag({ new_val: [1, ['Bob']] }, { new_val: [2, ['Ada']] }, { new_val: [3, []] }),
    steps: [
      { write: (r) => r.table('u').get('bob').delete(), expect: [{ old_val: [1, ['Bob']], new_val: [1, ['nobody']] }] },
      {
        write: (r) => r.table('u').insert({ id: 23, n: 1, x: 'ada' }),
        expect: [{ old_val: [1, ['nobody']], new_val: [1, ['Ada']] }],
      },
    ],
    without: UNSTEADY,
  },
  {
    name: 'the names of those who have commented on each post, by a join of what is looked up',
    source: 'joins of rows that are looked up',
    seed: talk,
    query: (r) =>
      r.table('t').map((row) => [row('id'), comments(r, row).eqJoin('x', r.table('u')).zip()('k').distinct()]),
    shows: 'rows',
    initial: bag({ new_val: [1, ['Ada', 'Bob']] }, { new_val: [2, ['Ada']] }, { new_val: [3, []] }),
    steps: [
      {
        write: (r) => r.table('u').get('bob').delete(),
        expect: [{ old_val: [1, ['Ada', 'Bob']], new_val: [1, ['Ada']] }],
      },
      {
        write: (r) => r.table('u').insert({ id: 23, n: 3, x: 'ada' }),
        expect: [{ old_val: [3, []], new_val: [3, ['Ada']] }],
      },
      { write: (r) => r.table('u').get(21).update({ x: 'ada' }), expect: [] },
      { write: (r) => r.table('u').get(21).update({ x: null }), expect: [] },
    ],
    without: UNSTEADY,
  },
  {
    name: 'rows that are looked up pass a filter by what is looked up for them, and are summed by what they find',
    source: 'orders of each customer with what their items cost',
    seed: talk,
    query: (r) =>
      r.table('t').sum((row: Reql) =>
        comments(r, row)
          .filter((found: Reql) => r.table('u').get(found('x'))('k').eq('Ada'))
          .concatMap((found: Reql) => r.table('t').filter({ id: found('n') }))
          .sum('id'),
      ),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('u').get(22).update({ n: 3 }), expect: steps(3, 4) },
      { write: (r) => r.table('u').get('bob').update({ k: 'Ada' }), expect: steps(4, 5) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(5, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'what is raised for one of the rows that are looked up is raised for whoever finds it, and a default catches it',
    source: 'a missing field under distinct and orderBy, and behind a look-up',
    seed: talk,
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        comments(r, row)
          .map((found: Reql) => r.table('u').get(found('x'))('k'))
          .distinct()
          .default('lost'),
        comments(r, row)
          .map((found: Reql) => found('x'))
          .orderBy((x: Reql) => x)
          .default('lost'),
      ]),
    shows: 'rows',
    initial: bag(
      { new_val: [1, ['Ada', 'Bob'], ['ada', 'bob']] },
      { new_val: [2, ['Ada'], ['ada']] },
      { new_val: [3, [], []] },
    ),
    steps: [
      {
        write: (r) => r.table('u').get('bob').delete(),
        expect: [{ old_val: [1, ['Ada', 'Bob'], ['ada', 'bob']], new_val: [1, 'lost', ['ada', 'bob']] }],
      },
      {
        write: (r) => r.table('u').get(21).replace({ id: 21, n: 2 }),
        expect: bag(
          { old_val: [1, 'lost', ['ada', 'bob']], new_val: [1, ['Ada'], ['ada']] },
          { old_val: [2, ['Ada'], ['ada']], new_val: [2, 'lost', 'lost'] },
        ),
      },
    ],
    without: UNSTEADY,
  },
  {
    name: 'a union of rows that are looked up with others is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ n: row('id') })
            .union(r.table('u'))
            .count(),
        )
        .sum(),
    refused: error('QUERY_LOGIC', /`union`.*rows that are looked up.*`coerceTo\("array"\)`/),
    without: NUMBER,
  },
  {
    name: 'a union of others with rows that are looked up is refused, and says what works',
    source: 'what cannot be looked up',
    seed: forum,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .union(r.table('u').filter({ n: row('id') }))
            .count(),
        )
        .sum(),
    refused: error('QUERY_LOGIC', /`union`.*rows that are looked up.*`coerceTo\("array"\)`/),
    without: NUMBER,
  },
];
