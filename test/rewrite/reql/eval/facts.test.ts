import { expect, test } from 'vitest';
import { disagreements } from './disagreements.ts';
import { agreement, answer, isPure, readFacts } from './facts.ts';

const families = [
  'array',
  'binary_add',
  'binary_and',
  'binary_bitAnd',
  'binary_bitOr',
  'binary_bitSal',
  'binary_bitSar',
  'binary_bitXor',
  'binary_div',
  'binary_eq',
  'binary_ge',
  'binary_gt',
  'binary_le',
  'binary_lt',
  'binary_mod',
  'binary_mul',
  'binary_ne',
  'binary_or',
  'binary_sub',
  'coerce',
  'control',
  'control2',
  'law',
  'math',
  'objects',
  'signatures',
  'string',
  'time',
  'unary',
];

const pureFacts = families.map((family) => ({
  family,
  facts: readFacts(family).filter(({ ast }) => isPure(ast)),
}));

const known = new Set(disagreements.map(({ ast }) => ast));

test.each(pureFacts)('$family: every recorded answer is given to the letter, but for those listed', ({ facts }) => {
  const found = facts.filter(({ ast, res }) => agreement(answer(ast), res) !== 'letter');
  expect(found.filter(({ ast }) => !known.has(ast))).toEqual([]);
});

test('no disagreement is listed that there is not', () => {
  const facts = new Map(pureFacts.flatMap((family) => family.facts.map((fact) => [fact.ast, fact.res] as const)));
  const stale = disagreements.filter(({ ast }) => {
    const res = facts.get(ast);
    return res === undefined || agreement(answer(ast), res) === 'letter';
  });
  expect(stale).toEqual([]);
});
