// `livefold explain`: what becomes of a query, as text for people.

import { type Explanation, explain } from '../../rewrite/explain.ts';
import type { Plan } from './option-table.ts';
import { queryOfText } from './reql.ts';

/** Explains ReQL written in JavaScript. Throws UsageError for a text that is none. */
export function explainText(text: string, plan: Plan): string {
  return textOf(explain(queryOfText(text), plan));
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
