// A row of the bench: some contenders that do the same thing in turn, so that what disturbs the machine disturbs all.

import type { Bench } from './stage.ts';

/** The measure of a sample, e.g. `reads` in `per second`. */
export interface Metric {
  readonly name: string;
  readonly unit: string;
}

/** A contender. */
export interface Lane {
  readonly name: string;
  /** Takes one sample: a number for each metric of the row. */
  sample(): Promise<readonly number[]>;
}

/** The claim that the samples are to show. */
export interface Claim {
  /** Index of the metric. */
  readonly metric: number;
  readonly of: string;
  /** The contender of which the claim is a ratio, taken round by round; absent where the number itself counts. */
  readonly to?: string;
  /** The target, where there is one. */
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A row ready to be measured. */
export interface Prepared {
  readonly lanes: readonly Lane[];
  readonly rounds: number;
  readonly claims: readonly Claim[];
  close?(): Promise<void>;
}

/** A row. `--only` chooses by the beginning of its name. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly metrics: readonly Metric[];
  /** Left out of quick runs. */
  readonly slow?: true;
  prepare(bench: Bench): Promise<Prepared>;
}
