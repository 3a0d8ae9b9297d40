// Values that are looked up as keys and can be none: in joins, in look-ups for each row, and where a selection follows a row. The errors
// are RethinkDB's own, and `default` catches those for want of something.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { NUMBER, OBJECT } from './upstream.ts';

const UNSTEADY = error('QUERY_LOGIC', 'Cannot call `changes` after a non-deterministic function.');
const LONG = 'x'.repeat(128);

const rows = {
  t: [{ id: 1, k: 7 }],
  u: [
    { id: 7, k: 7, n: 1 },
    { id: 8, k: [7], n: 2 },
  ],
};

export const keyCases: readonly FeedCase[] = [
  {
    name: 'eqJoin by an array that holds null has no value, which a default catches, and goes on',
    source: 'a compound key of which a part is not there',
    seed: rows,
    query: (r) => r.table('t').eqJoin('k', r.table('u')).count().default('none'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, k: [7, null] }), expect: steps(1, 'none') },
      { write: (r) => r.table('u').insert({ id: 9 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 3, k: 8 }), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps('none', 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'eqJoin by an index: an array that holds null within an array has no value',
    source: 'the same by an index',
    seed: rows,
    query: (r) => r.table('t').eqJoin('k', r.table('u'), { index: 'k' }).count(),
    initial: initially(1),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ k: [[null]] }),
        expect: steps(1, null),
      },
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ k: [7] }),
        expect: steps(null, 1),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'groups of a join are none while a key holds null',
    source: 'the same before a group',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .eqJoin('k', r.table('u'))
        .group((pair) => pair('right')('n'))
        .count(),
    shows: 'groups',
    initial: [{ group: 1, new_val: 1 }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, k: [null] }), expect: [{ group: 1, old_val: 1, new_val: null }] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ group: 1, old_val: null, new_val: 1 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'eqJoin by a text that is too long for a primary key ends with the error of the server',
    source: 'the most that a primary key can hold',
    seed: rows,
    query: (r) => r.table('t').eqJoin('k', r.table('u')).count(),
    initial: initially(1),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ k: LONG.slice(1) }),
        expect: steps(1, 0),
      },
      {
        write: (r) => r.table('t').get(1).update({ k: LONG }),
        expect: [],
      },
    ],
    ends: error('QUERY_LOGIC', /^Primary key too long \(max 127 characters\)/),
    without: NUMBER,
  },
  {
    name: 'get for each row by a text with a NULL byte ends with the error of the server',
    source: 'texts that no primary key can be',
    seed: rows,
    query: (r) => r.table('t').map((row) => r.table('u').get(row('k'))('n').default('none')),
    shows: 'rows',
    initial: [{ new_val: 1 }],
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: null }), expect: [{ old_val: 1, new_val: 'none' }] },
      { write: (r) => r.table('t').get(1).update({ k: 'a\u0000b' }), expect: [] },
    ],
    ends: error('QUERY_LOGIC', /contains NULL byte at offset 1/),
    without: UNSTEADY,
  },
  {
    name: 'an index has keys of any length, and with any byte',
    source: 'what a primary key cannot be',
    seed: rows,
    query: (r) => r.table('t').map((row) => r.table('u').getAll(row('k'), { index: 'k' }).count()),
    shows: 'rows',
    initial: [{ new_val: 1 }],
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ k: `${LONG}a\u0000` }),
        expect: [{ old_val: 1, new_val: 0 }],
      },
      { write: (r) => r.table('t').insert({ id: 2, k: [7] }), expect: [{ old_val: null, new_val: 1 }] },
    ],
    without: UNSTEADY,
  },
  {
    name: 'a key that follows a row may be null, hold null, be a time, and be one again',
    source: 'a row by a key that another row says',
    seed: { t: [{ id: 'me', top: 7 }], u: [...rows.u] },
    query: (r) => r.expr({ n: r.table('u').get(r.table('t').get('me')('top'))('n').default('none') }),
    initial: initially({ n: 1 }),
    steps: [
      { write: (r) => r.table('t').get('me').update({ top: null }), expect: steps({ n: 1 }, { n: 'none' }) },
      {
        write: (r) =>
          r
            .table('t')
            .get('me')
            .update({ top: [null] }),
        expect: [],
      },
      {
        write: (r) =>
          r
            .table('t')
            .get('me')
            .update({ top: r.epochTime(1) }),
        expect: [],
      },
      { write: (r) => r.table('t').get('me').update({ top: 8 }), expect: steps({ n: 'none' }, { n: 2 }) },
    ],
    without: OBJECT,
  },
  {
    name: 'a field that follows a row which has none has no value',
    source: 'the same in a filter',
    seed: { t: [{ id: 'me', top: 7 }], u: [...rows.u] },
    query: (r) =>
      r
        .table('u')
        .filter({ k: r.table('t').get('me')('top') })
        .count()
        .default('none'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get('me').replace({ id: 'me' }), expect: steps(1, 'none') },
      { write: (r) => r.table('t').get('me').update({ top: 9 }), expect: steps('none', 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'of rows that are looked up no place is counted from the end, as of a stream',
    source: 'what RethinkDB says of nth(-2) on a selection',
    seed: rows,
    query: (r) =>
      r.table('t').map((row) => r.table('u').getAll(row('k'), { index: 'k' }).orderBy('n').nth(-2)('n').default(0)),
    refused: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
    without: UNSTEADY,
  },
  {
    name: 'what passes a filter by a look-up is rows of a table, of which no place is counted from the end',
    source: 'what RethinkDB says of negative slices of a selection',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .filter((row) => r.table('u').get(row('k')).ne(null))
        .orderBy('id')
        .slice(-2),
    refused: error('QUERY_LOGIC', 'Cannot use a negative left index on a stream.'),
    without: error('QUERY_LOGIC', 'Cannot use a negative left index on a stream.'),
  },
  {
    name: 'a look-up for each of the rows that are looked up, of those in an order, is refused, and says what works',
    source: 'comments in their order with their authors, for each post',
    seed: rows,
    query: (r) =>
      r.table('t').map((row) =>
        r
          .table('u')
          .getAll(row('k'), { index: 'k' })
          .orderBy('n')
          .map((found) => r.table('t').get(found('n')))
          .coerceTo('array'),
      ),
    refused: error(
      'QUERY_LOGIC',
      /`map`.*for each of the rows that are looked up\. Do so in a `map`.*right behind `getAll` or `filter`/,
    ),
    without: UNSTEADY,
  },
  {
    name: 'the greatest row of a list whose order a look-up loses is refused: of equal ones the first is taken',
    source: 'ties of max',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .orderBy(r.desc('id'))
        .merge((row: Reql) => ({ c: r.table('u').getAll(row('k'), { index: 'k' }).count() }))
        .max('c')('id'),
    refused: error(
      'QUERY_LOGIC',
      /`merge`.*depends on an order that is lost in it\. Move the `orderBy` behind `merge`/,
    ),
    without: NUMBER,
  },
  {
    name: 'conditions on the rows that are looked up alone are asked of RethinkDB',
    source: 'open comments of each post',
    seed: { t: [{ id: 1, k: 7 }], u: [...rows.u, { id: 10, k: 7, n: 3 }] },
    query: (r) =>
      r.table('t').map((row) => ({
        id: row('id'),
        many: r
          .table('u')
          .getAll(row('k'), { index: 'k' })
          .filter((found: Reql) => found('n').gt(1))
          .hasFields('n')
          .count(),
        more: r
          .table('u')
          .filter((found) => found('k').eq(row('k')).and(found('n').gt(2)))
          .count(),
      })),
    shows: 'rows',
    initial: bag({ new_val: { id: 1, many: 1, more: 1 } }),
    steps: [
      {
        write: (r) => r.table('u').get(7).update({ n: 2 }),
        expect: [{ old_val: { id: 1, many: 1, more: 1 }, new_val: { id: 1, many: 2, more: 1 } }],
      },
      {
        write: (r) => r.table('u').get(10).update({ n: null }),
        expect: [{ old_val: { id: 1, many: 2, more: 1 }, new_val: { id: 1, many: 1, more: 0 } }],
      },
    ],
    without: UNSTEADY,
  },
];
