// Queries whose selection follows a row: what is said of them, and which are none.

import { expect, test } from 'vitest';
import { explain } from '../../rewrite/explain.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { rewrite } from '../../rewrite/rewrite.ts';
import { evaluate } from '../support/evaluate.ts';

function queryOf(text: string): string {
  return `[1,${serializeTerm(evaluate(text))}]`;
}

const FOLLOWING =
  "r.table('u').get(1).do(me => r.table('t').filter(row => row('n').gt(me('least'))).count()).changes()";

test('the library says that it takes the proxy', () => {
  expect(rewrite(queryOf(FOLLOWING))).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('only the proxy can select anew when the row changes') },
  });
});

test('explain tells what is followed, and what is selected anew', () => {
  const explained = explain(queryOf(FOLLOWING));
  expect(explained).toMatchObject({ kind: 'rewritten', plan: 'proxy', shape: 'one value' });
  expect('sources' in explained ? explained.sources : []).toEqual([
    "r.table('u').getAll(1)",
    expect.stringMatching(/^r\.table\('u'\).*anew when that changes$/s),
  ]);
});

test.each([
  ['chance', "r.table('t').filter(row => row('n').gt(r.table('u').get(1)('n').add(r.random()))).count().changes()"],
])('%s is not followed', (_, text) => {
  expect(explain(queryOf(text)).kind).not.toBe('rewritten');
});
