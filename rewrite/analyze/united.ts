// Several feeds in one query: `a.changes().union(b.count().changes())`. A union of feeds has no order, and the parameters of a `map`
// over several go along with them, so that one of ours is put first, where CHANGES is looked for; the others stay arguments, and
// become folds inside RethinkDB, which merges all of them.

import type { Live, LiveQuery } from '../live.ts';
import { choosePlan } from '../plan/choose-plan.ts';
import { onTop } from '../plan/projection.ts';
import { refusal } from '../refusal.ts';
import { callWith } from '../reql/term/call-with.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, funcTerm } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import type { FeedOptions } from './feed-options.ts';
import { findChanges, replaceChanges } from './find-changes.ts';
import { optargOf } from './rules/argument.ts';

/** Terms that take several feeds. */
const uniting: ReadonlySet<number> = new Set([TermType.UNION, TermType.MAP]);

/** Whether a term takes several feeds, each as an argument. */
export function unitesFeeds(type: number): boolean {
  return uniting.has(type);
}

/**
 * A query with a feed of ours first in each union, and in each `map` over several sequences, that stands on its spine; the same
 * term where nothing is to be moved.
 * @param isOurs whether a term is a feed, and one that RethinkDB does not watch by itself
 */
export function oursFirst(root: Term, isOurs: (feed: Term) => boolean): Term {
  const above: CallTerm[] = [];
  let below: Term = root;
  let isMoved = false;
  while (below.kind === 'call' && below.type !== TermType.CHANGES) {
    const term: CallTerm = unitesFeeds(below.type) ? withOursFirst(below, isOurs) : below;
    isMoved ||= term !== below;
    const [first] = term.args;
    if (first === undefined) break;
    above.push(term);
    below = first;
  }
  return isMoved ? replaceChanges(above.reverse(), below) : root;
}

function withOursFirst(term: CallTerm, isOurs: (feed: Term) => boolean): CallTerm {
  if (isOrdered(term)) return term;
  const feeds = term.type === TermType.MAP ? term.args.slice(0, -1) : term.args;
  const at = feeds.findIndex(isOurs);
  const func = term.args[feeds.length];
  const moved = func === undefined ? undefined : withParamFirst(func, at, feeds.length);
  if (at < 1 || (func !== undefined && moved === undefined)) return term;
  return callWith(term, { args: [...withFirst(feeds, at), ...(moved === undefined ? [] : [moved])] });
}

/** The function of a `map` over several sequences, for another one of them first; `undefined` where it is not written out. */
function withParamFirst(func: Term, at: number, feeds: number): Term | undefined {
  const parts = funcParts(func);
  return parts === undefined || parts.params.length !== feeds
    ? undefined
    : funcTerm(withFirst(parts.params, at), parts.body, func);
}

function withFirst<T>(items: readonly T[], at: number): readonly T[] {
  return [...items.slice(at, at + 1), ...items.slice(0, at), ...items.slice(at + 1)];
}

/** Whether a term is a union with an order, of its streams or of their elements. */
export function isOrdered(term: CallTerm): boolean {
  const interleave = term.type === TermType.UNION ? optargOf(term, 'interleave') : undefined;
  return interleave !== undefined && !(interleave.kind === 'datum' && interleave.value === true);
}

/** Whether CHANGES may be on the spine of a term, or of one that it unites. */
export function isFeed(term: Term): boolean {
  if (findChanges(term) !== undefined) return true;
  for (let at: Term | undefined = term; at?.kind === 'call'; at = at.args[0]) {
    if (unitesFeeds(at.type) && at.args.slice(1).some(isFeed)) return true;
  }
  return false;
}

/**
 * The terms after `changes` for RethinkDB to run, with folds in the place of the feeds of ours beside the first. `mark`: what errors of
 * the folds themselves begin with.
 * @throws ReqlError for a feed that no fold can say
 */
export function foldedBeside(
  live: Live,
  optionsOf: (changes: CallTerm) => FeedOptions,
  mark = '',
): readonly CallTerm[] {
  if (live.beside.size === 0) return live.after;
  return live.after.map((term) => {
    const [first, ...others] = term.args;
    return first === undefined
      ? term
      : callWith(term, { args: [first, ...others.map((feed) => folded(live, feed, optionsOf, mark))] });
  });
}

function folded({ beside }: Live, feed: Term, optionsOf: (changes: CallTerm) => FeedOptions, mark: string): Term {
  const ours: LiveQuery | undefined = beside.get(feed);
  if (ours === undefined) return feed;
  const { live, fresh } = ours;
  const planned = choosePlan(live, optionsOf(live.changes), fresh, 'server', mark);
  if (planned.plan === 'proxy') {
    throw refusal(live.changes, 'beside other feeds only RethinkDB could fold it, and it cannot. Open it by itself');
  }
  return foldedBeside(live, optionsOf, mark).reduce<Term>((below, above) => onTop(above, below), planned.query.term);
}
