// Everything that can be watched, by kind: values, groups, rows and the outputs of a reducer. Who adds a kind to `live.ts` adds a
// file here; what it owes besides is in the rule that makes it (`analyze/rules/`) and in its operator (`proxy/feed/operator/`), both by
// kind too.

import type { Aggregated, Elements, FoldableLive, Join, Part, Value } from '../live.ts';
import { aggregate } from './aggregate.ts';
import { distinct } from './distinct.ts';
import { expression } from './expression.ts';
import { flat } from './flat.ts';
import { grouped } from './grouped.ts';
import { joined } from './growth.ts';
import type { FoldableKind, Growths, Kind, KindName, Say, Watched, WatchedOf } from './kind.ts';
import { listed } from './listed.ts';
import { reduced } from './reduced.ts';
import { top } from './top.ts';
import { ungroup } from './ungroup.ts';

type Foldable = FoldableLive['watched'];

/** The kinds that a fold inside RethinkDB can show. */
const foldableKinds = {
  aggregate,
  expression,
  grouped,
  distinct,
  ungroup,
  top,
  flat,
  listed,
} as const satisfies {
  readonly [Name in Foldable['kind']]: FoldableKind<WatchedOf<Name>>;
};

/** All kinds. */
export const kinds = { ...foldableKinds, reduced } as const satisfies {
  readonly [Name in KindName]: Kind<WatchedOf<Name>>;
};

// A kind and what is watched are of one name, which the compiler does not see of a union of them.

function kindOf(watched: Watched): Kind<Watched> {
  return kinds[watched.kind] as Kind<Watched>;
}

/** The kind of something that a fold can show. */
export function foldableKindOf(watched: Foldable): FoldableKind<Foldable> {
  return foldableKinds[watched.kind] as FoldableKind<Foldable>;
}

/** The folded values, in a few words, outermost first; terms as drivers spell them: `count over distinct`. */
export function describe(watched: Watched): string {
  return kindOf(watched).describe(watched, say);
}

const say: Say = {
  watched: describe,
  over: (elements) => {
    const below = [...rowsIn(elements).map(describe), ...joinsOf(elements).map(describeJoin)];
    return below.length === 0 ? '' : ` over ${below.join(' and ')}`;
  },
};

/** The growth of the proxy's state, in words: `constant`, `per row`, ... */
export function growthOf(watched: Watched): string {
  return joined(growthsOf(watched));
}

function growthsOf(watched: Watched): Growths {
  const kind = kindOf(watched);
  const { elements } = kind.made(watched);
  const below = elements === undefined ? [] : rowsIn(elements).flatMap(growthsOf);
  const joined = elements === undefined ? [] : joinsOf(elements).flatMap(growthsOfJoin);
  return [...kind.growths(watched, growthsOf), ...below, ...joined];
}

function joinsOf({ parts }: Elements): readonly Join[] {
  return parts.flatMap((part) => (part.kind === 'join' ? [part.join] : []));
}

function rowsIn({ parts }: Elements): readonly Watched[] {
  return parts.flatMap((part) => (part.kind === 'rows' ? [part.rows] : []));
}

/**
 * The aggregates of what is watched, wherever they stand: in expressions, in groups, below rows that are computed. One may come
 * several times. A client's `reducer` is none, what is below it is.
 */
export function aggregatesIn(watched: Watched): readonly Aggregated[] {
  const found: Aggregated[] = [];
  addAggregates(watched, found);
  return found;
}

function addAggregates(watched: Watched, found: Aggregated[]): void {
  const { of, elements } = kindOf(watched).made(watched);
  if (watched.kind === 'aggregate') found.push(watched);
  for (const below of of) addAggregates(below, found);
  if (elements === undefined) return;
  for (const part of elements.parts) for (const below of watchedIn(part)) addAggregates(below, found);
}

/** What a part of elements is made of, beside sources. */
function watchedIn(part: Part): readonly Watched[] {
  switch (part.kind) {
    case 'source':
    case 'group':
      return [];
    case 'rows':
      return [part.rows];
    case 'failing':
      return [part.of];
    case 'incomparable':
      return sidesOf(part.of).flatMap(({ parts }) => parts.flatMap(watchedIn));
    case 'join':
      return [...sidesOf(part.join).flatMap(({ parts }) => parts.flatMap(watchedIn)), ...valuesOf(part.join)];
  }
}

/** The elements that a join is made of. */
function sidesOf(join: Join): readonly Elements[] {
  if (join.kind === 'pairs') return [join.left, join.right];
  return [join.left, ...join.lookups.flatMap((lookup) => (lookup.kind === 'keyed' ? [lookup.of] : []))];
}

/** The values that are looked up. */
function valuesOf(join: Join): readonly Value[] {
  return join.kind === 'pairs' ? [] : join.lookups.map(({ value }) => value);
}

function describeJoin(join: Join): string {
  return `${wordsOf(join)}${say.over(join.left)}`;
}

function wordsOf(join: Join): string {
  if (join.kind === 'pairs') return join.outer ? 'left rows and their pairs' : 'pairs with equal keys';
  const found = join.lookups.map(({ kind, value }) => `${describe(value)}${kind === 'keyed' ? '' : ' for all'}`);
  return `rows that look up ${found.join(' and ')}`;
}

function growthsOfJoin({ kind }: Join): Growths {
  return kind === 'pairs' ? ['per row of both sides of a join'] : ['per row', 'per row that may be looked up'];
}

/** Every join below what is watched, each once. */
export function joinsIn(watched: Watched): readonly Join[] {
  const found = new Set<Join>();
  addJoins(watched, found);
  return [...found];
}

function addJoins(watched: Watched, found: Set<Join>): void {
  const { of, elements } = kindOf(watched).made(watched);
  for (const below of of) addJoins(below, found);
  if (elements !== undefined) addJoinsOf(elements, found);
}

function addJoinsOf({ parts }: Elements, found: Set<Join>): void {
  for (const part of parts) {
    if (part.kind === 'join' && !found.has(part.join)) {
      found.add(part.join);
      for (const side of sidesOf(part.join)) addJoinsOf(side, found);
      for (const value of valuesOf(part.join)) addJoins(value, found);
    } else if (part.kind === 'incomparable') found.add(part.of);
    else if (part.kind === 'rows') addJoins(part.rows, found);
    else if (part.kind === 'failing') addJoins(part.of, found);
  }
}
