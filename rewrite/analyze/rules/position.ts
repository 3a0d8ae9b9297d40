// Why a term that depends on the places of elements cannot be kept right over a stream, and what can instead.

import { refusal } from '../../refusal.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Stream } from '../piece.ts';
import { keepsElements, orderOf } from './order-of.ts';
import { selectionOf } from './selection.ts';
import { isSliceOrder, sliceOf } from './slice.ts';

interface Positional {
  readonly reason: string;
  /** What it looks like on the order of an index, where that can be watched. */
  readonly byIndex?: string;
}

const positional: ReadonlyMap<number, Positional> = new Map([
  [TermType.LIMIT, { reason: 'which elements it takes depends on their order', byIndex: '.limit(n)' }],
  [TermType.SKIP, { reason: 'which elements it leaves out depends on their order', byIndex: '.skip(m).limit(n)' }],
  [TermType.SLICE, { reason: 'which elements it takes depends on their order', byIndex: '.slice(m, n)' }],
  [TermType.NTH, { reason: 'which element it takes depends on their order', byIndex: '.nth(n)' }],
  [TermType.OFFSETS_OF, { reason: 'offsets depend on the order of all elements' }],
  [TermType.FOLD, { reason: 'a fold cannot be undone' }],
]);

const KEEPS_ALL = 'which keeps all elements';
/** On elements that are in an order. */
const LIST = `\`coerceTo("array")\` before it, ${KEEPS_ALL}`;
/** On elements that are in none. */
const ORDERED_LIST = `\`orderBy(...).coerceTo("array")\` before it, ${KEEPS_ALL}`;

/** The refusal of a term over positions on a stream that is no list. */
export function positionRefusal(term: CallTerm, stream: Stream): ReqlError {
  const known = positional.get(term.type);
  if (known === undefined) return refusal(term);
  const { reason, byIndex } = known;
  const list = orderOf(stream) === 'none' ? ORDERED_LIST : LIST;
  if (term.type === TermType.FOLD) {
    return refusal(term, `${reason}. Give its inverse, \`fold(base, f).changes({reverse: g})\`, or use ${list}`);
  }
  if (byIndex !== undefined && isSlice(stream)) {
    return refusal(term, `${reason}. Use \`orderBy({index: ...})${byIndex}\`, or ${ORDERED_LIST}`);
  }
  return refusal(term, `${onOrder(term, stream) ?? reason}. Use ${list}`);
}

/** What is in the way on an order. */
function onOrder({ type }: CallTerm, { tail }: Stream): string | undefined {
  const [order, ...above] = tail;
  if (order === undefined || type === TermType.OFFSETS_OF) return undefined;
  if (!isSliceOrder(order)) return 'RethinkDB watches the first elements of an order by an index alone';
  if (above.length > 0 && !above.every(keepsElements)) {
    return 'RethinkDB watches the first rows of an order only where nothing but a filter stands between';
  }
  if (above.length > 0) return 'RethinkDB leaves out rows for which the filter below it fails, without a word';
  const isOpen = type === TermType.SKIP || type === TermType.SLICE;
  return isOpen ? 'it reaches to the end of the order, of which RethinkDB watches only the first rows' : undefined;
}

/** Whether a stream is a table, or a range of it, in no order yet. */
function isSlice(stream: Stream): boolean {
  return stream.tail.length === 0 && sliceOf(selectionOf(stream)) !== undefined;
}
