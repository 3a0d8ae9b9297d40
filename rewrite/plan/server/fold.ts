// The fold shell of the server plan, written once: what happens to a state with each change of the element feed, and which
// documents the client gets. After the recipe published with rethinkdb/rethinkdb#1118.
//
// acc, before the first document: false      where that document is `initializing` and the client wants to see it
//      until the feed is ready:   s          the state (a number or an array)
//      from then on:              {s, v}     with what is watched, so that emit need not compute it again
//
// A change is a row's `old_val`, unapplied, and its `new_val`, applied; the server's `hasFields` is false for null, so
// that additions, removals and changes all take the same two steps. Of the many initial rows, which alone have no key but
// `new_val`, each takes one test and one step: what a fold costs the server is the number of terms that it runs per row.

import type { FeedOptions } from '../../analyze/feed-options.ts';
import { foldableKindOf } from '../../kinds/index.ts';
import type { FoldableLive, Live, Place, Source } from '../../live.ts';
import { type Builder, builder, type Expression } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { type FreshVars, funcTerm } from '../../reql/term/vars.ts';
import { placeOf } from '../../sources/place.ts';
import { constantElement, elementCount, unboxed } from '../element-count.ts';
import { type ElementFeed, elementFeed } from '../element-feed.ts';
import { proxyOnly } from '../proxy-only.ts';
import type { Raising } from './raising.ts';
import { type ServerState, type Slot, serverState } from './server-state.ts';

/** The server plan of a live query. */
export interface ServerPlan {
  readonly watched: FoldableLive['watched'];
  /** The term in the place of CHANGES: a feed of the client's documents. */
  readonly term: CallTerm;
  readonly growth: ServerState['growth'];
}

/**
 * Writes the server plan.
 * @returns `undefined` where a fold cannot say it: several sources of which one takes no `map`, a client's `reducer`, which is
 *   called once for all changes of a batch, and a fold knows no batches, or an aggregate that ReQL cannot say exactly.
 */
export function serverPlan(
  live: Live,
  options: FeedOptions,
  fresh: FreshVars,
  raising: Raising,
): ServerPlan | undefined {
  if (!isFoldable(live)) return undefined;
  const state = serverState(live, raising);
  const t = builder(live.changes.origin, fresh);
  const single = singleElements(t, live, state);
  const feed = elementFeed(single?.live ?? live, options, fresh, 'server');
  if (feed.readies > 1) return undefined;
  const shell: Shell = { t, live, options, raising, feed, state, singleSlot: state.slots.length === 1, single };
  const term = t.fold(
    feed.term,
    isMarked(options) ? NOTHING_YET : emptyState(shell),
    t.func((acc, change) => step(shell, acc, change), 2),
    { emit: t.func((old, _change, acc) => published(shell, old, acc), 3) },
  );
  return { term, watched: live.watched, growth: state.growth };
}

function isFoldable(live: Live): live is FoldableLive {
  return live.watched.kind !== 'reduced' && proxyOnly(live.watched) === undefined;
}

/** The base of a fold that shows the document `initializing`. */
const NOTHING_YET = false;
/** The keys of an initial document of an element feed. */
const INITIAL_KEYS = ['new_val'];

interface Shell {
  readonly t: Builder;
  readonly live: FoldableLive;
  readonly options: FeedOptions;
  readonly raising: Raising;
  readonly feed: ElementFeed;
  readonly state: ServerState;
  /** The only slot is the state, without an array around it. */
  readonly singleSlot: boolean;
  /** The feed carries elements without an array around them; `undefined` where it does not. */
  readonly single: SingleElements | undefined;
}

interface SingleElements {
  /** The query with the functions that such a feed projects by. */
  readonly live: FoldableLive;
  /** The element in what the feed carries of a row. */
  readonly element: (carried: Term) => Term;
}

/**
 * A feed that carries the elements themselves, and null for a row that is none: an array less to make and two terms less to run
 * for each row. Beside a place an element that is always the same need not be carried. `undefined` where a row can be several
 * elements, or an element be null.
 */
function singleElements(t: Builder, live: FoldableLive, { slots }: ServerState): SingleElements | undefined {
  const source = live.sources[0];
  const consumer = source?.projections[0];
  if (source === undefined || consumer === undefined) return undefined;
  if (live.sources.length > 1 || source.projections.length > 1) return undefined;
  if (source.wholeRows || !slots.every(({ neverNull }) => neverNull)) return undefined;
  const constant = source.place === undefined ? undefined : constantElement(consumer);
  const func = singleElement(t, consumer, source.place, constant !== undefined);
  if (func === undefined) return undefined;
  return {
    live: { ...live, sources: [{ ...source, projections: [func], place: undefined }] },
    element: (carried) => (source.place === undefined ? carried : (constant ?? t.nth(carried, 0))),
  };
}

