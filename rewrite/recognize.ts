// Decides from the tree alone what becomes of a query: left alone, refused, or live. The server is never tried first: it
// runs the whole aggregate before it refuses.

import { checkAfter } from './analyze/check-after.ts';
import { type FoundChanges, findChanges } from './analyze/find-changes.ts';
import { inlineDo, mayHaveChangesInDo } from './analyze/inline-do.ts';
import { misplacedFeed } from './analyze/misplaced-feed.ts';
import { isNative, mayBeNative } from './analyze/native.ts';
import { extend, historyPart, partOf, wantsMergesOfRows } from './analyze/recipe.ts';
import { isFeed, oursFirst } from './analyze/united.ts';
import { mergedFeed } from './merged-feed.ts';
import { recognizeLive } from './recognize-live.ts';
import { failed, type Knowledge, type Recognized, type Recognizing, UNTOUCHED } from './recognized.ts';
import { countingVars, freshVars } from './reql/build/fresh-vars.ts';
import { logicError, type ReqlError } from './reql/error.ts';
import { OutOfSteps } from './reql/meter.ts';
import { checkQuery } from './reql/term/check.ts';
import { factsOf } from './reql/term/facts.ts';
import { isSpread } from './reql/term/spread.ts';
import { spreadsAsArguments } from './reql/term/spreads-as-arguments.ts';
import type { Entry, StartQuery, Term } from './reql/term/term.ts';
import { containsTerm } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';
import { countQuery, libraryMeter } from './rewriting-steps.ts';

/**
 * Recognizes a live query: `changes` over a deterministic expression of aggregates of sources, with per-document terms
 * after it. Never throws.
 *
 * @param query the parsed START query
 * @see https://github.com/rethinkdb/rethinkdb/issues/1118
 */
export function recognize(query: StartQuery, knowledge: Knowledge = {}): Recognized {
  const knowing = recognizing(knowledge);
  const recognized = recognizeUnited(query, knowing);
  const isTheirs = recognized.kind === 'untouched' && containsTerm(query.term, TermType.CHANGES);
  const error = isTheirs ? misplaced(query, knowing) : undefined;
  return error === undefined ? recognized : { kind: 'refused', error };
}

/** Adds to some knowledge a memory of feeds in feeds. */
export function recognizing(knowledge: Knowledge): Recognizing {
  const known = new Map<Term, Recognized>();
  const knowing: Recognizing = {
    indexes: knowledge.indexes,
    asks: knowledge.asks,
    aggregates: knowledge.aggregates,
    meter: knowledge.meter ?? libraryMeter(),
    beside(feed, globalOptargs) {
      const recognized = known.get(feed) ?? recognizeUnited({ term: feed, globalOptargs }, knowing);
      known.set(feed, recognized);
      return recognized;
    },
  };
  return knowing;
}

/** Why a feed of ours in a query that is the server's own has no place there. */
function misplaced(query: StartQuery, knowing: Recognizing): ReqlError | undefined {
  const { globalOptargs } = query;
  try {
    if (knowing.meter !== undefined) countQuery(query, knowing.meter);
    // The server refuses a query that does not compile, in its own words.
    if (checkQuery(query) !== undefined) return undefined;
    return misplacedFeed(query.term, (feed) => knowing.beside(feed, globalOptargs).kind !== 'untouched');
  } catch (error) {
    // Too much to look at: the server says whether it takes it.
    if (error instanceof OutOfSteps) return undefined;
    throw error;
  }
}

/** Steps for each term of a feed beside others, to see that it is one. */
const BESIDE_STEPS = 10;

function recognizeUnited(query: StartQuery, knowing: Recognizing): Recognized {
  const { globalOptargs } = query;
  const isOurs = (feed: Term): boolean => {
    knowing.meter?.spend(BESIDE_STEPS * factsOf(feed).terms);
    return isFeed(feed) && knowing.beside(feed, globalOptargs).kind !== 'untouched';
  };
  try {
    const term = oursFirst(query.term, isOurs);
    const united = term === query.term ? query : { term, globalOptargs };
    const found = findChanges(term);
    return found === undefined ? recognizeInDo(united, knowing) : recognizeFound(united, found, knowing);
  } catch (error) {
    return failed(error, query.term);
  }
}

