// Functions that look things up for each element, in the rows of tables: `U.get(row('u'))`, `U.getAll(row('u'), {index}).count()`,
// `U.filter({u: row('id')}).sum('x')`. What is looked up is taken out of the function: rows are grouped by the key that they are
// looked up by, each group is a value, and the function becomes one of the element and of the values that it found.

import { withVariables } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { factsOf } from '../../reql/term/facts.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { visit } from '../../reql/term/walk.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis } from '../analysis.ts';
import { lookupBase } from '../join/lookup-base.ts';
import { orderLostIn } from '../order/order-of.ts';
import { unordered } from '../order/unordered.ts';
import { branchOf, type Stream } from '../piece.ts';
import { readsLive } from '../rules/argument.ts';
import { missedBy } from '../rules/missed.ts';
import { typeOf } from '../rules/stream-type.ts';
import { LookupFinder } from './lookup-finder.ts';
import { reads } from './reads.ts';

/** A term whose functions read what was looked up, and the elements beside which it stands. */
export interface Looked {
  readonly term: CallTerm;
  readonly stream: Stream;
}

/** Whether an argument of a term reads tables, or something live. */
export function looksUp(analysis: Analysis, term: CallTerm): boolean {
  return term.args.slice(1).some((argument) => readsLive(analysis, argument));
}

/** Whether an argument of a term reads rows of a table that depend on its element. */
export function looksUpByElement(term: CallTerm): boolean {
  return term.args.slice(1).some((argument) => {
    const parts = funcParts(argument);
    if (parts === undefined) return false;
    const params = new Set(parts.params);
    let found = false;
    visit(parts.body, (below) => {
      if (factsOf(below).table === undefined) return false;
      const isReader = below.kind === 'call' && tableBelow(below) !== undefined;
      if (isReader && reads(below, params)) found = true;
      return !found;
    });
    return found;
  });
}

const OF_GROUP = 'it looks things up for each element of a group. Look them up before `group`';
const OF_FOUND =
  'it looks things up for each of the rows that are looked up. Do so in a `map`, `merge`, `filter` or `concatMap` that reads nothing but these rows, and stands right behind `getAll` or `filter`';

/**
 * Takes what is looked up out of the arguments of a term.
 * @throws ReqlError that names what cannot be looked up
 */
export function lookedUp(analysis: Analysis, written: CallTerm, stream: Stream): Looked {
  const { context } = analysis;
  const term = withVariables(written, context.fresh);
  const bag = unordered(stream);
  if (bag === undefined) {
    throw refusal(term, 'it looks things up for each element of a part of an order. Look them up before `limit`');
  }
  const group = bag.branches.find(({ root }) => root.kind === 'group');
  if (group?.root.kind === 'group') throw refusal(term, group.root.isSelection ? OF_FOUND : OF_GROUP);
  const row = context.fresh();
  const [below, ...args] = term.args;
  const finder = new LookupFinder(analysis, term, row);
  const found = args.map((argument) => (readsLive(analysis, argument) ? finder.take(argument) : argument));
  const base = lookupBase(context, { term, left: bag, row, lookups: finder.lookups(), type: typeOf(stream) });
  const objects = bag.branches.every((branch) => branch.objects);
  const lost = orderLostIn(term, stream);
  return {
    term: callWith(term, { args: below === undefined ? found : [below, ...found] }),
    stream: { kind: 'stream', branches: [branchOf(base, objects, missedBy(analysis, term, bag))], tail: [], lost },
  };
}
