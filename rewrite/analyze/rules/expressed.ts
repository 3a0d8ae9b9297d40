// A pure expression over live values as a `Value`: a function with a variable for each of them.

import type { Expressed, Value } from '../../live.ts';
import { withoutImplicit } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { freeVars } from '../../reql/term/facts.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcTerm, type VarId, varOf } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Context } from '../context.ts';
import type { Valued } from '../piece.ts';
import { checkDeterministic } from './argument.ts';

/**
 * Makes the value of an expression.
 * @throws ReqlError that names a term that is not deterministic.
 */
export function expressed(context: Context, valued: Valued): Value {
  const [only] = valued.leaves;
  if (only !== undefined && varOf(valued.body) === only.id) return only.value;
  return { kind: 'expression', ...expressedAbove(context, [], valued) };
}

/**
 * The function of an expression and the values that it takes, after those of variables that are given.
 * @throws ReqlError that names a term that is not deterministic.
 */
export function expressedAbove(
  context: Context,
  given: readonly VarId[],
  { body, leaves }: Valued,
): Pick<Expressed, 'of' | 'func'> {
  checkDeterministic(body);
  const group = groupOnTop(body);
  if (group !== undefined)
    throw refusal(group, 'its groups are those of a list. Use `ungroup`, or group the stream itself');
  const read = freeVars(body);
  const used = leaves.filter(({ id }) => read.has(id));
  const func = funcTerm([...given, ...used.map(({ id }) => id)], withoutImplicit(body, context.fresh), body);
  return { of: used.map(({ value }) => value), func };
}

/** A `group` whose groups are still there at the top of an expression: they are no value. */
function groupOnTop(body: Term): CallTerm | undefined {
  for (let term: Term | undefined = body; term?.kind === 'call'; term = term.args[0]) {
    if (term.type === TermType.UNGROUP) return undefined;
    if (term.type === TermType.GROUP) return term;
  }
  return undefined;
}
