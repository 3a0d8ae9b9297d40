// The kind of a pure function of values: `sum.div(count)`.

import type { Expressed } from '../live.ts';
import { valueBetween, valueInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** A pure function of values. */
export const expression = {
  subject: 'value',
  made: ({ of }) => ({ of }),
  describe: ({ of }, say) => `an expression over ${[...new Set(of.map(say.watched))].join(', ')}`,
  growths: ({ of }, growthsOf) => of.flatMap(growthsOf),
  term: (reading, { func, of }) =>
    reading.called(
      func,
      of.map((value) => reading.watched(value)),
    ),
  initial: valueInitial,
  between: valueBetween,
} as const satisfies FoldableKind<Expressed>;
