// Measures a row: all lanes in turn, round after round, each round beginning with another lane.

import type { Claim, Prepared, Row } from './row.ts';
import type { Bench } from './stage.ts';
import { type Spread, spread } from './statistics.ts';

/** The samples of one contender for one metric. */
export interface LaneResult {
  readonly lane: string;
  readonly metric: number;
  readonly spread: Spread;
}

/** A claim with what was seen. */
export interface ClaimResult {
  readonly claim: Claim;
  readonly spread: Spread;
}

/** All of a row. */
export interface RowResult {
  readonly row: Row;
  readonly lanes: readonly LaneResult[];
  readonly claims: readonly ClaimResult[];
  readonly rounds: number;
}

/** Measures. The first round of all is a warm-up and does not count, where there are several. */
export async function measure(row: Row, bench: Bench): Promise<RowResult> {
  const prepared = await row.prepare(bench);
  try {
    return evaluated(row, prepared, await rounds(prepared));
  } finally {
    await prepared.close?.();
  }
}

type Samples = ReadonlyMap<string, readonly (readonly number[])[]>;

async function rounds({ lanes, rounds: count }: Prepared): Promise<Samples> {
  const samples = new Map<string, (readonly number[])[]>(lanes.map(({ name }) => [name, []]));
  const warmUps = count > 2 ? 1 : 0;
  for (let round = 0; round < count + warmUps; round++) {
    const turn = round % Math.max(lanes.length, 1);
    for (const lane of [...lanes.slice(turn), ...lanes.slice(0, turn)]) {
      const sample = await lane.sample();
      if (round >= warmUps) samples.get(lane.name)?.push(sample);
    }
  }
  return samples;
}

function evaluated(row: Row, { lanes, claims, rounds: count }: Prepared, samples: Samples): RowResult {
  const of = (lane: string, metric: number): readonly number[] =>
    (samples.get(lane) ?? []).map((sample) => sample[metric] ?? Number.NaN);
  const there = claims.filter(({ of: lane, to }) => samples.has(lane) && (to === undefined || samples.has(to)));
  return {
    row,
    rounds: count,
    lanes: lanes.flatMap(({ name }) =>
      row.metrics.map((_, metric) => ({ lane: name, metric, spread: spread(of(name, metric)) })),
    ),
    claims: there.map((claim) => {
      const numerators = of(claim.of, claim.metric);
      const denominators = claim.to === undefined ? undefined : of(claim.to, claim.metric);
      const values = numerators.map((value, round) => value / (denominators?.[round] ?? 1));
      return { claim, spread: spread(values) };
    }),
  };
}
