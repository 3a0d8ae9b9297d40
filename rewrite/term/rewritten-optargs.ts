// The optargs of a term that the server makes out of another one (minidriver.cc).

import { compareStrings } from '../reql/compare.ts';
import type { Entry } from './term.ts';

/** Optargs as the server keeps them for a term that it made: of equal names the last counts, all in order of name. */
export function optargsOfRewritten(optargs: readonly Entry[]): readonly Entry[] {
  return [...new Map(optargs)].sort(([a], [b]) => compareStrings(a, b));
}
