// max: the row with the greatest key. Rows without a key are left out; null is a key, below numbers.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { extreme } from './extreme.ts';

/** `max()`, `max(field)`, `max(function)`. */
export const max: Aggregate = extreme(TermType.MAX, 'max', [
  't.max("x").changes()',
  't.filter({k: "a"}).max(row => row("x").add(row("n")))("id").changes({includeInitial: true})',
  't("x").max().default("none").changes()',
]);
