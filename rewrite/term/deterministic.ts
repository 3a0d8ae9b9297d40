// Whether a term gives the same result whenever and wherever it is evaluated, as RethinkDB judges it from the term alone.

import { TermType } from '../reql/term-type.ts';
import { signatureOf } from './signatures.ts';
import type { CallTerm, Term } from './term.ts';
import { find } from './walk.ts';

/** What may be taken for granted: that `r.now()` is one instant, that one machine does all the arithmetic. */
export interface Circumstances {
  readonly constantNow: boolean;
  readonly singleServer: boolean;
}

/** The first term, parents first, for which the same arguments need not give the same result. */
export function findNondeterministic(root: Term, circumstances: Circumstances): Term | undefined {
  return find(root, (term) => term.kind === 'call' && !isSteady(term, circumstances));
}

/** Whether RethinkDB takes a term for deterministic. Terms that it does not know are not. */
export function isDeterministic(root: Term, circumstances: Circumstances): boolean {
  return findNondeterministic(root, circumstances) === undefined;
}

/** One query on one machine. */
export const STEADY: Circumstances = { constantNow: true, singleServer: true };

/** Whether a call gives the same result for the same arguments, whatever those are. */
export function isSteady(term: CallTerm, { constantNow, singleServer }: Circumstances): boolean {
  switch (signatureOf(term.type)?.deterministic ?? 'never') {
    case 'always':
      return true;
    case 'constantNow':
      return constantNow;
    case 'singleServer':
      return singleServer;
    case 'withArgument': {
      const [argument] = term.args;
      return term.args.length === 1 && !(argument?.kind === 'call' && argument.type === TermType.ARGS);
    }
    case 'never':
      return false;
  }
}
