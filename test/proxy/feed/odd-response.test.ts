// Answers of upstream's to a feed that the protocol does not allow, or that JavaScript reads as something else.

import { expect, test } from 'vitest';
import { Driven } from './scripted-io.ts';

const T = [15, ['t']];
const INCLUDE = { include_initial: true, include_states: true };
const DISTINCT = [152, [[42, [[170, [T, 'x']]]]], INCLUDE];
const SUM = [152, [[145, [T, 'x']]], INCLUDE];

/** The bytes as which RethinkDB keeps `"\udc00"` and `"\udc01"`. */
const LOW_0 = Buffer.from([0xed, 0xb0, 0x80]);
const LOW_1 = Buffer.from([0xed, 0xb0, 0x81]);
const HIGH = Buffer.from([0xed, 0xa0, 0x80]);

/** A batch of elements, each a string of the given bytes, and `ready`. */
function batchOf(...strings: readonly Buffer[]): Buffer {
  const elements = strings.flatMap((bytes) => [Buffer.from('{"new_val":["'), bytes, Buffer.from('"]},')]);
  return Buffer.concat([
    Buffer.from('{"t":3,"r":[{"state":"initializing"},'),
    ...elements,
    Buffer.from('{"state":"ready"}],"n":[1,5]}'),
  ]);
}

function heard(query: unknown, body: Buffer): readonly unknown[] {
  const driven = new Driven(query);
  driven.respond(body);
  const told: unknown[] = [];
  for (let answers = driven.answers(); answers.length > 0; answers = driven.answers()) {
    for (const { t, e, r } of answers) {
      told.push(...(t === 3 ? r : [{ t, e, r }]));
      if (t === 3) driven.continue();
    }
  }
  return told;
}

test('surrogates that stand alone are apart, and are what they were', () => {
  expect(heard(DISTINCT, batchOf(LOW_0, LOW_1, LOW_0))).toEqual([
    { state: 'initializing' },
    { new_val: '\udc00' },
    { new_val: '\udc01' },
    { state: 'ready' },
  ]);
});

test.each([
  ['half a character', Buffer.from([0xed, 0xb0])],
  ['a byte that begins nothing', Buffer.from([0xff])],
  ['the halves of a character side by side', Buffer.concat([HIGH, LOW_0])],
])('%s ends the feed, and says why', (_, bytes) => {
  expect(heard(DISTINCT, batchOf(bytes))).toEqual([
    { t: 18, e: 1000000, r: [expect.stringContaining('no UTF-8 text')] },
  ]);
});

test.each(['1e999', '-1E+400', '1e1000000'])('the number %s ends the feed', (number) => {
  const body = Buffer.from(`{"t":3,"r":[{"new_val":[${number}]},{"state":"ready"}],"n":[1,5]}`);
  expect(heard(SUM, body)).toEqual([{ t: 18, e: 1000000, r: [expect.stringContaining('no double')] }]);
});

test('text that looks like such a number is text', () => {
  const body = Buffer.from('{"t":3,"r":[{"new_val":["1e999"]},{"state":"ready"}],"n":[1,5]}');
  expect(heard(DISTINCT, body)).toContainEqual({ new_val: '1e999' });
});

test.each(['{"t":3,"r":{},"n":[]}', '{"t":3,"r":[],"n":{}}', '{"t":18,"r":["x"],"b":{}}', '[]', '', '{"t":3,"r":[1,'])(
  'the response %j ends the feed',
  (body) => {
    expect(heard(SUM, Buffer.from(body))).toEqual([{ t: 18, e: 1000000, r: [expect.stringContaining('read')] }]);
  },
);

const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);

test.each([
  ['[', ']'],
  ['{"a":', '}'],
  ['[{"a]":', '}]'],
])('a value of three million times %s%s ends the feed', (open, close) => {
  const inner = open === '[' ? '' : '1';
  const deep = open.repeat(3_000_000) + inner + close.repeat(3_000_000);
  const body = Buffer.from(`{"t":3,"r":[{"new_val":[${deep}]},{"state":"ready"}],"n":[1,5]}`);
  expect(heard(DISTINCT, body)).toEqual([{ t: 18, e: 1000000, r: [expect.stringContaining('levels deep')] }]);
});

test('values as deep as RethinkDB stores them are told', () => {
  const deep = nested(20_000, '[', ']');
  const driven = new Driven(DISTINCT);
  driven.respond(Buffer.from(`{"t":3,"r":[{"new_val":[${deep}]},{"state":"ready"}],"n":[1,5]}`));
  expect(driven.io.raw[0]).toContain(`{"new_val":${deep}}`);
});