/** CHANGES in the function of a `do`, where RethinkDB would not watch it by itself. */
function recognizeInDo(query: StartQuery, knowledge: Recognizing): Recognized {
  try {
    if (!mayHaveChangesInDo(query.term)) return UNTOUCHED;
    if (knowledge.meter !== undefined) countQuery(query, knowledge.meter);
    const term = inlineDo(query.term);
    const found = term === query.term ? undefined : findChanges(term);
    // The server refuses a query that does not compile as it stands.
    if (found === undefined || checkQuery(query) !== undefined) return UNTOUCHED;
    return recognizeFound({ term, globalOptargs: query.globalOptargs }, found, knowledge);
  } catch (error) {
    return failed(error, query.term);
  }
}

function recognizeFound(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
  const recognized = recognizeOurs(query, found, knowledge);
  const part = recognized.kind === 'untouched' ? partOf(found.changes) : undefined;
  if (part === undefined) return recognized;
  return { kind: 'refused', error: isTheirs(found) ? partOfTheirs(part) : strayPart(part) };
}

/** Whether RethinkDB watches by itself what stands before `changes`, as far as can be seen. */
function isTheirs({ changes }: FoundChanges): boolean {
  const [watched] = changes.args;
  if (watched === undefined || !isNative(watched)) return false;
  try {
    return mergedFeed(changes, [], []) !== undefined;
  } catch (error) {
    return failed(error, changes).kind !== 'untouched';
  }
}

function recognizeOurs(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
  const watched = found.changes.args[0];
  if (watched === undefined || found.changes.args.length !== 1) return UNTOUCHED;
  const hasParts = partOf(found.changes) !== undefined;
  const isNatively = isNative(watched);
  if (isNatively && !hasParts) return UNTOUCHED;
  if (factsOf(watched).write !== undefined || isSpread(watched)) return UNTOUCHED;
  const history = historyPart(found.changes);
  if (history !== undefined && isTheirs(found)) return { kind: 'refused', error: noHistory(history) };
  if (isNatively && wantsMergesOfRows(found.changes)) return recognizeMerged(query, found, knowledge);
  try {
    if (knowledge.meter !== undefined) countQuery(query, knowledge.meter);
    const { changes, plain } = extend(query, found);
    const fault = checkQuery(plain);
    // The server refuses a query that does not compile, in its own words. It would complain first of the parts that it does not know.
    if (fault !== undefined) return hasParts ? { kind: 'refused', error: fault } : UNTOUCHED;
    const recognized = recognizeLive(query, { changes: spreadsAsArguments(changes), after: found.after }, knowledge);
    const leave = recognized.kind === 'refused' && !hasParts && mayBeNative(watched);
    return leave ? UNTOUCHED : recognized;
  } catch (error) {
    return failed(error, query.term);
  }
}

/** RethinkDB's own feeds are not kept. */
function noHistory([name, { origin }]: Entry): ReqlError {
  return logicError(
    `RethinkDB watches this by itself, and no history is kept of its own feeds, so that they have no \`${name}\`. Open the feed without it.`,
    origin,
  );
}

/** RethinkDB's own feeds have none of what Livefold does for feeds that it serves itself. */
function partOfTheirs([name, { origin }]: Entry): ReqlError {
  return logicError(
    `RethinkDB watches this by itself, and its own feeds pass as they are, so that they have no \`${name}\`. Open the feed without it.`,
    origin,
  );
}

/** A feed of RethinkDB's own, as merges. */
function recognizeMerged(query: StartQuery, found: FoundChanges, { meter }: Recognizing): Recognized {
  try {
    if (meter !== undefined) countQuery(query, meter);
    const fault = checkQuery(extend(query, found).plain);
    if (fault !== undefined) return { kind: 'refused', error: fault };
    for (const term of found.after) checkAfter(term);
    const feed = mergedFeed(found.changes, found.after, query.globalOptargs);
    const fresh = countingVars(freshVars(query.term, ...query.globalOptargs.map(([, term]) => term)), meter);
    return feed === undefined ? UNTOUCHED : { kind: 'merged', feed, fresh };
  } catch (error) {
    return failed(error, query.term);
  }
}

/** RethinkDB refuses what is below `changes`, but would name the part that it does not know. */
function strayPart([name, { origin }]: Entry): ReqlError {
  return logicError(
    `RethinkDB refuses what stands before \`changes\`, and does not know \`${name}\`, which is Livefold's. Leave it out, and RethinkDB says what is in the way.`,
    origin,
  );
}
