// Which tables a live query reads, and which of their fields: too few would let somebody take away a column that is needed.

import { expect, test } from 'vitest';
import { recognize } from '../../rewrite/recognize.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import { type TableRead, tablesRead } from '../../rewrite/tables-read.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';

function read(text: string): readonly TableRead[] {
  const query = parseQuery(queryOfText(text));
  if (!('term' in query)) throw new Error('no query');
  const recognized = recognize(query, {
    indexes: ({ index }) => ({ fields: [index ?? 'id'], compound: false, multi: false }),
  });
  if (recognized.kind !== 'live') throw new Error(recognized.kind);
  return tablesRead(recognized.live);
}

const t = "r.table('t')";

test.each([
  [`${t}.count()`, { t: [] }],
  [`r.db('d').table('t').count()`, { 'd.t': [] }],
  [`${t}.sum('a')`, { t: ['a'] }],
  [`${t}.sum(x => x('a').add(x('b')('c')))`, { t: ['a', 'b'] }],
  [`${t}.sum(r.row('a'))`, { t: ['a'] }],
  [`${t}.count(x => x.hasFields('a'))`, { t: ['a'] }],
  [`${t}.filter({a: 1, b: {c: 2}}).count()`, { t: ['a', 'b'] }],
  [`${t}.filter({a: r.row('b')}).count()`, { t: ['a', 'b'] }],
  [`${t}.filter(x => x('a').gt(1)).sum('b')`, { t: ['a', 'b'] }],
  [`${t}.filter(x => x.keys().contains('a')).count()`, { t: ['a'] }],
  [`${t}.filter(x => x.keys().count().gt(1)).count()`, { t: undefined }],
  [`${t}.filter(x => r.expr([x]).contains(1)).count()`, { t: undefined }],
  [`${t}.filter(x => r.expr([x]).map(y => y('a').add(x('b'))).sum().gt(1)).count()`, { t: ['a', 'b'] }],
  [`${t}.filter(x => r.expr([x, 1]).isEmpty()).count()`, { t: undefined }],
  [`${t}('a').distinct()`, { t: ['a'] }],
  [`${t}.pluck('a', 'b').distinct()`, { t: ['a', 'b'] }],
  [`${t}.pluck('a', {b: 'c'}).filter({d: 1}).sum('a')`, { t: ['a'] }],
  [`${t}.hasFields('a').map(x => x('b')).max()`, { t: ['a', 'b'] }],
  [`${t}.max('a')`, { t: undefined }],
  [`${t}.group('a').sum('b')`, { t: ['a', 'b'] }],
  [`${t}.getAll(1, {index: 'k'}).sum('a')`, { t: ['a'] }],
  [`${t}.getAll([1, 2], {index: 'k'})('a').distinct()`, { t: ['a'] }],
  [`r.expr({n: ${t}.sum('a'), m: ${t}.filter({b: 1}).avg('c')})`, { t: ['a', 'b', 'c'] }],
  [`r.expr([${t}.sum('a'), r.table('u').max('b')])`, { t: ['a'], u: undefined }],
  [`${t}.eqJoin('a', r.table('u')).count()`, { t: ['a'], u: ['id'] }],
  [`${t}.map(x => r.table('u').getAll(x('a'), {index: 'k'}).sum('b')).sum()`, { t: ['a'], u: ['b', 'k'] }],
] as const)('%s', (text, expected) => {
  const told = Object.fromEntries(read(`${text}.changes()`).map(({ table, fields }) => [table, fields]));
  expect(told).toEqual(expected);
});

test('whole rows are told of where they are sent', () => {
  expect(read(`${t}.sum('a').changes()`)).toMatchObject([{ fields: ['a'], areWhole: false }]);
  expect(read(`${t}.sum(x => x('a').add(1)).changes()`)).toMatchObject([{ fields: ['a'], areWhole: true }]);
});
