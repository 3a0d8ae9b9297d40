// `livefold explain`: what becomes of a query, as text for people.

import { type Explanation, explain } from '../../rewrite/explain.ts';
import { readAggregates } from './aggregates-file.ts';
import type { ExplainValues } from './program.ts';
import { queryOfText } from './reql.ts';
import type { Surroundings } from './surroundings.ts';
import { tryOnRows } from './try-on-rows.ts';

/**
 * Explains a query, and tries its reductions where there are rows to try them on: exit code 1 if it is refused, or if one of
 * them does not keep a law. Rejects with UsageError for a text, rows or aggregates that cannot be read.
 */
export async function explainQuery(text: string, values: ExplainValues, around: Surroundings): Promise<void> {
  const query = queryOfText(text);
  const aggregates = await readAggregates(values.aggregates);
  const explanation = explain(query, values.plan, { aggregates });
  around.print(textOf(explanation));
  const holds = values.check === undefined || tryOnRows(query, values.check, { aggregates }, around);
  if (explanation.kind === 'refused' || !holds) around.exit(1);
}

function textOf(explanation: Explanation): string {
  switch (explanation.kind) {
    case 'untouched':
      return `Left alone. ${explanation.reason}`;
    case 'refused':
      return `Refused: ${explanation.message}`;
    case 'asks':
      return `It depends on what the index \`${explanation.index}\` of ${explanation.table} holds; the proxy asks the server.`;
    case 'rewritten':
      return [
        `// Plan: ${explanation.plan}. State: ${explanation.growth}. Documents: ${explanation.shape}.`,
        explanation.query,
      ].join('\n');
  }
}
