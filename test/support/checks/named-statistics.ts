// The aggregates that go by name, as clients call them, with the oracle of each: a new one needs a row here.

import {
  median,
  type Part,
  quantile,
  type Statistic,
  sampleStddev,
  sampleVariance,
  stddev,
  variance,
} from './exact-statistics.ts';

/** One call of a named aggregate. */
export interface NamedStatistic {
  /** What `changes({aggregate})` is given. */
  readonly call: string | readonly [name: string, argument: number];
  readonly of: Statistic;
  /** It squares what it is over, so that numbers whose squares are none have no value. */
  readonly squares?: true;
}

const quantiles: readonly Part[] = [
  [0, 1],
  [1, 1],
  [1, 10],
  [25, 100],
  [1, 2],
  [95, 100],
  [999, 1000],
  [1, 1_000_000],
];

export const namedStatistics: readonly NamedStatistic[] = [
  { call: 'variance', of: variance, squares: true },
  { call: 'sampleVariance', of: sampleVariance, squares: true },
  { call: 'stddev', of: stddev },
  { call: 'sampleStddev', of: sampleStddev },
  { call: 'median', of: median },
  ...quantiles.map((part): NamedStatistic => ({ call: ['quantile', part[0] / part[1]], of: quantile(part) })),
];

/** How a call is told of. */
export function calledAs({ call }: NamedStatistic): string {
  return typeof call === 'string' ? call : call.join(' ');
}

/** The name in a call. */
export function nameIn({ call }: NamedStatistic): string {
  return typeof call === 'string' ? call : call[0];
}
