// Aggregates by name that are built in. The query is the stream below `changes`: there is no one-shot form to compare with, so
// that all documents are written out.

import { bag, error } from '../support/checks/matchers.ts';
import type { Argument, Reql } from '../support/reql.ts';
import type { Row } from '../support/servers/stage.ts';
import { type FeedCase, initially, steps } from './case.ts';

const without = error('COMPILE', 'Unrecognized optional argument `aggregate`.');
const as = (feed: Reql): Reql => feed;
const watching = (aggregate: Argument): Readonly<Record<string, Argument>> => ({ aggregate, includeInitial: true });
const numbered = (...xs: readonly Argument[]): { readonly t: readonly Row[] } => ({
  t: xs.map((x, at) => ({ id: at + 1, x })),
});
const large = numbered(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16);
const grouped = {
  t: [
    { id: 1, k: 'a', x: 1 },
    { id: 2, k: 'a', x: 5 },
    { id: 3, k: 'b', x: 1e16 },
    { id: 4, k: 'c', x: null },
  ],
};

/** The standard deviation of 1, 5 and 1e16. */
const MIXED = 4714045207910315.0;

const xs: FeedCase['query'] = (r) => r.table('t')('x');
const byKey: FeedCase['query'] = (r) => r.table('t').group('k')('x');

/** What all of these have. */
function named(told: Omit<FeedCase, 'without' | 'after' | 'query'> & Partial<Pick<FeedCase, 'query'>>): FeedCase {
  return { query: xs, ...told, after: as, without };
}

function refused(name: string, aggregate: Argument, text: string, query?: FeedCase['query']): FeedCase {
  return named({
    name,
    source: 'bad input',
    seed: large,
    changes: { aggregate },
    refused: error('QUERY_LOGIC', text),
    ...(query === undefined ? {} : { query }),
  });
}

