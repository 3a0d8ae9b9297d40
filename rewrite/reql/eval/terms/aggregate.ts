// COUNT, SUM, AVG, MIN, MAX, REDUCE, FOLD: one value of a sequence, or one per group.

import { asString, dataType } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { binaryBytes } from '../../data/pseudo.ts';
import type { Meter } from '../../meter.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { Func } from '../core/func.ts';
import { op } from '../core/op.ts';
import { equalTo } from '../core/shortcut-func.ts';
import { isDatumLike, Table, toDatum, type Value, wrongType } from '../core/value.ts';
import { TERMINAL } from '../streams/batch.ts';
import { FoldStream } from '../streams/function-stream.ts';
import { streamValue } from '../streams/materialize.ts';
import type { Stream } from '../streams/stream.ts';
import { type Accumulator, Average, Count, Extreme, Reduction, Sum, type ValueOf } from './accumulator.ts';
import { filterElements } from './element.ts';
import { GroupedData, GroupedStream, GroupMap } from './grouped.ts';

/** Characters that are counted in about the time of one step. */
const CHARACTERS_PER_STEP = 4;

/** Reads a stream to its end. A group to which no element counts does not show. */
function aggregate(args: Args, stream: Stream, start: () => Accumulator): Value {
  // The value counts as made by the term that made the stream.
  args.made = stream.origin;
  if (!(stream instanceof GroupedStream)) {
    const accumulator = start();
    stream.accumulate((elements) => {
      for (const element of elements) accumulator.add(element);
    });
    return accumulator.result();
  }
  const groups = new GroupMap<{ readonly accumulator: Accumulator; counts: boolean }>(stream.meter);
  stream.forEach((group, element) => {
    const entry = groups.at(group, () => ({ accumulator: start(), counts: false }));
    if (entry.accumulator.add(element)) entry.counts = true;
  });
  const shown = groups.entries().filter(([, { counts }]) => counts);
  return new GroupedData(
    shown.map(([group, { accumulator }]) => [group, accumulator.result()]),
    stream.meter,
  );
}

/** An aggregate of a value per element, which a second argument tells (a function or a field). */
interface ValueAggregate {
  readonly name: 'sum' | 'avg' | 'min' | 'max';
  readonly start: (valueIn: ValueOf, meter: Meter) => Accumulator;
  /** On a table, by an index instead; absent where the aggregate cannot. */
  readonly descending?: boolean;
}

function valueAggregate({ name, start, descending }: ValueAggregate): TermCompiler {
  return op(
    (args) => {
      const value = args.value(0);
      const maker = args.maker(0);
      const index = args.optarg('index');
      const func = args.count === 2 ? args.func(1, 'field') : undefined;
      if (func !== undefined && index !== undefined) {
        throw args.fail(`Cannot provide both a function and an index to ${name}.`);
      }
      const byTable = descending !== undefined && func === undefined && value instanceof Table;
      if (index !== undefined || byTable) {
        if (!(value instanceof Table)) throw wrongType(value, 'TABLE', maker);
        if (descending === undefined) throw args.fail(`Cannot call ${name} on an index.`);
        const by = args.optargString('index') ?? value.primaryKey;
        return value.extreme(by, descending, `\`${name}\` found no entries in the specified index.`, args.origin);
      }
      const valueIn: ValueOf = func === undefined ? (element) => element : (element) => func.tryDatum1(element);
      return aggregate(args, args.streamOf(value, maker), () => start(valueIn, args.context.meter));
    },
    { grouping: 'sequence' },
  );
}

function count(args: Args): Value {
  const value = args.value(0);
  const maker = args.maker(0);
  if (args.count === 1) {
    const size = isDatumLike(value) ? sizeOf(toDatum(value, maker), args.context.meter) : undefined;
    return size ?? aggregate(args, args.streamOf(value, maker), () => new Count());
  }
  const wanted = args.value(1);
  const func =
    wanted instanceof Func ? wanted : equalTo(toDatum(wanted, args.maker(1)), args.origin, args.context.meter);
  const counted = args.streamOf(value, maker).transform(filterElements(func, undefined, args.origin));
  return aggregate(args, counted, () => new Count());
}

// What is countable without being a sequence.
function sizeOf(datum: Datum, meter: Meter): number | undefined {
  switch (dataType(datum)) {
    case 'STRING':
      return characterCount(asString(datum), meter);
    case 'PTYPE<BINARY>':
      return binaryBytes(datum as DatumObject).length;
    case 'OBJECT':
      return Object.keys(datum as DatumObject).length;
    case 'ARRAY':
    case 'BOOL':
    case 'NULL':
    case 'NUMBER':
    case 'MINVAL':
    case 'MAXVAL':
      return undefined;
  }
}

function characterCount(text: string, meter: Meter): number {
  meter.spend(text.length / CHARACTERS_PER_STEP);
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}

function reduce(args: Args): Value {
  const stream = args.stream(0);
  const func = args.func(1);
  return aggregate(args, stream, () => new Reduction(func));
}

function fold(args: Args): Value {
  const stream = args.stream(0);
  const base = args.datum(1);
  const step = args.func(2);
  if (step.arity !== undefined && step.arity !== 0 && step.arity !== 2) {
    throw args.fail('The accumulator function passed to `fold` should expect 2 arguments');
  }
  const emit = args.optarg('emit');
  const finalEmit = args.optarg('final_emit');
  if (emit !== undefined) {
    const parts = { base, step, emit: funcOf(args, 'emit', emit), finalEmit: optionalFunc(args, finalEmit) };
    return streamValue(new FoldStream(stream, parts, args.origin), args.context);
  }
  let acc = base;
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) acc = step.datum2(acc, row);
  const last = optionalFunc(args, finalEmit);
  return last === undefined ? acc : last.datum1(acc);
}

function optionalFunc(args: Args, value: Value | undefined): Func | undefined {
  return value === undefined ? undefined : funcOf(args, 'final_emit', value);
}

function funcOf(args: Args, name: string, value: Value): Func {
  if (value instanceof Func) return value;
  throw wrongType(value, 'FUNCTION', args.optargMaker(name));
}

/** The terms of this family. */
export const aggregateTerms: TermTable = {
  [TermType.COUNT]: op(count, { grouping: 'sequence' }),
  [TermType.SUM]: valueAggregate({ name: 'sum', start: (valueIn) => new Sum(valueIn) }),
  [TermType.AVG]: valueAggregate({ name: 'avg', start: (valueIn) => new Average(valueIn) }),
  [TermType.MIN]: valueAggregate({
    name: 'min',
    start: (valueIn, meter) => new Extreme('min', valueIn, meter),
    descending: false,
  }),
  [TermType.MAX]: valueAggregate({
    name: 'max',
    start: (valueIn, meter) => new Extreme('max', valueIn, meter),
    descending: true,
  }),
  [TermType.REDUCE]: op(reduce, { grouping: 'sequence' }),
  [TermType.FOLD]: op(fold, { grouping: 'sequence' }),
};
