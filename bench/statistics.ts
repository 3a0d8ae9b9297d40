// Statistics of a handful of noisy samples: quantiles, by linear interpolation between the two nearest samples.

/** The value below which a share `q` (0 to 1) of the samples lies; NaN of none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** The sample in the middle. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The middle half of the samples. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median with the quarters around it. */
export function spread(samples: readonly number[]): Spread {
  return { median: median(samples), low: quantile(samples, 0.25), high: quantile(samples, 0.75) };
}
