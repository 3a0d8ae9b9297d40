// Rewriting ends, whatever a query is made of, where there is no proxy as well.

import { expect, test } from 'vitest';
import { explain } from '../../rewrite/explain.ts';
import { rewrite } from '../../rewrite/rewrite.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { hostileQueries } from '../support/queries/hostile-queries.ts';

const doubled = (times: number, start: string, step: string): string => `${start}${`.do(z => ${step})`.repeat(times)}`;

test.each([
  ['what is written out', `r.expr([r.table('t').max('n'), ${doubled(60, 'r.expr(1)', 'r.expr([z, z])')}])`],
  ['what is computed', `r.expr([r.table('t').max('n'), ${doubled(60, 'r.range(3).count()', 'z.add(z)')}])`],
  ['a value', doubled(60, "r.table('t').count()", 'z.add(z)')],
])('a `do` in a `do` that doubles %s is rewritten', (_, text) => {
  const query = queryOfText(`${text}.changes()`);
  expect(rewrite(query).kind).toBe('rewritten');
  expect(explain(query).kind).toBe('rewritten');
});

test('what is too much is refused, by the library and where it is explained', () => {
  const query = hostileQueries['unions with a table']?.(1000) ?? '';
  const refused = { message: expect.stringMatching(/`\w+` takes more than 1000000 steps/) };
  expect(rewrite(query)).toMatchObject({ kind: 'refused', error: refused });
  expect(explain(query)).toMatchObject({ kind: 'refused', ...refused });
});

test('the steps that the library may take are an option', () => {
  const query = hostileQueries['a sum of counts']?.(100) ?? '';
  expect(rewrite(query).kind).toBe('rewritten');
  const error = {
    message: expect.stringContaining('takes more than 1000 steps.  To raise the limit, set `maxSteps`.'),
  };
  expect(rewrite(query, { maxSteps: 1000 })).toMatchObject({ kind: 'refused', error });
});
