// The keys by which computed rows are known: where they stand in a row, and that rows which may hide them are not known by them.

import { expect, test } from 'vitest';
import { keyAt } from '../../rewrite/kinds/key-places.ts';
import { rowNameOf } from '../../rewrite/kinds/row-name.ts';
import { recognize } from '../../rewrite/recognize.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import type { IndexFields } from '../../rewrite/sources/known-index.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';

const PLAIN: IndexFields = { fields: ['id'], compound: false, multi: false, primaryKey: 'id' };
const FOUND = "r.table('u').get(row('k'))('n').default(0)";

/** What names the rows of a query: a word, or the paths of their keys where the primary key is called `id`. */
function named(query: string): unknown {
  const parsed = parseQuery(queryOfText(`${query}.changes()`));
  if (!('term' in parsed)) throw new Error('no START query');
  const indexes = ({ index }: { readonly index: string | undefined }): IndexFields =>
    index === undefined ? PLAIN : { ...PLAIN, fields: [index], multi: index === 'tags' };
  const recognized = recognize(parsed, { indexes });
  if (recognized.kind !== 'live') throw new Error(`${query} is ${recognized.kind}`);
  const name = rowNameOf(recognized.live);
  return typeof name === 'string' ? name : name.keys.map(({ pathOf }) => pathOf('id'));
}

test.each([
  [`r.table('t').merge(row => ({x: ${FOUND}}))`, [['id']]],
  [`r.table('t').filter({k: 1}).merge(row => ({x: ${FOUND}})).without('k').orderBy('x').limit(3)`, [['id']]],
  [`r.table('t').merge({a: 1}, row => ({x: ${FOUND}})).pluck('id', 'x')`, [['id']]],
  [`r.table('t').map(row => ({of: {key: row('id')}, x: ${FOUND}}))`, [['of', 'key']]],
  [`r.table('t').map(row => row.merge({x: ${FOUND}}))`, [['id']]],
  [`r.table('t').map(row => row.merge(x => ({y: x('k')})).merge({x: ${FOUND}}))`, [['id']]],
  [`r.table('t').map(row => ({of: row, x: ${FOUND}})).map(pair => pair('of').merge({x: pair('x')}))`, [['id']]],
  [`r.table('t').getAll(1, {index: 'k'}).merge(row => ({x: ${FOUND}}))`, [['id']]],
  [`r.table('t').eqJoin('k', r.table('u'))`, [['left', 'id']]],
  [`r.table('t').eqJoin('k', r.table('u')).map(p => ({a: p('left')('id'), b: p('right')('n')}))`, [['a']]],
  [
    `r.table('t').eqJoin('id', r.table('u'), {index: 'k'})`,
    [
      ['left', 'id'],
      ['right', 'id'],
    ],
  ],
  [
    `r.table('t').outerJoin(r.table('u'), (a, b) => a('k').eq(b('k')))`,
    [
      ['left', 'id'],
      ['right', 'id'],
    ],
  ],
])('%s: %j', (query, paths) => {
  expect(named(query)).toEqual(paths);
});

test.each([
  // What has the name of the key is another value.
  `r.table('t').merge(row => ({id: ${FOUND}}))`,
  `r.table('t').merge(row => ({x: ${FOUND}}), row => r.table('u').get(row('k')))`,
  `r.table('t').map(row => row('of').merge(x => ({id: x('id'), x: ${FOUND}})))`,
  // It is not shown, or only one of both is.
  `r.table('t').merge(row => ({x: ${FOUND}})).pluck('x')`,
  `r.table('t').merge(row => ({x: ${FOUND}})).without('id')`,
  `r.table('t').eqJoin('id', r.table('u'), {index: 'k'}).zip()`,
  `r.table('t').eqJoin('id', r.table('u'), {index: 'k'}).without('right')`,
  // A row of the table comes more than once.
  `r.table('t').concatMap(row => row('tags').map(tag => ({id: row('id'), x: ${FOUND}})))`,
  `r.table('t').getAll('a', {index: 'tags'}).merge(row => ({x: ${FOUND}}))`,
  `r.table('t').getAll(1, 1).merge(row => ({x: ${FOUND}}))`,
  `r.table('t').getAll('a', {index: 'tags'}).merge(row => ({x: r.table('t').get(row('k'))('n').default(0)}))`,
  `r.table('t').between('a', 'b', {index: 'tags'}).orderBy('n').limit(2).merge(row => ({x: r.table('t').get(row('k'))('n').default(0)}))`,
  `r.table('t').eqJoin('id', r.table('u'), {index: 'tags'})`,
])('%s: by their value', (query) => {
  const name = named(query);
  if (name !== 'copy') expect(name).toContain(undefined);
});

test('a key is what stands there, null where nothing does, and a list where there are several', () => {
  const row = { left: { id: [1] }, right: { id: 2, constructor: null } };
  expect(keyAt(row, [['left', 'id']])).toEqual([1]);
  expect(
    keyAt(row, [
      ['left', 'id'],
      ['right', 'id'],
    ]),
  ).toEqual([[1], 2]);
  expect(
    keyAt({ left: { id: 1 } }, [
      ['left', 'id'],
      ['right', 'id'],
    ]),
  ).toEqual([1, null]);
  expect(keyAt({}, [['constructor']])).toBe(null);
  expect(keyAt(5, [['id']])).toBe(null);
});
