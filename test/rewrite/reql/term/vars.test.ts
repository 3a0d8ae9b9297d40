import { expect, test } from 'vitest';
import { freshVars } from '../../../../rewrite/reql/build/fresh-vars.ts';
import { framesOf } from '../../../../rewrite/reql/origin.ts';
import { isDeterministic } from '../../../../rewrite/reql/term/deterministic.ts';
import { factsOf, freeVars } from '../../../../rewrite/reql/term/facts.ts';
import { parseTerm } from '../../../../rewrite/reql/term/parse.ts';
import { serializeTerm } from '../../../../rewrite/reql/term/serialize.ts';
import { bindImplicit, substituteVar } from '../../../../rewrite/reql/term/substitute.ts';
import type { Term } from '../../../../rewrite/reql/term/term.ts';
import { containsTerm, mapTerm } from '../../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../../rewrite/reql/term-type.ts';
import { alphaEqual } from '../../../support/checks/alpha-equal.ts';

function term(text: string): Term {
  const parsed = parseTerm(text);
  if (parsed instanceof Error) throw parsed;
  return parsed;
}

test('new variables are above every variable in the query', () => {
  const query = term('[38,[[10,[3]],[69,[[2,[-5,12]],[10,[7]]]]]]');
  expect(factsOf(query).highest).toBe(12);
  const fresh = freshVars(query);
  expect([fresh(), fresh()]).toEqual([13, 14]);
});

test('with no integers left above, new variables are those not in use', () => {
  const fresh = freshVars(term(`[69,[[2,[${2 ** 53 - 1},2]],1]]`));
  expect([fresh(), fresh(), fresh()]).toEqual([1, 3, 4]);
});

test('a variable is free where no function around it binds it', () => {
  expect([...freeVars(term('[24,[[10,[1]],[69,[[2,[1]],[24,[[10,[1]],[10,[2]]]]]]]]'))]).toEqual([1, 2]);
});

test('substitution stops at an inner function of the same number', () => {
  const query = term('[24,[[10,[1]],[69,[[2,[1]],[10,[1]]]]]]');
  expect(serializeTerm(substituteVar(query, 1, term('"x"')))).toBe('[24,["x",[69,[[2,[1]],[10,[1]]]]]]');
});

test('substitution renumbers an inner function that would bind what is put in', () => {
  const query = term('[69,[[2,[2]],[24,[[10,[1]],[10,[2]]]]]]');
  const result = substituteVar(query, 1, term('[10,[2]]'));
  expect(alphaEqual(result, term('[69,[[2,[9]],[24,[[10,[2]],[10,[9]]]]]]'))).toBe(true);
});

test('r.row of a function becomes its variable, and inner functions keep theirs', () => {
  const func = term('[69,[[2,[1]],[24,[[13,[]],[10,[1]],[69,[[2,[5]],[13]]],[69,[[2,[1,2]],[13]]]]]]]');
  const bound = bindImplicit(func, freshVars(func));
  const expected = '[69,[[2,[6]],[24,[[10,[6]],[10,[6]],[69,[[2,[5]],[13]]],[69,[[2,[1,2]],[10,[6]]]]]]]]';
  expect(serializeTerm(bound)).toBe(expected);
});

test.each(['[69,[[2,[1]],[10,[1]]]]', '[69,[[2,[-1]],[13]]]', '[69,[[2,[1,2]],[13]]]', '5'])(
  'a function that binds no r.row stays the same: %s',
  (text) => {
    const func = term(text);
    expect(bindImplicit(func, freshVars(func))).toBe(func);
  },
);

test('a walk that changes nothing gives the same term; one that does keeps origins and shares the rest', () => {
  const query = term('[24,[[23,[true]],{"a":[13]},1]]');
  expect(mapTerm(query, (each) => each)).toBe(query);
  const changed = mapTerm(query, (each) => (each.kind === 'datum' && each.value === 1 ? { ...each, text: '2' } : each));
  expect(serializeTerm(changed)).toBe('[24,[[23,[true]],{"a":[13]},2]]');
  expect(changed).not.toHaveProperty('text');
  expect(changed.origin).toBe(query.origin);
  expect(changed.kind === 'call' && changed.args[0]).toBe(query.kind === 'call' && query.args[0]);
  expect(changed.kind === 'call' && framesOf(changed.args[2]?.origin)).toEqual([2]);
});

test('data that looks like a term is data', () => {
  expect(containsTerm(term('[1,{"a":[152,[]]}]'), TermType.CHANGES)).toBe(false);
  expect(containsTerm(term('{"a":[152,[]]}'), TermType.CHANGES)).toBe(true);
});

const OPEN = { constantNow: false, singleServer: false };
const FIXED = { constantNow: true, singleServer: true };
const determinism: readonly [text: string, anywhere: boolean, fixed: boolean][] = [
  ['[24,[1,2]]', true, true],
  ['[103]', false, true],
  ['[69,[[2,[1]],[151,[]]]]', false, false],
  ['[15,["t"]]', false, false],
  ['[159,[1,2]]', true, true],
  ['[157,[{}]]', false, true],
  ['[169,[]]', false, false],
  ['[169,["a"]]', true, true],
  ['[169,[[154,[[2,["a"]]]]]]', false, false],
  ['[9999,[]]', false, false],
];
test.each(determinism)('%s is deterministic: %s, on one server at one time: %s', (text, anywhere, fixed) => {
  expect(isDeterministic(term(text), OPEN)).toBe(anywhere);
  expect(isDeterministic(term(text), FIXED)).toBe(fixed);
});
