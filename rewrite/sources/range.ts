// The bounds of `between`, and the test of a value against them.

import { optargOf } from '../analyze/rules/argument.ts';
import type { Builder } from '../reql/build/build.ts';
import { compareDatums } from '../reql/data/compare.ts';
import { MAXVAL, MINVAL } from '../reql/data/datum.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';

/** The bounds of a BETWEEN term. */
export interface Range {
  /** The least and the greatest value; `undefined` where there is no such bound. */
  readonly from: Term | undefined;
  readonly to: Term | undefined;
  readonly fromOpen: boolean;
  readonly toOpen: boolean;
}

/** The bounds of a BETWEEN term; `undefined` where it is not written out which of them belong to the range. */
export function rangeOf(between: CallTerm): Range | undefined {
  const [, from, to] = between.args;
  const left = openness(between, 'left_bound', 'closed');
  const right = openness(between, 'right_bound', 'open');
  if (from === undefined || to === undefined || left === undefined || right === undefined) return undefined;
  const old = between.type === TermType.BETWEEN_DEPRECATED;
  return {
    from: isUnbounded(from, TermType.MINVAL, old) ? undefined : from,
    to: isUnbounded(to, TermType.MAXVAL, old) ? undefined : to,
    fromOpen: left === 'open',
    toOpen: right === 'open',
  };
}

function openness(between: CallTerm, name: string, usual: string): unknown {
  const bound = optargOf(between, name);
  if (bound === undefined) return usual;
  return bound.kind === 'datum' ? bound.value : undefined;
}

function isUnbounded(bound: Term, end: number, old: boolean): boolean {
  if (bound.kind === 'datum') return old && bound.value === null;
  return bound.kind === 'call' && bound.type === end;
}

/** Whether a value is within a range, as ReQL. */
export function isWithin(t: Builder, value: Term, { from, to, fromOpen, toOpen }: Range): Term {
  const above = from === undefined ? [] : [fromOpen ? t.gt(value, from) : t.ge(value, from)];
  const below = to === undefined ? [] : [toOpen ? t.lt(value, to) : t.le(value, to)];
  const [test, ...more] = [...above, ...below];
  if (test === undefined) return t.datum(true);
  return more.length === 0 ? test : t.and(test, ...more);
}

/** The least range that holds several. */
export function hull(t: Builder, ranges: readonly Range[]): Range {
  return {
    from: outermost(t, ranges, 'from'),
    to: outermost(t, ranges, 'to'),
    fromOpen: false,
    toOpen: false,
  };
}

function outermost(t: Builder, ranges: readonly Range[], side: 'from' | 'to'): Term | undefined {
  const bounds = ranges.flatMap((range) => range[side] ?? []);
  const [first, ...more] = bounds;
  if (first === undefined || bounds.length < ranges.length) return undefined;
  const isFurther = (a: Term, b: Term): Term => (side === 'from' ? t.le(a, b) : t.ge(a, b));
  return more.reduce((a, b) => {
    if (a.kind !== 'datum' || b.kind !== 'datum') return t.branch(isFurther(a, b), a, b);
    const order = compareDatums(a.value, b.value);
    return (side === 'from' ? order <= 0 : order >= 0) ? a : b;
  }, first);
}

/** A selection by a range. */
export function between(t: Builder, below: Term, { from, to, fromOpen, toOpen }: Range, index?: string): CallTerm {
  return t.between(below, from ?? t.expr(MINVAL), to ?? t.expr(MAXVAL), {
    ...(index === undefined ? {} : { index }),
    left_bound: fromOpen ? 'open' : 'closed',
    right_bound: toOpen ? 'open' : 'closed',
  });
}
