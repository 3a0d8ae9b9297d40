// The contract of the operators of the proxy plan. A change of one row upstream is pushed into the graph as elements
// that go and elements that come; then every operator settles once, in the order in which they depend on each other. Between
// a settled moment and the next change an operator can be asked for all that it has: a value, groups or rows.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import type { Turn } from '../../work/turn.ts';

/** No elements. */
export const NONE: readonly Datum[] = [];

/** Takes the elements of one change. Pushing shows nothing yet: that is for `settle`. */
export interface ElementSink {
  /** @throws ReqlError what an aggregate raises for such an element. */
  change(gone: readonly Datum[], come: readonly Datum[]): void;
}

/** A part of the graph that brings its output up to date with what was pushed since it last settled. */
export interface Operator {
  /**
   * Works until its output is up to date, or until the turn is over.
   * @returns whether it is up to date: a settled moment. Nothing may be pushed before that
   */
  settle(turn: Turn): boolean;
}

/** A value at every moment, or the error that stands for it. */
export interface LiveValue {
  readonly value: Datum | ReqlError;
  /** Counts the values that differed from the one before. */
  readonly version: number;
}

/** Takes rows that come (`old` undefined), go (`now` undefined) or change. */
export interface RowSink {
  /** `name` is what the row is about, where rows are about something: the group of `ungroup`, the value of `distinct`. */
  row(old: Datum | undefined, now: Datum | undefined, name: Datum | undefined): void;
}

/** A row, and what it is about, where rows are about something. */
export type LiveRow = readonly [row: Datum, name: Datum | undefined];

/** Something that gives rows, to any number of sinks. */
export interface LiveRows {
  readonly sinks: RowSink[];
  /** All rows at a settled moment, each as often as it is there; to be read before the next change. */
  rows(): Iterable<LiveRow>;
}

/** Takes groups that come (`old` undefined), go (`now` undefined) or change their value. */
export interface GroupSink {
  group(key: string, group: Datum, old: Datum | undefined, now: Datum | undefined): void;
}

/** Whether a value is the same as before. */
export function sameValue(a: Datum | ReqlError, b: Datum | ReqlError): boolean {
  if (a instanceof ReqlError) return b instanceof ReqlError && a.errorType === b.errorType && a.message === b.message;
  return !(b instanceof ReqlError) && equalDatums(a, b);
}

/** Whether a count, where there is one, is above 0. */
export function isAny(count: LiveValue | undefined): boolean {
  return typeof count?.value === 'number' && count.value > 0;
}

/** The value as a client sees it: null where there is none. Raises every other error. */
export function shown(value: Datum | ReqlError): Datum {
  if (!(value instanceof ReqlError)) return value;
  if (isMissing(value)) return null;
  throw value;
}

/** Whether something is the error of what is not there, which `default` catches. */
export function isMissing(value: unknown): value is ReqlError {
  return value instanceof ReqlError && value.errorType === ErrorType.NON_EXISTENCE;
}
