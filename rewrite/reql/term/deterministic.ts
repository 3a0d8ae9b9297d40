// Whether a term gives the same result whenever and wherever it is evaluated, as RethinkDB judges it from the term alone.

import type { Deterministic } from './signature.ts';
import { signatureOf } from './signatures.ts';
import { isSpread } from './spread.ts';
import type { CallTerm, Term } from './term.ts';
import { find } from './walk.ts';

/** The circumstances of an evaluation: that `r.now()` is one instant, that one machine does all the arithmetic. */
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
  switch (steadinessOf(term)) {
    case 'always':
      return true;
    case 'constantNow':
      return constantNow;
    case 'singleServer':
      return singleServer;
    case 'never':
      return false;
  }
}

/** When a call gives the same result for the same arguments. */
export type Steadiness = Exclude<Deterministic, 'withArgument'>;

/** When a call gives the same result for the same arguments, whatever those are. A term that is not known never does. */
export function steadinessOf({ type, args }: CallTerm): Steadiness {
  const given = signatureOf(type)?.deterministic ?? 'never';
  if (given !== 'withArgument') return given;
  return args.length === 1 && !args.some(isSpread) ? 'always' : 'never';
}
