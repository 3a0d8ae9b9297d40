// A pure expression over live values as a `Value`: a function with a variable for each of them.

import type { Context } from '../context.ts';
import { withoutImplicit } from '../each.ts';
import type { Value } from '../live.ts';
import type { Valued } from '../piece.ts';
import { freeVars, funcTerm, varOf } from '../term/vars.ts';
import { checkDeterministic } from './argument.ts';

/**
 * Makes the value of an expression.
 * @throws ReqlError that names a term that is not deterministic.
 */
export function expressed(context: Context, { body, leaves }: Valued): Value {
  const [only] = leaves;
  if (only !== undefined && varOf(body) === only.id) return only.value;
  checkDeterministic(body);
  const read = freeVars(body);
  const used = leaves.filter(({ id }) => read.has(id));
  const func = funcTerm(
    used.map(({ id }) => id),
    withoutImplicit(body, context.fresh),
    body,
  );
  return { kind: 'expression', of: used.map(({ value }) => value), func };
}
