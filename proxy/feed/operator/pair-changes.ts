// Rows that go and rows that come, in one change: those that stay are left out, the others become changes in order.

import type { Datum } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import type { RowSink } from './operator.ts';

/** Gives the difference between two lists of rows to every sink, as a bag: order does not count, equal rows do. */
export function pairChanges(gone: readonly Datum[], come: readonly Datum[], sinks: readonly RowSink[]): void {
  const [left, entered] = difference(gone, come);
  for (let i = 0; i < Math.max(left.length, entered.length); i++) {
    for (const sink of sinks) sink.row(left[i], entered[i], undefined);
  }
}

function difference(gone: readonly Datum[], come: readonly Datum[]): readonly [readonly Datum[], readonly Datum[]] {
  if (gone.length === 0 || come.length === 0) return [gone, come];
  const counts = new Map<string, number>();
  for (const row of gone) {
    const key = datumKey(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const entered = come.filter((row) => !takeOne(counts, row));
  return [gone.filter((row) => takeOne(counts, row)), entered];
}

function takeOne(counts: Map<string, number>, row: Datum): boolean {
  const key = datumKey(row);
  const count = counts.get(key) ?? 0;
  if (count > 0) counts.set(key, count - 1);
  return count > 0;
}
