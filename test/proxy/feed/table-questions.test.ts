import { expect, test } from 'vitest';
import { tableQuestions } from '../../../proxy/feed/sharing/table-identity.ts';
import { recognize } from '../../../rewrite/recognize.ts';
import { Meter } from '../../../rewrite/reql/meter.ts';
import { parseQuery } from '../../../rewrite/reql/term/parse.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

const T = `[${TermType.TABLE},["t"]]`;

test('the tables of a query are found in a time that does not grow with the square of what it names', () => {
  const fields = Array.from({ length: 200_000 }, (_, index) => index).join();
  const parsed = parseQuery(`[1,[${TermType.CHANGES},[[${TermType.MAX},[[${TermType.PLUCK},[${T},${fields}]],"0"]]]]]`);
  if (!('term' in parsed)) throw new Error('the query does not parse');
  const recognized = recognize(parsed, { meter: new Meter(1e9) });
  if (recognized.kind !== 'live') throw new Error('the query is not live');
  const start = process.cpuUsage();
  const { keys } = tableQuestions(recognized.live);
  const { user } = process.cpuUsage(start);
  expect(keys).toHaveLength(1);
  expect(user / 1000).toBeLessThan(2000);
});
