// In which order the elements of a stream come, where RethinkDB keeps one.

import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Branch, LostOrder, Stream } from '../piece.ts';
import { optargOf } from '../rules/argument.ts';

/**
 * `none`: RethinkDB promises none. `read`: those who read elements one by one meet them in order, but aggregates run on each
 * shard by itself, in no order (`orderBy({index})`). `listed`: a list in memory, of which aggregates too meet the elements in order.
 */
export type StreamOrder = 'none' | 'read' | 'listed';

/** The order of a stream's elements. */
export function orderOf({ branches, tail }: Stream): StreamOrder {
  if (tail.some(sorts)) return 'listed';
  const [branch, ...more] = branches;
  if (branch === undefined || more.length > 0) return 'none';
  if (isListedBase(branch)) return 'listed';
  return tail.length > 0 ? 'read' : 'none';
}

/** The order that a term loses of a stream, or that was lost below. */
export function orderLostIn(term: CallTerm, stream: Stream): LostOrder | undefined {
  const order = orderOf(stream);
  return order === 'none' ? stream.lost : { term, listed: order === 'listed' };
}

/** Whether a term sorts elements in memory: one by an index alone does not. */
function sorts(term: CallTerm): boolean {
  return term.type === TermType.ORDER_BY && (optargOf(term, 'index') === undefined || term.args.length > 1);
}

/** Whether an order leaves no ties but between equal rows: a key of it is the row itself, or a list with the row in it. */
export function isTotal(order: CallTerm): boolean {
  return order.args.slice(1).some((key) => {
    const isMarked = key.kind === 'call' && (key.type === TermType.DESC || key.type === TermType.ASC);
    const parts = funcParts(isMarked ? (key.args[0] ?? key) : key);
    const [param] = parts?.params ?? [];
    return parts !== undefined && param !== undefined && holds(parts.body, param);
  });
}

function holds(value: Term, row: VarId): boolean {
  if (value.kind !== 'call') return false;
  return varOf(value) === row || (value.type === TermType.MAKE_ARRAY && value.args.some((item) => varOf(item) === row));
}

function isListedBase({ root: base }: Branch): boolean {
  switch (base.kind) {
    case 'selection':
      return base.limited;
    case 'rows':
      return true;
    case 'group':
      return base.listed;
    case 'join':
      return false;
  }
}

/** Whether a term takes elements as they are or leaves them out, so that they can still be ordered as before. */
export function keepsElements({ type }: CallTerm): boolean {
  return type === TermType.FILTER || type === TermType.HAS_FIELDS;
}

/** The `orderBy` that a selection stands on. */
export function orderBelow(selection: CallTerm): CallTerm | undefined {
  for (let at: Term | undefined = selection; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.ORDER_BY) return at;
  }
  return undefined;
}
