// Options of changes, and how a feed starts.

import { bag, error } from '../support/checks/matchers.ts';
import type { Func, Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { NUMBER } from './upstream.ts';

const IS = { includeInitial: true, includeStates: true };
const seven = { t: Array.from({ length: 7 }, (_, id) => ({ id, k: id % 2 })) };
const three = {
  t: [
    { id: 1, k: 'a' },
    { id: 2, k: 'a' },
    { id: 3, k: 'b' },
  ],
};
const begin = { state: 'initializing' };
const ready = { state: 'ready' };

/** A write that gives row 1 a number. */
const numbering = (r: Reql): Func => {
  return (i) => r.table('t').get(1).update({ x: i }, { durability: 'soft' });
};

export const optionCases: readonly FeedCase[] = [
  {
    name: 'both options: initializing, one value without old_val, ready',
    source: 'CASES B1, rethinkdb/rethinkdb#3709',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: IS,
    initial: [begin, { new_val: 3 }, ready],
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
  {
    name: 'states alone: only ready',
    source: 'DESIGN 4',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: { includeStates: true },
    initial: [ready],
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
  {
    name: 'neither option: nothing first, but a true old_val',
    source: 'CASES B3, rethinkdb/rethinkdb#5799',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: {},
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
  {
    name: 'a limit for arrays of one is about those of the query, not about what a count keeps',
    source: 'a breaker: neighbours of CASES B4 (c)',
    seed: three,
    options: { arrayLimit: 1 },
    query: (r) => r.table('t').count(),
    initial: initially(3),
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: steps(3, 4) }],
    without: NUMBER,
  },
  {
    name: 'a limit for arrays of five is about those of the query, not about what is kept of groups',
    source: 'CASES B4 (c), grouped',
    seed: seven,
    options: { arrayLimit: 5 },
    query: (r) => r.table('t').group('k').count(),
    shows: 'groups',
    initial: bag({ group: 0, new_val: 4 }, { group: 1, new_val: 3 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 8, k: 0 }), expect: [{ group: 0, old_val: 4, new_val: 5 }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ group: 1, old_val: 3, new_val: 2 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'a limit for arrays of three leaves room for three aggregates',
    source: 'a breaker: neighbours of CASES B4 (c)',
    seed: three,
    options: { arrayLimit: 3 },
    query: (r) => r.table('t').count().add(r.table('t').sum('id'), r.table('t').avg('id')),
    initial: initially(11),
    steps: [{ write: (r) => r.table('t').insert({ id: 6 }), expect: steps(11, 19) }],
    without: NUMBER,
  },
  {
    name: 'squash must not be negative',
    source: 'CASES B4, rethinkdb/rethinkdb#3903',
    query: (r) => r.table('t').count(),
    changes: { squash: -1 },
    refused: error('QUERY_LOGIC', 'Expected BOOL or a positive NUMBER but found a negative NUMBER.'),
    without: error('QUERY_LOGIC', 'Expected BOOL or a positive NUMBER but found a negative NUMBER.'),
  },
  {
    name: 'squash must be a truth or a number',
    source: 'CASES B4, rethinkdb/rethinkdb#3903',
    query: (r) => r.table('t').count(),
    changes: { squash: 'x' },
    refused: error('QUERY_LOGIC', 'Expected BOOL or NUMBER but found STRING.'),
    without: error('QUERY_LOGIC', 'Expected BOOL or NUMBER but found STRING.'),
  },
  {
    name: 'offsets are refused as on a range',
    source: 'CASES B4, rethinkdb/rethinkdb#5940',
    query: (r) => r.table('t').count(),
    changes: { includeOffsets: true },
    refused: error('QUERY_LOGIC', 'Cannot include offsets for range subs.'),
    without: NUMBER,
  },
  ...[0.009, 0.001, 0, -1].map(
    (heartbeat): FeedCase => ({
      name: `a sign of life every ${heartbeat} seconds is refused`,
      source: 'a user who wrote milliseconds as seconds: RethinkDB is asked for each sign',
      query: (r) => r.table('t').count(),
      changes: { heartbeat },
      refused: error(
        'QUERY_LOGIC',
        `The option \`heartbeat\` is a number of seconds, 0.01 or more, since RethinkDB is asked each time; found ${heartbeat}.`,
      ),
      without: error('COMPILE', 'Unrecognized optional argument `heartbeat`.'),
    }),
  ),
  {
    name: 'a queue must have room for one change',
    source: 'CASES B4, rethinkdb/rethinkdb#5940',
    query: (r) => r.table('t').count(),
    changes: { changefeedQueueSize: 0 },
    refused: error('QUERY_LOGIC', 'Illegal changefeed queue size `0`.  (Must be >= 1.)'),
    without: error('QUERY_LOGIC', 'Illegal changefeed queue size `0`.  (Must be >= 1.)'),
  },
  {
    name: 'squash over seconds: updates show nothing, inserts may be merged',
    source: 'CASES B4, rethinkdb/rethinkdb#3903',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: { squash: 0.3, includeInitial: true },
    initial: initially(3),
    steps: [
      {
        write: (r) => r.range(500).forEach(numbering(r)),
        expect: [],
      },
      { write: (r) => r.table('t').insert(r.range(50).map((i) => ({ id: i.add(100) }))), expect: 'law' },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'squash: what came and went before it was sent is not shown',
    source: 'DESIGN 4: changes waiting to be sent are composed',
    seed: { t: [{ id: 1, x: 1 }] },
    query: (r) => r.table('t').sum('x'),
    changes: { squash: true, includeInitial: true },
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 2 }), expect: 'law' },
      { write: (r) => r.range(100).forEach(numbering(r)), expect: 'law' },
      { write: (r) => r.table('t').get(1).update({ x: 1000 }), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'squash loses none of the two rows that a key asked for twice gives',
    source: 'seen on 2.4.4: RethinkDB squashes both into one',
    seed: { t: [{ id: 1, k: 'a' }] },
    query: (r) => r.table('t').getAll('a', 'b', 'a', { index: 'k' }).count(),
    changes: { squash: true, includeInitial: true },
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'b' }), expect: 'law' },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'types of a value: initial, then change',
    source: 'DESIGN 4: includeTypes',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: { ...IS, includeTypes: true },
    initial: [
      { type: 'state', state: 'initializing' },
      { type: 'initial', new_val: 3 },
      { type: 'state', state: 'ready' },
    ],
    steps: [{ write: (r) => r.table('t').insert({ id: 4 }), expect: [{ type: 'change', old_val: 3, new_val: 4 }] }],
    without: NUMBER,
  },
  {
    name: 'types of a value that comes and goes: add and remove',
    source: 'DESIGN 4: includeTypes',
    query: (r) => r.table('t').avg('x'),
    changes: { includeInitial: true, includeTypes: true },
    initial: [{ type: 'initial', new_val: null }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 4 }), expect: [{ type: 'add', old_val: null, new_val: 4 }] },
      { write: (r) => r.table('t').get(1).update({ x: 5 }), expect: [{ type: 'change', old_val: 4, new_val: 5 }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ type: 'remove', old_val: 5, new_val: null }] },
    ],
    without: error('NON_EXISTENCE', /^Cannot take the average of an empty stream\./),
  },
  {
    name: 'types of groups: add, change and remove',
    source: 'DESIGN 4: includeTypes',
    seed: three,
    query: (r) => r.table('t').group('k').count(),
    changes: { includeInitial: true, includeTypes: true },
    shows: 'groups',
    initial: bag({ type: 'initial', group: 'a', new_val: 2 }, { type: 'initial', group: 'b', new_val: 1 }),
    steps: [
      {
        write: (r) => r.table('t').get(3).update({ k: 'c' }),
        expect: bag(
          { type: 'remove', group: 'b', old_val: 1, new_val: null },
          { type: 'add', group: 'c', old_val: null, new_val: 1 },
        ),
      },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ type: 'change', group: 'a', old_val: 2, new_val: 1 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'a union is ready once',
    source: 'CASES B6, rethinkdb/rethinkdb#4323, rethinkdb/rethinkdb#5210',
    seed: { t: [{ id: 1 }], u: [{ id: 1 }] },
    query: (r) => r.table('t').union(r.table('u')).count(),
    changes: IS,
    initial: [begin, { new_val: 2 }, ready],
    steps: [
      { write: (r) => r.table('u').insert({ id: 2 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').insert({ id: 2 }), expect: steps(3, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'getAll of many keys is ready once',
    source: 'CASES B6, rethinkdb/rethinkdb#4323, rethinkdb/rethinkdb#5210',
    seed: three,
    query: (r) => r.table('t').getAll(1, 2, 3).count(),
    changes: IS,
    initial: [begin, { new_val: 3 }, ready],
    without: NUMBER,
  },
  {
    name: 'getAll of no key is ready, with 0',
    source: 'CASES B6, rethinkdb/rethinkdb#5157',
    seed: three,
    query: (r) => r.table('t').getAll(r.args([])).count(),
    changes: IS,
    initial: [begin, { new_val: 0 }, ready],
    without: NUMBER,
  },
  {
    name: 'a filter that no row meets is ready, with 0',
    source: 'CASES B6, rethinkdb/rethinkdb#5157',
    seed: three,
    query: (r) => r.table('t').filter({ no: 'row' }).count(),
    changes: IS,
    initial: [begin, { new_val: 0 }, ready],
    without: NUMBER,
  },
  {
    name: 'an empty distinct is ready, with no row',
    source: 'CASES B6',
    query: (r) => r.table('t')('k').distinct(),
    changes: IS,
    shows: 'rows',
    initial: [begin, ready],
    steps: [{ write: (r) => r.table('t').insert({ id: 1, k: 'a' }), expect: [{ old_val: null, new_val: 'a' }] }],
    without: error('QUERY_LOGIC', 'Cannot call `changes` on an eager stream.'),
  },
  {
    name: 'options of changes may be options of run',
    source: 'facts/drivers.md: global optargs are fallbacks for term optargs',
    seed: three,
    query: (r) => r.table('t').count(),
    changes: {},
    options: { includeInitial: true, includeStates: true },
    initial: [begin, { new_val: 3 }, ready],
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: steps(3, 2) }],
    without: NUMBER,
  },
];
