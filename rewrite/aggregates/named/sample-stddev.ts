// sampleStddev: the standard deviation of a whole of which the numbers are a sample, as far as they tell.

import { nearestRoot } from '../../reql/data/ratio.ts';
import type { Aggregate } from '../aggregate.ts';
import { ofDeviations } from '../state/squared-deviations.ts';

/** `changes({aggregate: 'sampleStddev'})`. */
export const sampleStddev: Aggregate = ofDeviations(
  {
    name: 'sampleStddev',
    meaning: 'the root of the sample variance (`STDDEV_SAMP` in SQL)',
    examples: ['t("x").changes({aggregate: "sampleStddev"})'],
  },
  { less: 1, round: nearestRoot },
);
