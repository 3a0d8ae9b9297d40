// `changes({reducer: f})`: a client's own function over the values of a stream, or of each of its groups, with how often each
// is there.

import type { Reduced } from '../../live.ts';
import type { Consumer } from '../../plan/projection.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm } from '../../reql/term/vars.ts';
import type { Analysis } from '../analysis.ts';
import { unordered } from '../order/unordered.ts';
import type { Piece } from '../piece.ts';
import { checkArity, checkClientArgument } from './client-function.ts';
import { groupElements } from './group.ts';
import { notOverStream } from './named-aggregate.ts';

/**
 * What a reducer makes of a stream or of groups.
 * @param changes the CHANGES term
 * @param reducer its optarg: `(group, values) => outputs`; without groups `values => outputs`, and then a function of two
 *   arguments gets null for the group
 * @throws ReqlError that points to the reducer where it cannot be called, reads a table or is not deterministic
 */
export function reduced(analysis: Analysis, changes: CallTerm, piece: Piece, reducer: Term): Reduced {
  const grouped = piece.kind === 'grouped';
  const func = checkedReducer(analysis, reducer, grouped);
  const inner = grouped ? piece.inner : piece;
  const bag = inner.kind === 'stream' ? unordered(inner) : undefined;
  if (bag === undefined) throw notOverStream('reducer', reducer);
  const elements = analysis.context.consume(bag, identity(changes));
  return { kind: 'reduced', of: grouped ? groupElements(analysis, piece) : elements, grouped, reducer: func };
}

function identity(term: CallTerm): Consumer {
  return { term, isIdentity: true, elements: (t, element) => t.array(element) };
}

/** The reducer as a function of a group and its values. */
function checkedReducer(analysis: Analysis, reducer: Term, grouped: boolean): CallTerm {
  checkClientArgument('reducer', reducer);
  const arity = grouped ? checkArity(reducer, 2) : checkArity(reducer, 1, 2);
  const parts = funcParts(reducer);
  if (reducer.kind !== 'call' || parts === undefined) throw new TypeError('a function that is none');
  return arity === 2 ? reducer : funcTerm([analysis.context.fresh(), ...parts.params], parts.body, reducer);
}
