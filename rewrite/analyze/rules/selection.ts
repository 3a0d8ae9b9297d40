// Tables and selections: where elements come from, and what RethinkDB can watch by itself.

import { onTop } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { factsOf, isOpen } from '../../reql/term/facts.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { isIndexOrder } from '../order/slice.ts';
import { branchOf, type Stream } from '../piece.ts';
import { readsLive } from './argument.ts';

/** A stream of the rows of a selection. */
export function selectionStream(term: CallTerm, limited = false): Stream {
  const base = { kind: 'selection', term, limited } as const;
  return { kind: 'stream', branches: [branchOf(base, true)], tail: [] };
}

/** The selection that a stream is, when nothing stands on top of it. */
export function selectionOf(stream: Stream): CallTerm | undefined {
  const [branch, ...more] = stream.branches;
  if (branch === undefined || more.length > 0 || stream.tail.length > 0) return undefined;
  return branch.root.kind === 'selection' && branch.chain.length === 0 && !branch.root.limited
    ? branch.root.term
    : undefined;
}

/** A table, as the client wrote it. */
export function takeTable(analysis: Analysis, term: CallTerm): Stream {
  const [of] = term.args;
  // The server refuses whatever is no database.
  if (term.args.length > 1 && of !== undefined && factsOf(of).table !== undefined) throw new LeaveToServer();
  checkClosed(analysis, term);
  return selectionStream(term);
}

/** @throws ReqlError where a selection depends on something live, or on a variable from outside. */
export function checkClosed(analysis: Analysis, term: CallTerm): void {
  const arguments_ = term.type === TermType.TABLE ? term.args : term.args.slice(1);
  for (const argument of [...arguments_, ...term.optargs.map(([, optarg]) => optarg)]) {
    if (readsLive(analysis, argument)) throw refusal(term, 'what it selects depends on another table. Read that first');
    if (isOpen(argument))
      throw refusal(
        term,
        'what it selects depends on a variable of a function around it. Write out what it is, or make an element of each with `concatMap`, and look up for that',
      );
  }
}

const narrow: StreamRule = (analysis, term, stream) => {
  const selection = selectionOf({ ...stream, tail: [] });
  // The server refuses it on anything but a table, or the order of an index.
  if (selection === undefined || !stream.tail.every(isIndexOrder)) throw new LeaveToServer();
  checkClosed(analysis, term);
  return { ...selectionStream(onTop(term, selection)), tail: stream.tail };
};

/** Selections of a table, by term number. */
export const selectionRules: StreamRules = new Map([
  [TermType.GET_ALL, narrow],
  [TermType.BETWEEN, narrow],
  [TermType.BETWEEN_DEPRECATED, narrow],
  [TermType.GET_INTERSECTING, narrow],
]);
