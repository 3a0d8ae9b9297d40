import { expect, test } from 'vitest';
import { anyKey, askIndex, indexFault, indexQuery, readIndexAnswer } from '../../../proxy/feed/opening/index-status.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';

const table: Term = { kind: 'call', type: 15, args: [{ kind: 'datum', value: 't' }], optargs: [] };

/** `r.table('t').info()('primary_key').do((key) => [key, r.branch(key.eq(i), null, r.table('t').indexStatus(i).nth(0))])` */
function askedFor(index: string): unknown {
  const status = [45, [[139, [[15, ['t']], index]], 0]];
  const pair = [
    2,
    [
      [10, [1]],
      [65, [[17, [[10, [1]], index]], null, status]],
    ],
  ];
  return [
    64,
    [
      [69, [[2, [1]], pair]],
      [170, [[79, [[15, ['t']]]], 'primary_key']],
    ],
  ];
}

function read(query: string, more: object = {}): unknown {
  const status = { index: 'i', query, multi: false, geo: false, ...more };
  return readIndexAnswer(Buffer.from(JSON.stringify({ t: 1, r: [['id', status]] })), { table, index: 'i' });
}

// The texts are those of RethinkDB 2.4.4.
test.each([
  [`indexCreate('i', function(_var19) { return _var19.getField("i"); })`, { fields: ['i'], compound: false }],
  [`indexCreate('i', function(var8) { return var8("f"); })`, { fields: ['f'], compound: false }],
  [
    `indexCreate('i', function(var6) { return r.expr([r.row("g"), r.row("x")]); })`,
    { fields: ['g', 'x'], compound: true },
  ],
  [
    `indexCreate('i', function(var10) { return r.expr([var10("one"),\n        var10("two, three")]); })`,
    { fields: ['one', 'two, three'], compound: true },
  ],
])('the index %s holds fields', (query, fields) => {
  expect(read(query)).toEqual({ ...fields, multi: false, primaryKey: 'id' });
});

test('a multi index says so', () => {
  const query = `indexCreate('i', function(_var19) { return _var19.getField("i"); }, {multi: true})`;
  expect(read(query, { multi: true })).toEqual({
    fields: ['i'],
    compound: false,
    multi: true,
    primaryKey: 'id',
  });
});

test.each([
  `indexCreate('i', function(var9) { return r.add(var9.getField("f"), 1); })`,
  `indexCreate('i', function(var7) { return r.expr([var7("g"), var7("y")("z")]); })`,
  `indexCreate('i', non-printable function (captured scope not empty))`,
  `indexCreate('i', function(var7) { return r("g"); })`,
])('the index %s holds something else', (query) => {
  expect(read(query)).toEqual({ fields: null, compound: false, multi: false, primaryKey: 'id' });
});

test('an index of a function that is multi says so', () => {
  const query = `indexCreate('i', function(var9) { return var9("f").map(function(x) { return x; }); }, {multi: true})`;
  expect(read(query, { multi: true })).toEqual({ fields: null, compound: false, multi: true, primaryKey: 'id' });
});

test('a geo index holds no fields that can be grouped by', () => {
  const query = `indexCreate('i', function(_var19) { return _var19.getField("i"); }, {geo: true})`;
  expect(read(query, { geo: true })).toMatchObject({ fields: null });
});

test('the primary key is an index of itself', () => {
  const body = Buffer.from(JSON.stringify({ t: 1, r: [['i', null]] }));
  expect(readIndexAnswer(body, { table, index: 'i' })).toEqual({
    fields: ['i'],
    compound: false,
    multi: false,
    primaryKey: 'i',
  });
});

test('what is not there, or may not be read, is told from other errors', () => {
  const said = (text: string, e = 4100000) =>
    indexFault(Buffer.from(JSON.stringify({ t: 18, e, r: [text], b: [0] })), { table, index: 'i' });
  const text = 'Index `i` was not found on table `test.t`.';
  expect(said(text)).toMatchObject({ message: text, frames: [], errorType: 4100000 });
  expect(said('Table `test.t` does not exist.')).toMatchObject({ errorType: 4100000 });
  expect(said('User `u` does not have the required `read` permission.', 6000000)).toMatchObject({ errorType: 6000000 });
  expect(said('Expected type STRING but found NUMBER.', 3000000)).toBeUndefined();
});

test('an error says nothing of the index', () => {
  const body = Buffer.from(JSON.stringify({ t: 18, e: 4100000, r: ['Index `i` was not found.'], b: [] }));
  expect(readIndexAnswer(body, { table, index: 'i' })).toBeUndefined();
});

test('the question goes to the database that the query means', () => {
  const db: Term = { kind: 'call', type: 14, args: [{ kind: 'datum', value: 'other' }], optargs: [] };
  const question = indexQuery(
    { table, index: 'i' },
    [
      ['db', db],
      ['profile', { kind: 'datum', value: true }],
    ],
    anyKey,
  );
  expect(JSON.parse(question)).toEqual([1, askedFor('i'), { db: [14, ['other']] }]);
});

test('a table whose primary key has the usual name is asked once, any other again', () => {
  const asked: { readonly query: string; readonly answer: (body: Buffer) => void }[] = [];
  const port = { ask: (query: string, answer: (body: Buffer) => void) => void asked.push({ query, answer }) };
  const keys: unknown[] = [];
  const ask = (): void =>
    askIndex(port, { table, index: undefined }, [], (body) => {
      keys.push(readIndexAnswer(body, { table, index: undefined })?.primaryKey);
    });
  const answer = (response: unknown): void => asked.shift()?.answer(Buffer.from(JSON.stringify(response)));
  ask();
  answer({ t: 1, r: [['id', null]] });
  expect(keys).toEqual(['id']);
  ask();
  answer({ t: 18, e: 4100000, r: ['Index `id` was not found on table `d.t`.'], b: [] });
  expect(asked.map(({ query }) => query)).toEqual([indexQuery({ table, index: undefined }, [], anyKey)]);
  answer({ t: 1, r: [['key', null]] });
  expect(keys).toEqual(['id', 'key']);
});
