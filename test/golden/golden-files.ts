// The golden files: what queries become, as readable ReQL. `npm run generate` writes them, a test compares.

import { aggregates } from '../../rewrite/aggregates/index.ts';
import { type Explanation, explain } from '../../rewrite/explain.ts';
import type { Knowledge } from '../../rewrite/recognized.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { golden } from './queries.ts';
import { evaluate } from '../support/evaluate.ts';
import { aggregates as testAggregates } from '../support/queries/aggregates.ts';
import type { Generated } from '../../scripts/generated-file.ts';

/** All golden files. */
export function goldenFiles(): readonly Generated[] {
  return [...goldenQueries()].map(([name, queries]) => ({
    path: goldenPath(name),
    text: goldenText(queries),
  }));
}

/** Where the golden text of an aggregate is, or of a list of queries. */
export function goldenPath(name: string): string {
  return `test/golden/${slug(name)}.reql`;
}

/** A name as one of a file: `coerceTo('array')` is `coerce-to-array`. */
function slug(name: string): string {
  const words = name.replace(/([A-Z])/g, '-$1').toLowerCase();
  return words.replace(/[^a-z]+/g, '-').replace(/-$/, '');
}

function goldenQueries(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>(aggregates.map(({ name, examples }) => [name, examples]));
  for (const [name, queries] of Object.entries(golden)) files.set(name, queries);
  return files;
}

/** The text of one golden file. */
function goldenText(queries: readonly string[]): string {
  const head = '// Written by `npm run generate`: queries, and what they become. Do not edit.\n';
  return [head, ...queries.map(entry)].join('\n');
}

function entry(query: string): string {
  return `${query}\n${outcome(explainText(query))}\n`;
}

const PRIMARY_KEY = 'id';

/** What the golden files take as known: the aggregates of the tests, and indexes that hold the field of their name. */
export const GOLDEN_KNOWLEDGE: Knowledge = {
  aggregates: testAggregates,
  indexes: ({ index = PRIMARY_KEY }) => ({
    fields: [index],
    compound: false,
    multi: false,
    primaryKey: PRIMARY_KEY,
  }),
};

/** The START query, as wire JSON, of a query written in JavaScript over the tables `t` and `u`. */
export function wireQuery(query: string): string {
  return `[1,${serializeTerm(evaluate(`((t, u) => ${query})(r.table("t"), r.table("u"))`))}]`;
}

/** What becomes of a query written in JavaScript over the tables `t` and `u`. */
export function explainText(query: string): Explanation {
  return explain(wireQuery(query), 'auto', GOLDEN_KNOWLEDGE);
}

function outcome(explanation: Explanation): string {
  switch (explanation.kind) {
    case 'untouched':
      return `// stays as it is: ${explanation.reason}`;
    case 'refused':
      return `// is refused: ${explanation.message} ${JSON.stringify(explanation.frames)}`;
    case 'asks':
      return `// waits for the fields of the index ${explanation.index} of ${explanation.table}`;
    case 'merged':
      return `// is asked as this, and the proxy writes merges\n${explanation.query}`;
    case 'rewritten':
      return `// becomes (${explanation.plan} plan, state ${explanation.growth}, ${explanation.shape})\n${explanation.query}`;
  }
}
