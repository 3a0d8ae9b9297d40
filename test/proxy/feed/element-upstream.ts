// A server of nothing but the element feed of one query, and the one-shot answer to a query, over rows in memory.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { elementFeed } from '../../../rewrite/plan/element-feed.ts';
import { serverPlan } from '../../../rewrite/plan/server/fold.ts';
import { upstreamOptions, upstreamQueueSize } from '../../../rewrite/plan/upstream-options.ts';
import { recognize } from '../../../rewrite/recognize.ts';
import type { Recognized } from '../../../rewrite/recognized.ts';
import type { Fields } from '../../../rewrite/reql/build/build.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { createContext, evaluate, pureTerms } from '../../../rewrite/reql/eval/index.ts';
import { TERMINAL } from '../../../rewrite/reql/eval/streams/batch.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import { parseQuery } from '../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { find, mapTerm } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
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
    const { stream } = result;
    for (let item = stream.next(TERMINAL); item !== undefined; item = stream.next(TERMINAL)) items.push(item);
    return items;
  } catch (error) {
    if (error instanceof ReqlError && error.errorType === ErrorType.NON_EXISTENCE) return null;
    throw error;
  }
}

/** The element feed of the proxy plan. */
export function proxyUpstream(body: string): ElementUpstream {
  const { live, fresh } = recognized(body);
  return new ElementUpstream(elementFeed(live, feedOptions({}), fresh, 'proxy').term);
}

/** The element feed of the server plan, and the documents that the fold makes of what it sends. */
export function serverUpstream(
  body: string,
  optargs: Fields,
): { readonly upstream: ElementUpstream; fold(sent: readonly Datum[]): readonly Datum[] } {
  const { live, fresh } = recognized(body);
  const plan = serverPlan(live, upstreamOptions(live, upstreamQueueSize(feedOptions(optargs))), fresh, {
    most: undefined,
    mark: '',
  });
  const feed = plan === undefined ? undefined : find(plan.term, isChanges);
  if (plan === undefined || feed === undefined) throw new Error('no server plan');
  return {
    upstream: new ElementUpstream(feed),
    fold: (sent) => list(evaluated(plan.term, (inner) => (isChanges(inner) ? [...sent] : undefined))),
  };
}

function recognized(body: string): Extract<Recognized, { readonly kind: 'live' }> {
  const parsed = parseQuery(body);
  if (!('term' in parsed)) throw new Error('the query does not parse');
  const found = recognize(parsed);
  if (found.kind !== 'live') throw new Error('the query is not live');
  return found;
}

function isChanges(term: Term): boolean {
  return term.kind === 'call' && term.type === TermType.CHANGES;
}

/** A server of nothing but one element feed: gives the change documents of a row, as RethinkDB would. */
export class ElementUpstream {
  readonly #term: Term;

  /** `changes`: the feed that it is asked for. */
  constructor(changes: Term) {
    const [feed] = changes.kind === 'call' ? changes.args : [];
    if (feed === undefined) throw new Error('no feed');
    this.#term = feed;
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
    // A row that is null makes no document.
    return this.#project(table, now).flatMap((newVal) => (newVal === null ? [] : [{ new_val: newVal }]));
  }

  #project(table: 't' | 'u', of: DatumObject | undefined): readonly Datum[] {
    return of === undefined ? [] : list(answer(this.#term, { [table]: [of] }));
  }
}

function feedOptions(optargs: Fields): FeedOptions {
  return {
    includeInitial: optargs['include_initial'] === true,
    includeStates: optargs['include_states'] === true,
    // The proxy asks a fold for this, to tell null from a missing key.
    includeTypes: true,
    squash: false,
    queueSize: undefined,
    shared: true,
    includeHealing: false,
    format: 'changes',
    includeRevs: false,
    since: undefined,
    heartbeat: undefined,
  };
}
