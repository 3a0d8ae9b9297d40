// `changes({reducer: f})`: a client's own function over the values of a stream, or of each of its groups, with how often each
// is there.

import type { Consumer } from '../each.ts';
import type { Reduced } from '../live.ts';
import type { Piece } from '../piece.ts';
import { logicError, ReqlError } from '../reql/error.ts';
import { TermType } from '../reql/term-type.ts';
import { checkQuery } from '../term/check.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { freeVars, funcParts, funcTerm } from '../term/vars.ts';
import { find } from '../term/walk.ts';
import { unordered } from './aggregate.ts';
import { checkDeterministic } from './argument.ts';
import { groupElements } from './group.ts';
import { notOverStream } from './named-aggregate.ts';
import type { Taking } from './taking.ts';

/**
 * What a reducer makes of a stream or of groups.
 * @param changes the CHANGES term
 * @param reducer its optarg: `(group, values) => outputs`; without groups `values => outputs`, and then a function of two
 *   arguments gets null for the group
 * @throws ReqlError that points to the reducer where it cannot be called, reads a table or is not deterministic
 */
export function reduced(taking: Taking, changes: CallTerm, piece: Piece, reducer: Term): Reduced {
  const grouped = piece.kind === 'grouped';
  const func = checkedReducer(taking, reducer, grouped);
  const inner = grouped ? piece.inner : piece;
  const bag = inner.kind === 'stream' ? unordered(inner) : undefined;
  if (bag === undefined) throw notOverStream('reducer', reducer);
  const elements = taking.context.consume(bag, whole(changes));
  return { kind: 'reduced', of: grouped ? groupElements(taking, piece) : elements, grouped, reducer: func };
}

function whole(term: CallTerm): Consumer {
  return { term, asIs: true, elements: (t, element) => t.array(element) };
}

/** The reducer as a function of a group and its values. */
function checkedReducer(taking: Taking, reducer: Term, grouped: boolean): CallTerm {
  checkPure(reducer);
  const parts = funcParts(reducer);
  if (reducer.kind !== 'call' || parts === undefined) {
    throw logicError('Expected type FUNCTION but found DATUM.', reducer.origin);
  }
  const found = parts.params.length;
  if (found === 2) return reducer;
  if (found === 1 && !grouped) return funcTerm([taking.context.fresh(), ...parts.params], parts.body, reducer);
  const wanted = grouped ? '2 arguments' : '1 argument';
  const text = `Expected function with ${wanted} but found function with ${found} argument${found === 1 ? '' : 's'}.`;
  throw logicError(text, reducer.origin);
}

/** Refuses, at the reducer, what could give another result another time, and what the server would not compile. */
function checkPure(reducer: Term): void {
  const table = find(reducer, (inner) => inner.kind === 'call' && inner.type === TermType.TABLE);
  if (table !== undefined || freeVars(reducer).size > 0) {
    throw logicError(
      'The `reducer` of `changes` reads a table or a live value: changes of what it reads would be missed. It may only use its arguments.',
      reducer.origin,
    );
  }
  try {
    checkDeterministic(reducer);
  } catch (error) {
    throw error instanceof ReqlError ? logicError(error.message, reducer.origin) : error;
  }
  const call: CallTerm = { kind: 'call', type: TermType.FUNCALL, args: [reducer], optargs: [] };
  const fault = checkQuery({ term: call, globalOptargs: [] });
  if (fault !== undefined) throw fault;
}
