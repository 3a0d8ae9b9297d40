// The reductions and reducers of a query, tried on sample rows: whether they keep the laws that a live feed of them needs.

import { Multiset } from '../aggregates/state/multiset.ts';
import { checkRows, checkSettings, checkText } from '../given.ts';
import type { KindName, Watched, WatchedOf } from '../kinds/kind.ts';
import type { Aggregated, Elements, Live, Reduced, SourcePart } from '../live.ts';
import { onTop } from '../plan/projection.ts';
import { Reading } from '../plan/server/reading.ts';
import { recognize } from '../recognize.ts';
import type { Knowledge } from '../recognized.ts';
import { builder } from '../reql/build/build.ts';
import type { Datum } from '../reql/data/datum.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { ReqlError } from '../reql/error.ts';
import { evaluateClosed, pureFunction } from '../reql/eval/core/pure-function.ts';
import { createContext, pureTerms } from '../reql/eval/index.ts';
import { printTerm } from '../reql/print/print.ts';
import { parseQuery } from '../reql/term/parse.ts';
import type { Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import { INDEX_SELECTIONS } from '../sources/selecting-terms.ts';
import { readOutputs } from './reducer-outputs.ts';
import { reductionOfTerm } from './reduction.ts';
import { reductionLaws, type TriedLaw } from './reduction-laws.ts';

/** A reduction of a query, with what was found of it. */
export interface TriedReduction {
  /** Its function, as ReQL. */
  readonly func: string;
  /** How many elements the rows are for it. */
  readonly elements: number;
  readonly laws: readonly TriedLaw[];
}

/**
 * Tries each `reduce`, each `fold` with a reverse, the named aggregate and the `reducer` of a live query.
 * @param query a START query as wire JSON
 * @param rows sample rows; each of the query's tables is taken to hold them, and selections by an index to let all pass
 * @returns what was tried; `undefined` where the query is no live query of Livefold's
 * @throws ReqlError for a query that is refused, and where its functions fail on the rows
 * @throws TypeError for what is no text, no array or no knowledge
 */
export function tryReductions(
  query: string,
  rows: readonly Datum[],
  knowledge: Knowledge = {},
): readonly TriedReduction[] | undefined {
  checkText('tryReductions', query);
  checkRows('tryReductions', rows);
  const known = checkSettings('tryReductions', knowledge);
  const parsed = parseQuery(query);
  const recognized = 'term' in parsed ? recognize(parsed, known) : undefined;
  if (recognized?.kind === 'refused') throw recognized.error;
  return recognized?.kind === 'live' ? new Trial(recognized.live, recognized.fresh, rows).tried() : undefined;
}

type InGroup = readonly Datum[] | undefined;

/** A query with its rows. */
class Trial {
  readonly #live: Live;
  readonly #fresh: FreshVars;
  readonly #rows: readonly Datum[];
  readonly #context = createContext({ terms: pureTerms });
  readonly #tried: TriedReduction[] = [];

  constructor(live: Live, fresh: FreshVars, rows: readonly Datum[]) {
    this.#live = live;
    this.#fresh = fresh;
    this.#rows = rows;
  }

  tried(): readonly TriedReduction[] {
    this.#try(this.#live.watched, undefined);
    return this.#tried;
  }

  /** Tries what is below first. */
  #try(watched: Watched, inGroup: InGroup): void {
    (this.#tries[watched.kind] as (one: Watched, inGroup: InGroup) => void)(watched, inGroup);
  }

  readonly #tries: { readonly [Name in KindName]: (watched: WatchedOf<Name>, inGroup: InGroup) => void } = {
    aggregate: (value, inGroup) => {
      this.#below(value.of, inGroup);
      // Where the order of the elements matters the aggregate is a list of them, for the reduction that wants it.
      if (value.term.type === TermType.REDUCE) this.#tryReduction(value, this.#elements(value.of, inGroup));
    },
    expression: ({ of }, inGroup) => {
      for (const value of of) this.#try(value, inGroup);
    },
    grouped: ({ of, value, defaults }) => {
      this.#below(of, undefined);
      for (const given of defaults) for (const inner of given.of) this.#try(inner, undefined);
      const pairs = this.#elements(of, undefined);
      this.#try(
        value,
        pairs.map((pair) => pairOf(pair)[1]),
      );
    },
    reduced: (watched) => this.#tryReducer(watched),
    ungroup: ({ of }) => this.#try(of, undefined),
    flat: ({ of }, inGroup) => this.#try(of, inGroup),
    distinct: ({ of }, inGroup) => this.#below(of, inGroup),
    top: ({ of }, inGroup) => this.#below(of, inGroup),
    listed: ({ of }, inGroup) => this.#below(of, inGroup),
  };

  #below({ parts }: Elements, inGroup: InGroup): void {
    for (const part of parts) if (part.kind === 'rows') this.#try(part.rows, inGroup);
  }

  /** The elements that the rows are. */
  #elements(of: Elements, inGroup: InGroup): readonly Datum[] {
    const t = builder(undefined, this.#fresh);
    const ofSource = (part: SourcePart): Term => t.datum(this.#elementsOfSource(part));
    const reading = new Reading(t, { ofSource, ofGroup: t.datum(inGroup ?? []) });
    return listOf(evaluateClosed(t.coerceTo(reading.elements(of), 'array'), this.#context));
  }

  #elementsOfSource({ source, projection: consumer }: SourcePart): readonly Datum[] {
    const t = builder(undefined, this.#fresh);
    const { term, projections: consumers } = this.#live.sources[source] ?? {};
    const each = consumers?.[consumer];
    if (term === undefined || each === undefined) return [];
    const rows = overRows(term, t.datum(this.#rows));
    return listOf(evaluateClosed(t.coerceTo(t.concatMap(rows, each), 'array'), this.#context));
  }

  #tryReduction({ term }: Aggregated, elements: readonly Datum[]): void {
    const func = printTerm(reductionOfTerm(term).func);
    this.#tried.push({ func, elements: elements.length, laws: reductionLaws(term, elements, this.#context) });
  }

  #tryReducer({ of, grouped, reducer }: Reduced): void {
    this.#below(of, undefined);
    const elements = this.#elements(of, undefined);
    const groups = new Map<string, { readonly group: Datum; readonly values: Multiset }>();
    for (const element of elements) {
      const [group, value] = grouped ? pairOf(element) : [null, element];
      const key = datumKey(group);
      const known = groups.get(key) ?? { group, values: new Multiset() };
      groups.set(key, known);
      known.values.add(value);
    }
    const call = pureFunction(reducer, this.#context);
    const faults = [...groups.values()].map(({ group, values }) =>
      faultOf(() => readOutputs(call([group, [...values.entries()].map(([...pair]) => pair)]), undefined)),
    );
    const law = 'its outputs are pairs of a value and a whole count';
    const counterexample = faults.find((fault) => fault !== undefined);
    this.#tried.push({ func: printTerm(reducer), elements: elements.length, laws: [{ law, counterexample }] });
  }
}

function faultOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ReqlError) return error.message;
    throw error;
  }
}

/** Terms that select rows of a table, and hand them on as they are. */
const SELECTING: ReadonlySet<number> = new Set([...INDEX_SELECTIONS, TermType.LIMIT]);

/** A source with an array of rows in the place of its selection. */
function overRows(term: Term, rows: Term): Term {
  if (term.kind !== 'call' || term.type === TermType.TABLE) return rows;
  const [below] = term.args;
  if (below === undefined) return rows;
  return SELECTING.has(term.type) ? overRows(below, rows) : onTop(term, overRows(below, rows));
}

function pairOf(pair: Datum): readonly [Datum, Datum] {
  const [group = null, element = null] = listOf(pair);
  return [group, element];
}

function listOf(datum: Datum): readonly Datum[] {
  if (isList(datum)) return datum;
  throw new TypeError('a list was expected');
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
