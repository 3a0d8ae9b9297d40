// The arguments of aggregates, groups and orders, after the stream that they are of.

import { withVariables } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { isSpread } from '../../reql/term/spread.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import type { Context } from '../context.ts';
import { spreadArguments } from './spread-arguments.ts';

/** The arguments after the first, with `r.args` of a literal array spread and without `r.row`. */
export function argumentsOf(context: Context, term: CallTerm): readonly Term[] {
  const args = spreadArguments(term, withVariables(term, context.fresh).args.slice(1));
  if (!args.some(isSpread)) return args;
  throw refusal(term, 'its arguments come from `r.args` of something that is not a literal array. Write them out');
}
