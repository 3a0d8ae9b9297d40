// The kind of distinct rows.

import type { Distinct } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** Each distinct element once. */
export const distinct = {
  subject: 'row',
  made: ({ of, missed }) => ({ of: missed === undefined ? [] : [missed], elements: of }),
  describe: ({ of }, say) => `\`distinct\`${say.over(of)}`,
  growths: () => ['per distinct value'],
  term(reading, { of, missed }) {
    const { t } = reading;
    const rows = t.distinct(reading.elements(of));
    return missed === undefined ? rows : t.branch(t.gt(reading.watched(missed), 0), t.array(), rows);
  },
  initial: rowsInitial,
  // No two rows are equal.
  between: rowsBetween.ofSet,
} as const satisfies FoldableKind<Distinct>;
