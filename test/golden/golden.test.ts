import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printTerm } from '../../rewrite/term/print.ts';
import { alphaEqual } from '../../rewrite/term/alpha-equal.ts';
import { explainText, goldenFiles } from '../../scripts/golden.ts';
import { evaluate } from '../support/evaluate.ts';

const files = goldenFiles();

test('every golden file belongs to an aggregate or to a list of queries', () => {
  const known = files.map(({ path }) => path.replace('test/golden/', '')).sort();
  const there = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.reql'));
  expect(there.sort(), 'an orphan: delete it, or run `npm run generate`').toEqual(known);
});

for (const { path, text } of files) {
  test(`the ReQL of ${path} evaluates to what RethinkDB is asked`, () => {
    const outcomes = queriesOf(text).map(explainText);
    for (const outcome of outcomes) {
      if (outcome.kind !== 'rewritten') continue;
      expect(text).toContain(outcome.query);
      const term = evaluate(outcome.query);
      expect(printTerm(term)).toBe(outcome.query);
      expect(alphaEqual(term, evaluate(printTerm(term)))).toBe(true);
    }
    expect(outcomes.length).toBeGreaterThan(0);
  });
}

/** The queries of a golden file: the line before each that begins with an outcome. */
function queriesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.filter((_, index) => /^\/\/ (becomes|stays|is refused|waits)/.test(lines[index + 1] ?? ''));
}
