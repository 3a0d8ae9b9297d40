// The plan of a live query: folded inside RethinkDB, where the proxy then holds nothing and only documents cross the network,
// or in the proxy, where a change costs O(log n).

import { isShallow, tooDeep } from '../analyze/depth.ts';
import type { FeedOptions } from '../analyze/feed-options.ts';
import type { Live } from '../live.ts';
import type { StartQuery } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { type ElementFeed, elementFeed } from './element-feed.ts';
import { type ServerPlan, serverPlan } from './server/fold.ts';
import { isConstantFold } from './server/server-state.ts';
import { isOneChangeAWrite, readsTablesOnce } from './settling.ts';

/** The place to fold in. `auto`: inside RethinkDB where the state is constant, in the proxy otherwise. */
export type Plan = 'auto' | 'server' | 'proxy';

/** A live query with the query that RethinkDB gets for it; the terms after `changes` are not in it. */
export type Planned =
  /** RethinkDB answers with the client's documents. */
  | {
      readonly plan: 'server';
      readonly query: StartQuery;
      readonly watched: ServerPlan['watched'];
      readonly growth: ServerPlan['growth'];
    }
  /** RethinkDB answers with changes of elements. */
  | { readonly plan: 'proxy'; readonly query: StartQuery; readonly feed: ElementFeed };

/**
 * Chooses the plan and writes the query. `server` falls back to the proxy where a fold cannot say it, and where it would show
 * what never was: it sees one change after the other, and a write may be several. `library` is `server` where there is no proxy:
 * several tables, and rows that are there several times, are folded inside RethinkDB, each change as it comes.
 * @throws ReqlError RESOURCE_LIMIT where RethinkDB could not bear what it would be asked
 */
export function choosePlan(live: Live, options: FeedOptions, fresh: FreshVars, plan: Plan | 'library'): Planned {
  const { globalOptargs } = live;
  const right = plan === 'library' ? readsTablesOnce(live.sources) : isOneChangeAWrite(live);
  // What a row selects changes with the row: the proxy reads again.
  const isWanted = plan !== 'proxy' && live.follows === undefined && right && (plan !== 'auto' || isConstantFold(live));
  const server = isWanted ? serverPlan(live, options, fresh) : undefined;
  if (server !== undefined && isShallow(server.term)) {
    const { term, watched, growth } = server;
    return { plan: 'server', query: { term, globalOptargs }, watched, growth };
  }
  const feed = elementFeed(live, options, fresh, 'proxy');
  if (!isShallow(feed.term)) throw tooDeep();
  return { plan: 'proxy', query: { term: feed.term, globalOptargs }, feed };
}
