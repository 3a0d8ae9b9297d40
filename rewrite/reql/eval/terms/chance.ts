// RANDOM, SAMPLE and UUID: what needs chance, which comes from outside; and UUIDs made of names, which do not.

import type { Datum } from '../../data/datum.ts';
import { exactNumberText, isInteger } from '../../data/number.ts';
import { sha1 } from '../../data/sha1.ts';
import { utf8Bytes } from '../../data/utf8.ts';
import { logicError } from '../../error.ts';
import { TermType } from '../../term-type.ts';
import { type Args, asSelection, isSelectionLike } from '../core/args.ts';
import type { RandomSource, TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import { Selection, type Value } from '../core/value.ts';
import { TERMINAL } from '../streams/batch.ts';
import { arrayTooLong, limited } from '../streams/materialize.ts';
import { ArrayStream } from '../streams/stream.ts';

/** Steps that a digest of little takes. */
const DIGEST_STEPS = 500;

/** The name space of the server's UUIDs. */
const NAMESPACE = '91461c99f89d49d2af96d8e2e14e9b58';

function chance(args: Args): RandomSource {
  const { random: source } = args.context;
  if (source === undefined) throw logicError('There is no randomness here.', args.origin);
  return source;
}

function sample(args: Args): Value {
  const size = args.integer(1);
  if (size < 0) throw args.fail(`Number of items to sample must be non-negative, got \`${size}\`.`);
  if (size > args.context.arrayLimit) throw arrayTooLong(args.context, args.origin);
  const value = args.value(0);
  const selection = isSelectionLike(value) ? asSelection(value, args.maker(0)) : undefined;
  const stream = selection?.stream ?? args.streamOf(value, args.maker(0));
  const source = chance(args);
  const taken: Datum[] = [];
  let seen = 0;
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) {
    seen += 1;
    const place = taken.length < size ? taken.length : Math.floor(source.number() * seen);
    if (place < size) taken[place] = row;
  }
  shuffle(taken, source);
  limited(taken, args.context);
  return selection === undefined
    ? taken
    : new Selection(selection.table, new ArrayStream(taken, args.origin, args.context.meter));
}

function shuffle(items: Datum[], source: RandomSource): void {
  for (let last = items.length - 1; last > 0; last--) {
    const place = Math.floor(source.number() * (last + 1));
    const moved = items[last] ?? null;
    items[last] = items[place] ?? null;
    items[place] = moved;
  }
}

function random(args: Args): Value {
  if (args.optargBool('float', args.count === 0)) return randomFloat(args);
  if (args.count === 0) throw args.fail('Generating a random integer requires one or two bounds.');
  const [lower, upper] =
    args.count === 1
      ? [0, bound(args, args.number(0), 'Upper')]
      : [bound(args, args.number(0), 'Lower'), bound(args, args.number(1), 'Upper')];
  if (lower >= upper) throw args.fail(`Lower bound (${lower}) is not less than upper bound (${upper}).`);
  return lower + Math.floor(chance(args).number() * (upper - lower));
}

function bound(args: Args, value: number, name: 'Lower' | 'Upper'): number {
  if (isInteger(value)) return value;
  throw args.fail(`${name} bound (${exactNumberText(value)}) could not be safely converted to an integer.`);
}

function randomFloat(args: Args): number {
  const lower = args.count === 2 ? args.number(0) : 0;
  const upper = args.count === 0 ? 1 : args.number(args.count - 1);
  // Halves, so that a range wider than a double holds does not overflow.
  return (lower / 2 + chance(args).number() * (upper / 2 - lower / 2)) * 2;
}

function uuid(args: Args): Value {
  if (args.count === 0) return chance(args).uuid();
  const text = args.string(0);
  args.context.meter.spend(DIGEST_STEPS + 2 * text.length);
  const name = utf8Bytes(text);
  const space = Uint8Array.from(NAMESPACE.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const digest = sha1(Uint8Array.from([...space, ...name]));
  // A UUID of version 5 (RFC 4122).
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The terms of this family. */
export const chanceTerms: TermTable = {
  [TermType.RANDOM]: op(random),
  [TermType.SAMPLE]: op(sample),
  [TermType.UUID]: op(uuid),
};