/** The function from a row to its element, to the pair of element and place, or to the place where that is enough. */
function singleElement(
  t: Builder,
  consumer: CallTerm,
  place: Place | undefined,
  isEnough: boolean,
): CallTerm | undefined {
  const plain = unboxed(consumer);
  const [row] = plain?.params ?? [];
  if (plain === undefined || place === undefined || row === undefined)
    return plain && funcTerm(plain.params, plain.body, consumer);
  const at = placeOf(t, place, t.var(row), 'server');
  const shaped = unboxed(consumer, (element) => (isEnough ? at : t.array(element, at)));
  return funcTerm(plain.params, shaped?.body ?? plain.body, consumer);
}

function wrapped({ t, singleSlot: bare }: Shell, slots: readonly Term[]): Term {
  const only = slots[0];
  return bare && only !== undefined ? only : t.array(...slots);
}

function slotOf({ t, singleSlot: bare }: Shell, state: Term, index: number): Term {
  return bare ? state : t.nth(state, index);
}

function step(shell: Shell, acc: Term, change: Term): Term {
  const { t } = shell;
  const isInitial = t.eq(t.keys(change), INITIAL_KEYS);
  const state = t.branch(isReady(t, acc), t.bracket(acc, 's'), acc);
  const isNowReady = t.branch(t.hasFields(change, 'state'), t.eq(t.bracket(change, 'state'), 'ready'), isReady(t, acc));
  return t.branch(
    isInitial,
    folded(shell, acc, t.bracket(change, 'new_val'), 'apply'),
    t.do(
      (before) =>
        t.do((after) => t.branch(isNowReady, ready(shell, t.expr(after)), after), changed(shell, before, change)),
      state,
    ),
  );
}

/** The accumulator of a feed that is ready. */
function ready(shell: Shell, state: Term): Term {
  return shell.t.fields({ s: state, v: shell.state.watched(shell.t, (index) => slotOf(shell, state, index)) });
}

// Numbers and arrays come before all objects, and `false` before all numbers.
function isReady(t: Builder, acc: Term): Term {
  return t.gt(acc, Number.MAX_VALUE);
}

/** Whether the fold's base only marks that nothing has come yet, so that emit knows the document `initializing`. */
function isMarked({ includeInitial, includeStates }: FeedOptions): boolean {
  return includeInitial && includeStates;
}

/** The state of no elements. */
function emptyState(shell: Shell): Term {
  return wrapped(
    shell,
    shell.state.slots.map(({ base }) => shell.t.expr(base)),
  );
}

/** The state after a change or a state document. What is neither tells of an overflow. */
function changed(shell: Shell, state: Term, change: Term): Term {
  const { t } = shell;
  const { mark } = shell.raising;
  const text = t.bracket(change, 'error');
  const side = (name: string, of: Term, kind: 'apply' | 'unapply'): Term =>
    folded(shell, of, t.bracket(change, name), kind);
  const otherwise = isMarked(shell.options) ? t.branch(t.eq(state, NOTHING_YET), emptyState(shell), state) : state;
  const after = t.do(
    (taken) =>
      t.branch(
        t.hasFields(change, 'new_val'),
        side('new_val', taken, 'apply'),
        t.hasFields(change, 'old_val'),
        taken,
        t.hasFields(change, 'error'),
        t.error(mark === '' ? text : t.add(mark, text)),
        otherwise,
      ),
    t.branch(t.hasFields(change, 'old_val'), side('old_val', state, 'unapply'), state),
  );
  const moved = movedAlone(shell, change);
  return moved === undefined ? after : t.branch(moved, state, after);
}

/** Whether a change is one of the place alone, which is nothing to the state; `undefined` where no place is carried. */
function movedAlone({ t, live, feed, single }: Shell, change: Term): Term | undefined {
  if (live.sources.every(({ place }) => place === undefined)) return undefined;
  const placed = live.sources.flatMap(({ place }, tag) => (place === undefined ? [] : [tag]));
  const carried = (side: string): Term => (feed.tagged ? t.nth(t.bracket(change, side), 1) : t.bracket(change, side));
  const element = single?.element ?? ((of: Term): Term => t.nth(of, 0));
  const [old, now] = [element(carried('old_val')), element(carried('new_val'))];
  const tests = [
    ...(feed.tagged ? [t.contains(placed, t.nth(t.bracket(change, 'new_val'), 0))] : []),
    ...(old === now ? [] : [t.eq(old, now)]),
  ];
  const both = t.hasFields(change, 'old_val', 'new_val');
  return tests.length === 0 ? both : t.and(both, ...tests);
}

