// Each aggregate owes more than its file: examples that are live, golden text, cases on every server, and a place among the
// live queries that the oracle watches. Its laws have a test of their own that names those without (test/laws).

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isNamed } from '../rewrite/aggregates/aggregate.ts';
import { aggregates } from '../rewrite/aggregates/index.ts';
import { aggregatesIn } from '../rewrite/kinds/index.ts';
import { recognize } from '../rewrite/recognize.ts';
import type { Term } from '../rewrite/reql/term/term.ts';
import { feedCases } from './cases/index.ts';
import { explainText, goldenPath } from './golden/golden-files.ts';
import { feedOf } from './support/checks/play.ts';
import { evaluate, termOf } from './support/evaluate.ts';
import { aggregates as defined } from './support/queries/aggregates.ts';
import { liveQueries } from './support/queries/live-queries.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The names of the aggregates that a live query is made of. */
function usedBy(term: Term): readonly string[] {
  const recognized = recognize(
    { term, globalOptargs: [] },
    { aggregates: defined, indexes: ({ index = 'id' }) => ({ fields: [index], compound: false, multi: false }) },
  );
  if (recognized.kind !== 'live') return [];
  return aggregatesIn(recognized.live.watched).map(({ aggregate }) => aggregate.name);
}

/** Cases in which the feed is live: those that are refused show nothing of an aggregate. */
const inCases = new Set(
  feedCases.filter(({ refused }) => refused === undefined).flatMap((told) => usedBy(termOf(feedOf(told)))),
);
const inLaws = new Set(
  liveQueries.flatMap(({ query, changes }) => usedBy(termOf((r) => query(r).changes(changes?.(r) ?? {})))),
);

describe.each(aggregates.map((aggregate) => ({ name: aggregate.name, aggregate })))('$name', ({ name, aggregate }) => {
  test('has examples, and each is rewritten to what the golden file says', () => {
    const golden = readFileSync(`${root}/${goldenPath(name)}`, 'utf8');
    expect(aggregate.examples.length).toBeGreaterThan(0);
    for (const example of aggregate.examples) {
      expect(explainText(example), example).toMatchObject({ kind: 'rewritten' });
      expect(golden).toContain(`\n${example}\n// becomes (`);
    }
  });

  test('has examples that are made of it', () => {
    for (const example of aggregate.examples) {
      const term = evaluate(`(t => ${example})(r.table("t"))`);
      expect(usedBy(term), example).toContain(name);
    }
  });

  test('has a case that every server plays', () => {
    expect(inCases, 'add a row to test/cases').toContain(name);
  });

  test('is among the live queries of the oracle', () => {
    const file = isNamed(aggregate) ? 'checks/named-statistics.ts' : 'queries/live-matrix.ts';
    expect(inLaws, `add a row to test/support/${file}`).toContain(name);
  });
});
