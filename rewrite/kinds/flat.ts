// The kind of the items of a list as rows.

import type { Flat } from '../live.ts';
import { rowsBetween, rowsInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** The items of a value that is an array, as rows. */
export const flat = {
  subject: 'row',
  made: ({ of }) => ({ of: [of] }),
  describe: ({ of }, say) => `the items of ${say.watched(of)}, as rows`,
  growths: ({ of }, growthsOf) => growthsOf(of),
  term: (reading, { of }) => reading.t.default(reading.watched(of), []),
  initial: rowsInitial,
  between: rowsBetween.ofBag,
} as const satisfies FoldableKind<Flat>;
