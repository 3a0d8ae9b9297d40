// SLICE, LIMIT, SKIP and NTH: a part of a sequence by place; `slice` also of strings (by characters) and binaries.

import { dataType, typeName } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { binaryBytes, makeBinary } from '../../data/pseudo.ts';
import { logicError } from '../../error.ts';
import { TermType } from '../../term-type.ts';
import { type Args, asSelection, isSelectionLike, isStreamLike } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import { rewritten, withOptargsOf } from '../core/rewritten.ts';
import { isDatumLike, Selection, toDatum, type Value, valueError } from '../core/value.ts';
import { streamValue } from '../streams/materialize.ts';
import { SliceStream } from '../streams/slice-stream.ts';
import type { Stream } from '../streams/stream.ts';
import { isOpen } from './bounds.ts';
import { nth } from './nth.ts';

/** Items of an array, and characters of a text, that are taken apart in about the time of one step. */
const ITEMS_PER_STEP = 16;
const CHARACTERS_PER_STEP = 2;

/** The ends of a slice as the client gave them: places, negative ones from the end. */
interface Ends {
  readonly left: number;
  readonly leftOpen: boolean;
  readonly right: number;
  readonly rightOpen: boolean;
}

// A place before the start counts as the start, whether open or closed.
function real(place: number, size: number, plusOne: boolean): number {
  if (place >= 0) return place + (plusOne ? 1 : 0);
  if (-place > size) return 0;
  return size + place + (plusOne ? 1 : 0);
}

function within({ left, leftOpen, right, rightOpen }: Ends, size: number): readonly [number, number] {
  return [real(left, size, leftOpen), Math.min(real(right, size, !rightOpen), size)];
}

function slice(args: Args): Value {
  const value = args.value(0);
  const leftOpen = isOpen(args, 'left_bound', false);
  const left = args.integer(1);
  const rightOpen = args.count === 3 && isOpen(args, 'right_bound', true);
  const right = args.count === 3 ? args.integer(2) : -1;
  const ends: Ends = { left, leftOpen, right, rightOpen };
  const maker = args.maker(0);
  if (isDatumLike(value)) return sliceDatum(toDatum(value, maker), ends, args);
  if (!isStreamLike(value)) throw valueError(value, 'Cannot slice non-sequences.', maker);
  return partOf(args, value, (stream) => sliceStream(stream, ends, args));
}

function sliceDatum(datum: Datum, ends: Ends, args: Args): Datum {
  const { meter } = args.context;
  if (Array.isArray(datum)) {
    meter.spend(datum.length / ITEMS_PER_STEP);
    return datum.slice(...within(ends, datum.length));
  }
  if (typeof datum === 'string') {
    meter.spend(datum.length / CHARACTERS_PER_STEP);
    const characters = Array.from(datum);
    return characters.slice(...within(ends, characters.length)).join('');
  }
  if (dataType(datum) === 'PTYPE<BINARY>') {
    const bytes = binaryBytes(datum as DatumObject);
    meter.spend(bytes.length / CHARACTERS_PER_STEP);
    const [left, right] = within(ends, bytes.length);
    return makeBinary(left <= right ? bytes.slice(left, right) : bytes.slice(0, 0));
  }
  throw logicError(`Expected ARRAY, BINARY, or STRING, but found ${typeName(datum)}.`, args.maker(0));
}

function sliceStream(stream: Stream, { left, leftOpen, right, rightOpen }: Ends, args: Args): Stream {
  if (left < 0) throw args.fail('Cannot use a negative left index on a stream.');
  if (right < -1) throw args.fail('Cannot use a right index < -1 on a stream.');
  if (right === -1 && rightOpen) throw args.fail('Cannot slice to an open right index of -1 on a stream.');
  const end = right === -1 ? Number.POSITIVE_INFINITY : right + (rightOpen ? 0 : 1);
  return new SliceStream(stream, left + (leftOpen ? 1 : 0), end);
}

/** A part of a sequence; of a selection, a selection. */
function partOf(args: Args, value: Value, cut: (stream: Stream) => Stream): Value {
  if (isSelectionLike(value)) {
    const { table, stream } = asSelection(value, args.maker(0));
    return new Selection(table, cut(stream));
  }
  return streamValue(cut(args.streamOf(value, args.maker(0))), args.context);
}

function limit(args: Args): Value {
  const value = args.value(0);
  return partOf(args, value, (stream) => {
    const size = args.int32(1);
    if (size < 0) throw args.fail(`LIMIT takes a non-negative argument (got ${size})`);
    return new SliceStream(stream, 0, size);
  });
}

/** The terms of this family. */
export const sliceTerms: TermTable = {
  [TermType.SLICE]: op(slice),
  [TermType.LIMIT]: op(limit),
  [TermType.SKIP]: rewritten((t, call) => {
    const [sequence, count] = call.args;
    if (sequence === undefined || count === undefined) return call;
    return withOptargsOf(call, t.call(TermType.SLICE, [sequence, count, -1], { right_bound: 'closed' }));
  }),
  [TermType.NTH]: op((args) => nth(args, args.value(0), args.value(1)), { grouping: 'sequence' }),
};
