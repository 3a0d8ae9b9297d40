// Refusals of terms that depend on the places of elements in a stream, and the terms that work instead.

import { lostOrderRefusal, refusal } from '../../refusal.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Stream } from '../piece.ts';
import { orderOf } from './order-of.ts';

interface Positional {
  readonly reason: string;
  /** What it looks like on an order. */
  readonly onOrder?: string;
}

const positional: ReadonlyMap<number, Positional> = new Map([
  [TermType.LIMIT, { reason: 'which elements it takes depends on their order', onOrder: '.limit(n)' }],
  [TermType.SKIP, { reason: 'which elements it leaves out depends on their order', onOrder: '.skip(m)' }],
  [TermType.SLICE, { reason: 'which elements it takes depends on their order', onOrder: '.slice(m, n)' }],
  [TermType.NTH, { reason: 'which element it takes depends on their order', onOrder: '.nth(n)' }],
  [TermType.OFFSETS_OF, { reason: 'offsets depend on the order of all elements' }],
  [TermType.FOLD, { reason: 'a fold cannot be undone' }],
]);

const KEEPS_ALL = 'which keeps all elements';
/** On elements that are in an order. */
const LIST = `\`coerceTo("array")\` before it, ${KEEPS_ALL}`;
/** On elements that are in none. */
const ORDERED_LIST = `\`orderBy(...).coerceTo("array")\` before it, ${KEEPS_ALL}`;

/** The refusal of a term over positions on a stream that is no list, and no order of which a part can be kept. */
export function positionRefusal(term: CallTerm, stream: Stream): ReqlError {
  if (stream.lost !== undefined) return lostOrderRefusal(stream.lost.term);
  const known = positional.get(term.type);
  if (known === undefined) return refusal(term);
  const { reason, onOrder } = known;
  const isOrdered = orderOf(stream) !== 'none';
  const list = isOrdered ? LIST : ORDERED_LIST;
  // What is looked up for a row is not what `changes` stands on.
  if (term.type === TermType.FOLD && !isFound(stream)) {
    return refusal(term, `${reason}. Give its inverse, \`fold(base, f).changes({reverse: g})\`, or use ${list}`);
  }
  if (onOrder === undefined) return refusal(term, `${reason}. Use ${list}`);
  if (!isOrdered) return refusal(term, `${reason}. Use \`orderBy(...)${onOrder}\``);
  return refusal(term, `its places are not literals. Write them out, or use ${list}`);
}

/** Whether the elements are rows that are looked up. */
function isFound({ branches }: Stream): boolean {
  return branches.some(({ root }) => root.kind === 'group' && root.isSelection);
}
