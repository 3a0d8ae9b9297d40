// Decides from the tree alone what becomes of a query: left alone, refused, or live. The server is never tried first: it
// runs the whole aggregate before it refuses.

import { Context, LeaveToServer, type Surroundings } from './analyze/context.ts';
import type { AggregateDefinition } from './analyze/define-aggregate.ts';
import { type FoundChanges, findChanges } from './analyze/find-changes.ts';
import { anyBoxes, type Boxes, followingOf, queryAt } from './analyze/follow.ts';
import { inlineDo, mayHaveChangesInDo } from './analyze/inline-do.ts';
import { misplacedFeed } from './analyze/misplaced-feed.ts';
import { isNative, mayBeNative } from './analyze/native.ts';
import type { Piece } from './analyze/piece.ts';
import { extend, historyPart, partOf, wantsMergesOfRows } from './analyze/recipe.ts';
import { optargOf } from './analyze/rules/argument.ts';
import { expressed } from './analyze/rules/expressed.ts';
import { groupedValue } from './analyze/rules/group.ts';
import { namedAggregate } from './analyze/rules/named-aggregate.ts';
import { keepsElements } from './analyze/rules/order-of.ts';
import { reduced } from './analyze/rules/reducer.ts';
import { flatRows, watchedRows } from './analyze/rules/rows.ts';
import { isOrder } from './analyze/rules/unordered.ts';
import { analysisOf } from './analyze/take-apart.ts';
import { isFeed, isOrdered, oursFirst, unitesFeeds } from './analyze/united.ts';
import type { Follows, Live, LiveQuery, Source } from './live.ts';
import { type MergedFeed, mergedFeed } from './merged-feed.ts';
import { refusal } from './refusal.ts';
import { countingVars, freshVars } from './reql/build/fresh-vars.ts';
import { logicError, ReqlError, resourceLimit } from './reql/error.ts';
import { type Meter, OutOfSteps } from './reql/meter.ts';
import { checkQuery } from './reql/term/check.ts';
import { factsOf } from './reql/term/facts.ts';
import { isSpread } from './reql/term/spread.ts';
import type { CallTerm, Entry, StartQuery, Term } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';
import { containsTerm } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';
import { countQuery, explainedRewriting } from './rewriting-steps.ts';
import { type IndexQuestion, type KnownIndexes, UnknownIndex } from './sources/known-index.ts';

/** What becomes of a query. */
export type Recognized =
  /** RethinkDB's own business: it accepts the query, or refuses it in its own words. */
  | { readonly kind: 'untouched' }
  /** Cannot be kept right: the client gets this error when it opens the feed. */
  | { readonly kind: 'refused'; readonly error: ReqlError }
  /** The server has to be asked what an index holds, and `recognize` called again; `needed`: it is refused without an answer. */
  | { readonly kind: 'asks'; readonly question: IndexQuestion; readonly needed: boolean }
  /** A feed that RethinkDB gives by itself, whose documents are written as merges; and the variables that terms may use. */
  | { readonly kind: 'merged'; readonly feed: MergedFeed; readonly fresh: FreshVars }
  /** Live: the query taken apart, and the variables that generated terms may use. */
  | { readonly kind: 'live'; readonly live: Live; readonly fresh: FreshVars };

const UNTOUCHED: Recognized = { kind: 'untouched' };

/** What is known besides the query. */
export interface Knowledge {
  /** What is known of secondary indexes; only consulted where a term names one by `{index}`. */
  readonly indexes?: KnownIndexes | undefined;
  /**
   * Whether the server can be asked what is better known of an index, though the query can be watched without. If absent it
   * cannot.
   */
  readonly asks?: boolean | undefined;
  /** What `changes({aggregate: name})` may name. */
  readonly aggregates?: readonly AggregateDefinition[] | undefined;
  /** Counts what rewriting costs, the query that is written later included. If absent it may cost anything. */
  readonly meter?: Meter | undefined;
}

const NOTHING_KNOWN: KnownIndexes = () => undefined;

/**
 * Recognizes a live query: `changes` over a deterministic expression of aggregates of sources, with per-document terms
 * after it. Never throws.
 *
 * @param query the parsed START query
 * @see https://github.com/rethinkdb/rethinkdb/issues/1118
 */
