// The kind of an aggregate over elements: the leaf of every expression.

import type { Aggregated } from '../live.ts';
import { valueBetween, valueInitial } from './documents.ts';
import type { FoldableKind } from './kind.ts';

/** An aggregate over elements. */
export const aggregate = {
  subject: 'value',
  made: ({ of }) => ({ of: [], elements: of }),
  describe: (watched, say) => `\`${watched.aggregate.name}\`${say.over(watched.of)}`,
  growths: (watched) => [watched.aggregate.growth],
  term(reading, value) {
    const own = reading.stateOf(value);
    if (own !== undefined) return own;
    const { aggregate: how, term, of } = value;
    if (how.evaluate === undefined) throw new TypeError(`ReQL cannot say \`${how.name}\``);
    return reading.t.expr(how.evaluate(reading.t, reading.elements(of), term));
  },
  initial: valueInitial,
  between: valueBetween,
} as const satisfies FoldableKind<Aggregated>;
