// Long responses are read in steps: what they say is what JSON.parse makes of them, and what is no JSON is none.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLongJson } from '../../../proxy/feed/source/long-json.ts';
import { readResponseInSteps, readResponseJson } from '../../../proxy/feed/source/response-json.ts';
import { Driven } from './scripted-io.ts';

/** What a generator returns, and how often it was left. */
function done<Result>(steps: Generator<void, Result>): { readonly result: Result; readonly steps: number } {
  for (let count = 0; ; count++) {
    const { done: isDone, value } = steps.next();
    if (isDone === true) return { result: value, steps: count };
  }
}

function inPieces(text: string, pieceBytes: number): unknown {
  const settings = {
    pieceBytes,
    textOf: (piece: Buffer) => piece.toString(),
    parse: (piece: string) => JSON.parse(piece),
    deepest: 1000,
    tooDeep: () => new Error('too deep'),
  };
  return done(readLongJson(Buffer.from(text), settings)).result;
}

function whole(text: string): { readonly value: unknown } | 'no JSON' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'no JSON';
  }
}

function pieced(text: string, pieceBytes: number): { readonly value: unknown } | 'no JSON' {
  try {
    return { value: inPieces(text, pieceBytes) };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'no JSON';
  }
}

/** JSON, with blanks where they may stand. */
const json = fc
  .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

test('what is read in pieces is what is read at once', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 40 }), (text, piece) => {
      expect(pieced(text, piece)).toEqual(whole(text));
    }),
    { numRuns: 500 },
  );
});

test('what is no JSON is none in pieces', () => {
  const spoiled = fc
    .tuple(
      json,
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom(',', '[', ']', '{', '}', ':', '1', '"', ' ', ',,', '{}', '[1]', 'null'),
    )
    .map(([text, at, less, more]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + more + text.slice(place + less);
    });
  fc.assert(
    fc.property(spoiled, fc.integer({ min: 1, max: 20 }), (text, piece) => {
      expect(pieced(text, piece)).toEqual(whole(text));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  '{"a":5[1,2,3,4]}',
  '[[1,2,3,4][5]]',
  '[[1,2,3,4],]',
  '[5 [1,2,3,4]]',
  '{[1,2,3,4]}',
  '[1,2,3,4],[1,2,3,4]',
  '[1,2,3,4]]',
  '[1,2,3,4}',
  '',
])('%s is none', (text) => {
  expect(pieced(text, 2)).toBe('no JSON');
});

test('keys of every kind are fields', () => {
  const text = '{"__proto__":[1,2,3],"1":{"__proto__":4,"b":5},"\\u0061":[[[6]]],"a":7,"constructor":[8,9]}';
  expect(JSON.stringify(inPieces(text, 3))).toBe(JSON.stringify(JSON.parse(text)));
});

const element = (text: string): string => `{"t":3,"r":[{"new_val":[${text}]},{"state":"ready"}],"n":[1,5]}`;
const wide = `{${Array.from({ length: 20_000 }, (_, i) => `"key ${i}":${i}`).join()}}`;

test('a response is left many times while it is read', () => {
  const body = Buffer.from(element(`${wide},${wide}`));
  const { result, steps } = done(readResponseInSteps(body));
  expect(result).toEqual(readResponseJson(body));
  expect(steps).toBeGreaterThan(20);
});

test.each([
  ['a number that no double holds', element(`${wide},1e999`), 'no double'],
  ['a value that is too deep', element(`${wide},${'['.repeat(100_001)}${']'.repeat(100_001)}`), 'levels deep'],
  ['no JSON', element(`${wide},nothing`), 'could not read'],
])('%s is found in steps', (_, text, says) => {
  expect(done(readResponseInSteps(Buffer.from(text))).result).toMatchObject({ message: expect.stringContaining(says) });
});

test('a string that is no UTF-8 is found in steps', () => {
  const [before = '', behind = ''] = element(`${wide},"?"`).split('?');
  const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(behind)]);
  expect(done(readResponseInSteps(body)).result).toMatchObject({ message: expect.stringContaining('no UTF-8') });
});

const T = [15, ['t']];
const FIELD = [170, [T, 'x']];
/** Texts that together are a long response. */
const TEXTS = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(100_000));

/** What a client is told that asks for more until nothing comes. */
function told(driven: Driven): readonly unknown[] {
  const all: unknown[] = [];
  for (let answers = driven.answers(); answers.length > 0; answers = driven.answers()) {
    for (const { r } of answers) all.push(...r);
    driven.continue();
  }
  return all;
}

test('a feed of the proxy plan reads a long response, and then asks for more', () => {
  const driven = new Driven([152, [[42, [FIELD]]], { include_initial: true }]);
  driven.respond({ t: 3, r: [...TEXTS.map((text) => ({ new_val: [text] })), { state: 'ready' }], n: [1, 5] });
  expect(told(driven)).toEqual(TEXTS.map((text) => ({ new_val: text })));
  expect(driven.io.upstream.at(-1)).toEqual([2]);
});

test('so does one of the server plan', () => {
  const driven = new Driven([152, [[148, [FIELD]]], { include_initial: true }], { settings: { plan: 'server' } });
  const changes = TEXTS.slice(1).map((text, i) => ({ old_val: TEXTS[i], new_val: text }));
  driven.respond({ t: 3, r: [{ new_val: TEXTS[0] }, { state: 'ready' }, ...changes], n: [1, 5] });
  expect(told(driven).at(-1)).toMatchObject({ new_val: TEXTS.at(-1) });
  expect(driven.io.upstream.at(-1)).toEqual([2]);
});
