// Advice for whoever watches the whole of an order, which RethinkDB does not: a part of it is live.

import { findChanges, replaceChanges } from './analyze/find-changes.ts';
import type { PrintTerm } from './print-graph.ts';
import { recognize } from './recognize.ts';
import { changesOver } from './recognize-live.ts';
import type { Knowledge } from './recognized.ts';
import { builder } from './reql/build/build.ts';
import { freshVars } from './reql/build/fresh-vars.ts';
import type { StartQuery } from './reql/term/term.ts';
import { containsTerm } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';

/** As many rows as a list is likely to show. */
const SOME = 100;

/** What to write instead of a query, as a sentence; `undefined` where it is no order, or a part of it is not live either. */
export function adviceOfOrder(query: StartQuery, knowledge: Knowledge, print: PrintTerm): string | undefined {
  const found = findChanges(query.term);
  const [watched] = found?.changes.args ?? [];
  if (found === undefined || watched === undefined || !containsTerm(watched, TermType.ORDER_BY)) return undefined;
  const limited = builder(watched.origin, freshVars(query.term)).limit(watched, SOME);
  const changes = changesOver(found.changes, limited);
  const isLive = recognize({ ...query, term: replaceChanges(found.after, changes) }, knowledge).kind === 'live';
  return isLive ? `A part of an order is live: write \`limit\` behind it, as ${print(changes)}.` : undefined;
}
