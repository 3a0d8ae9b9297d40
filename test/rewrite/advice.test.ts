import { expect, test } from 'vitest';
import { explainText } from '../../scripts/golden.ts';

/** A query that is refused, what its refusal advises in words, and the query that follows the advice. */
const advised: readonly (readonly [refused: string, words: RegExp, instead: string])[] = [
  [
    't.skip(1).count()',
    /`orderBy\(\{index: \.\.\.\}\)\.skip\(m\)\.limit\(n\)`/,
    't.orderBy({index: "x"}).skip(1).limit(2).count()',
  ],
  [
    't.skip(1).count()',
    /`orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't.orderBy("x").coerceTo("array").skip(1).count()',
  ],
  [
    't.slice(1, 2).count()',
    /`orderBy\(\{index: \.\.\.\}\)\.slice\(m, n\)`/,
    't.orderBy({index: "x"}).slice(1, 2).count()',
  ],
  ['t.limit(2).sum("x")', /`orderBy\(\{index: \.\.\.\}\)\.limit\(n\)`/, 't.orderBy({index: "x"}).limit(2).sum("x")'],
  ['t.nth(0)("x")', /`orderBy\(\{index: \.\.\.\}\)\.nth\(n\)`/, 't.orderBy({index: "x"}).nth(0)("x")'],
  [
    't.orderBy({index: "x"}).skip(1).count()',
    /Use `coerceTo\("array"\)` before it/,
    't.orderBy({index: "x"}).coerceTo("array").skip(1).count()',
  ],
  [
    't.orderBy({index: "x"}).slice(2).count()',
    /Use `coerceTo\("array"\)` before it/,
    't.orderBy({index: "x"}).coerceTo("array").slice(2).count()',
  ],
  [
    't.orderBy("x").limit(2).count()',
    /Use `coerceTo\("array"\)` before it/,
    't.orderBy("x").coerceTo("array").limit(2).count()',
  ],
  [
    't.getAll(1, 2).nth(0)("x")',
    /Use `orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't.getAll(1, 2).orderBy("x").coerceTo("array").nth(0)("x")',
  ],
  [
    't("x").offsetsOf(1)',
    /Use `orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't("x").orderBy(x => x).coerceTo("array").offsetsOf(1)',
  ],
  [
    't.group("k").limit(1).count()',
    /Use `orderBy\(\.\.\.\)\.coerceTo\("array"\)` before it/,
    't.group("k").orderBy("x").coerceTo("array").limit(1).count()',
  ],
  [
    't.fold(0, (acc, row) => acc)',
    /or use `orderBy\(\.\.\.\)\.coerceTo\("array"\)`/,
    't.orderBy("x").coerceTo("array").fold(0, (acc, row) => acc)',
  ],
];

test.each(advised)('%s is refused, and what is advised is live: %s', (refused, words, instead) => {
  const outcome = explainText(`${refused}.changes()`);
  expect(outcome.kind === 'refused' ? outcome.message : outcome.kind).toMatch(words);
  expect(explainText(`${instead}.changes()`).kind).toBe('rewritten');
});
