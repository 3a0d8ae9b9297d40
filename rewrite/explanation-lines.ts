// An explanation as lines for people: what `livefold explain` prints, and what the admin server shows of a feed.

import type { AskedIndex, Explanation, Rewriting } from './explain.ts';
import type { TableRead } from './tables-read.ts';

/** The lines of an explanation, a sentence each, then what RethinkDB is asked. */
export function explanationLines(explanation: Explanation): readonly string[] {
  switch (explanation.kind) {
    case 'untouched':
      return explanation.refusal === undefined
        ? [`Left alone. ${explanation.reason}`]
        : [`Left alone, and RethinkDB refuses it: ${explanation.refusal}`, ...adviceIn(explanation)];
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
      return [...summaryOf(explanation), ...askedFor(explanation)];
  }
}

function adviceIn({ advice }: Extract<Explanation, { kind: 'untouched' }>): readonly string[] {
  return advice === undefined ? [] : [advice];
}

function question({ index, table, of }: Extract<Explanation, { kind: 'asks' }>): readonly string[] {
  if (index === undefined) return [`It depends on the primary key of ${table}; the proxy asks the server.`];
  return [
    `It depends on what the index \`${index}\` of ${table} holds; the proxy asks the server.`,
    `Tell it with --index ${of}.${index}=FIELD, or --index ${of}.${index}= for an index of a function.`,
  ];
}

const documents: { readonly [Shape in Rewriting['shape']]: string } = {
  'one value': 'one value: {new_val} first with includeInitial, then {old_val, new_val} whenever it differs',
  'a value per group': 'a value for each group: {group, old_val, new_val}',
  rows: 'rows: {old_val, new_val} for each that comes, changes or goes',
  outputs: 'outputs of the reducer: {value, count}, or {old_val, new_val} where one took the place of another',
};

/** Documents that are merges. */
const merged: { readonly [Shape in Rewriting['shape']]: string } = {
  'one value': 'one value as merges: {body} first with includeInitial, then {body, reverse} whenever it differs',
  'a value per group': 'a value for each group as merges: {group, body, reverse}',
  rows: 'rows as merges: {key, body, reverse} for each that comes, changes or goes',
  outputs:
    'outputs of the reducer as merges: {key, body, reverse}, and `group` where there are groups; `body` is how often each is there',
};

function mergesOf(shape: Rewriting['shape'], names: string): string {
  return names === '' ? merged[shape] : `${merged[shape]}; ${names}`;
}

/** Who folds, as the start of a sentence. */
const plans: { readonly [Plan in Rewriting['plan']]: string } = {
  server: 'RethinkDB sends the documents, and folds',
  proxy: 'RethinkDB sends elements, and the proxy folds',
};

const places: { readonly [Plan in Rewriting['plan']]: string } = { server: 'inside RethinkDB', proxy: 'in the proxy' };

/** What is said of a live query, a line each. */
export function summaryOf({
  plan,
  why,
  shape,
  merges,
  folded,
  growth,
  sources,
  reads,
  graph,
  alone,
  untold,
}: Omit<Rewriting, 'kind' | 'query'>): readonly string[] {
  return [
    `Live. It shows ${merges === undefined ? documents[shape] : mergesOf(shape, merges)}.`,
    `Plan: ${plan}, since ${why}. ${plans[plan]} ${folded}.`,
    `State: kept ${places[plan]}; it ${growth === 'constant' ? 'does not grow' : `grows ${growth}`}.`,
    `RethinkDB watches: ${sources.map(onOneLine).join(' and ')}`,
    ...(untold === undefined ? [] : [toTell(untold)]),
    ...(graph.length === 0 ? [`Fields that are read: ${reads.map(wordsOf).join('; ')}.`] : graph),
    alone === undefined
      ? 'Shared: equal queries of one user are carried by one feed of RethinkDB.'
      : `Not shared: ${alone}.`,
  ];
}

/** A feed is right without it, and reads more. */
function toTell({ index, of }: AskedIndex): string {
  return `The proxy asks what the index \`${index}\` of \`${of}\` holds, and reads less where these are fields: --index ${of}.${index}=FIELD shows what.`;
}

function wordsOf({ table, fields, areWhole }: TableRead): string {
  if (fields === undefined) return `all of \`${table}\``;
  const names = fields.length === 0 ? 'none' : fields.map((field) => `\`${field}\``).join(', ');
  return `${names} of \`${table}\`${areWhole ? ', of which RethinkDB sends whole rows' : ''}`;
}

/** The query of the proxy plan is short, and a fold is not. */
const LINES = 20;

function askedFor({ query }: Pick<Rewriting, 'query'>): readonly string[] {
  const lines = query.split('\n');
  if (lines.length > LINES) {
    return [`RethinkDB is asked in ${lines.length} lines of ReQL: \`livefold explain --full\` prints them.`];
  }
  return ['RethinkDB is asked:', ...lines.map((line) => `  ${line}`)];
}

const WIDTH = 200;

function onOneLine(text: string): string {
  const line = text.replace(/\n\s*(\.)?/g, (_, dot) => dot ?? ' ');
  return line.length > WIDTH ? `${line.slice(0, WIDTH)}...` : line;
}
