// Aggregates by name, as the proxies of the tests know them.

import { type AggregateDefinition, defineAggregate } from '../../../rewrite/analyze/define-aggregate.ts';

/** The modulus of `product mod 13`, and the inverses of its residues. */
const PRIME = 13;
export const INVERSES: readonly number[] = [0, 1, 7, 9, 10, 8, 11, 2, 5, 3, 4, 6, 12];

/** One that can be undone, and one that cannot. */
export const aggregates: readonly AggregateDefinition[] = [
  defineAggregate({
    name: 'product mod 13',
    base: 1,
    apply: (t, acc, x) => t.mod(t.mul(acc, x), PRIME),
    unapply: (t, acc, x) => t.mod(t.mul(acc, t.nth(INVERSES, t.mod(x, PRIME))), PRIME),
  }),
  defineAggregate({
    name: 'letters',
    base: [],
    apply: (t, acc, x) => t.setInsert(acc, x),
    emit: (t, acc) =>
      t.orderBy(
        acc,
        t.func((letter) => letter, 1),
      ),
  }),
];
