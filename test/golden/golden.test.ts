import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { choosePlan } from '../../rewrite/plan/choose-plan.ts';
import { outsideContext } from '../../rewrite/reql/eval/core/outside-context.ts';
import { readFeedOptions } from '../../rewrite/analyze/read-feed-options.ts';
import { recognize } from '../../rewrite/recognize.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import { alphaEqual } from '../support/checks/alpha-equal.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import { printTerm } from '../../rewrite/reql/print/print.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { upstreamOptions, upstreamQueueSize } from '../../rewrite/plan/upstream-options.ts';
import { GOLDEN_KNOWLEDGE, goldenFiles, wireQuery } from './golden-files.ts';
import { evaluate } from '../support/evaluate.ts';

const files = goldenFiles();

test('every golden file belongs to an aggregate or to a list of queries', () => {
  const known = files.map(({ path }) => path.replace('test/golden/', '')).sort();
  const there = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.reql'));
  expect(there.sort(), 'an orphan: delete it, or run `npm run generate`').toEqual(known);
});

for (const { path, text } of files) {
  test(`the ReQL of ${path} evaluates to what RethinkDB is asked`, () => {
    const entries = entriesOf(text);
    expect(entries.length).toBeGreaterThan(0);
    for (const { query, becomes } of entries) {
      const asked = askedFor(query);
      expect(asked === undefined, query).toBe(becomes === undefined);
      if (asked === undefined || becomes === undefined) continue;
      const term = evaluate(becomes);
      expect(alphaEqual(term, asked), query).toBe(true);
      expect(printTerm(term)).toBe(becomes);
    }
  });
}

/** What RethinkDB is asked for a query; `undefined` where it is left alone, refused, or waits for an index. */
function askedFor(query: string): Term | undefined {
  const parsed = parseQuery(wireQuery(query));
  if (!('term' in parsed)) throw new Error(`no START query: ${query}`);
  const recognized = recognize(parsed, GOLDEN_KNOWLEDGE);
  if (recognized.kind !== 'live') return undefined;
  const { live, fresh } = recognized;
  try {
    const options = readFeedOptions(live.changes, outsideContext(live.globalOptargs, undefined));
    return choosePlan(live, upstreamOptions(live, upstreamQueueSize(options)), fresh, 'auto').query.term;
  } catch (error) {
    if (error instanceof ReqlError) return undefined;
    throw error;
  }
}

interface Entry {
  readonly query: string;
  /** The text under `// becomes`; `undefined` for other outcomes. */
  readonly becomes: string | undefined;
}

/** The entries of a golden file, which are parted by empty lines. */
function entriesOf(text: string): readonly Entry[] {
  return text
    .split('\n\n')
    .slice(1)
    .map((entry) => {
      const [query = '', outcome = '', ...rest] = entry.trimEnd().split('\n');
      expect(outcome).toMatch(/^\/\/ (becomes|stays|is refused|is asked|waits)/);
      return { query, becomes: outcome.startsWith('// becomes') ? rest.join('\n') : undefined };
    });
}
