// CHANGES: what a stream reads from, as the feeds that show its changes (seq.cc, changes_term_t; datum_stream.cc,
// get_changespecs). Whatever RethinkDB cannot watch is refused here in its words.

import { asNumber, isTrue, typeName } from '../../../rewrite/reql/data/data-type.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { indexBoundKey, rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { asInteger } from '../../../rewrite/reql/data/number.ts';
import { logicError, resourceLimit } from '../../../rewrite/reql/error.ts';
import { isStreamLike } from '../../../rewrite/reql/eval/core/args.ts';
import { bind } from '../../../rewrite/reql/eval/core/bind.ts';
import { SingleSelection, type Value } from '../../../rewrite/reql/eval/core/value.ts';
import {
  type Args,
  asSelection,
  Determinism,
  type EvalContext,
  op,
  type TermTable,
} from '../../../rewrite/reql/eval/index.ts';
import { SliceStream } from '../../../rewrite/reql/eval/streams/slice-stream.ts';
import { applyTransforms, type Stream, TransformedStream } from '../../../rewrite/reql/eval/streams/stream.ts';
import type { Transform } from '../../../rewrite/reql/eval/streams/transform.ts';
import { UnionStream } from '../../../rewrite/reql/eval/streams/union-stream.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import { type Origin, ROOT } from '../../../rewrite/reql/origin.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { RowTransform } from '../feed/change-view.ts';
import { EmptySubscription } from '../feed/empty-subscription.ts';
import type { FeedOptions } from '../feed/feed-options.ts';
import { FeedStream, FeedUnionStream } from '../feed/feed-stream.ts';
import { LimitSubscription } from '../feed/limit-subscription.ts';
import { PointSubscription } from '../feed/point-subscription.ts';
import { RangeSubscription, type Selection } from '../feed/range-subscription.ts';
import type { Subscription } from '../feed/subscription.ts';
import { indexOf, isEmptyRange, keyRange, placesBehind, type ReadSpec, readRows } from '../value/row-range.ts';
import { ExtremeSelection, KeySelection } from '../value/row-selection.ts';
import { TableStream } from '../value/table-stream.ts';
import { ROW_STEPS } from './answer-budget.ts';
import { asMistake, QueryContext, requirePermission } from './query-context.ts';

/** What one feed watches: rows, or the first of them, and the terms between them and `changes`. */
interface Watched {
  readonly spec: ReadSpec;
  readonly transforms: readonly Transform[];
  /** How many rows at most, where the rows are in an order. */
  readonly limit: number | undefined;
}

/** The text of a feed's source, where no variable and no limit of the query makes it mean something else. */
function sourceKey(args: Args, place: number): string | undefined {
  const text = args.terms[0]?.term.text;
  if (text === undefined || args.scope !== undefined) return undefined;
  return `${args.context.arrayLimit} ${place} ${text}`;
}

const eager = (stream: Stream) => logicError('Cannot call `changes` on an eager stream.', stream.origin);

function watchedBy(stream: Stream): readonly Watched[] {
  if (stream instanceof TableStream) return [{ spec: stream.spec, transforms: [], limit: undefined }];
  if (stream instanceof UnionStream || stream instanceof FeedUnionStream) return stream.streams.flatMap(watchedBy);
  if (stream instanceof SliceStream) return [watchedBySlice(stream, [], stream)];
  if (stream instanceof TransformedStream) {
    const { source, transforms } = stream;
    if (source instanceof TableStream) return [{ spec: source.spec, transforms, limit: undefined }];
    if (source instanceof SliceStream) return [watchedBySlice(source, transforms, stream)];
  }
  throw eager(stream);
}

/** A slice from the start, with the terms after it; the server puts those before the limit. */
function watchedBySlice(slice: SliceStream, after: readonly Transform[], whole: Stream): Watched {
  if (after.some(({ kind }) => kind !== 'filter')) {
    throw logicError(
      'Changefeeds are not supported on queries that have a transformation following a `limit` term.  Transformations include terms such as `filter`, `map`, `pluck`, etc.  Consider moving the transformation before the `limit` term.',
      whole.origin,
    );
  }
  if (slice.left !== 0) throw eager(whole);
  const [watched, ...others] = watchedBy(slice.source);
  if (watched === undefined || others.length > 0) {
    throw logicError('Cannot call `changes` on a slice of a union.', whole.origin);
  }
  if (watched.limit !== undefined) throw eager(whole);
  return { ...watched, transforms: [...watched.transforms, ...after], limit: slice.right };
}

