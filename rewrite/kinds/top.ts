// The kind of a part of an order: `orderBy(...).limit(n)`, `skip`, `slice` over rows that are computed.

import type { Rows, Top } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** A part of an order. */
export const top = {
  subject: 'row',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: ({ of, ...window }, say) => `${described(window)} of an order${say.over(of)}`,
  growths: () => ['per row'],
  term(reading, { of, descending, start, end }) {
    const { t } = reading;
    const keys = descending.map((isDescending, index) => {
      const key = t.func((pair) => t.nth(t.nth(pair, 0), index), 1);
      return isDescending ? t.desc(key) : key;
    });
    const ordered = t.orderBy(reading.elements(of), ...keys);
    const first = end === undefined ? ordered : t.limit(ordered, end);
    return t.map(start === 0 ? first : t.skip(first, start), (pair) => t.nth(pair, 1));
  },
  initial: rowsInitial,
  between: (t, old, now, types, rows) =>
    isOrderOfGroups(rows) ? rowsBetween.ofBagOfGroups(t, old, now, types) : rowsBetween.ofBag(t, old, now, types),
} as const satisfies FoldableKind<Top>;

function described({ start, end }: Pick<Top, 'start' | 'end'>): string {
  if (end === undefined) return `all but the first ${start}`;
  return start === 0 ? `the first ${end}` : `the rows ${start} to ${end - 1}`;
}

/** Whether rows are groups with their values in an order, of which a change of one is one document. */
export function isOrderOfGroups(rows: Rows): boolean {
  if (rows.kind !== 'top') return false;
  const [part] = rows.of.parts;
  return part?.kind === 'rows' && part.rows.kind === 'ungroup';
}
