// The feed that RethinkDB is asked for: all sources of a live query in one, each row projected to the elements that its
// consumers take.
//
//   one source:       new_val = [elements of consumer 0]                 (several consumers: [[...], [...]])
//   with a place:     new_val = [the same as above, place]
//   several sources:  new_val = [index of the source, the same as above]
//
// An array even where there is one element, since a null row would make no event at all, and RethinkDB drops a change whose
// projections are equal, so that a count is not woken by updates. Where no element is null, the server plan does without the
// array (`fold.ts`). A source that takes no `map` sends whole rows instead.

import type { FeedOptions } from '../analyze/feed-options.ts';
import type { Live, Source } from '../live.ts';
import { type Builder, builder, type Fields } from '../reql/build/build.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { type Fold, indexRead, keysRead, placeOf } from '../sources/place.ts';
import { appliedToRow, onTop } from './projection.ts';

/** The element feed of a live query. */
export interface ElementFeed {
  /** A term that RethinkDB answers with a feed of changes of elements, with initial values and states. */
  readonly term: CallTerm;
  /** How many `{state: 'ready'}` it sends before everything is there. */
  readonly readies: number;
  /** Whether `new_val` and `old_val` are pairs of source and elements. */
  readonly tagged: boolean;
}

/**
 * Builds the element feed. Upstream squashes as the client asked, and queues as much; but where a row can be there twice
 * it must not squash: it does so by row, and a change of both would come as one (seen on 2.4.4).
 */
export function elementFeed(live: Live, options: FeedOptions, fresh: FreshVars, fold: Fold): ElementFeed {
  const t = builder(live.changes.origin, fresh);
  const { sources } = live;
  const optargs = {
    include_initial: true,
    include_states: true,
    include_types: false,
    include_offsets: false,
    squash: sources.some((source) => repeatsRows(source, live)) ? false : options.squash,
    changefeed_queue_size: options.queueSize,
  };
  const tagged = sources.length > 1;
  if (!tagged || sources.every(({ limited }) => !limited)) {
    const projected = sources.map((source, index) => projectedSource(t, source, tagged ? index : undefined, fold));
    return { term: t.changes(united(t, projected), optargs), readies: 1, tagged };
  }
  const feeds = sources.map((source, index) => taggedFeed(t, source, index, optargs, fold));
  return { term: united(t, feeds), readies: sources.length, tagged };
}

/**
 * Whether a source can give one row several times: `getAll` of several keys gives it once for each, and an index that is
 * `multi` for each of its values.
 */
function repeatsRows({ term }: Source, { globalOptargs }: Live): boolean {
  return keysRead(term) === 'several' || indexRead(term, globalOptargs) !== undefined;
}

function united(t: Builder, streams: readonly Term[]): CallTerm {
  const [first, ...more] = streams;
  if (first?.kind === 'call' && more.length === 0) return first;
  return t.union(...streams);
}

function projectedSource(t: Builder, source: Source, tag: number | undefined, fold: Fold): Term {
  const { term, wholeRows, limited, place } = source;
  if (limited || (wholeRows && place === undefined && tag === undefined)) return term;
  return t.map(term, projection(t, source, tag, fold));
}

/** The function from a row to what the feed carries for it. */
function projection(t: Builder, source: Source, tag: number | undefined, fold: Fold): Term {
  const { projections, wholeRows, place } = source;
  const [only, ...more] = projections;
  if (!wholeRows && place === undefined && tag === undefined && more.length === 0) return only ?? t.func(() => [], 1);
  return t.func((row) => {
    const elements = wholeRows ? narrowed(source, row) : elementsOf(t, projections, row);
    const carried = place === undefined ? elements : t.array(elements, placeOf(t, place, row, fold));
    return tag === undefined ? carried : t.array(tag, carried);
  }, 1);
}

/** What a source of whole rows carries of a row. */
function narrowed({ narrowing }: Source, row: Term): Term {
  return narrowing.reduce<Term>((below, above) => onTop(above, below), row);
}

function elementsOf(t: Builder, projections: readonly CallTerm[], row: Term): Term {
  const each = projections.map((projection) => appliedToRow(t, projection, row));
  const [only, ...more] = each;
  return only !== undefined && more.length === 0 ? only : t.array(...each);
}

/** A source that takes no `map` gets its tag after `changes`. */
function taggedFeed(t: Builder, source: Source, tag: number, optargs: Fields, fold: Fold): Term {
  const feed = t.changes(projectedSource(t, source, undefined, fold), optargs);
  const tagOf = (change: Term, side: string): Fields => ({
    [side]: t.branch(t.eq(t.bracket(change, side), null), null, [tag, t.bracket(change, side)]),
  });
  return t.map(
    feed,
    t.func(
      (change) =>
        ['old_val', 'new_val'].reduce<Term>(
          (document, side) => t.branch(t.hasFields(change, side), t.merge(document, tagOf(change, side)), document),
          change,
        ),
      1,
    ),
  );
}
