// The most that a feed keeps where nothing else is said.

import type { StateLimits } from './operator/gauge.ts';

/** A hash table of JavaScript holds 2^24 entries. */
export const DEFAULT_LIMITS: StateLimits = { maxStateRows: 16_000_000, maxStateBytes: 2 * 1024 ** 3 };
