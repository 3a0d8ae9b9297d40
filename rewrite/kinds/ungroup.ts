// The kind of groups as rows.

import type { Ungrouped } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import { groupsTerm } from './grouped.ts';
import type { FoldableKind } from './kind.ts';

/** A row `{group, reduction}` for each group. */
export const ungroup = {
  subject: 'row',
  made: ({ of }) => ({ of: [of] }),
  describe: ({ of }, say) => `${say.watched(of)}, as rows`,
  growths: ({ of }, growthsOf) => growthsOf(of),
  term: (reading, { of }) => groupsTerm(reading, of),
  initial: rowsInitial,
  between: rowsBetween.ofGroups,
} as const satisfies FoldableKind<Ungrouped>;