export function recognize(query: StartQuery, knowledge: Knowledge = {}): Recognized {
  const knowing: Recognizing = { ...knowledge, beside: new Map() };
  const recognized = recognizeUnited(query, knowing);
  const isTheirs = recognized.kind === 'untouched' && containsTerm(query.term, TermType.CHANGES);
  const error = isTheirs ? misplaced(query, knowing) : undefined;
  return error === undefined ? recognized : { kind: 'refused', error };
}

/** Why a feed of ours in a query that is the server's own has no place there. */
function misplaced(query: StartQuery, knowing: Recognizing): ReqlError | undefined {
  const { globalOptargs } = query;
  try {
    if (knowing.meter !== undefined) countQuery(query, knowing.meter);
    // What does not compile is refused by the server, in its own words.
    if (checkQuery(query) !== undefined) return undefined;
    return misplacedFeed(query.term, (feed) => recognizeBeside(feed, globalOptargs, knowing).kind !== 'untouched');
  } catch (error) {
    // Too much to look at: the server says whether it takes it.
    if (error instanceof OutOfSteps) return undefined;
    throw error;
  }
}

/** What is known while feeds in feeds are recognized, each once. */
interface Recognizing extends Knowledge {
  /** What became of feeds that are united with others. */
  readonly beside: Map<Term, Recognized>;
}

/** Steps for each term of a feed beside others, to see that it is one. */
const BESIDE_STEPS = 10;

