// The part of its rows that a side of a join carries.

import type { Read } from '../../plan/fields-read.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { Term } from '../../reql/term/term.ts';

/** The part of a row that is read, as ReQL. `objects`: every row is known to be one; others are carried whole. */
export function narrowed(t: Builder, row: Term, read: Read, objects: boolean): Term {
  if (read === 'all' || !objects) return row;
  const fields = [...read.keys()].sort();
  return fields.length === 0 ? t.fields({}) : t.pluck(row, ...fields);
}
