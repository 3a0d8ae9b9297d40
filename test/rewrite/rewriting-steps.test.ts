// The steps of rewriting.

import { expect, test } from 'vitest';
import { recognize } from '../../rewrite/recognize.ts';
import { Meter } from '../../rewrite/reql/meter.ts';
import { evaluate } from '../support/evaluate.ts';

const INDEX = { primaryKey: 'id', fields: ['k'], compound: false, multi: false };

/** The steps of recognizing a live query. */
function stepsOf(text: string): number {
  const meter = new Meter(1e9);
  const recognized = recognize(
    { term: evaluate(text), globalOptargs: [] },
    { meter, indexes: () => INDEX, asks: true },
  );
  expect(recognized.kind).toBe('live');
  return meter.spent;
}

const sums = (table: (at: number) => string): string =>
  `r.expr([${Array.from({ length: 20 }, (_, at) => `${table(at)}.sum('x')`).join()}]).changes()`;

test('a query that reads one table in many ways, and is taken apart twice, is counted once', () => {
  const joined = stepsOf(sums((at) => `r.table('t').getAll(${at}, {index: 'k'})`));
  const apart = stepsOf(sums((at) => `r.table('t${at}').getAll(${at}, {index: 'k'})`));
  // To write that the rows of each are some of those that are read costs a little; all of it twice would be 1.7 times as much.
  expect(joined).toBeGreaterThan(apart / 2);
  expect(joined).toBeLessThan(1.4 * apart);
});
