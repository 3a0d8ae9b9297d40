// The plan of a live query: folded inside RethinkDB, where the proxy then holds nothing and only documents cross the network,
// or in the proxy, where a change costs O(log n).

import { sendable, tooDeep } from '../analyze/depth.ts';
import type { FeedOptions } from '../analyze/feed-options.ts';
import type { Live } from '../live.ts';
import type { StartQuery } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { type ElementFeed, elementFeed } from './element-feed.ts';
import { type ServerPlan, serverPlan } from './server/fold.ts';
import { MOST_ELEMENTS } from './server/outgrown.ts';
import { isConstantFold } from './server/server-state.ts';
import { isOneChangeAWrite, readsTablesOnce } from './settling.ts';

/** The place to fold in. `auto`: inside RethinkDB where the state is constant, in the proxy otherwise. */
export type Plan = 'auto' | 'server' | 'proxy';

/** A live query with the query that RethinkDB gets for it; the terms after `changes` are not in it. */
export type Planned = {
  /** Why it is folded there, as words that go on after `since`. */
  readonly why: string;
} /** RethinkDB answers with the client's documents. */ & (
  | {
      readonly plan: 'server';
      readonly query: StartQuery;
      readonly watched: ServerPlan['watched'];
      readonly growth: ServerPlan['growth'];
    }
  /** RethinkDB answers with changes of elements. */
  | { readonly plan: 'proxy'; readonly query: StartQuery; readonly feed: ElementFeed }
);

/**
 * Chooses the plan and writes the query. `server` falls back to the proxy where a fold cannot say it, and where it would show
 * what never was: it sees one change after the other, and a write may be several. `library` is `server` where there is no proxy:
 * several tables, and rows that are there several times, are folded inside RethinkDB, each change as it comes, and a state may
 * grow as long as RethinkDB bears it. `mark`: what the errors of the fold itself begin with.
 * @throws ReqlError RESOURCE_LIMIT where RethinkDB could not bear what it would be asked
 */
export function choosePlan(
  live: Live,
  options: FeedOptions,
  fresh: FreshVars,
  plan: Plan | 'library',
  mark = '',
): Planned {
  const { globalOptargs } = live;
  const unwanted = whyNotServer(live, plan);
  const most = plan === 'library' ? undefined : MOST_ELEMENTS;
  const server = unwanted === undefined ? serverPlan(live, options, fresh, { most, mark }) : undefined;
  const folded = server === undefined ? undefined : sendable(server.term);
  if (server !== undefined && folded !== undefined) {
    const { watched, growth } = server;
    const why = plan === 'auto' ? 'its state is constant' : ASKED_FOR;
    return { plan: 'server', why, query: { term: folded, globalOptargs }, watched, growth };
  }
  const feed = elementFeed(live, options, fresh, 'proxy');
  const asked = sendable(feed.term);
  if (asked === undefined) throw tooDeep();
  const why =
    unwanted ?? (server === undefined ? 'no fold of ReQL can say it' : 'a fold of it would be nested too deeply');
  return { plan: 'proxy', why, query: { term: asked, globalOptargs }, feed };
}

const ASKED_FOR = 'that plan is asked for';

/** Arrays that are no longer hold what a fold keeps of an aggregate in constant space, and how it passes that on. */
const ENOUGH_ELEMENTS = 5;
/** The same of one that keeps elements, or a state for each group: these, and the documents of as many at first. */
const ENOUGH_FOR_KEPT = 4 * MOST_ELEMENTS;

/** Whether a client's limit for arrays, which is about its own, would end a fold. */
function allowsFewElements(live: Live): boolean {
  const limit = live.globalOptargs.find(([name]) => name === 'array_limit')?.[1];
  if (limit?.kind !== 'datum' || typeof limit.value !== 'number') return false;
  return limit.value < (isConstantFold(live) ? ENOUGH_ELEMENTS : ENOUGH_FOR_KEPT);
}

/** Why RethinkDB is not to fold a live query, whether or not it could; `undefined` where it is. */
function whyNotServer(live: Live, plan: Plan | 'library'): string | undefined {
  if (plan === 'proxy') return ASKED_FOR;
  // A selection that follows a row changes with the row: the proxy reads it again.
  if (live.follows !== undefined) return 'what it selects changes with a row';
  const right = plan === 'library' ? readsTablesOnce(live.sources) : isOneChangeAWrite(live);
  if (!right) return 'a write may come as several changes, and what is between them never was';
  if (plan !== 'library' && allowsFewElements(live)) return 'a fold has longer arrays than `array_limit` allows';
  return plan === 'auto' && !isConstantFold(live) ? 'its state grows, or has to be checked' : undefined;
}
