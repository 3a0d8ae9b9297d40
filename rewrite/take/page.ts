// Pages as people write them: `orderBy({index}).skip(m).limit(n)`, which is `limit(m + n).skip(m)`, and that can be watched.

import { TermType } from '../reql/term-type.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { optargOf } from './argument.ts';
import { isIndexOrder } from './selection.ts';

/** A page with its `limit` below its `skip`; any other term as it is. */
export function limitedFirst(term: CallTerm): CallTerm {
  const [skip, wanted] = term.type === TermType.LIMIT ? term.args : [];
  if (skip?.kind !== 'call' || skip.type !== TermType.SKIP || hasBounds(skip)) return term;
  const [order, skipped] = skip.args;
  const [count, start] = [positionOf(wanted), positionOf(skipped)];
  if (order?.kind !== 'call' || !isIndexOrder(order) || order.args.length > 1 || skipped === undefined) return term;
  if (count === undefined || start === undefined) return term;
  const limit: CallTerm = { ...term, args: [order, { kind: 'datum', value: start + count }] };
  return { ...skip, args: [limit, skipped] };
}

function hasBounds(term: CallTerm): boolean {
  return optargOf(term, 'left_bound') !== undefined || optargOf(term, 'right_bound') !== undefined;
}

/** A place in a list, counted from its start, where it is written out. */
export function positionOf(term: Term | undefined): number | undefined {
  const value = term?.kind === 'datum' ? term.value : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}
