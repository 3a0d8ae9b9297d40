import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { framesOf, ROOT } from '../../../../rewrite/reql/origin.ts';
import { type ParsedQuery, type ParsedStart, parseQuery, parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import { serializeQuery, serializeTerm } from '../../../../rewrite/reql/term/serialize.ts';
import type { StartQuery, Term } from '../../../../rewrite/reql/term/term.ts';
import { find, mapTerm } from '../../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../../rewrite/reql/term-type.ts';

const captured: { readonly queries: readonly string[]; readonly terms: readonly string[] } = JSON.parse(
  readFileSync(new URL('../../../facts/driver-queries.json', import.meta.url), 'utf8'),
);

function start(text: string): ParsedStart {
  const query = parseQuery(text);
  if (query.type !== 1) throw new Error(`not a START query: ${text}`);
  return query;
}

function term(text: string): Term {
  const parsed = parseTerm(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

/** The same query without any text, so that the serializer has to write it all. */
function rewritten(query: StartQuery): StartQuery {
  return {
    term: bare(query.term),
    globalOptargs: query.globalOptargs.map(([name, optarg]) => [name, bare(optarg)] as const),
  };
}

function bare(root: Term): Term {
  return mapTerm(root, ({ text: _text, ...rest }) => rest);
}

test.each(captured.queries)('a captured query comes back byte for byte: %s', (text) => {
  const query = start(text);
  expect(serializeQuery(query)).toBe(text);
  expect(serializeTerm(query.term)).toBe(text.slice(3, 3 + serializeTerm(query.term).length));
  // Written anew, it still means the same.
  expect(bare(start(serializeQuery(rewritten(query))).term)).toEqual(bare(query.term));
});

test.each(captured.terms)('a captured term comes back byte for byte: %s', (text) => {
  expect(serializeTerm(term(text))).toBe(text);
});

test('a term knows its slice of the text and its place in the query', () => {
  const text = '[1, [43, [[39, [[15,["t"]], {"a" : 1.0}]]], {"x": [13]} ], {}]';
  const query = start(text);
  const table = find(query.term, (each) => each.kind === 'call' && each.type === TermType.TABLE);
  expect(table?.text).toBe('[15,["t"]]');
  expect(framesOf(table?.origin)).toEqual([0, 0]);
  const one = find(query.term, (each) => each.kind === 'datum' && each.value === 1);
  expect(one?.text).toBe('1.0');
  expect(framesOf(one?.origin)).toEqual([0, 1, 'a']);
  const row = find(query.term, (each) => each.kind === 'call' && each.type === TermType.IMPLICIT_VAR);
  expect(framesOf(row?.origin)).toEqual(['x']);
  expect(query.term.origin).toBe(ROOT);
});

test.each([
  ['[2]', TermType.MAKE_ARRAY],
  ['[2,[]]', TermType.MAKE_ARRAY],
  ['[103,{"a":1}]', TermType.NOW],
  ['[9999,[1],{"a":1}]', 9999],
])('%s is a call of %i', (text, type) => {
  expect(term(text)).toMatchObject({ kind: 'call', type });
});

test.each(['[3,[],{"a":1}]', '[3,{"a":1}]', '{"a":1}'])('%s is an object', (text) => {
  expect(term(text)).toMatchObject({ kind: 'object', text, fields: [['a', { kind: 'datum', value: 1 }]] });
});

test('an object keeps the order of its keys and the repeated ones', () => {
  const object = term('{"b":1,"a":2,"b":3,"__proto__":4}');
  expect(object.kind === 'object' && object.fields.map(([name]) => name)).toEqual(['b', 'a', 'b', '__proto__']);
});

test('a datum holds any JSON', () => {
  const datum = term('[1,{"a":[1,{"b":[]}],"__proto__":null}]');
  expect(datum.kind === 'datum' && JSON.stringify(datum.value)).toBe('{"a":[1,{"b":[]}],"__proto__":null}');
});

const others: readonly [text: string, query: ParsedQuery['type']][] = [
  ['[2]', 2],
  ['[3,{"noreply":true}]', 3],
  ['[4]', 4],
  [' [5 ] ', 5],
];
test.each(others)('%s is a query of type %i', (text, type) => {
  expect(parseQuery(text)).toEqual({ type, text });
});

// rdb_protocol/term_storage.cc and term_walker.cc; client_protocol/json.cc.
const refused: readonly [text: string, response: number, message: string, frames: readonly (string | number)[]][] = [
  ['', 16, 'Client is buggy (failed to deserialize query).', []],
  ['[1,[15,["t"]]', 16, 'Client is buggy (failed to deserialize query).', []],
  ['[1,"\\ud800"]', 16, 'Client is buggy (failed to deserialize query).', []],
  ['[1,1e309]', 16, 'Client is buggy (failed to deserialize query).', []],
  ['{}', 16, 'Server could not parse query: Expected a query to be an array, but found OBJECT.', []],
  ['[]', 16, 'Server could not parse query: Expected 1 to 3 elements in the top-level query, but found 0.', []],
  ['["a"]', 16, 'Server could not parse query: Expected a query type as a number, but found STRING.', []],
  ['[9]', 16, 'Server could not parse query: Unrecognized QueryType: 9.', []],
  ['[1.0,1]', 16, 'Server could not parse query: Unrecognized QueryType: 0.', []],
  ['[1,1,[]]', 16, 'Server could not parse query: Expected global optargs as an object, but found ARRAY.', []],
  ['[1,[24,[1,[]]]]', 17, 'Expected between 1 and 3 elements in a raw term, but found 0.', [1]],
  ['[1,[24,[1,[1,2,{},4]]]]', 17, 'Expected between 1 and 3 elements in a raw term, but found 4.', [1]],
  ['[1,{"a":[null]}]', 17, 'Expected a TermType as a NUMBER but found NULL.', ['a']],
  ['[1,[24,1]]', 17, 'Second element in a Term is neither arguments nor optional arguments.', []],
  ['[1,[24,{},{}]]', 17, 'Second and third element in a term are both optional arguments.', []],
  ['[1,[24,[],[]]]', 17, 'Third element in a Term is not optional arguments.', []],
  ['[1,[1]]', 17, 'Expected 3 items in array, but found 2.', []],
  ['[1,[24,[["a"],[]]]]', 17, 'Expected a TermType as a NUMBER but found STRING.', [0]],
  ['[1,1,{"a":["a"]}]', 17, 'Expected a TermType as a NUMBER but found STRING.', []],
];
test.each(refused)('%s is answered %i %s', (text, responseType, message, frames) => {
  const query = parseQuery(text);
  expect(query.type).toBe('malformed');
  if (query.type !== 'malformed') return;
  expect(query.error).toMatchObject({ responseType, message });
  expect(query.error.frames).toEqual(frames);
});

test('what follows a NUL after the query is not read, as in the server', () => {
  expect(parseQuery('[4]\0garbage').type).toBe(4);
});

const numbers: readonly [text: string, value: number][] = [
  ['-0', 0],
  ['-0.0', -0],
  ['-0e0', -0],
  ['9007199254740993', 9007199254740992],
  ['-9223372036854775808', -(2 ** 63)],
  ['1E2', 100],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.30000000000000004],
  ['5e-324', 5e-324],
  ['1e-400', 0],
  ['1.7976931348623157e308', Number.MAX_VALUE],
];
test.each(numbers)('the number %s is read as %d', (text, value) => {
  expect(term(text)).toMatchObject({ kind: 'datum', value });
});

test('nesting of any depth is read, walked and written', () => {
  const depth = 200_000;
  expect(parseQuery('['.repeat(depth)).type).toBe('malformed');
  expect(parseQuery(`[1,${'['.repeat(depth)}${']'.repeat(depth)}]`).type).toBe('malformed');
  const deep = `${'[23,['.repeat(10_000)}true${']]'.repeat(10_000)}`;
  expect(serializeTerm(bare(term(deep)))).toBe(deep);
  const data = `[1,{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}]`;
  expect(term(data).kind).toBe('datum');
});
