import { expect, test } from 'vitest';
import { type KnownIndexes, rewrite } from '../../rewrite/index.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { evaluate } from '../support/evaluate.ts';

const byIndex = `[1,${serializeTerm(evaluate('r.table("t").group({index: "k"}).count().changes()'))}]`;

function messageOf(indexes?: KnownIndexes): string | undefined {
  const result = rewrite(byIndex, indexes === undefined ? {} : { indexes });
  return result.kind === 'refused' ? result.error.message : undefined;
}

test('without knowledge of an index, the refusal says that it is wanted', () => {
  const wanted = /`k` holds: that is not known here\. Tell it in the setting `indexes`/;
  expect(messageOf()).toMatch(wanted);
  expect(messageOf(() => undefined)).toMatch(wanted);
});

test('an index of a function is refused as one', () => {
  expect(messageOf(() => null)).toMatch(/the index `k` is not one of plain fields/);
});

test('an index of a field is used', () => {
  const field = { fields: ['k'], compound: false, multi: false };
  expect(rewrite(byIndex, { indexes: () => field })).toMatchObject({ kind: 'rewritten' });
});
