// The kind of the first rows of an order: `orderBy(...).limit(n)` over rows that are computed.

import type { Rows, Top } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** The first rows of an order. */
export const top = {
  subject: 'row',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: ({ of, limit }, say) => `the first ${limit} of an order${say.over(of)}`,
  growths: () => ['per row'],
  term(reading, { of, descending, limit }) {
    const { t } = reading;
    const keys = descending.map((isDescending, index) => {
      const key = t.func((pair) => t.nth(t.nth(pair, 0), index), 1);
      return isDescending ? t.desc(key) : key;
    });
    const ordered = t.limit(t.orderBy(reading.elements(of), ...keys), limit);
    return t.map(ordered, (pair) => t.nth(pair, 1));
  },
  initial: rowsInitial,
  between: (t, old, now, types, rows) =>
    isOrderOfGroups(rows) ? rowsBetween.ofBagOfGroups(t, old, now, types) : rowsBetween.ofBag(t, old, now, types),
} as const satisfies FoldableKind<Top>;

/** Whether rows are groups with their values in an order, of which a change of one is one document. */
export function isOrderOfGroups(rows: Rows): boolean {
  if (rows.kind !== 'top') return false;
  const [part] = rows.of.parts;
  return part?.kind === 'rows' && part.rows.kind === 'ungroup';
}