/** Raises QUERY_LOGIC for terms that may give two rows for one, or another row each time. */
function checkTransforms(transforms: readonly Transform[]): void {
  for (const { kind, functions } of transforms) {
    if (kind === 'concatMap') throw logicError('Cannot call `changes` after `concat_map`.');
    if (kind === 'distinct') throw logicError('Cannot call `changes` after `distinct`.');
    if (kind === 'zip') throw logicError('Cannot call `changes` after `zip`.');
    for (const { determinism, origin } of functions) {
      if ((determinism & Determinism.NONDETERMINISTIC) !== 0) {
        throw logicError('Cannot call `changes` after a non-deterministic function.', origin);
      }
    }
  }
}

/** `source`: what tells the source of the feed from others, if its terms do the same whenever they are run. */
function rowTransform(
  transforms: readonly Transform[],
  source: string | undefined,
  meter: Meter,
): RowTransform | undefined {
  if (transforms.length === 0) return undefined;
  const alike = transforms.every(({ functions }) =>
    functions.every(({ determinism }) => determinism === Determinism.ALWAYS),
  );
  return {
    key: alike ? source : undefined,
    apply(row) {
      let made: Datum | undefined;
      // Somebody else's write is shown to the feed: its steps are not counted to the last answer of the feed.
      meter.apart(ROW_STEPS, () =>
        applyTransforms(transforms, 0, row, (element) => {
          made = element;
        }),
      );
      return made;
    },
  };
}

function selectionOf({ index, range }: ReadSpec): Selection {
  if (range.kind === 'bounds') return { kind: 'range', range: keyRange(range.bounds, index !== undefined) };
  const stored = range.keys.map(
    ([key, copies]) => [index === undefined ? rowKey(key) : indexBoundKey(key), copies] as const,
  );
  return { kind: 'keys', copies: new Map(stored) };
}

function* initialRows(spec: ReadSpec, transform: RowTransform | undefined): Generator<Datum> {
  // These are the rows when the feed is opened: later writes come as changes.
  const rows = [...readRows(spec)];
  yield null;
  for (const { value } of rows) {
    const made = transform === undefined ? value : transform.apply(value);
    if (made !== undefined) yield made;
  }
}

function openRange(
  { spec, transforms }: Watched,
  options: FeedOptions,
  source: string | undefined,
  meter: Meter,
): Subscription {
  if (options.includeOffsets) {
    const kind = isEmptyRange(spec.range) ? 'empty' : 'range';
    throw logicError(`Cannot include offsets for ${kind} subs.`);
  }
  // An index that is not there is noticed only by a read.
  const missing = spec.index !== undefined && spec.table.store.index(spec.index) === undefined;
  if (isEmptyRange(spec.range) || (missing && !options.includeInitial)) return new EmptySubscription(options);
  const transform = rowTransform(transforms, source, meter);
  const initial = options.includeInitial ? initialRows(spec, transform) : emptyIterator();
  initial.next();
  return new RangeSubscription(options, { index: spec.index, selection: selectionOf(spec), transform, initial });
}

function* emptyIterator(): Generator<Datum> {}

function openLimit(watched: Watched, limit: number, options: FeedOptions, context: EvalContext): Subscription {
  const { arrayLimit, meter } = context;
  const { spec, transforms } = watched;
  if (limit > arrayLimit) {
    throw resourceLimit(
      `Array size limit \`${arrayLimit}\` exceeded.  (\`.limit(X).changes()\` is illegal if X is larger than the array size limit.)`,
    );
  }
  if (spec.sorting === 'unordered') {
    throw logicError('Cannot get changes on the first elements of an unordered stream.', ROOT);
  }
  if (spec.range.kind === 'keys' || isEmptyRange(spec.range)) return new EmptySubscription(options);
  const range = keyRange(spec.range.bounds, spec.index !== undefined);
  const index = indexOf(spec);
  return new LimitSubscription(options, {
    index: index === undefined || spec.index === undefined ? undefined : { name: spec.index, index },
    range,
    descending: spec.sorting === 'descending',
    limit,
    transform: rowTransform(transforms, undefined, meter),
    behind: (sortKey) => placesBehind(spec, range, sortKey),
  });
}

