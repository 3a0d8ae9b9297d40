// ORDER_BY, ASC, DESC, DISTINCT and UNION: sequences in an order, without repetitions, and put together.

import { compareDatums } from '../../data/compare.ts';
import type { Datum } from '../../data/datum.ts';
import { datumKey } from '../../data/datum-key.ts';
import { isSpread } from '../../term/spread.ts';
import type { Term } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import { type Args, asFunc } from '../core/args.ts';
import { compileTerm } from '../core/compile.ts';
import type { Compiled } from '../core/compiled.ts';
import { Determinism } from '../core/compiled.ts';
import type { TermTable } from '../core/context.ts';
import { op, preparedOp } from '../core/op.ts';
import { isNonDatum, Selection, Table, TableSlice, toDatum, type Value } from '../core/value.ts';
import { type Comparison, sortBy } from '../sorting/sort.ts';
import { Batch, type BatchSpec, TERMINAL } from '../streams/batch.ts';
import { arrayTooLong, drain, streamValue } from '../streams/materialize.ts';
import { OrderedUnionStream } from '../streams/ordered-union.ts';
import { ArrayStream, Stream } from '../streams/stream.ts';
import { UnionStream } from '../streams/union-stream.ts';

const NO_ARGS = 'r.args is not supported in an order_by or union command yet.';

/** The order that one argument of `orderBy` or `interleave` asks for. */
function comparisonOf(args: Args, term: Term, value: Value, maker: Compiled['origin']): Comparison {
  if (isSpread(term)) throw args.fail(NO_ARGS);
  const func = asFunc(value, maker, args.context.meter, 'field');
  if ((func.determinism & Determinism.NONDETERMINISTIC) !== 0) {
    throw args.fail('Sorting by a non-deterministic function is not supported.');
  }
  return { func, descending: isCall(term, TermType.DESC) };
}

function isCall(term: Term | undefined, type: number): boolean {
  return term?.kind === 'call' && term.type === type;
}

const UNINDEXED =
  'Indexed order_by can only be performed on a TABLE or TABLE_SLICE. Make sure order_by comes before any transformations (such as map) or filters.';

const orderBy = preparedOp((call) => {
  const indexTerm = call.optargs.find(([name]) => name === 'index')?.[1];
  return (args) => {
    const [sequence, ...by] = call.args;
    if (sequence !== undefined && isSpread(sequence)) throw args.fail(NO_ARGS);
    const comparisons = by.map((term, index) => {
      const value = args.value(index + 1);
      return comparisonOf(args, term, value, args.maker(index + 1));
    });
    return order(args, comparisons, isCall(indexTerm, TermType.DESC));
  };
});

function order(args: Args, comparisons: readonly Comparison[], descending: boolean): Value {
  const value = args.value(0);
  const maker = args.maker(0);
  const slice = value instanceof Table ? value.slice() : value instanceof TableSlice ? value : undefined;
  const table = slice?.table ?? (value instanceof Selection ? value.table : undefined);
  const stream = slice === undefined ? args.streamOf(value, maker) : undefined;
  const index = args.optarg('index');
  const nothingToOrderBy = (): Error => args.fail('Must specify something to order by.');
  const wrap = (sorted: Stream): Value =>
    table === undefined ? streamValue(sorted, args.context) : new Selection(table, sorted);
  if (stream?.exhausted()) {
    if (index === undefined && comparisons.length === 0) throw nothingToOrderBy();
    return wrap(stream);
  }
  if (index !== undefined) {
    if (slice === undefined) throw args.fail(UNINDEXED);
    const ordered = slice.orderedBy(args.optargString('index') ?? '', descending);
    if (comparisons.length === 0) return ordered;
    return wrap(new SortedGroups(ordered, comparisons, args));
  }
  const source = stream ?? slice?.rows(args.origin) ?? args.streamOf(value, maker);
  if (comparisons.length === 0) throw nothingToOrderBy();
  const { meter } = args.context;
  return wrap(new ArrayStream(sortBy(drain(source, args.context), comparisons, meter), args.origin, meter));
}

/** Rows by an index, those of one index value sorted further. */
class SortedGroups extends Stream {
  readonly #groups: Iterator<readonly Datum[]>;
  readonly #comparisons: readonly Comparison[];

  #done = false;

  constructor(slice: TableSlice, comparisons: readonly Comparison[], args: Args) {
    super(args.origin, args.context.meter);
    this.#groups = slice.rowGroups(args.origin)[Symbol.iterator]();
    this.#comparisons = comparisons;
  }

  override exhausted(): boolean {
    return this.#done && this.given;
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    const made = new Batch(spec, this.meter);
    while (!made.full && !this.#done) {
      const group = this.#groups.next();
      if (group.done === true) this.#done = true;
      else for (const row of sortBy(group.value, this.#comparisons, this.meter)) made.add(row);
    }
    return made.elements;
  }
}

function distinct(args: Args): Value {
  const value = args.value(0);
  const hasIndex = args.optarg('index') !== undefined;
  const slice = value instanceof Table ? value.slice() : value instanceof TableSlice ? value : undefined;
  const byIndex = slice?.distinct(hasIndex ? args.optargString('index') : undefined, args.origin);
  if (byIndex !== undefined) return streamValue(byIndex, args.context);
  if (hasIndex) throw args.fail('Can only perform an indexed distinct on a TABLE.');
  const stream = args.streamOf(value, args.maker(0));
  const { meter } = args.context;
  const found = new Map<string, Datum>();
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) {
    const key = datumKey(row, meter);
    if (!found.has(key)) found.set(key, row);
    if (found.size > args.context.arrayLimit) throw arrayTooLong(args.context, args.origin);
  }
  return [...found.values()].sort((a, b) => compareDatums(a, b, meter));
}

/** `interleave` as it is written: an array of orders, or one value (a bool, or an order). */
const union = preparedOp((call, env) => {
  const optarg = call.optargs.find(([name]) => name === 'interleave')?.[1];
  const listed = optarg?.kind === 'call' && optarg.type === TermType.MAKE_ARRAY ? optarg.args : undefined;
  const orders = listed?.map((term) => [term, compileTerm(term, { ...env, literalOk: false })] as const);
  return (args) => {
    const streams = Array.from({ length: args.count }, (_, index) => args.stream(index));
    const comparisons = orders?.map(([term, order]) => comparisonOf(args, term, order.eval(args.scope), order.maker()));
    return streamValue(united(args, streams, comparisons ?? interleaving(args, optarg)), args.context);
  };
});

function interleaving(args: Args, term: Term | undefined): boolean | readonly Comparison[] {
  if (term === undefined) return true;
  const value = args.optarg('interleave');
  if (value === undefined) return true;
  const maker = args.optargMaker('interleave');
  const datum = isNonDatum(value) ? undefined : toDatum(value, maker);
  return typeof datum === 'boolean' ? datum : [comparisonOf(args, term, value, maker)];
}

function united(args: Args, streams: readonly Stream[], interleave: boolean | readonly Comparison[]): Stream {
  if (interleave === true) return new UnionStream(streams, args.origin, args.context.meter);
  return new OrderedUnionStream(streams, interleave === false ? [] : interleave, args.origin, args.context.meter);
}

/** The terms of this family. */
export const orderTerms: TermTable = {
  [TermType.ORDER_BY]: orderBy,
  [TermType.ASC]: op((args) => passOn(args)),
  [TermType.DESC]: op((args) => passOn(args)),
  [TermType.DISTINCT]: op(distinct),
  [TermType.UNION]: union,
};

function passOn(args: Args): Value {
  const value = args.value(0);
  args.made = args.maker(0);
  return value;
}
