// variance: the mean of the squared distances of numbers from their mean. All numbers that there are are meant, not a sample.

import { nearest } from '../../reql/data/ratio.ts';
import type { Aggregate } from '../aggregate.ts';
import { ofDeviations } from '../state/squared-deviations.ts';

/** `changes({aggregate: 'variance'})`. */
export const variance: Aggregate = ofDeviations(
  {
    name: 'variance',
    meaning: 'the mean of the squared distances from the mean (`VAR_POP` in SQL)',
    examples: [
      't("x").changes({aggregate: "variance"})',
      't.group("k")("x").changes({aggregate: "variance", includeInitial: true})',
    ],
  },
  { less: 0, round: nearest },
);
