// `livefold explain`: what becomes of a query, as text for people.

import { type Explanation, explain } from '../../rewrite/explain.ts';
import { explanationLines, summaryOf } from '../../rewrite/explanation-lines.ts';
import { NOTHING_SHARED } from '../../rewrite/sharing.ts';
import { readAggregates } from './aggregates-file.ts';
import { knownIndexes } from './known-index.ts';
import type { ProcessIo } from './process-io.ts';
import type { ExplainValues } from './program.ts';
import { queryOfText } from './query-of-text.ts';
import { serverRefusal } from './server-refusal.ts';
import { tryOnRows } from './try-on-rows.ts';

/**
 * Explains a query, and tries its reductions where there are rows to try them on: exit code 1 if it is refused, by the proxy or
 * by RethinkDB, or if a reduction does not keep a law. Rejects with UsageError for what cannot be read.
 */
export async function explainQuery(text: string, values: ExplainValues, around: ProcessIo): Promise<void> {
  const query = queryOfText(text);
  const knowledge = {
    aggregates: await readAggregates(values.aggregates),
    indexes: knownIndexes(values.index ?? new Map()),
  };
  const found = explain(query, values.plan, knowledge);
  const explanation = found.kind === 'untouched' ? await withRefusal(found, query) : underOptions(found, values);
  for (const line of linesOf(explanation, values.full === true)) around.print(line);
  const holds = values.check === undefined || tryOnRows(query, values.check, knowledge, around);
  if (isRefused(explanation) || !holds) around.exit(1);
}

/** Nothing is shared where that was asked for. */
function underOptions(explanation: Explanation, { share }: ExplainValues): Explanation {
  return share || explanation.kind !== 'rewritten' ? explanation : { ...explanation, alone: NOTHING_SHARED };
}

type Untouched = Extract<Explanation, { kind: 'untouched' }>;

async function withRefusal(explanation: Untouched, query: string): Promise<Untouched> {
  const refusal = explanation.refusal ?? (await serverRefusal(query));
  return refusal === undefined ? explanation : { ...explanation, refusal };
}

function isRefused(explanation: Explanation): boolean {
  return explanation.kind === 'refused' || (explanation.kind === 'untouched' && explanation.refusal !== undefined);
}

function linesOf(explanation: Explanation, full: boolean): readonly string[] {
  if (!full || explanation.kind !== 'rewritten') return explanationLines(explanation);
  return [...summaryOf(explanation).map((line) => `// ${line}`), explanation.query];
}
