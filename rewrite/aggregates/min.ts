// min: the row with the least key. Rows without a key are left out; null is a key, below numbers.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { extreme } from './extreme.ts';

/** `min()`, `min(field)`, `min(function)`. */
export const min: Aggregate = extreme(TermType.MIN, 'min', [
  't.min("x").changes()',
  't.filter({k: "a"}).min(row => row("x").add(row("n"))).changes({includeInitial: true})',
  't("x").min().changes()',
]);
