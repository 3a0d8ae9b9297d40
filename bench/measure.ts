// Measures a row: all lanes in turn, round after round, each round beginning with another lane.

import { otherWork } from './other-work.ts';
import type { Progress } from './progress.ts';
import type { Claim, Prepared, Row } from './row.ts';
import type { Bench } from './stage.ts';
import { type Spread, spread } from './statistics.ts';

/** The samples of one contender for one metric. */
export interface LaneResult {
  readonly lane: string;
  readonly metric: number;
  readonly spread: Spread;
}

/** A claim with what was seen; nothing, where one of its contenders is not there. */
export interface ClaimResult {
  readonly claim: Claim;
  readonly spread: Spread | undefined;
  readonly missing: string | undefined;
}

/** All of a row. */
export interface RowResult {
  readonly row: Row;
  readonly lanes: readonly LaneResult[];
  readonly claims: readonly ClaimResult[];
  readonly rounds: number;
  /** What share of the CPUs was in use before the row began. */
  readonly otherWork: number;
}

/** Measures. The first round of all is a warm-up and does not count, where there are several. */
export async function measure(row: Row, bench: Bench, progress: Progress): Promise<RowResult> {
  const share = await otherWork();
  const prepared = await row.prepare(bench);
  try {
    return evaluated(row, prepared, await rounds(prepared, progress), share);
  } finally {
    await prepared.close?.();
  }
}

type Samples = ReadonlyMap<string, readonly (readonly number[])[]>;

async function rounds({ lanes, rounds: count }: Prepared, progress: Progress): Promise<Samples> {
  const samples = new Map<string, (readonly number[])[]>(lanes.map(({ name }) => [name, []]));
  const warmUps = count > 2 ? 1 : 0;
  for (let round = 0; round < count + warmUps; round++) {
    progress.step(round + 1, count + warmUps);
    const turn = round % Math.max(lanes.length, 1);
    for (const lane of [...lanes.slice(turn), ...lanes.slice(0, turn)]) {
      const sample = await lane.sample();
      if (round >= warmUps) samples.get(lane.name)?.push(sample);
    }
  }
  return samples;
}

function evaluated(row: Row, { lanes, claims, rounds: count }: Prepared, samples: Samples, share: number): RowResult {
  const of = (lane: string, metric: number): readonly number[] =>
    (samples.get(lane) ?? []).map((sample) => sample[metric] ?? Number.NaN);
  return {
    row,
    rounds: count,
    otherWork: share,
    lanes: lanes.flatMap(({ name }) =>
      row.metrics.map((_, metric) => ({ lane: name, metric, spread: spread(of(name, metric)) })),
    ),
    claims: claims.map((claim) => {
      const missing = [claim.of, claim.to].find((lane) => lane !== undefined && !samples.has(lane));
      if (missing !== undefined) return { claim, spread: undefined, missing };
      const numerators = of(claim.of, claim.metric);
      const denominators = claim.to === undefined ? undefined : of(claim.to, claim.metric);
      const values = numerators.map((value, round) => value / (denominators?.[round] ?? 1));
      return { claim, spread: spread(values), missing };
    }),
  };
}
