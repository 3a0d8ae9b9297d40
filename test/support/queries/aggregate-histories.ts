// Parts that the laws of aggregates share: rows that come, change and go, and how values and errors are compared.

import fc from 'fast-check';
import { expect } from 'vitest';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';

/** Steps over few rows: the place of a row, and the row that is there from then on (`undefined`: none). */
export type RowHistory = readonly (readonly [place: number, row: Datum | undefined])[];

export function histories(rows: fc.Arbitrary<Datum>): fc.Arbitrary<RowHistory> {
  return fc.array(fc.tuple(fc.nat(4), fc.option(rows, { nil: undefined, freq: 3 })), { maxLength: 25 });
}

/** Walks a history; `look` is called after each step with the rows that are there. */
export function walk(
  history: RowHistory,
  change: { apply(row: Datum): void; unapply(row: Datum): void },
  look: (rows: readonly Datum[]) => void,
): void {
  const there = new Map<number, Datum>();
  for (const [place, datum] of history) {
    const old = there.get(place);
    if (old !== undefined) change.unapply(old);
    if (datum === undefined) there.delete(place);
    else {
      change.apply(datum);
      there.set(place, datum);
    }
    look([...there.values()]);
  }
}

/** A value, or what an error is known by. */
export function outcome(work: () => Datum | ReqlError): Datum {
  try {
    const value = work();
    return value instanceof ReqlError ? known(value) : value;
  } catch (error) {
    if (error instanceof ReqlError) return known(error);
    throw error;
  }
}

function known({ errorType, message }: ReqlError): Datum {
  return ['error', errorType ?? 0, message.replace(/Duplicate key .*/s, 'Duplicate key')];
}

/** Compares values as ReQL does; `there` are the rows, for the message. */
export function expectSame(found: Datum, expected: Datum, there: readonly Datum[]): void {
  if (equalDatums(found, expected)) return;
  expect({ there, found }).toEqual({ there, found: expected });
}
