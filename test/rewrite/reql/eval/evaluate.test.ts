import { expect, test } from 'vitest';
import type { Datum } from '../../../../rewrite/reql/data/datum.ts';
import { nonExistence, ReqlError } from '../../../../rewrite/reql/error.ts';
import { compileFunction, createContext, evaluate, pureTerms } from '../../../../rewrite/reql/eval/index.ts';
import { ErrorType, ResponseType } from '../../../../rewrite/reql/protocol.ts';
import { parseQuery, parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { TermType } from '../../../../rewrite/reql/term-type.ts';
import type { Wire } from './arbitrary-query.ts';
import { answer } from './facts.ts';

const T = TermType;

function termOf(wire: Wire): Term {
  const term = parseTerm(JSON.stringify(wire));
  if (term instanceof ReqlError) throw term;
  return term;
}

const context = createContext({ terms: pureTerms });

/** What a query gives with global optargs. */
function withOptargs(query: Wire, globals: { readonly [name: string]: Wire }): Datum {
  const parsed = parseQuery(JSON.stringify([1, query, globals]));
  if (!('term' in parsed)) throw new Error('no query');
  const { term, globalOptargs } = parsed;
  const result = evaluate(term, createContext({ terms: pureTerms, globalOptargs }));
  if (!('datum' in result)) throw new Error('a stream');
  return result.datum;
}

function errorOf(work: () => unknown): ReqlError {
  try {
    work();
  } catch (error) {
    if (error instanceof ReqlError) return error;
    throw error;
  }
  throw new Error('nothing was raised');
}

const variable = (id: number): Wire => [T.VAR, [id]];
const func = (params: readonly number[], body: Wire): Wire => [T.FUNC, [[T.MAKE_ARRAY, params], body]];

test('a closed function is called with data', () => {
  const add = compileFunction(
    termOf(
      func(
        [1, 2],
        [
          T.ADD,
          [
            [T.BRACKET, [variable(1), 'n']],
            [T.BRACKET, [variable(2), 'n']],
          ],
        ],
      ),
    ),
    context,
  );
  expect(add({ n: 1 }, { n: 2 })).toBe(3);
  expect(add({ n: 0.5 }, { n: -1 })).toBe(-0.5);
});

test('a function is called with more arguments than two', () => {
  const last = compileFunction(termOf(func([1, 2, 3, 4], [T.MAKE_ARRAY, [variable(4), variable(3)]])), context);
  expect(last(1, 2, 3, 4)).toEqual([4, 3]);
});

test('an argument that is an error is raised where it is read, so that default catches it', () => {
  const missing = nonExistence('Cannot take the average of an empty stream.');
  const plain = compileFunction(termOf(func([1], [T.ADD, [variable(1), 1]])), context);
  const caught = compileFunction(termOf(func([1], [T.ADD, [[T.DEFAULT, [variable(1), 5]], 1]])), context);
  const unread = compileFunction(termOf(func([1], [T.BRANCH, [false, variable(1), 2]])), context);
  expect(errorOf(() => plain(missing)).message).toBe('Cannot take the average of an empty stream.');
  expect(caught(missing)).toBe(6);
  expect(caught(1)).toBe(2);
  expect(unread(missing)).toBe(2);
});

test.each([
  ['table', [T.TABLE, ['t']]],
  ['random', [T.RANDOM, []]],
  ['js', [T.JAVASCRIPT, ['1']]],
])('a function with %s in it is refused by name', (name, wire) => {
  const error = errorOf(() => compileFunction(termOf(func([1], [T.MAKE_ARRAY, [wire]])), context));
  expect(error.responseType).toBe(ResponseType.COMPILE_ERROR);
  expect(error.message).toContain(`RethinkDB alone can evaluate \`${name}\``);
});

test('a lazy stream keeps the variables around its functions', () => {
  const streams = compileFunction(
    termOf(
      func([1], [T.COERCE_TO, [[T.MAP, [[T.RANGE, [2]], func([2], [T.ADD, [variable(1), variable(2)]])]], 'array']]),
    ),
    context,
  );
  expect(streams(10)).toEqual([10, 11]);
  expect(streams(20)).toEqual([20, 21]);
});

test('array_limit is enforced, and must be at least 1', () => {
  const three: Wire = [T.MAKE_ARRAY, [1, 2, 3]];
  expect(withOptargs(three, { array_limit: 3 })).toEqual([1, 2, 3]);
  const over = errorOf(() => withOptargs(three, { array_limit: 2 }));
  expect(over.errorType).toBe(ErrorType.RESOURCE_LIMIT);
  expect(over.message).toMatch(/^Array over size limit `2`\./);
  const illegal = errorOf(() => withOptargs(three, { array_limit: 0 }));
  expect(illegal.message).toBe('Illegal array size limit `0`.  (Must be >= 1.)');
});

test('a term takes the global optarg where it has none of its own', () => {
  const slice: Wire = [T.SLICE, [[T.MAKE_ARRAY, [1, 2, 3]], 0, 1]];
  expect(withOptargs(slice, { right_bound: 'closed' })).toEqual([1, 2]);
  expect(withOptargs([...(slice as readonly Wire[]), { right_bound: 'open' }], { right_bound: 'closed' })).toEqual([1]);
});

test('now and chance come from outside, or are refused', () => {
  expect(errorOf(() => evaluate(termOf([T.NOW, []]), context)).message).toContain('r.now()');
  expect(errorOf(() => evaluate(termOf([T.UUID, []]), context)).errorType).toBe(ErrorType.QUERY_LOGIC);
  expect(evaluate(termOf([T.UUID, ['a']]), context)).toEqual({ datum: 'd0333a3b-39b1-5201-b37a-7bfbf6542b5f' });
});

test('a chain of thousands of terms is evaluated', () => {
  const links = 3000;
  const wire = `${`[${T.ADD},[`.repeat(links)}1${',1]]'.repeat(links)}`;
  expect(answer(wire)).toEqual({ t: ResponseType.SUCCESS_ATOM, r: [3001] });
});

test('what nests too deeply is a resource error, not a crash', () => {
  const depth = 100_000;
  const got = answer(`${`[${T.FUNCALL},[[${T.FUNC},[[2,[1]],`.repeat(depth)}1${']],1]]'.repeat(depth)}`);
  expect(got.e).toBe(ErrorType.RESOURCE_LIMIT);
});

const DEEP = 20_000;
const nested = (before: string, core: string, after: string): string => before.repeat(DEEP) + core + after.repeat(DEEP);

test.each([
  ['in the first argument', nested(`[${T.ADD},[`, '0', ',1]]'), DEEP],
  ['in the last argument', nested(`[${T.ADD},[1,`, '0', ']]'), DEEP],
  ['in the argument of a function', nested(`[${T.FUNCALL},[[${T.FUNC},[[2,[1]],[10,[1]]]],`, '5', ']]'), 5],
  ['in streams', nested(`[${T.MAP},[`, '[2,[1]]', `,[${T.FUNC},[[2,[1]],[10,[1]]]]]]`), [1]],
])('twenty thousand terms %s are evaluated', (_where, wire, expected) => {
  expect(answer(wire)).toEqual({ t: ResponseType.SUCCESS_ATOM, r: [expected] });
});

test('an error deep inside points to its place, and defaults on the way catch it', () => {
  const missing = '[170,[{},"a"]]';
  expect(answer(nested(`[${T.ADD},[`, missing, ',1]]')).b).toEqual(Array.from({ length: DEEP }, () => 0));
  expect(answer(`[${T.DEFAULT},[${nested(`[${T.ADD},[`, missing, ',1]]')},7]]`).r).toEqual([7]);
  expect(answer(nested(`[${T.DEFAULT},[`, missing, ',7]]')).r).toEqual([7]);
  const unread = `${`[${T.ADD},[`.repeat(500)}${missing}${',1]]'.repeat(500)}`;
  expect(answer(`[${T.BRANCH},[true,1,${unread}]]`).r).toEqual([1]);
});

test('an infinite stream is read as far as it is asked for', () => {
  expect(answer(`[${T.LIMIT},[[${T.RANGE},[]],3]]`)).toEqual({ t: ResponseType.SUCCESS_SEQUENCE, r: [0, 1, 2] });
  const first = Array.from({ length: 125 }, (_, index) => index);
  expect(answer(`[${T.RANGE},[]]`)).toEqual({ t: ResponseType.SUCCESS_PARTIAL, r: first });
  expect(answer(`[${T.COUNT},[[${T.RANGE},[]]]]`).r[0]).toMatch(/^Cannot use an infinite stream/);
});
