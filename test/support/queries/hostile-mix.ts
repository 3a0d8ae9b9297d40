// The queries of a hostile client: each hostile term at each place of a live query where the proxy may evaluate it, queries that
// are costly to open, and as many more, made of those by chance, as one likes. The same seed gives the same queries.

import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import { TermType as Term } from '../../../rewrite/reql/term-type.ts';
import { evaluate } from '../evaluate.ts';
import { chance } from './chance.ts';
import { hostileQueries } from './hostile-queries.ts';
import { hostileTerms } from './hostile-terms.ts';

/** A query by what it is. */
export interface Hostile {
  readonly name: string;
  readonly query: string;
  /**
   * Where its terms are hostile: in an option, which RethinkDB evaluates before it refuses the query; elsewhere where the proxy evaluates
   * them, if anybody does; in what is watched, where RethinkDB does if it
   * is made a fold; in a query that is not live at all, which is RethinkDB's own; in what it takes to open a feed; or to keep it.
   */
  readonly where: 'option' | 'beside' | 'watched' | 'passing' | 'opening' | 'feed';
}

const T = `[${Term.TABLE},["t"]]`;
const COUNT = `[${Term.COUNT},[${T}]]`;
const IDS = `[${Term.BRACKET},[${T},"id"]]`;

/** A query around a term. */
interface Place {
  readonly where: Hostile['where'];
  readonly at: (term: string) => string;
}

type Places = Readonly<Record<string, Place>>;

const placesOf = (where: Hostile['where'], places: Readonly<Record<string, Place['at']>>): Places =>
  Object.fromEntries(Object.entries(places).map(([name, at]) => [name, { where, at }]));

/** The places where a term may stand, whoever evaluates it there. */
const places: Places = {
  ...placesOf('option', {
    'as an option': (term) => `[1,[${Term.CHANGES},[${COUNT}],{"squash":${term}}]]`,
  }),
  ...placesOf('beside', {
    'as a limit': (term) => `[1,[${Term.LIMIT},[[${Term.CHANGES},[${COUNT}],{"include_initial":true}],${term}]]]`,
    'after changes': (term) =>
      `[1,[${Term.MAP},[[${Term.CHANGES},[${COUNT}],{"include_initial":true}],[${Term.FUNC},[[2,[900]],${term}]]]]]`,
    'as a reducer': (term) =>
      `[1,[${Term.CHANGES},[${IDS}],{"reducer":[${Term.FUNC},[[2,[900]],[2,[[2,[${term},1]]]]]],"include_initial":true}]]`,
  }),
};

/** Those where a term is part of what is watched: it is the database that evaluates it under the server plan. */
const watched: Places = placesOf('watched', {
  'beside a maximum': (term) => `[1,[${Term.CHANGES},[[2,[[${Term.MAX},[${IDS}]],${term}]]],{"include_initial":true}]]`,
  'in a reduction': (term) =>
    `[1,[${Term.CHANGES},[[${Term.REDUCE},[${IDS},[${Term.FUNC},[[2,[900,901]],${term}]]]]],{"include_initial":true}]]`,
});

/** RethinkDB refuses the others at once where nobody makes them live: this one alone it evaluates for whoever asks. */
const passing: Places = placesOf('passing', { 'by itself': (term) => `[1,${term}]` });

const terms: ReadonlyMap<string, string> = new Map(
  Object.entries(hostileTerms).map(([name, text]) => [name, serializeTerm(evaluate(text))]),
);

/** How two hostile terms become one. */
const joined: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `[2,[${a},${b}]]`,
  (a, b) => `[${Term.ADD},[${a},${b}]]`,
  (a, b) => `{"a":${a},"b":${b}}`,
  (a, b) => `[${Term.BRANCH},[[${Term.GT},[${a},0]],${b},1]]`,
  (a, b) => `[${Term.DEFAULT},[${a},${b}]]`,
  (a, b) => `[${Term.MAP},[[${Term.RANGE},[1000000]],[${Term.FUNC},[[2,[902]],[2,[${a},${b}]]]]]]`,
  (a, b) => `[${Term.FUNCALL},[[${Term.FUNC},[[2,[903]],[2,[[${Term.VAR},[903]],[${Term.VAR},[903]],${b}]]]],${a}]]`,
  (a, b) => `[${Term.FILTER},[[${Term.RANGE},[1000000000]],[${Term.FUNC},[[2,[904]],[${Term.EQ},[${a},${b}]]]]]]`,
];

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new TypeError('nothing to pick from');
  return item;
}

/** All places. `isWatched`: also those in what is watched, and by themselves. */
const allPlaces = (isWatched: boolean): readonly [string, Place][] =>
  Object.entries(isWatched ? { ...places, ...watched, ...passing } : places);

/** Each term at one place, in turn. `isWatched`: also where it is part of what is watched. */
export function hostileAtPlaces(isWatched: boolean): readonly Hostile[] {
  const all = allPlaces(isWatched);
  return [...terms].map(([name, term], index) => {
    const found = all[index % all.length];
    if (found === undefined) throw new TypeError('no place');
    const [place, { at, where }] = found;
    return { name: `${name} ${place}`, query: at(term), where };
  });
}

/** So many queries by chance: one of the terms or two made into one, at any place, or one that is costly to open. */
export function hostileByChance(count: number, seed: number, isWatched: boolean): readonly Hostile[] {
  const random = chance(seed);
  const all = allPlaces(isWatched);
  const known = [...terms];
  return Array.from({ length: count }, (_, index) => {
    if (random() < 0.25) {
      const [name, query] = pick(Object.entries(hostileQueries), random);
      const parts = Math.round(10 ** (1 + 3 * random()));
      return { name: `${parts} ${name}`, query: query(parts), where: 'opening' };
    }
    const [first, a] = pick(known, random);
    const [second, b] = pick(known, random);
    const [place, { at, where }] = pick(all, random);
    return { name: `${index}: ${first}, ${second} ${place}`, query: at(pick(joined, random)(a, b)), where };
  });
}
