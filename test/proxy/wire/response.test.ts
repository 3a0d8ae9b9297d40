import { expect, test } from 'vitest';
import { tokenOf } from '../../../proxy/wire/frame.ts';
import {
  atomBody,
  duplicateToken,
  errorBody,
  readResponseHead,
  sequenceBody,
  tokenNotInCache,
} from '../../../proxy/wire/response.ts';
import { clientError, nonExistence } from '../../../rewrite/reql/error.ts';
import { ROOT } from '../../../rewrite/reql/origin.ts';

test.each([
  ['{"t":3,"r":[],"n":[1,5]}', 3, [1, 5]],
  ['{"t":2,"r":[{"n":[7]}],"n":[]}', 2, []],
  ['{"t":3,"r":[{"n":[7]}],"p":[],"n":[2]}', 3, [2]],
  ['{"t":1,"r":[{"n":[7]}]}', 1, []],
  ['{"t":18,"e":3000000,"r":["x"],"b":[]}', 18, []],
  ['{ "t" : 3 , "r":[], "n" : [ 1 , 5 ] } ', 3, [1, 5]],
  ['{"r":[1]}', 0, []],
  ['', 0, []],
])('the head of %s is %j %j', (body, type, notes) => {
  expect(readResponseHead(Buffer.from(body))).toEqual({ type, notes });
});

test('an error has the keys of the server, in its order', () => {
  const place = { parent: { parent: ROOT, frame: 0 }, frame: 'index' };
  expect(errorBody(nonExistence('No "attribute".', place))).toBe(
    '{"t":18,"e":3100000,"r":["No \\"attribute\\"."],"b":[0,"index"]}',
  );
  expect(errorBody(clientError('x'))).toBe('{"t":16,"r":["x"],"b":[]}');
});

test('sequences always have notes, atoms never', () => {
  expect(sequenceBody(2, [])).toBe('{"t":2,"r":[],"n":[]}');
  expect(sequenceBody(3, ['1', '{"a":2}'], [1, 5])).toBe('{"t":3,"r":[1,{"a":2}],"n":[1,5]}');
  expect(atomBody('null')).toBe('{"t":1,"r":[null]}');
});

test('tokens are printed signed, as the server does', () => {
  expect(duplicateToken(tokenOf(5n))).toBe('ERROR: duplicate token 5');
  expect(tokenNotInCache(tokenOf(-1n))).toBe('Token -1 not in stream cache.');
  expect(tokenNotInCache(tokenOf(1n << 63n))).toBe('Token -9223372036854775808 not in stream cache.');
});
