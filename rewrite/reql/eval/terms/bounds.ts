// The optargs `left_bound` and `right_bound`.

import { printDatum, truncate } from '../../data/json-text.ts';
import type { Args } from '../core/args.ts';

/** Whether a bound is open; raises QUERY_LOGIC for a word that is neither `open` nor `closed`. */
export function isOpen(args: Args, name: 'left_bound' | 'right_bound', otherwise: boolean): boolean {
  const word = args.optargString(name);
  if (word === undefined) return otherwise;
  if (word === 'open') return true;
  if (word === 'closed') return false;
  throw args.fail(`Expected \`open\` or \`closed\` for optarg \`${name}\` (got \`${truncate(printDatum(word))}\`).`);
}
