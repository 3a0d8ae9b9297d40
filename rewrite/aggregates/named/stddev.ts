// stddev: the standard deviation of numbers, the root of their variance. It is in their own unit.

import { nearestRoot } from '../../reql/data/ratio.ts';
import type { Aggregate } from '../aggregate.ts';
import { ofDeviations } from '../state/squared-deviations.ts';

/** `changes({aggregate: 'stddev'})`. */
export const stddev: Aggregate = ofDeviations(
  {
    name: 'stddev',
    meaning: 'the root of the variance (`STDDEV_POP` in SQL)',
    examples: [
      't("x").changes({aggregate: "stddev"})',
      't.group("k").count().ungroup()("reduction").changes({aggregate: "stddev"})',
    ],
  },
  { less: 0, round: nearestRoot },
);
