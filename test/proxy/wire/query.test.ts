import { expect, test } from 'vitest';
import { changesSearch, endsNoreply, isNoreply, mayHoldChanges, queryType } from '../../../proxy/wire/query.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

test.each([
  ['[1,[15,["t"]]]', 1],
  ['[2]', 2],
  ['[3,{"noreply":true}]', 3],
  ['[4]\n', 4],
  ['[5]', 5],
  [' [ 1\t,\r\n[15,["t"]]]', 1],
  ['[6]', undefined],
  ['[1.0,1]', undefined],
  ['[1e0,1]', undefined],
  ['[12,1]', undefined],
  ['[-1]', undefined],
  ['{"1":2}', undefined],
  ['[', undefined],
  ['[1', undefined],
  ['', undefined],
  ['1', undefined],
  ['["1"]', undefined],
])('the type of %j is %j', (text, type) => {
  expect(queryType(bytes(text))).toBe(type);
});

test('the type is read within the bounds of the query', () => {
  const all = bytes('[1,5][2]');
  expect(queryType(all, 5, 8)).toBe(2);
  expect(queryType(all, 0, 2)).toBe(undefined);
  expect(queryType(all, 3, 5)).toBe(undefined);
});

test.each([
  '[1,[152,[[43,[[15,["t"]]]]]]]',
  '[1,[ 152,[[15,["t"]]]]]',
  '[1,[\n\t\r 152 \n,[[15,["t"]]]]]',
  '[1,[152]]',
  '[1,[38,[[152 ] ,[13]]]]',
  '[1,"[152,"]',
  '[1,[1152,[152,[]]]]',
])('%j may hold CHANGES', (text) => {
  expect(mayHoldChanges(bytes(text))).toBe(true);
});

test.each([
  '[1,[43,[[15,["t"]]]]]',
  '[1,[1152,[]]]',
  '[1,[1520,[]]]',
  '[1,[152.0,[]]]',
  '[1,[1.52e2,[]]]',
  '[1,[0152,[]]]',
  '[1,[-152,[]]]',
  '[1,[4294967448,[]]]',
  '[1,["152",[]]]',
  '[1,[15,["152"]]]',
  '[1,{"a":152}]',
  '[1,[24,[1,152]]]',
  '[152',
  '152',
  '',
])('%j holds no CHANGES', (text) => {
  expect(mayHoldChanges(bytes(text))).toBe(false);
});

test('one search serves many queries in one buffer', () => {
  const queries = ['[1,[43,[]]]', '[1,[152,[]]]', '[1,"x"]', '[152', ',1]', '[1,[ 152 ,[]]]', '[1,[1520]]'];
  const all = bytes(queries.join(''));
  const search = changesSearch();
  let start = 0;
  const found = queries.map((query) => {
    const end = start + query.length;
    const found = mayHoldChanges(all, start, end, search);
    start = end;
    return found;
  });
  expect(found).toEqual([false, true, false, false, false, true, false]);
});

test.each([
  ['[1,[15,["t"]],{"noreply":true}]', true],
  ['[1,[15,["t"]],{"noreply":[1,true]}]', true],
  ['[1,[15,["t"]],{"\\u006eoreply":true}]', true],
  ['[1,[15,["t"]],{"noreply":false}]', false],
  ['[1,[15,["t"]],{"noreply":[17,[1,1]]}]', false],
  ['[1,[15,["t"]],{"noreply":[1,true,1]}]', false],
  ['[1,[15,["t"]],{"noreply":1}]', false],
  ['[1,{"noreply":true}]', false],
  ['[3,{"noreply":true}]', false],
  ['[1,[15,["t"]],{"noreply":true}', false],
  ['[1,"noreply"]', false],
])('%j wants no reply: %j', (text, expected) => {
  expect(isNoreply(bytes(text))).toBe(expected);
});

test.each([
  ['"x"]],{"noreply":true}]', true],
  [']]],{"db":[14,["d"]],"noreply" : [1, true]} ] ', true],
  [']]],{"noreply":true,"db":[14,["d"]]}]', true],
  [']]],{"noreply":false}]', false],
  ['{"noreply":true}]]]', false],
  ['\\"noreply\\":true}"]]]]', false],
  [']]]', false],
])('a query whose last bytes are %j seems to want no reply: %j', (text, expected) => {
  expect(endsNoreply(bytes(text))).toBe(expected);
});
