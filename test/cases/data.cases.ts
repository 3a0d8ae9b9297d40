// Data passes unchanged, and data that looks like a query is data.

import { bag } from '../support/checks/matchers.ts';
import { type FeedCase, initially, type RunCase, steps } from './case.ts';
import { ARRAY, NUMBER, TIME } from './upstream.ts';

const query = [152, [[43, [[15, ['t']]]]]];
const text = 'r.table("t").count().changes()';

export const dataRuns: readonly RunCase[] = [
  {
    name: 'a row that looks like a query reads back equal',
    source: 'CASES D3, sysown/proxysql#257',
    run: (r) =>
      r
        .table('t')
        .insert({ id: 1, q: query, s: text })
        .do((_) => r.table('t').get(1)),
    expect: { id: 1, q: query, s: text },
  },
  {
    name: 'JSON that looks like a query reads back equal',
    source: 'CASES D3, sysown/proxysql#257',
    run: (r) => r.json('{"id":2,"q":[152,[[43,[[15,["t"]]]]]]}'),
    expect: { id: 2, q: query },
  },
  {
    name: 'numbers that look like terms are numbers',
    source: 'CASES D3, sysown/proxysql#257',
    run: (r) => r.expr({ a: 152, b: 43 }),
    expect: { a: 152, b: 43 },
  },
];

const noon = new Date('2020-01-01T12:00:00Z');
const one = new Date('2020-01-01T13:00:00Z');
const bytes = Buffer.from([0, 1, 254, 255]);

export const dataFeeds: readonly FeedCase[] = [
  {
    name: 'a row by a key of bytes is live',
    source: 'a breaker: neighbours of CASES H4, times and bytes as keys',
    seed: { t: [{ id: Buffer.from('key'), n: 2 }] },
    query: (r) => r.table('t').get(Buffer.from('key'))('n').mul(2),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').get(Buffer.from('key')).update({ n: 3 }), expect: steps(4, 6) },
      { write: (r) => r.table('t').insert({ id: Buffer.from('kez'), n: 9 }), expect: [] },
      { write: (r) => r.table('t').get(Buffer.from('key')).delete(), expect: steps(6, null) },
    ],
    without: NUMBER,
  },
  {
    name: 'surrogates that stand alone are values apart',
    source: 'RethinkDB 2.4.4 keeps "\\udc00" and "\\udc01" as three bytes each',
    seed: {
      t: [
        { id: 1, k: '\udc00' },
        { id: 2, k: '\udc01' },
      ],
    },
    query: (r) => r.table('t')('k').distinct().count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, k: '\udc01' }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 4, k: '\ufffd' }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'data that looks like a query, watched',
    source: 'CASES D3, sysown/proxysql#257',
    seed: { t: [{ id: 1, q: query }] },
    query: (r) => r.table('t').filter({ q: query }).count(),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 2, q: query }), expect: steps(1, 2) }],
    without: NUMBER,
  },
  {
    name: 'the last time, as the driver gives times',
    source: 'CASES H4, rethinkdb/rethinkdb#5179',
    seed: { t: [{ id: 1, at: noon }] },
    query: (r) => r.table('t').max('at')('at'),
    initial: initially(noon),
    steps: [{ write: (r) => r.table('t').insert({ id: 2, at: one }), expect: steps(noon, one) }],
    without: TIME,
  },
  {
    name: 'the last time, raw',
    source: 'CASES H4, rethinkdb/rethinkdb#5179',
    seed: { t: [{ id: 1, at: noon }] },
    query: (r) => r.table('t').max('at')('at'),
    options: { timeFormat: 'raw', binaryFormat: 'raw', groupFormat: 'raw' },
    initial: initially({ $reql_type$: 'TIME', epoch_time: 1577880000, timezone: '+00:00' }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 2, at: r.ISO8601('2020-01-01T14:00:00.5+01:00') }),
        expect: steps(
          { $reql_type$: 'TIME', epoch_time: 1577880000, timezone: '+00:00' },
          { $reql_type$: 'TIME', epoch_time: 1577883600.5, timezone: '+01:00' },
        ),
      },
    ],
    without: TIME,
  },
  {
    name: 'distinct bytes, as the driver gives bytes',
    source: 'CASES H4, neumino/rethinkdbdash#14',
    seed: {
      t: [
        { id: 1, b: bytes },
        { id: 2, b: bytes },
      ],
    },
    query: (r) => r.table('t')('b').distinct(),
    shows: 'rows',
    initial: [{ new_val: bytes }],
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ old_val: bytes, new_val: null }] },
    ],
    without: ARRAY,
  },
  {
    name: 'two spellings of an instant are one distinct value',
    source: 'CASES H4, rethinkdb/rethinkdb#5179',
    query: (r) => r.table('t')('at').distinct().count(),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, at: r.ISO8601('2020-01-01T00:00:00Z') }), expect: steps(0, 1) },
      { write: (r) => r.table('t').insert({ id: 2, at: r.ISO8601('2020-01-01T01:00:00+01:00') }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(1, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'groups by time, with times as the driver gives them',
    source: 'CASES H4, rethinkdb/rethinkdb#5179',
    seed: {
      t: [
        { id: 1, at: noon },
        { id: 2, at: noon },
        { id: 3, at: one },
      ],
    },
    query: (r) => r.table('t').group('at').count(),
    shows: 'groups',
    initial: bag({ group: noon, new_val: 2 }, { group: one, new_val: 1 }),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [{ group: one, old_val: 1, new_val: null }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ group: noon, old_val: 2, new_val: 1 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'rows since a time that was fixed when the feed was opened',
    source: 'CASES D5, neumino/thinky#413',
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('at').gt(r.now().sub(60)))
        .count(),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, at: r.now().sub(3600) }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, at: r.now().add(3600) }), expect: steps(0, 1) },
    ],
    without: NUMBER,
  },
];
