// How much the proxy evaluates where nothing else is said. In a file of its own, which loads no evaluator.

/** How much may be evaluated for one client. */
export interface EvaluationLimits {
  /** Steps of the evaluator that may be taken at a time: while a feed is opened, and for each change that it shows. */
  readonly maxSteps: number;
  /** The most that the run option `arrayLimit` can allow. */
  readonly maxArrayLimit: number;
}

/**
 * What holds where nothing else is said: a step takes some 25 nanoseconds, and nobody is to wait for another client for longer
 * than 50 milliseconds.
 */
export const DEFAULT_EVALUATION: EvaluationLimits = { maxSteps: 1_000_000, maxArrayLimit: 1_000_000 };
