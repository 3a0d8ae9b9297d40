// The graph of a live query, for people: what is read of each table, what is found by which keys, and what is kept of it.

import { bothRead, fieldsRead, NOTHING_READ, type Read } from './analyze/join/fields-read.ts';
import { describe, joinsIn } from './kinds/index.ts';
import type { Elements, Join, KeyedLookup, Live, LookupJoin, PairJoin, Part, Source } from './live.ts';
import { printTerm, type VarNames } from './reql/print/print.ts';
import type { Term } from './reql/term/term.ts';
import { funcParts, type VarId } from './reql/term/vars.ts';

/** What a live query reads and joins, a line each; none where it joins nothing. */
export function graphOf(live: Live): readonly string[] {
  const joins = joinsIn(live.watched);
  if (joins.length === 0) return [];
  // Those that others stand on come first.
  const inOrder = joins.toReversed();
  const nameOf = (elements: Elements): string =>
    elements.parts.map((part) => partName(live, inOrder, part)).join(' and ');
  return [
    ...live.sources.map((source) => `Reads of ${oneLine(source.term)}: ${columnsOf(source)}.`),
    ...inOrder.map((join, at) => `Join ${at + 1}: ${wordsOf(join, nameOf)}.`),
  ];
}

function partName({ sources }: Live, joins: readonly Join[], part: Part): string {
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
  const read = projections.map(readBy).reduce(bothRead, NOTHING_READ);
  if (read === 'all') return 'whole rows';
  return read.size === 0 ? 'that they are there' : [...read.keys()].sort().join(', ');
}

function readBy(func: Term): Read {
  const parts = funcParts(func);
  const [param] = parts?.params ?? [];
  return parts === undefined || param === undefined ? 'all' : fieldsRead(parts.body, param);
}

type NameOf = (elements: Elements) => string;

function wordsOf(join: Join, nameOf: NameOf): string {
  return join.kind === 'pairs' ? pairs(join, nameOf) : lookups(join, nameOf);
}

function pairs({ left, right, by, condition, outer }: PairJoin, nameOf: NameOf): string {
  const besides = condition === undefined ? '' : `, if ${printed(condition, ['left', 'right'])}`;
  const rows = outer ? 'left rows with their pairs or alone' : 'pairs';
  return `${rows} of ${nameOf(left)} by ${printed(by.left, ['left'])} and ${nameOf(right)} by ${printed(by.right, ['right'])}${besides}; kept are both sides, in the order of the keys`;
}

function lookups({ left, lookups: found }: LookupJoin, nameOf: NameOf): string {
  const all = found.map((lookup) =>
    lookup.kind === 'shared' ? `${describe(lookup.value)}, one for all rows` : keyed(lookup, nameOf),
  );
  return `each row of ${nameOf(left)} looks up ${all.join(', and ')}; kept are the rows with what they found`;
}

function keyed({ value, of, by, key }: KeyedLookup, nameOf: NameOf): string {
  const names = [
    'row',
    ...Array.from({ length: (funcParts(key)?.params.length ?? 1) - 1 }, (_, at) => `found${at + 1}`),
  ];
  return `${describe(value)} of ${nameOf(of)} by ${printed(by, ['found'])} = ${printed(key, names)}, of which are kept all, by that key`;
}

/** A name of a field or an index, or a function, on one line. */
function printed(term: Term, names: readonly string[]): string {
  const params = funcParts(term)?.params ?? [];
  return oneLine(term, new Map(params.flatMap((id, at): [VarId, string][] => [[id, names[at] ?? `value${at}`]])));
}

function oneLine(term: Term, names?: VarNames): string {
  return printTerm(term, names, Number.POSITIVE_INFINITY);
}
