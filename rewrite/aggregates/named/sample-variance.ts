// sampleVariance: the variance of a whole of which the numbers are a sample, as far as they tell; one alone tells nothing.

import { nearest } from '../../reql/data/ratio.ts';
import type { Aggregate } from '../aggregate.ts';
import { ofDeviations } from '../state/squared-deviations.ts';

/** `changes({aggregate: 'sampleVariance'})`. */
export const sampleVariance: Aggregate = ofDeviations(
  {
    name: 'sampleVariance',
    meaning:
      'the variance where the rows are a sample, so divided by one less than their number; null for one (`VAR_SAMP` in SQL)',
    examples: ['t("x").changes({aggregate: "sampleVariance"})'],
  },
  { less: 1, round: nearest },
);
