// The kind of a part of an order: `orderBy(...).limit(n)`, `skip`, `slice` over rows that are computed.

import type { Rows, Top } from '../live.ts';
import type { Term } from '../reql/term/term.ts';
import { describeWindow, windowTerm } from '../window.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** A part of an order. */
export const top = {
  subject: 'row',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: ({ of, window }, say) => `${describeWindow(window)} of an order${say.over(of)}`,
  growths: () => ['per row'],
  term(reading, { of, computed, fields, window }) {
    const { t } = reading;
    const isPaired = computed.length > 0;
    const rowOf = (element: Term): Term => (isPaired ? t.nth(element, 1) : element);
    const key = (isDescending: boolean, of: (element: Term) => Term): Term => {
      const by = t.func((element) => of(element), 1);
      return isDescending ? t.desc(by) : by;
    };
    const keys = [
      ...computed.map((isDescending, index) => key(isDescending, (pair) => t.nth(t.nth(pair, 0), index))),
      ...fields.map(({ field, descending }) => key(descending, (element) => t.bracket(rowOf(element), field))),
      key(false, rowOf),
    ];
    const ordered = t.coerceTo(t.orderBy(reading.elements(of), ...keys), 'array');
    const part = windowTerm(t, ordered, window);
    return isPaired ? t.map(part, (pair) => t.nth(pair, 1)) : part;
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
