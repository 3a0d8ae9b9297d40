import { expect, test } from 'vitest';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { ResponseNote } from '../../rewrite/reql/protocol.ts';
import { cutTo, displayWidth, visible } from '../../src/terminal/display-width.ts';
import { painted } from '../../src/terminal/palette.ts';
import { tableLines } from '../../src/terminal/table.ts';
import type { Size } from '../../src/terminal/terminal.ts';
import { cellText } from '../../src/watch/cell-text.ts';
import { drawing } from '../../src/watch/drawing.ts';
import { LiveView } from '../../src/watch/live-view.ts';
import { sparkline } from '../../src/watch/sparkline.ts';
import { watchedQuery } from '../../src/watch/watched-query.ts';

/** The lines that documents make on a terminal of some size. */
function drawn(note: number, documents: readonly Datum[], size: Size, history: readonly number[] = []): string[] {
  const view = new LiveView(watchedQuery('r.table("t")', 'picture', undefined));
  view.note([note, ResponseNote.INCLUDES_STATES]);
  for (const document of documents) view.take(document, 0);
  const frame = { query: 'r.table("t")', source: 'admin@here', history, now: 1 };
  return drawing(view, frame, size).map((line) => painted(line, false).trimEnd());
}

const { ATOM_FEED, SEQUENCE_FEED } = ResponseNote;
const SIZE = { columns: 60, rows: 12 };
const READY = { state: 'ready' };

test('a number is drawn with what it was, and its course', () => {
  const documents = [{ new_val: 1 }, READY, { old_val: 1, new_val: 3.5 }];
  expect(drawn(ATOM_FEED, documents, SIZE, [1, 3.5])).toEqual([
    'r.table("t")',
    'live  1 change, 1.0 a second  ·  admin@here',
    '',
    '3.5',
    'was 1, +2.5',
    '▁█',
  ]);
});

test('an object is drawn by its fields, and those that changed are marked', () => {
  const [old, now] = [
    { n: 1, s: 'x' },
    { n: 1, s: 'y', new: null },
  ];
  expect(drawn(ATOM_FEED, [{ new_val: old }, READY, { old_val: old, new_val: now }], SIZE).slice(3)).toEqual([
    '  field  value',
    '  n      1',
    '~ s      y',
    '+ new    null',
  ]);
});

test('rows are a table of their fields, and no more of it than there is room for', () => {
  const rows = Array.from({ length: 1000 }, (_, id) => ({ new_val: { total: id / 2, id, name: 'n'.repeat(200) } }));
  const lines = drawn(SEQUENCE_FEED, [...rows, READY], SIZE);
  expect(lines).toHaveLength(SIZE.rows);
  expect(lines.slice(3, 5)).toEqual(['  id  total  name', `   0      0  ${'n'.repeat(46)}…`]);
  expect(lines.at(-1)).toBe('  … 993 more');
});

test.each([
  [20, 6],
  [3, 2],
  [1, 1],
  [200, 4],
])('on %i columns and %i lines nothing is wider or longer', (columns, rows) => {
  const documents = Array.from({ length: 9 }, (_, id) => ({ new_val: { id, a: '日本'.repeat(20), b: [id], c: null } }));
  for (const note of [ATOM_FEED, SEQUENCE_FEED]) {
    const lines = drawn(note, [...documents, READY], { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  }
});

test('data cannot draw, nor be taken for other data', () => {
  expect(cellText('\x1b[2Jx\u202e\ny')).toBe(String.raw`\u001b[2Jx\u202e\u000ay`);
  expect(['5', 'true', '', ' a', '[1]', 'Ada Lovelace', '"'].map(cellText)).toEqual([
    '"5"',
    '"true"',
    '""',
    '" a"',
    '"[1]"',
    'Ada Lovelace',
    String.raw`"\""`,
  ]);
  expect(cellText({ $reql_type$: 'TIME', epoch_time: 1.5, timezone: '+01:00' })).toBe('1970-01-01T01:00:01.500+01:00');
  expect(cellText({ $reql_type$: 'BINARY', data: 'AAEC' })).toBe('<binary, 3 bytes>');
});

test('texts are as wide as a terminal writes them', () => {
  expect(['abc', '日本', 'é', '👩‍👩‍👧', '⚡', ''].map(displayWidth)).toEqual([3, 4, 1, 2, 2, 0]);
  expect(cutTo('日本語', 4)).toBe('日…');
  expect(cutTo('abc', 3)).toBe('abc');
  expect(visible('a\tb')).toBe(String.raw`a\u0009b`);
});

test('columns that do not fit are cut, the widest first', () => {
  const head = [
    { title: 'a', align: 'left' as const },
    { title: 'b', align: 'right' as const },
  ];
  const [, line] = tableLines(head, [{ cells: [{ text: 'x'.repeat(30) }, { text: '12345' }] }], 20);
  expect(painted(line ?? [], false)).toBe(`${'x'.repeat(12)}…  12345`);
});

test('a line of bars goes from the least to the greatest', () => {
  expect(sparkline([1, 2, 3, 8], 60)).toBe('▁▂▃█');
  expect(sparkline([5, 5], 60)).toBe('▁▁');
  expect(sparkline([5], 60)).toBe('');
});
