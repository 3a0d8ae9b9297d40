// The kind of elements as rows, equal ones as often as they are there.

import type { Listed } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** The elements themselves, as rows. */
export const listed = {
  subject: 'row',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: ({ of }, say) => `rows that are computed${say.over(of)}`,
  growths: () => ['per row'],
  term: (reading, { of }) => reading.elements(of),
  initial: rowsInitial,
  between: rowsBetween.ofBag,
} as const satisfies FoldableKind<Listed>;
