// `r.args` among the arguments of a term that is taken apart, as far as RethinkDB takes it there.

import { factsOf } from '../../reql/term/facts.ts';
import { arityFault } from '../../reql/term/signature.ts';
import { signatureOf } from '../../reql/term/signatures.ts';
import { isSpread, spreadOut } from '../../reql/term/spread.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import { LeaveToServer } from '../context.ts';

/**
 * The arguments of a term after the first, with those of `r.args` that a literal array gives; of any other array it stays.
 * @throws LeaveToServer where RethinkDB refuses `r.args`, or as many arguments as there are then
 */
export function spreadArguments(term: CallTerm, rest: readonly Term[]): readonly Term[] {
  const args = spreadOut(rest);
  if (args !== rest && !isTaken(term, rest, args)) throw new LeaveToServer();
  return args;
}

function isTaken(term: CallTerm, rest: readonly Term[], args: readonly Term[]): boolean {
  const signature = signatureOf(term.type);
  if (signature === undefined || term.type === TermType.ORDER_BY) return false;
  if (spreadOut(rest.filter(isSpread)).some(isNoData)) return false;
  return args.some(isSpread) || arityFault(signature, args.length + 1) === undefined;
}

/** Whether it cannot be an item of an array: a function, or something of a table, which may be one. */
export function isNoData(term: Term): boolean {
  return funcParts(term) !== undefined || factsOf(term).table !== undefined;
}
