import { expect, test } from 'vitest';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { ResponseNote } from '../../rewrite/reql/protocol.ts';
import { LINGER_MS, LiveView } from '../../src/watch/live-view.ts';
import { watchedQuery } from '../../src/watch/watched-query.ts';

const { ATOM_FEED, SEQUENCE_FEED, INCLUDES_STATES } = ResponseNote;

/** Items as `group:value mark count`, of a view that has taken some documents before it was live and others after. */
function shown(query: string, note: number, first: readonly Datum[], then: readonly Datum[] = [], now = 1): string[] {
  const view = new LiveView(watchedQuery(query, 'picture', undefined));
  view.note([note, INCLUDES_STATES]);
  for (const document of [{ state: 'initializing' }, ...first, { state: 'ready' }, ...then]) view.take(document, 0);
  return view
    .items(now)
    .map(({ group, value, mark, count }) =>
      [
        group === undefined ? '' : `${JSON.stringify(group)}: `,
        JSON.stringify(value),
        count === undefined ? '' : ` x${count}`,
        mark === undefined ? '' : ` ${mark}`,
      ].join(''),
    );
}

test.each<readonly [string, string, number, readonly Datum[], readonly Datum[], readonly string[]]>([
  ['one value', 'r.table("t").count()', ATOM_FEED, [{ new_val: 3 }], [{ old_val: 3, new_val: 4 }], ['4 changed']],
  ['one value that is null', 'r.table("t").avg("x")', ATOM_FEED, [{ new_val: null }], [], ['null']],
  [
    'a row that goes from under a get',
    'r.table("t").get(1)',
    ATOM_FEED,
    [{ new_val: { id: 1 } }],
    [{ old_val: { id: 1 }, new_val: null }],
    ['null changed'],
  ],
  [
    'groups in ReQL order',
    'r.table("t").group("k").count()',
    SEQUENCE_FEED,
    [
      { group: 'a', new_val: 1 },
      { group: 2, new_val: 1 },
      { group: null, new_val: 5 },
    ],
    [],
    ['null: 5', '2: 1', '"a": 1'],
  ],
  [
    'a group that comes, changes, goes',
    'r.table("t").group("k").count()',
    SEQUENCE_FEED,
    [
      { group: 1, new_val: 1 },
      { group: 2, new_val: 1 },
    ],
    [
      { group: 1, old_val: 1, new_val: null, type: 'remove' },
      { group: 2, old_val: 1, new_val: 2, type: 'change' },
      { group: 3, old_val: null, new_val: 1, type: 'add' },
    ],
    ['1: 1 removed', '2: 2 changed', '3: 1 added'],
  ],
  [
    'a group that becomes null stays',
    'r.table("t").group("k").max("x")("y")',
    SEQUENCE_FEED,
    [{ group: 1, new_val: 5 }],
    [{ group: 1, old_val: 5, new_val: null, type: 'change' }],
    ['1: null changed'],
  ],
  [
    'equal rows are as many',
    'r.table("t").concatMap(x => x("k"))',
    SEQUENCE_FEED,
    [{ new_val: 1 }, { new_val: 1 }],
    [{ old_val: 1, new_val: null }],
    ['1', '1 removed'],
  ],
  [
    'a row that is null comes and goes',
    'r.table("t")("k").distinct()',
    SEQUENCE_FEED,
    [{ new_val: 1 }, { new_val: null }],
    [{ old_val: null }, { new_val: null }],
    ['null added', 'null removed', '1'],
  ],
  [
    'rows by their order',
    'r.table("t").orderBy({index: r.desc("n")}).limit(2)',
    SEQUENCE_FEED,
    [{ new_val: { id: 1, n: 1 } }, { new_val: { id: 2, n: 9 } }],
    [{ old_val: { id: 1, n: 1 }, new_val: { id: 3, n: 20 } }],
    ['{"id":3,"n":20} changed', '{"id":2,"n":9}'],
  ],
  [
    'rows by their key',
    'r.table("t")',
    SEQUENCE_FEED,
    [{ new_val: { a: 2, id: 10 } }, { new_val: { a: 9, id: 9 } }],
    [],
    ['{"a":9,"id":9}', '{"a":2,"id":10}'],
  ],
  [
    'outputs with their counts',
    'r.table("t").group("k")("x").changes({reducer: (k, v) => r.expr([])})',
    SEQUENCE_FEED,
    [
      { group: 1, value: 'a', count: 2 },
      { group: 1, value: 'b', count: 1 },
    ],
    [
      { group: 1, value: 'a', count: -2 },
      { group: 1, old_val: 'b', new_val: 'c' },
    ],
    ['1: "a" removed', '1: "b" removed', '1: "c" x1 added'],
  ],
  [
    'documents of another form, the last first',
    'r.table("t").changes().map(c => c("new_val")("x"))',
    SEQUENCE_FEED,
    [],
    [1, [2], { a: 3 }],
    ['{"a":3}', '[2]', '1'],
  ],
])('%s', (_, query, note, first, then, expected) => {
  expect(shown(query, note, first, then).sort()).toEqual([...expected].sort());
  if (!/distinct|reducer/.test(query)) expect(shown(query, note, first, then)).toEqual(expected);
});

test('what has gone is told of for a while', () => {
  const gone = [{ old_val: { id: 1 }, new_val: null }];
  expect(shown('r.table("t")', SEQUENCE_FEED, [{ new_val: { id: 1 } }], gone, LINGER_MS - 1)).toEqual([
    '{"id":1} removed',
  ]);
  expect(shown('r.table("t")', SEQUENCE_FEED, [{ new_val: { id: 1 } }], gone, LINGER_MS)).toEqual([]);
});

test('states and notices are no changes', () => {
  const view = new LiveView(watchedQuery('r.table("t").count()', 'picture', undefined));
  expect(view.phase).toBe('opening');
  view.note([ATOM_FEED, INCLUDES_STATES]);
  expect(view.phase).toBe('reading');
  for (const document of [{ new_val: 1 }, { state: 'ready' }, { old_val: 1, new_val: 2 }, { state: 'healing' }])
    view.take(document, 0);
  expect([view.phase, view.rate.total]).toEqual(['healing', 1]);
  view.take({ state: 'healed' }, 0);
  view.take({ error: 'Changefeed cache over array size limit, skipped 5 elements.' }, 0);
  expect([view.phase, view.rate.total]).toEqual(['live', 1]);
  expect(view.notice).toMatch(/skipped 5 elements/);
});

test.each([
  ['r.table("t").count()', 'lines', '[152,[[43,[[15,["t"]]]]],{"include_initial":true}]'],
  ['r.table("t").changes()', 'lines', '[152,[[15,["t"]]]]'],
  [
    'r.table("t").changes({includeInitial: false})',
    'picture',
    '[152,[[15,["t"]]],{"include_initial":false,"include_states":true,"include_types":true}]',
  ],
  ['r.table("t").changes().limit(1)', 'picture', '[71,[[152,[[15,["t"]]]],1]]'],
] as const)('%s as %s is sent as it says, with what it does not say', (query, purpose, term) => {
  expect(watchedQuery(query, purpose, undefined).json).toBe(`[1,${term}]`);
  expect(watchedQuery(query, purpose, 'shop').json).toBe(`[1,${term},{"db":[14,["shop"]]}]`);
});
