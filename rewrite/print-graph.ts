// The graph of a live query, for people: what is read of each table, what is found by which keys, and what is kept of it.

import { describe, joinsIn } from './kinds/index.ts';
import type { Elements, Join, KeyedLookup, Live, LookupJoin, PairJoin, Part, Source } from './live.ts';
import { bothRead, NOTHING_READ, parameterRead } from './plan/fields-read.ts';
import type { VarNames } from './reql/print/print.ts';
import type { Term } from './reql/term/term.ts';
import { funcParts, type VarId } from './reql/term/vars.ts';

/** How terms are printed: with names for variables, in lines of a width. */
export type PrintTerm = (term: Term, names?: VarNames, width?: number) => string;

/** What a live query reads and joins, a line each; none where it joins nothing. */
export function printGraph(live: Live, print: PrintTerm): readonly string[] {
  const joins = joinsIn(live.watched);
  if (joins.length === 0) return [];
  // Those that others stand on come first.
  const inOrder = joins.toReversed();
  const oneLine: OneLine = (term, names) => print(term, names, Number.POSITIVE_INFINITY);
  const words: Words = {
    nameOf: ({ parts }) => parts.map((part) => partName(live, inOrder, part, oneLine)).join(' and '),
    printed: (term, names) => nameIn(term) ?? oneLine(term, namesIn(term, names)),
  };
  return [
    ...live.sources.map((source) => `Reads of ${oneLine(source.term)}: ${columnsOf(source)}.`),
    ...inOrder.map((join, at) => `Join ${at + 1}: ${wordsOf(join, words)}.`),
  ];
}

type OneLine = (term: Term, names?: VarNames) => string;

/** How elements are called, and names of fields or indexes, or functions, on one line. */
interface Words {
  readonly nameOf: (elements: Elements) => string;
  readonly printed: (term: Term, names: readonly string[]) => string;
}

function partName({ sources }: Live, joins: readonly Join[], part: Part, oneLine: OneLine): string {
  switch (part.kind) {
    case 'source': {
      const source = sources[part.source];
      return source === undefined ? 'rows' : oneLine(source.term);
    }
    case 'rows':
      return describe(part.rows);
    case 'join':
      return `join ${joins.indexOf(part.join) + 1}`;
    case 'group':
    case 'failing':
    case 'incomparable':
      return 'a group';
  }
}

/** What RethinkDB sends of the rows of a source. */
function columnsOf({ projections, wholeRows, narrowing }: Source): string {
  if (wholeRows && narrowing.length === 0) return 'whole rows';
  const read = projections.map((func) => parameterRead(func, 0)).reduce(bothRead, NOTHING_READ);
  if (read === 'all') return 'whole rows';
  return read.size === 0 ? 'that they are there' : [...read.keys()].sort().join(', ');
}

function wordsOf(join: Join, words: Words): string {
  return join.kind === 'pairs' ? pairs(join, words) : lookups(join, words);
}

function pairs({ left, right, by, condition, outer }: PairJoin, { nameOf, printed }: Words): string {
  const besides = condition === undefined ? '' : `, if ${printed(condition, ['left', 'right'])}`;
  const rows = outer ? 'left rows with their pairs or alone' : 'pairs';
  return `${rows} of ${nameOf(left)} by ${printed(by.left, ['left'])} and ${nameOf(right)} by ${printed(by.right, ['right'])}${besides}; kept are both sides, by their keys`;
}

function lookups({ left, lookups: found }: LookupJoin, words: Words): string {
  const all = found.map((lookup) =>
    lookup.kind === 'shared' ? `${describe(lookup.value)}, one for all rows` : keyed(lookup, words),
  );
  return `each row of ${words.nameOf(left)} looks up ${all.join(', and ')}; kept are the rows with what they found`;
}

function keyed({ value, of, by, key }: KeyedLookup, { nameOf, printed }: Words): string {
  const names = [
    'row',
    ...Array.from({ length: (funcParts(key)?.params.length ?? 1) - 1 }, (_, at) => `found${at + 1}`),
  ];
  return `${describe(value)} of ${nameOf(of)} by ${printed(by, ['found'])} = ${printed(key, names)}, of which are kept all, by that key`;
}

/** The name of a field or an index, where a term is one: names are no data. */
function nameIn(term: Term): string | undefined {
  return term.kind === 'datum' && typeof term.value === 'string' ? `\`${term.value}\`` : undefined;
}

/** Names for the variables of a function. */
function namesIn(term: Term, names: readonly string[]): VarNames {
  const params = funcParts(term)?.params ?? [];
  return new Map(params.map((id, at): [VarId, string] => [id, names[at] ?? `value${at}`]));
}