function openPoint(table: TableHandle, key: Datum, options: FeedOptions): Subscription {
  if (options.includeOffsets) throw logicError('Cannot include offsets for point subs.');
  const stored = rowKey(key);
  return new PointSubscription(options, stored, table.store.get(stored)?.value ?? null);
}

function squashOptarg(args: Args): Datum {
  const given = args.optargDatum('squash');
  const squash = given === undefined ? false : given;
  const fail = (message: string) => logicError(message, args.optargMaker('squash'));
  if (typeof squash === 'number') {
    if (squash < 0) throw fail('Expected BOOL or a positive NUMBER but found a negative NUMBER.');
  } else if (typeof squash !== 'boolean') {
    throw fail(`Expected BOOL or NUMBER but found ${typeName(squash)}.`);
  }
  return squash;
}

const DEFAULT_QUEUE_SIZE = 100_000;

function queueSizeOptarg(args: Args): number {
  const size = args.optargDatum('changefeed_queue_size');
  if (size === undefined) return DEFAULT_QUEUE_SIZE;
  const given = bind(args.optargMaker('changefeed_queue_size'), () => asInteger(asNumber(size)));
  if (given < 1) throw logicError(`Illegal changefeed queue size \`${given}\`.  (Must be >= 1.)`);
  return given;
}

function feedOptions(args: Args, squash: Datum): Omit<FeedOptions, 'queueSize'> {
  return {
    squash: isTrue(squash),
    interval: typeof squash === 'number' ? squash : 0,
    includeStates: args.optargBool('include_states', false),
    includeTypes: args.optargBool('include_types', false),
    includeInitial: args.optargBool('include_initial', false),
    includeOffsets: args.optargBool('include_offsets', false),
  };
}

function changes(args: Args): Value {
  const asked = feedOptions(args, squashOptarg(args));
  const value = args.value(0);
  const options: FeedOptions = { ...asked, queueSize: queueSizeOptarg(args) };
  const feed = (table: TableHandle, subscription: Subscription, origin: Origin | undefined): FeedStream => {
    table.feeds.add(subscription);
    subscription.guard(() => requirePermission(args.context, 'read', table.scope));
    if (args.context instanceof QueryContext) args.context.keep(subscription);
    return new FeedStream(subscription, origin, args.context.meter);
  };
  if (value instanceof KeySelection) {
    asMistake(() => value.table.authorize('read'));
    const { handle } = value.table;
    return feed(handle, openPoint(handle, value.key, options), value.origin);
  }
  if (value instanceof ExtremeSelection) {
    const { slice, table } = value;
    asMistake(() => table.authorize('read'));
    const watched = { spec: slice.spec, transforms: [], limit: 1 };
    return feed(table.handle, openLimit(watched, 1, options, args.context), value.origin);
  }
  if (value instanceof SingleSelection || !isStreamLike(value)) {
    asSelection(value, args.maker(0));
    throw args.fail('.changes() not yet supported on range selections');
  }
  const watched = watchedBy(args.streamOf(value, args.maker(0)));
  const streams = watched.map((one, place) => {
    checkTransforms(one.transforms);
    const { spec, limit } = one;
    asMistake(() => requirePermission(args.context, 'read', spec.table.scope));
    const opened =
      limit === undefined
        ? openRange(one, options, sourceKey(args, place), args.context.meter)
        : openLimit(one, limit, options, args.context);
    return feed(spec.table, opened, args.origin);
  });
  const [only] = streams;
  return streams.length === 1 && only !== undefined
    ? only
    : new FeedUnionStream(streams, args.origin, true, args.context.meter);
}

export const changesTerms: TermTable = { [TermType.CHANGES]: op(changes) };