/** The state with what a row carries applied or unapplied. */
function folded(shell: Shell, state: Term, carried: Term, kind: 'apply' | 'unapply'): Term {
  const { t, live, feed } = shell;
  const take = (source: Source, index: number, of: Term): Term =>
    ofSource(shell, source, index, state, payloadOf(shell, source, of), kind);
  const only = live.sources[0];
  if (only === undefined) return state;
  if (!feed.tagged) return take(only, 0, carried);
  const branches = live.sources.flatMap((source, index) => [
    t.eq(t.nth(carried, 0), index),
    take(source, index, t.nth(carried, 1)),
  ]);
  return t.branch(...branches, state);
}

/** What is carried of a row, without its place. */
function payloadOf({ t, single }: Shell, { place }: Source, carried: Term): Term {
  if (single !== undefined) return single.element(carried);
  return place === undefined ? carried : t.nth(carried, 0);
}

function ofSource(
  shell: Shell,
  source: Source,
  index: number,
  state: Term,
  payload: Term,
  kind: 'apply' | 'unapply',
): Term {
  const { t } = shell;
  const into = (slot: Slot, before: Term, elements: Term): Term => {
    let acc = before;
    for (const part of slot.parts) {
      const func = source.projections[part.projection];
      if (part.source !== index || func === undefined) continue;
      const own = source.projections.length > 1 ? t.nth(elements, part.projection) : elements;
      acc = shell.single === undefined ? withElements(t, slot, func, acc, own, kind) : t.expr(slot[kind](t, acc, own));
    }
    return acc;
  };
  const slots = (elements: Term): Term =>
    wrapped(
      shell,
      shell.state.slots.map((slot, at) => into(slot, slotOf(shell, state, at), elements)),
    );
  if (!source.wholeRows) return slots(payload);
  const elements = projectedHere(shell, source, payload);
  return readsTwice(source) ? t.do((made) => slots(t.expr(made)), elements) : slots(elements);
}

/** Whether the fold reads the elements of a row more than once. */
function readsTwice({ projections: consumers }: Source): boolean {
  const [only, ...more] = consumers;
  return more.length > 0 || (only !== undefined && elementCount(only) === 'at most one');
}

/** A source that takes no `map` carries whole rows: its elements are computed in the fold. */
function projectedHere({ t }: Shell, source: Source, row: Term): Term {
  const [only, ...more] = source.projections;
  if (only !== undefined && more.length === 0) return t.do(only, row);
  return t.array(...source.projections.map((consumer) => t.do(consumer, row)));
}

function withElements(
  t: Builder,
  slot: Slot,
  consumer: CallTerm,
  acc: Term,
  elements: Term,
  kind: 'apply' | 'unapply',
): Term {
  const one = (of: Term, element: Term): Expression => slot[kind](t, of, element);
  switch (elementCount(consumer)) {
    case 'one':
      return t.expr(one(acc, t.nth(elements, 0)));
    case 'at most one':
      return t.branch(t.isEmpty(elements), acc, one(acc, t.nth(elements, 0)));
    case 'any':
      return t.fold(
        elements,
        acc,
        t.func((of, element) => one(of, element), 2),
      );
  }
}

/** What the client gets for a change: nothing before `ready`, then what is there, then differences. */
function published(shell: Shell, old: Term, acc: Term): Term {
  const { t, options, live } = shell;
  const { watched } = live;
  const { includeInitial, includeStates, includeTypes } = options;
  const state = (name: string): Expression => ({ state: name, type: includeTypes ? 'state' : undefined });
  const loading = isMarked(options) ? t.branch(t.eq(old, NOTHING_YET), [state('initializing')], []) : t.array();
  const value = t.bracket(acc, 'v');
  const initial = includeInitial
    ? foldableKindOf(watched).initial(t, value, includeTypes ? 'initial' : undefined, watched)
    : t.array();
  const opening = includeStates ? t.append(initial, state('ready')) : initial;
  return t.branch(
    isReady(t, acc),
    t.branch(isReady(t, old), difference(shell, t.bracket(old, 'v'), value), opening),
    loading,
  );
}

/** The documents between two moments: none where nothing differs. */
function difference({ t, live: { watched }, options }: Shell, old: Term, now: Term): Term {
  const documents = foldableKindOf(watched).between(t, old, now, options.includeTypes, watched);
  return t.branch(t.eq(old, now), [], documents);
}