function recognizeUnited(query: StartQuery, knowing: Recognizing): Recognized {
  const { globalOptargs } = query;
  const isOurs = (feed: Term): boolean => {
    knowing.meter?.spend(BESIDE_STEPS * factsOf(feed).terms);
    return isFeed(feed) && recognizeBeside(feed, globalOptargs, knowing).kind !== 'untouched';
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

function recognizeBeside(feed: Term, globalOptargs: StartQuery['globalOptargs'], knowing: Recognizing): Recognized {
  const known = knowing.beside.get(feed) ?? recognizeUnited({ term: feed, globalOptargs }, knowing);
  knowing.beside.set(feed, known);
  return known;
}

/** CHANGES in the function of a `do`, where RethinkDB would not watch it by itself. */
function recognizeInDo(query: StartQuery, knowledge: Recognizing): Recognized {
  try {
    if (!mayHaveChangesInDo(query.term)) return UNTOUCHED;
    if (knowledge.meter !== undefined) countQuery(query, knowledge.meter);
    const term = inlineDo(query.term);
    const found = term === query.term ? undefined : findChanges(term);
    // What does not compile as it stands is refused by the server.
    if (found === undefined || checkQuery(query) !== undefined) return UNTOUCHED;
    return recognizeFound({ term, globalOptargs: query.globalOptargs }, found, knowledge);
  } catch (error) {
    return failed(error, query.term);
  }
}

function recognizeFound(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
  const recognized = recognizeOurs(query, found, knowledge);
  const part = recognized.kind === 'untouched' ? partOf(found.changes) : undefined;
  return part === undefined ? recognized : { kind: 'refused', error: strayPart(part) };
}

function recognizeOurs(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
  const watched = found.changes.args[0];
  if (watched === undefined || found.changes.args.length !== 1) return UNTOUCHED;
  const hasParts = partOf(found.changes) !== undefined;
  if (isNative(watched) && !hasParts) return UNTOUCHED;
  if (factsOf(watched).write !== undefined || isSpread(watched)) return UNTOUCHED;
  const history = isNative(watched) ? historyPart(found.changes) : undefined;
  if (history !== undefined) return { kind: 'refused', error: noHistory(history) };
  if (isNative(watched) && wantsMergesOfRows(found.changes)) return recognizeMerged(query, found, knowledge);
  try {
    if (knowledge.meter !== undefined) countQuery(query, knowledge.meter);
    const { changes, plain } = extend(query, found);
    const fault = checkQuery(plain);
    // What does not compile is refused by the server, in its own words. Of parts that it does not know it would speak first.
    if (fault !== undefined) return hasParts ? { kind: 'refused', error: fault } : UNTOUCHED;
    const recognized = recognizeLive(query, { changes, after: found.after }, knowledge);
    const leave = recognized.kind === 'refused' && !hasParts && mayBeNative(watched);
    return leave ? UNTOUCHED : recognized;
  } catch (error) {
    return failed(error, query.term);
  }
}

/** RethinkDB's own feeds are not kept. */
function noHistory([name, { origin }]: Entry): ReqlError {
  return logicError(
    `RethinkDB watches this by itself, and no history is kept of its own feeds, so that they cannot be taken up by \`${name}\`. Open the feed without it.`,
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

/** `found`: CHANGES as `extend` made it, and the terms after it. */
function recognizeLive(query: StartQuery, found: FoundChanges, knowledge: Recognizing): Recognized {
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
    const of = recognizeLive(query, { changes: over(found.changes, following.of, []), after: [] }, knowledge);
    if (of.kind !== 'live') return of.kind === 'asks' ? of : undefined;
    const any = queryAt(following.at, anyBoxes(following.at), fresh);
    const shape = recognizeLive(query, { ...found, changes: over(found.changes, any) }, knowledge);
    if (shape.kind !== 'live') return shape.kind === 'asks' ? shape : undefined;
    const follows: Follows = { of, at: following.at };
    return { kind: 'live', live: { ...shape.live, changes: found.changes, follows }, fresh: shape.fresh };
  } catch (error) {
    return failed(error, query.term);
  }
}

/** CHANGES over something else. */
function over(changes: CallTerm, watched: Term, optargs: readonly Entry[] = changes.optargs): CallTerm {
  const { text: _, ...rest } = changes;
  return { ...rest, args: [watched], optargs };
}

/** What becomes of a live query for a value of what it follows. */
export type RecognizedAt =
  | Extract<Recognized, { readonly kind: 'live' | 'refused' }>
  /** It reads no table: what it gives never changes. */
  | { readonly kind: 'constant'; readonly term: Term };

/** The live query for what it follows, as `Follows.of` gives it. Never throws for what it follows. */
export function recognizeAt(
  { changes, globalOptargs, follows }: Live,
  boxes: Boxes,
  fresh: FreshVars,
  knowledge: Knowledge,
): RecognizedAt {
  if (follows === undefined) throw new TypeError('a query that follows nothing');
  const term = queryAt(follows.at, boxes, fresh);
  if (factsOf(term).table === undefined) return { kind: 'constant', term };
  const found = { changes: over(changes, term), after: [] };
  const recognized = recognizeLive({ term: found.changes, globalOptargs }, found, { ...knowledge, beside: new Map() });
  if (recognized.kind === 'live' || recognized.kind === 'refused') return recognized;
  return { kind: 'refused', error: refusal(changes, 'it cannot be watched for what the row that it follows has now') };
}

function recognizeWritten(query: StartQuery, { changes, after }: FoundChanges, knowledge: Recognizing): Recognized {
  const { indexes = NOTHING_KNOWN, asks = false, meter } = knowledge;
  const [watched] = changes.args;
  if (watched === undefined) return UNTOUCHED;
  const fresh = countingVars(freshVars(query.term, ...query.globalOptargs.map(([, term]) => term)), meter);
  const around: Surroundings = { indexes, asks, globalOptargs: query.globalOptargs };
  try {
    const { what, sources } = takeApart(fresh, around, changes, watched, knowledge);
    for (const term of after) checkAfter(term);
    const beside = new Map<Term, LiveQuery>();
    for (const term of after) {
      for (const feed of term.args.slice(1).filter(isFeed)) {
        const recognized = recognizeBeside(feed, query.globalOptargs, knowledge);
        if (recognized.kind === 'untouched') continue;
        if (recognized.kind === 'merged') {
          throw refusal(recognized.feed.changes, 'merges are written of a feed that is opened by itself');
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

/** Refuses a term after `changes` that can have no answer, or one of the fold in place of the feed. */
function checkAfter(term: CallTerm): void {
  if (ofTheFeedItself.has(term.type)) throw refusal(term, 'it cannot run on the documents of a feed');
  if (readsToTheEnd(term))
    throw refusal(term, 'a feed never ends, so that there would be no answer. Put it before `changes`');
  if (term.type === TermType.FOR_EACH) {
    throw refusal(
      term,
      'a feed never ends, so that there would be no answer. Write from the client, for each document',
    );
  }
  if (isOrdered(term)) throw refusal(term, 'with `interleave` it reads one feed to its end. Leave `interleave` out');
}

/** Terms over a feed whose answer is no feed: what they told would be of the fold in its place. */
const ofTheFeedItself: ReadonlySet<number> = new Set([TermType.INFO, TermType.TYPE_OF, TermType.IS_EMPTY]);

/** Terms that answer when they have read all: on a feed the server calls them terminals. */
const terminals: ReadonlySet<number> = new Set([
  TermType.COUNT,
  TermType.SUM,
  TermType.AVG,
  TermType.MIN,
  TermType.MAX,
  TermType.REDUCE,
  TermType.NTH,
  TermType.CONTAINS,
  TermType.DISTINCT,
  TermType.GROUP,
  TermType.SAMPLE,
  TermType.ORDER_BY,
  TermType.COERCE_TO,
]);

function readsToTheEnd(term: CallTerm): boolean {
  if (term.type === TermType.FOLD) return optargOf(term, 'emit') === undefined;
  if (term.type !== TermType.BRACKET) return terminals.has(term.type);
  const [, place] = term.args;
  return place?.kind === 'datum' && typeof place.value === 'number';
}

function failed(thrown: unknown, root: Term): Recognized {
  const error = explainedRewriting(thrown, root);
  if (error instanceof LeaveToServer) return UNTOUCHED;
  if (error instanceof UnknownIndex) return { kind: 'asks', question: error.question, needed: error.needed };
  if (error instanceof ReqlError) return { kind: 'refused', error };
  if (error instanceof RangeError) {
    return { kind: 'refused', error: resourceLimit('The query is nested too deeply to be watched.') };
  }
  throw error;
}

/** What is watched, and its sources: selections of one table are read as one, as far as that can be. */
function takeApart(
  fresh: FreshVars,
  around: Surroundings,
  changes: CallTerm,
  watched: Term,
  knowledge: Knowledge,
): { readonly what: Live['watched']; readonly sources: readonly Source[] } {
  const { aggregates = [], meter } = knowledge;
  const spent = meter?.spent ?? 0;
  const context = new Context(fresh, around);
  const what = watch(context, changes, watched, aggregates);
  context.fillJoins();
  const readings = around.readings === undefined ? context.readings() : undefined;
  if (readings !== undefined) {
    // It is taken apart anew: a query does not count twice because it reads one table in two ways.
    meter?.rewind(spent);
    return takeApart(fresh, { ...around, readings }, changes, watched, knowledge);
  }
  return { what, sources: context.sources() };
}

function watch(
  context: Context,
  changes: CallTerm,
  watched: Term,
  aggregates: readonly AggregateDefinition[],
): Live['watched'] {
  const analysis = analysisOf(context);
  const below = analysis.analyze(watched);
  const reducer = optargOf(changes, 'reducer');
  const name = optargOf(changes, 'aggregate');
  if (reducer !== undefined) {
    if (name !== undefined)
      throw logicError('A feed is of a `reducer` or of an `aggregate`, not of both.', name.origin);
    return reduced(analysis, changes, below, reducer);
  }
  const piece = name === undefined ? below : namedAggregate(analysis, below, name, aggregates);
  if (name === undefined && isSelection(piece)) throw new LeaveToServer();
  switch (piece.kind) {
    case 'pure':
      throw new LeaveToServer();
    case 'stream':
      return watchedRows(analysis, changes, piece);
    case 'grouped':
      return groupedValue(analysis, piece);
    case 'value':
      if (piece.leaves.length === 0) throw new LeaveToServer();
      return piece.sequence ? flatRows(analysis, piece) : expressed(context, piece);
  }
}

/** Whether a piece is rows that RethinkDB watches by itself, though the terms did not tell: `distinct` by the primary key. */
function isSelection(piece: Piece): boolean {
  if (piece.kind !== 'stream') return false;
  return piece.branches.every(({ root: base, chain }) => {
    const all = [...chain, ...piece.tail];
    if (base.kind !== 'selection') return false;
    return all.every((term) =>
      base.limited ? keepsElements(term) || isOrder(term) : term.type !== TermType.CONCAT_MAP,
    );
  });
}
