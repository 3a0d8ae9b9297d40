// `livefold explain`: what becomes of a query, as text for people.

import { type Explanation, explain, type Rewriting } from '../../rewrite/explain.ts';
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
  const explanation = found.kind === 'untouched' ? await withRefusal(found, query) : found;
  for (const line of linesOf(explanation, values.full === true)) around.print(line);
  const holds = values.check === undefined || tryOnRows(query, values.check, knowledge, around);
  if (isRefused(explanation) || !holds) around.exit(1);
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
  switch (explanation.kind) {
    case 'untouched':
      return explanation.refusal === undefined
        ? [`Left alone. ${explanation.reason}`]
        : [`Left alone, and RethinkDB refuses it: ${explanation.refusal}`];
    case 'refused':
      return [`Refused: ${explanation.message}`];
    case 'asks':
      return question(explanation);
    case 'merged':
      return [
        'RethinkDB watches it by itself, and the proxy writes its documents as merges: {key, body, reverse}.',
        ...askedFor(explanation),
      ];
    case 'rewritten':
      return full
        ? [...summaryOf(explanation).map((line) => `// ${line}`), explanation.query]
        : [...summaryOf(explanation), ...askedFor(explanation)];
  }
}

function question({ index, table }: Extract<Explanation, { kind: 'asks' }>): readonly string[] {
  if (index === undefined) return [`It depends on the primary key of ${table}; the proxy asks the server.`];
  return [
    `It depends on what the index \`${index}\` of ${table} holds; the proxy asks the server.`,
    `Tell it with --index TABLE.${index}=FIELD, or --index TABLE.${index}= for an index of a function.`,
  ];
}

const documents: { readonly [Shape in Rewriting['shape']]: string } = {
  'one value': 'one value: {new_val} first, then {old_val, new_val} whenever it differs',
  'a value per group': 'a value for each group: {group, old_val, new_val}',
  rows: 'rows: {old_val, new_val} for each that comes, changes or goes',
  outputs: 'outputs of the reducer: {value, count}, or {old_val, new_val} where one took the place of another',
};

/** Who folds, as the start of a sentence. */
const plans: { readonly [Plan in Rewriting['plan']]: string } = {
  server: 'server. RethinkDB sends the documents, and folds',
  proxy: 'proxy. RethinkDB sends elements, and the proxy folds',
};

const places: { readonly [Plan in Rewriting['plan']]: string } = { server: 'inside RethinkDB', proxy: 'in the proxy' };

function summaryOf({ plan, shape, folded, growth, sources, graph, alone }: Rewriting): readonly string[] {
  return [
    `Live. It shows ${documents[shape]}.`,
    `Plan: ${plans[plan]} ${folded}.`,
    `State: kept ${places[plan]}; it ${growth === 'constant' ? 'does not grow' : `grows ${growth}`}.`,
    `RethinkDB watches: ${sources.map(onOneLine).join(' and ')}`,
    ...graph,
    alone === undefined
      ? 'Shared: equal queries of one user are carried by one feed of RethinkDB.'
      : `Not shared: ${alone}.`,
  ];
}

/** What RethinkDB is asked in the proxy plan is short, and a fold is not. */
const LINES = 20;

function askedFor({ query }: Pick<Rewriting, 'query'>): readonly string[] {
  const lines = query.split('\n');
  if (lines.length > LINES) return [`RethinkDB is asked in ${lines.length} lines of ReQL: --full shows them.`];
  return ['RethinkDB is asked:', ...lines.map((line) => `  ${line}`)];
}

const WIDTH = 200;

function onOneLine(text: string): string {
  const line = text.replace(/\n\s*(\.)?/g, (_, dot) => dot ?? ' ');
  return line.length > WIDTH ? `${line.slice(0, WIDTH)}...` : line;
}
