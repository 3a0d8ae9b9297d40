// BIT_AND, BIT_OR, BIT_XOR, BIT_NOT, BIT_SAL, BIT_SAR: integers of 54 bits in two's complement.

import { finite, LARGEST_INTEGER } from '../../data/number.ts';
import { logicError } from '../../error.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';

/** Shifts to the left by this much or more overflow anything but 0. */
const FAR = 4096;
/** Shifts by this much or more leave nothing but the sign. */
const WORD = 64;

// The bits of an integer: within -2^53 <= ... < 2^53, which all bitwise operations stay in.
function bits(args: Args, index: number): bigint {
  const value = args.integer(index);
  if (value === LARGEST_INTEGER) throw args.fail(`Integer too large: ${value}`);
  return BigInt(value);
}

function folding(apply: (left: bigint, right: bigint) => bigint): TermCompiler {
  return op((args) => {
    let result = bits(args, 0);
    for (let i = 1; i < args.count; i++) result = apply(result, bits(args, i));
    return Number(result);
  });
}

function shifting(apply: (left: bigint, by: number) => number): TermCompiler {
  return op((args) => {
    const left = bits(args, 0);
    const by = args.integer(1);
    if (by < 0) throw logicError('Cannot bit-shift by a negative value', args.origin);
    return finite(apply(left, by));
  });
}

function shiftLeft(left: bigint, by: number): number {
  if (left === 0n) return 0;
  // A double overflows to infinity, which is then refused; far out the server forgets the sign.
  return by < FAR ? Number(left) * 2 ** by : Number.POSITIVE_INFINITY;
}

function shiftRight(left: bigint, by: number): number {
  return Number(left >> BigInt(Math.min(by, WORD)));
}

/** The terms of this family. */
export const bitwiseTerms: TermTable = {
  [TermType.BIT_AND]: folding((left, right) => left & right),
  [TermType.BIT_OR]: folding((left, right) => left | right),
  [TermType.BIT_XOR]: folding((left, right) => left ^ right),
  [TermType.BIT_NOT]: op((args) => Number(~bits(args, 0))),
  [TermType.BIT_SAL]: shifting(shiftLeft),
  [TermType.BIT_SAR]: shifting(shiftRight),
};
