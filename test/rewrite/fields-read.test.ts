// What functions read of a row: too little, and a side of a join would carry less than they need.

import { expect, test } from 'vitest';
import { parameterRead, type Read } from '../../rewrite/plan/fields-read.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { evaluate } from '../support/evaluate.ts';

const ALL = 'all';

test.each([
  [`x => x('a')('b')`, { a: { b: ALL } }],
  [`x => x.hasFields('a')`, { a: ALL }],
  [`x => r.expr([x]).map(y => y.hasFields('a'))`, { a: ALL }],
  [`x => r.expr([x]).filter(y => y.hasFields('a'))('b')`, { a: ALL, b: ALL }],
  [`x => r.expr([x]).hasFields('a')`, ALL],
  [`x => r.expr([x]).hasFields('a')('b')`, { a: ALL, b: ALL }],
  [`x => r.do([x], list => list.hasFields('a'))`, ALL],
  [`x => r.expr([[x]]).map(list => list.hasFields('a'))`, ALL],
  [`x => r.expr([x]).filter({a: 1}).pluck('b')`, { a: ALL, b: ALL }],
  [`x => r.expr([x]).filter(y => ({a: y('b')}))('c')`, { a: ALL, b: ALL, c: ALL }],
  [`x => r.expr([x]).concatMap(y => r.expr([y('a'), x('b')]))`, { a: ALL, b: ALL }],
  [`x => r.expr([x]).orderBy(r.desc('a'), y => y('b'))('c')`, { a: ALL, b: ALL, c: ALL }],
  [`x => r.expr([x('a')]).nth(0)('b')`, { a: { b: ALL } }],
  [`x => x.merge({a: 1})('b')`, { b: ALL }],
  [`x => x.merge(y => ({c: y('a')}))('b')`, { a: ALL, b: ALL }],
  [`x => x.pluck('a', 'b')('a')`, { a: ALL }],
  [`x => x.pluck('a', {b: 'c'})`, { a: ALL, b: ALL }],
  [`x => x.without('a')`, ALL],
  [`x => x.keys().contains('a')`, { a: ALL }],
  [`x => x.keys().count()`, ALL],
  [`x => x('a').eq(null)`, { a: {} }],
  [`x => r.branch(x('a').gt(1), x, {})('b')`, { a: ALL, b: ALL }],
])('%s', (text, expected) => {
  expect(shown(parameterRead(functionOf(text), 0))).toEqual(expected);
});

function functionOf(text: string): Term {
  const call = evaluate(`r.expr([1]).map(${text})`);
  const func = call.kind === 'call' ? call.args[1] : undefined;
  if (func === undefined) throw new Error('no function');
  return func;
}

function shown(read: Read): unknown {
  return read === 'all' ? ALL : Object.fromEntries([...read].map(([name, part]) => [name, shown(part)]));
}
