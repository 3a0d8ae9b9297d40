// A server of nothing but the element feed of one query, and the one-shot answer to a query, over rows in memory.

import { elementFeed } from '../../../rewrite/element-feed.ts';
import { createContext, evaluate, pureTerms } from '../../../rewrite/eval/index.ts';
import type { FeedOptions } from '../../../rewrite/feed-options.ts';
import { serverPlan } from '../../../rewrite/fold.ts';
import { type Recognized, recognize } from '../../../rewrite/recognize.ts';
import { equalDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { Fields } from '../../../rewrite/term/build.ts';
import { parseQuery } from '../../../rewrite/term/parse.ts';
import type { Term } from '../../../rewrite/term/term.ts';
import { mapTerm } from '../../../rewrite/term/walk.ts';
import { list } from './kept.ts';

const context = createContext({ terms: pureTerms });

/** The answer to a query in which tables are arrays of these rows. */
export function answer(term: Term, tables: Readonly<Record<string, readonly Datum[]>>): Datum {
  return evaluated(term, (inner) => {
    const [name] = inner.kind === 'call' && inner.type === TermType.TABLE ? inner.args : [];
    return name?.kind === 'datum' ? (tables[String(name.value)] ?? []) : undefined;
  });
}

/** A term's value where `data` gives what some terms in it are; null for the lack of one. */
function evaluated(term: Term, data: (inner: Term) => Datum | undefined): Datum {
  const closed = mapTerm(term, (inner) => {
    const value = data(inner);
    return value === undefined ? inner : { kind: 'datum', value };
  });
  try {
    const result = evaluate(closed, context);
    if ('datum' in result) return result.datum;
    const items: Datum[] = [];
    for (let item = result.stream.next('term'); item !== undefined; item = result.stream.next('term')) items.push(item);
    return items;
  } catch (error) {
    if (error instanceof ReqlError && error.errorType === ErrorType.NON_EXISTENCE) return null;
    throw error;
  }
}

/** A server of nothing but the element feed: gives the change documents of a row, as RethinkDB would. */
export class ElementUpstream {
  readonly #term: Term;
  readonly #live: Extract<Recognized, { readonly kind: 'live' }>;

  constructor(body: string) {
    const parsed = parseQuery(body);
    if (!('term' in parsed)) throw new Error('the query does not parse');
    const recognized = recognize(parsed);
    if (recognized.kind !== 'live') throw new Error('the query is not live');
    this.#live = recognized;
    const [feed] = elementFeed(recognized.live, feedOptions({}), recognized.fresh).term.args;
    if (feed === undefined) throw new Error('no feed');
    this.#term = feed;
  }

  /** The server plan: gives the documents that the fold makes of what the element feed sends. */
  fold(optargs: Fields): (sent: readonly Datum[]) => readonly Datum[] {
    const plan = serverPlan(this.#live.live, feedOptions(optargs), this.#live.fresh);
    if (plan === undefined) throw new Error('no server plan');
    return (sent) =>
      list(
        evaluated(plan.term, (inner) =>
          inner.kind === 'call' && inner.type === TermType.CHANGES ? [...sent] : undefined,
        ),
      );
  }

  change(table: 't' | 'u', old: DatumObject | undefined, now: DatumObject | undefined): Datum[] {
    const oldVals = this.#project(table, old);
    const newVals = this.#project(table, now);
    const documents: Datum[] = [];
    for (let i = 0; i < Math.max(oldVals.length, newVals.length); i++) {
      const oldVal = oldVals[i] ?? null;
      const newVal = newVals[i] ?? null;
      if (!equalDatums(oldVal, newVal)) documents.push({ old_val: oldVal, new_val: newVal });
    }
    return documents;
  }

  initial(table: 't' | 'u', now: DatumObject): Datum[] {
    return this.#project(table, now).map((newVal) => ({ new_val: newVal }));
  }

  #project(table: 't' | 'u', of: DatumObject | undefined): readonly Datum[] {
    return of === undefined ? [] : list(answer(this.#term, { [table]: [of] }));
  }
}

function feedOptions(optargs: Fields): FeedOptions {
  return {
    includeInitial: optargs['include_initial'] === true,
    includeStates: optargs['include_states'] === true,
    includeTypes: false,
    squash: false,
    queueSize: undefined,
  };
}
