// The growth of a feed's state, in words.

import type { Growths } from './kind.ts';

/** The growth of a state that does not grow. */
export const CONSTANT = 'constant';

/** All growths at once; what is constant adds nothing to others. */
export function joined(all: Growths): string {
  const growing = [...new Set(all)].filter((growth) => growth !== CONSTANT);
  return growing.length === 0 ? CONSTANT : growing.join(', ');
}
