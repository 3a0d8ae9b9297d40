// Terms that apply to each group of something grouped, and to the whole answer that a `default` may have put in their place.

import { refusal } from '../../refusal.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import type { GroupedPiece, Piece, Stream, Valued } from '../piece.ts';

/** The same groups, each with something else in them. */
export function onEachGroup(piece: GroupedPiece, change: (inner: Stream | Valued) => Stream | Valued): GroupedPiece {
  const inner = change(piece.inner);
  return {
    ...piece,
    inner,
    defaults: piece.defaults.map((given) => ({ ...given, whole: valueAgain(change(given.whole)) })),
  };
}

/** What a term made of a value: a value again. */
export function valueAgain(changed: Stream | Valued): Valued {
  if (changed.kind === 'value') return changed;
  throw new TypeError('a value that became a stream');
}

/**
 * What a term made of the elements or the value of a group, as something that can be in a group.
 * @throws ReqlError where it made groups
 */
export function innerOf(term: CallTerm, made: Piece): Stream | Valued {
  switch (made.kind) {
    case 'stream':
    case 'value':
      return made;
    case 'pure':
      return { kind: 'value', body: made.term, leaves: [], sequence: false, row: false };
    case 'grouped':
      throw refusal(term, 'it is applied to each group. Use `ungroup` before it');
  }
}
