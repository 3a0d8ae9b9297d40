// `r.args`, which stands for as many arguments as its array has items.

import { TermType } from '../term-type.ts';
import type { CallTerm, Term } from './term.ts';

/** Whether a term is `r.args`. */
export function isSpread(term: Term): term is CallTerm {
  return term.kind === 'call' && term.type === TermType.ARGS;
}

/** Arguments with those in the place of `r.args` that a literal array gives; of any other array it stays. */
export function spreadOut(args: readonly Term[]): readonly Term[] {
  if (!args.some(isSpread)) return args;
  return args.flatMap((arg) => {
    const [list] = isSpread(arg) ? arg.args : [];
    return list?.kind === 'call' && list.type === TermType.MAKE_ARRAY ? spreadOut(list.args) : [arg];
  });
}