export const namedCases: readonly FeedCase[] = [
  named({
    name: 'the variance of large numbers is exact',
    source: 'CASES N12',
    seed: large,
    changes: watching('variance'),
    initial: initially(22.5),
    steps: [
      { write: (r) => r.table('t').get(4).delete(), expect: steps(22.5, 14) },
      { write: (r) => r.table('t').insert({ id: 5, x: 1e9 + 8 }), expect: steps(14, 10.5) },
      { write: (r) => r.table('t').get(5).update({ y: 1 }), expect: [] },
      { write: (r) => r.table('t').get(5).update({ x: null }), expect: steps(10.5, 14) },
    ],
  }),
  named({
    name: 'the variance of a sample is divided by one less, and one number has none',
    source: 'CASES N12; VAR_SAMP in SQL',
    seed: large,
    changes: watching('sampleVariance'),
    initial: initially(30),
    steps: [
      { write: (r) => r.table('t').get(4).delete(), expect: steps(30, 21) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(21, 40.5) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(40.5, null) },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').insert({ id: 1, x: 7 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, x: 7 }), expect: steps(null, 0) },
    ],
  }),
  named({
    name: 'the deviation of a sample is the root of its variance',
    source: 'CASES N12; STDDEV_SAMP in SQL',
    seed: large,
    changes: watching('sampleStddev'),
    initial: initially(5.477225575051661),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: steps(5.477225575051661, 6.244997998398398) },
      { write: (r) => r.table('t').get(4).delete(), expect: steps(6.244997998398398, 6.363961030678928) },
    ],
  }),
  named({
    name: 'the deviation of equal numbers is exactly 0, however large they are',
    source: 'CASES N12, a neighbour',
    seed: numbered(1e16 + 2, 1e16 + 2, 1e16 + 2),
    changes: watching('stddev'),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, x: 1e16 + 4 }), expect: steps(0, 0.8660254037844386) },
      {
        write: (r) =>
          r
            .table('t')
            .get(4)
            .update({ x: 1e16 + 2 }),
        expect: steps(0.8660254037844386, 0),
      },
    ],
  }),
  named({
    name: 'a number that hides all others leaves nothing behind',
    source: 'CASES N12, G2, neighbours',
    seed: numbered(1, 3),
    changes: watching('variance'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, x: 1e16 }), expect: steps(1, 2.2222222222222215e31) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(2.2222222222222215e31, 1) },
    ],
  }),
  named({
    name: 'numbers that come and go leave nothing behind',
    source: 'CASES N12, G2, neighbours',
    changes: watching('stddev'),
    initial: initially(null),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 0.1 }), expect: steps(null, 0) },
      { write: (r) => r.table('t').insert({ id: 2, x: 0.2 }), expect: steps(0, 0.05) },
      { write: (r) => r.table('t').insert({ id: 3, x: 0.3 }), expect: steps(0.05, 0.0816496580927726) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(0.0816496580927726, 0.04999999999999999) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(0.04999999999999999, 0) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0, null) },
    ],
  }),
  named({
    name: 'a deviation is there where the variance is beyond the doubles',
    source: 'CASES N12, a neighbour',
    seed: numbered(1e200, -1e200),
    changes: watching('stddev'),
    initial: initially(1e200),
    steps: [{ write: (r) => r.table('t').get(2).update({ x: 1e200 }), expect: steps(1e200, 0) }],
  }),
  named({
    name: 'a variance beyond the doubles ends the feed',
    source: 'CASES N12, a neighbour',
    seed: numbered(0, 2),
    changes: watching('variance'),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 3, x: 1e200 }), expect: [] }],
    ends: error('QUERY_LOGIC', 'Non-finite number: inf'),
  }),
  named({
    name: 'a median is the number in the middle, or half way between two',
    source: 'CASES N12, a neighbour; PERCENTILE_CONT in SQL',
    seed: numbered(3, 1, 2),
    changes: watching('median'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, x: 10 }), expect: steps(2, 2.5) },
      { write: (r) => r.table('t').insert({ id: 5, x: 2 }), expect: steps(2.5, 2) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(2, 2.5) },
      { write: (r) => r.table('t').get(5).delete(), expect: steps(2.5, 3) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 5.5) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(5.5, 10) },
      { write: (r) => r.table('t').get(4).delete(), expect: steps(10, null) },
    ],
  }),
  named({
    name: 'half way between the greatest numbers is no overflow, and the zeros are 0',
    source: 'CASES N12, H2, neighbours',
    seed: numbered(Number.MAX_VALUE, Number.MAX_VALUE),
    changes: watching('median'),
    initial: initially(Number.MAX_VALUE),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: -Number.MAX_VALUE }), expect: steps(Number.MAX_VALUE, 0) },
      { write: (r) => r.table('t').insert({ id: 3, x: r.expr(0).mul(-1) }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 0.2 }), expect: steps(0, 0.2) },
      { write: (r) => r.table('t').get(2).update({ x: 0.1 }), expect: steps(0.2, 0.1) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0.1, 0.15000000000000002) },
    ],
  }),
  named({
    name: 'a quantile goes linearly from one number to the next',
    source: 'CASES N12, a neighbour; PERCENTILE_CONT in SQL',
    seed: numbered(...Array.from({ length: 21 }, (_, at) => 21 - at)),
    changes: watching(['quantile', 0.95]),
    initial: initially(20),
    steps: [
      { write: (r) => r.table('t').insert({ id: 22, x: 100 }), expect: steps(20, 20.95) },
      { write: (r) => r.table('t').insert({ id: 23, x: null }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 24 }), expect: [] },
      { write: (r) => r.table('t').get(22).delete(), expect: steps(20.95, 20) },
    ],
  }),
  named({
    name: 'the quantile 0 is the least number',
    source: 'CASES N12, a neighbour',
    seed: numbered(3, 1, 2),
    changes: watching(['quantile', 0]),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: steps(1, 2) },
      { write: (r) => r.table('t').insert({ id: 4, x: -5e-324 }), expect: steps(2, -5e-324) },
    ],
  }),
  named({
    name: 'the quantile 1 is the greatest number',
    source: 'CASES N12, a neighbour',
    seed: numbered(3, 1, 2),
    changes: watching(['quantile', 1]),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, x: 2 }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 2) },
      { write: (r) => r.table('t').get(3).delete(), expect: [] },
      { write: (r) => r.table('t').get(4).delete(), expect: steps(2, 1) },
    ],
  }),
  named({
    name: 'a deviation per group follows numbers from one group to another',
    source: 'CASES N12, G7, neighbours',
    seed: grouped,
    query: byKey,
    changes: watching('stddev'),
    initial: bag({ group: 'a', new_val: 2 }, { group: 'b', new_val: 0 }),
    steps: [
      {
        write: (r) => r.table('t').get(3).update({ k: 'a' }),
        expect: bag({ group: 'a', old_val: 2, new_val: MIXED }, { group: 'b', old_val: 0, new_val: null }),
      },
      {
        write: (r) => r.table('t').get(3).update({ k: 'c', x: 4 }),
        expect: bag({ group: 'a', old_val: MIXED, new_val: 2 }, { group: 'c', old_val: null, new_val: 0 }),
      },
    ],
  }),
  named({
    name: 'a median per group comes with its first number and goes with its last',
    source: 'CASES N12, a neighbour',
    seed: grouped,
    query: byKey,
    changes: watching('median'),
    initial: bag({ group: 'a', new_val: 3 }, { group: 'b', new_val: 1e16 }),
    steps: [
      { write: (r) => r.table('t').get(4).update({ x: 7 }), expect: [{ group: 'c', old_val: null, new_val: 7 }] },
      { write: (r) => r.table('t').get(3).update({ x: null }), expect: [{ group: 'b', old_val: 1e16, new_val: null }] },
      {
        write: (r) => r.table('t').get(1).update({ k: 'c' }),
        expect: bag({ group: 'a', old_val: 3, new_val: 5 }, { group: 'c', old_val: 7, new_val: 4 }),
      },
    ],
  }),
  named({
    name: 'a group of one number is there, and the variance of its sample is null',
    source: 'CASES N12, N4, neighbours',
    seed: grouped,
    query: byKey,
    changes: watching('sampleVariance'),
    initial: bag({ group: 'a', new_val: 8 }, { group: 'b', new_val: null }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 5, k: 'b', x: 1e16 + 2 }),
        expect: [{ group: 'b', old_val: null, new_val: 2 }],
      },
      { write: (r) => r.table('t').get(3).delete(), expect: [{ group: 'b', old_val: 2, new_val: null }] },
      { write: (r) => r.table('t').get(5).delete(), expect: [{ group: 'b', old_val: null }] },
    ],
  }),
  named({
    name: 'the deviation of how many rows the groups have',
    source: 'CASES N12, a neighbour: aggregates over rows that are computed',
    seed: grouped,
    query: (r) => r.table('t').group('k').count().ungroup()('reduction'),
    changes: watching('stddev'),
    initial: initially(0.4714045207910317),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: steps(0.4714045207910317, 0) }],
  }),
  named({
    name: 'the median of a page',
    source: 'CASES N12, a neighbour: pages of an order',
    seed: { t: [1, 2, 4, 8, 16].map((n) => ({ id: n, n })) },
    query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).limit(3)('n'),
    changes: watching('median'),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 3 }), expect: steps(4, 3) },
      { write: (r) => r.table('t').get(16).delete(), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 4) },
    ],
  }),
  named({
    name: 'the variance of the greatest by an index',
    source: 'CASES A8, N12, neighbours',
    seed: { t: [1, 5, 7, 9].map((n) => ({ id: n, n })) },
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(2)('n'),
    changes: watching('variance'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 8, n: 8 }), expect: steps(1, 0.25) },
      { write: (r) => r.table('t').get(9).delete(), expect: [] },
      { write: (r) => r.table('t').get(7).delete(), expect: steps(0.25, 2.25) },
    ],
  }),
  named({
    name: 'a function before changes that lacks a field: there is no value, as for avg',
    source: 'CASES C1, a neighbour',
    seed: {
      t: [
        { id: 1, x: 2, y: 3 },
        { id: 2, x: 1 },
      ],
    },
    query: (r) => r.table('t').map((row) => row('x').mul(row('y'))),
    changes: watching('variance'),
    initial: initially(null),
    steps: [
      { write: (r) => r.table('t').get(2).update({ y: 4 }), expect: steps(null, 1) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(1, 0) },
    ],
  }),
  named({
    name: 'all states and types of an aggregate by name',
    source: 'CASES B1, a neighbour',
    seed: large,
    changes: { aggregate: 'stddev', includeInitial: true, includeStates: true, includeTypes: true },
    initial: [
      { state: 'initializing', type: 'state' },
      { new_val: 4.743416490252569, type: 'initial' },
      { state: 'ready', type: 'state' },
    ],
    steps: [
      {
        write: (r) => r.table('t').get(4).delete(),
        expect: [{ old_val: 4.743416490252569, new_val: 3.7416573867739413, type: 'change' }],
      },
    ],
  }),
  {
    ...named({
      name: 'terms after changes see the documents of an aggregate by name',
      source: 'DESIGN 3: terms after changes',
      seed: large,
      changes: { aggregate: ['quantile', 0.25] },
      steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [{ by: 3.75 }] }],
    }),
    after: (feed) => feed.map((change) => ({ by: change('new_val').sub(change('old_val')) })),
  },
  ...(['variance', 'median', ['quantile', 0.5]] as const).map((aggregate) =>
    named({
      name: `${aggregate} of what is no number ends the feed`,
      source: 'CASES C4, a neighbour',
      seed: numbered(1, 2),
      changes: { aggregate },
      steps: [{ write: (r) => r.table('t').insert({ id: 3, x: 's' }), expect: [] }],
      ends: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
    }),
  ),
  refused(
    'a quantile without its part is refused',
    'quantile',
    'The aggregate `quantile` takes a number from 0 to 1: `aggregate: ["quantile", 0.95]`.',
  ),
  refused(
    'a quantile in percent is refused',
    ['quantile', 95],
    'The aggregate `quantile` takes a number from 0 to 1, as in `aggregate: ["quantile", 0.95]`, not 95.',
  ),
  refused(
    'a quantile of a name is refused',
    ['quantile', 'x'],
    'The aggregate `quantile` takes a number from 0 to 1, as in `aggregate: ["quantile", 0.95]`, not STRING.',
  ),
  refused(
    'several quantiles at once are refused',
    ['quantile', 0.5, 0.95],
    'The aggregate `quantile` takes a number from 0 to 1, as in `aggregate: ["quantile", 0.95]`, and nothing else.',
  ),
  refused('a variance takes no argument', ['variance', 'x'], 'The aggregate `variance` takes no argument.'),
  refused('an aggregate of a user takes no argument', ['letters', 1], 'The aggregate `letters` takes no argument.'),
  refused(
    'an aggregate without a name is refused',
    [],
    'The name of an aggregate is missing: `aggregate` is a name, or [name, argument].',
  ),
  refused('a name that is none is refused', 5, 'Expected type STRING but found NUMBER.'),
  refused('an object for a name is refused', { quantile: 0.5 }, 'Expected type STRING or ARRAY but found OBJECT.'),
  refused(
    'an aggregate by name over a value is refused',
    'median',
    '`aggregate` is for the elements of a stream or of its groups, in no order: `stream.changes({aggregate: ...})`.',
    (r) => r.table('t').count(),
  ),
  named({
    name: 'a reducer and an aggregate at once are refused',
    source: 'bad input',
    changes: { aggregate: 'median', reducer: (values: Reql) => values },
    refused: error('QUERY_LOGIC', 'A feed is of a `reducer` or of an `aggregate`, not of both.'),
  }),
];
