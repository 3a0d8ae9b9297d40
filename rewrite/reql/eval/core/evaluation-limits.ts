// The limits of evaluation in the proxy where nothing else is said. In a file of its own, which loads no evaluator.

import type { WorkClock } from '../../meter.ts';

/** The limits of what is evaluated for one client. */
export interface EvaluationLimits {
  /** Steps of the evaluator that may be taken at a time: while a feed is opened, and for each change that it shows. */
  readonly maxSteps: number;
  /** The most that the run option `arrayLimit` can allow. */
  readonly maxArrayLimit: number;
  /** Where there is one, so many steps are held to a time as well (`msFor`). */
  readonly clock?: WorkClock | undefined;
}

/**
 * What holds where nothing else is said. A step takes 25 to 500 nanoseconds, and nobody is to wait for another client for longer
 * than 50 milliseconds: that is what the clock is for.
 */
export const DEFAULT_EVALUATION: EvaluationLimits = { maxSteps: 1_000_000, maxArrayLimit: 1_000_000 };
