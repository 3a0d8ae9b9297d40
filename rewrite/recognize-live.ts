// Takes a query with CHANGES apart into a live query: as it is written, or as one whose selections follow rows.

import { checkAfter } from './analyze/check-after.ts';
import type { AnalysisSettings } from './analyze/context.ts';
import type { FoundChanges } from './analyze/find-changes.ts';
import { followingOf } from './analyze/follow.ts';
import { anyBoxes, queryAt } from './analyze/followed-query.ts';
import { isFeed, unitesFeeds } from './analyze/united.ts';
import { analyzeWatched } from './analyze/watched.ts';
import type { Follows, Live, LiveQuery } from './live.ts';
import { failed, type Recognized, type Recognizing, UNTOUCHED } from './recognized.ts';
import { refusal } from './refusal.ts';
import { countingVars, freshVars } from './reql/build/fresh-vars.ts';
import { callWith } from './reql/term/call-with.ts';
import type { CallTerm, Entry, StartQuery, Term } from './reql/term/term.ts';
import type { KnownIndexes } from './sources/known-index.ts';

const NOTHING_KNOWN: KnownIndexes = () => undefined;

/**
 * Recognizes a query that is known to be ours, or to follow rows. Never throws.
 * @param found CHANGES as `extend` made it, and the terms after it
 */
export function recognizeLive(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
  const recognized = recognizeWritten(query, found, knowledge);
  return recognized.kind === 'refused' ? (recognizeFollowing(query, found, knowledge) ?? recognized) : recognized;
}

/** A query whose selections follow rows; `undefined` where they do not, or where it cannot be watched in any case. */
function recognizeFollowing(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized | undefined {
  const [watched] = found.changes.args;
  if (watched === undefined) return undefined;
  const { meter } = knowledge;
  try {
    const fresh = countingVars(freshVars(query.term, ...query.globalOptargs.map(([, term]) => term)), meter);
    const following = followingOf(watched, fresh);
    if (following === undefined) return undefined;
    const of = recognizeLive(query, { changes: changesOver(found.changes, following.of, []), after: [] }, knowledge);
    if (of.kind !== 'live') return of.kind === 'asks' ? of : undefined;
    const any = queryAt(following.at, anyBoxes(following.at), fresh);
    const shape = recognizeLive(query, { ...found, changes: changesOver(found.changes, any) }, knowledge);
    if (shape.kind !== 'live') return shape.kind === 'asks' ? shape : undefined;
    const follows: Follows = { of, at: following.at };
    return { kind: 'live', live: { ...shape.live, changes: found.changes, follows }, fresh: shape.fresh };
  } catch (error) {
    return failed(error, query.term);
  }
}

/** CHANGES over something else. */
export function changesOver(changes: CallTerm, watched: Term, optargs: readonly Entry[] = changes.optargs): CallTerm {
  return callWith(changes, { args: [watched], optargs });
}

function recognizeWritten(query: StartQuery, { changes, after }: FoundChanges, knowledge: Recognizing): Recognized {
  const { indexes = NOTHING_KNOWN, asks = false, meter } = knowledge;
  const [watched] = changes.args;
  if (watched === undefined) return UNTOUCHED;
  const fresh = countingVars(freshVars(query.term, ...query.globalOptargs.map(([, term]) => term)), meter);
  const settings: AnalysisSettings = { indexes, asks, globalOptargs: query.globalOptargs };
  try {
    const { what, sources } = analyzeWatched(fresh, settings, changes, watched, knowledge);
    for (const term of after) checkAfter(term);
    const beside = new Map<Term, LiveQuery>();
    for (const term of after) {
      for (const feed of term.args.slice(1).filter(isFeed)) {
        const recognized = knowledge.beside(feed, query.globalOptargs);
        if (recognized.kind === 'untouched') continue;
        if (recognized.kind === 'merged') {
          throw refusal(
            recognized.feed.changes,
            'merges are written of a feed that is opened by itself. Open it by itself, or leave `format` out',
          );
        }
        if (recognized.kind !== 'live') return recognized;
        if (!unitesFeeds(term.type))
          throw refusal(term, 'a feed is no value in it. Unite the feeds, or open each by itself');
        beside.set(feed, recognized);
      }
    }
    const live: Live = {
      changes,
      watched: what,
      sources,
      after,
      beside,
      globalOptargs: query.globalOptargs,
    };
    return { kind: 'live', live, fresh };
  } catch (error) {
    return failed(error, query.term);
  }
}
