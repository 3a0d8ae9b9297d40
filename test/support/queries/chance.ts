// Chance that can be had again.

/** Numbers from 0 up to 1 that look like chance (xorshift). */
export function chance(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
