// Differences, in which a live query tells what it shows: from one settled moment to the next, or, in a snapshot, from nothing. It is
// all that the operators give. What becomes of it in documents (initial values, states, types) is the subscriber's.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Subject } from '../../../rewrite/subject.ts';

/** The difference of one thing that is shown. */
export type Difference = SidesDifference | OutputsDifference;

/** The subject of a difference with two sides. */
export type ValueSubject = Exclude<Subject, 'output'>;

/** The thing with two sides that differs. */
export interface SidesSubject extends Identity {
  readonly of: ValueSubject;
}

/**
 * The one value, a group or a row, as it was and as it is. `undefined` stands for the side on which it is not there; the one
 * value is always there, so that only a snapshot has no `old` of it.
 */
export interface SidesDifference extends SidesSubject {
  readonly old: Datum | undefined;
  readonly now: Datum | undefined;
}

/** The outputs of a reducer for one group that are there more or less often. */
export interface OutputsDifference extends Identity {
  readonly of: 'output';
  readonly changes: readonly OutputChange[];
}

/** A value that is an output more or less often than before. */
export interface OutputChange {
  readonly value: Datum;
  /** `datumKey` of the value. */
  readonly key: string;
  readonly before: number;
  readonly after: number;
}

/** The identity of the thing that differs. */
export interface Identity {
  /** Differences with one key tell of one thing. `undefined` for rows that are known by their value alone. */
  readonly key: string | undefined;
  /** The group, where what is shown is in groups. */
  readonly group: Datum | undefined;
}

/**
 * The difference of this thing with these sides. It is written out: a copy by spread takes V8 microseconds, for every change of
 * every feed.
 */
export function withSides(
  { of, key, group }: SidesSubject,
  old: Datum | undefined,
  now: Datum | undefined,
): SidesDifference {
  return { of, key, group, old, now };
}

/** The key of what has one value. */
export const SCALAR_KEY = '';

/** Takes differences as they are found. */
export type Tell = (difference: Difference) => void;

/** Whether nothing differs between two sides. */
export function sameSide(old: Datum | undefined, now: Datum | undefined): boolean {
  return old === undefined || now === undefined ? old === now : equalDatums(old, now);
}
