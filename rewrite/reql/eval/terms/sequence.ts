// MAP, CONCAT_MAP, FILTER, ZIP, RANGE, IS_EMPTY, CONTAINS, OFFSETS_OF, DIFFERENCE, FOR_EACH, SAMPLE: terms over the
// elements of a sequence.

import { equalDatums } from '../../data/compare.ts';
import { isTrue } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { TermType } from '../../term-type.ts';
import { type Args, asSelection, isSelectionLike } from '../core/args.ts';
import { compileTerm } from '../core/compile.ts';
import type { TermTable } from '../core/context.ts';
import { Func } from '../core/func.ts';
import { op, preparedOp } from '../core/op.ts';
import { rewritten, withOptargsOf } from '../core/rewritten.ts';
import { equalTo, NativeFunc } from '../core/shortcut-func.ts';
import { Selection, toDatum, type Value } from '../core/value.ts';
import { atMost, NORMAL, TERMINAL } from '../streams/batch.ts';
import { MapStream, OffsetsStream } from '../streams/function-stream.ts';
import { streamValue } from '../streams/materialize.ts';
import { RangeStream } from '../streams/range-stream.ts';
import { concatMapElements, filterElements, mapElements, zipElements } from './element.ts';

function map(args: Args): Value {
  const sequences = args.count - 1;
  const streams = Array.from({ length: sequences }, (_, index) => args.stream(index));
  const func = args.func(sequences);
  const { arity } = func;
  if (arity !== undefined && arity !== 0 && arity !== sequences) {
    throw args.fail(
      `The function passed to \`map\` expects ${arity} argument${arity === 1 ? '' : 's'}, but ${sequences} sequence${sequences === 1 ? ' was' : 's were'} found.`,
    );
  }
  const [only] = streams;
  const mapped =
    only !== undefined && sequences === 1
      ? only.transform(mapElements(func, args.origin))
      : new MapStream(streams, func, args.origin, args.context.meter);
  return streamValue(mapped, args.context);
}

function concatMap(args: Args): Value {
  const stream = args.stream(0);
  return streamValue(stream.transform(concatMapElements(args.func(1), args.origin, args.context.meter)), args.context);
}

const filter = preparedOp(
  (call, env) => {
    const optarg = call.optargs.find(([name]) => name === 'default');
    const otherwise = optarg === undefined ? undefined : compileTerm(optarg[1], { ...env, literalOk: false });
    return (args) => {
      const value = args.value(0);
      const func = args.func(1, 'constant');
      const fallback =
        otherwise &&
        new NativeFunc(
          0,
          otherwise.origin,
          args.context.meter,
          () => otherwise.eval(args.scope),
          false,
          otherwise.determinism,
        );
      const transform = filterElements(func, fallback, args.origin);
      if (isSelectionLike(value)) {
        const { table, stream } = asSelection(value, args.maker(0));
        return new Selection(table, stream.transform(transform));
      }
      return streamValue(args.streamOf(value, args.maker(0)).transform(transform), args.context);
    };
  },
  { grouping: 'sequence', literalFrom: 1 },
);

function range(args: Args): Value {
  const { meter } = args.context;
  if (args.count === 0) return new RangeStream(0, Number.POSITIVE_INFINITY, args.origin, meter);
  if (args.count === 1) return new RangeStream(0, args.integer(0), args.origin, meter);
  const start = args.integer(0);
  return new RangeStream(start, args.integer(1), args.origin, meter);
}

/** A condition on elements: a function, or a datum to be equal to. */
function condition(args: Args, index: number): Func {
  const value = args.value(index);
  if (value instanceof Func) return value;
  const wanted = toDatum(value, args.maker(index));
  return equalTo(wanted, args.origin, args.context.meter);
}

function offsetsOf(args: Args): Value {
  const func = condition(args, 1);
  return streamValue(new OffsetsStream(args.stream(0), func), args.context);
}

/** Whether each wanted element is met, and each function accepts one; an element counts once for each kind. */
function contains(args: Args): Value {
  const stream = args.stream(0);
  const elements: Datum[] = [];
  const functions: Func[] = [];
  for (let i = 1; i < args.count; i++) {
    const value = args.value(i);
    if (value instanceof Func) functions.push(value);
    else elements.push(toDatum(value, args.maker(i)));
  }
  const { meter } = args.context;
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) {
    const element = row;
    meter.spend(elements.length);
    removeFirst(elements, (wanted) => equalDatums(wanted, element, meter));
    removeFirst(functions, (func) => isTrue(func.datum1(element)));
    if (elements.length === 0 && functions.length === 0) return true;
  }
  return false;
}

// The last takes the place of the one found, as in the server, so that functions are asked in its order.
function removeFirst<Item>(items: Item[], found: (item: Item) => boolean): void {
  const index = items.findIndex(found);
  const last = index < 0 ? undefined : items.pop();
  if (last !== undefined && index < items.length) items[index] = last;
}

/** The terms of this family. */
export const sequenceTerms: TermTable = {
  [TermType.MAP]: op(map, { grouping: 'sequence' }),
  [TermType.CONCAT_MAP]: op(concatMap, { grouping: 'sequence' }),
  [TermType.FILTER]: filter,
  [TermType.ZIP]: op((args) =>
    streamValue(args.stream(0).transform(zipElements(args.origin, args.context.meter)), args.context),
  ),
  [TermType.RANGE]: op(range),
  [TermType.IS_EMPTY]: op((args) => args.stream(0).next(atMost(NORMAL, 1)) === undefined),
  [TermType.CONTAINS]: op(contains),
  [TermType.OFFSETS_OF]: op(offsetsOf),
  [TermType.DIFFERENCE]: rewritten((t, call) => {
    const [left, right] = call.args;
    if (left === undefined || right === undefined) return call;
    const kept = t.filter(
      left,
      t.func((row) => t.not(t.contains(right, row ?? null)), 1),
    );
    return withOptargsOf(call, kept);
  }),
};
