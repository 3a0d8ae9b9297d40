// The value or rows that a live query watches, and its sources.

import type { Live, Source } from '../live.ts';
import type { Knowledge } from '../recognized.ts';
import { logicError } from '../reql/error.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import { type AnalysisSettings, Context, LeaveToServer } from './context.ts';
import type { AggregateDefinition } from './define-aggregate.ts';
import { keepsElements } from './order/order-of.ts';
import { isOrder } from './order/unordered.ts';
import type { Piece } from './piece.ts';
import { optargOf } from './rules/argument.ts';
import { expressed } from './rules/expressed.ts';
import { groupedValue } from './rules/group.ts';
import { namedAggregate } from './rules/named-aggregate.ts';
import { reduced } from './rules/reducer.ts';
import { flatRows, watchedRows } from './rules/rows.ts';
import { analysisOf } from './take-apart.ts';

/** Analyzes what stands below `changes`, and finds its sources: selections of one table are read as one, as far as that can be. */
export function analyzeWatched(
  fresh: FreshVars,
  settings: AnalysisSettings,
  changes: CallTerm,
  watched: Term,
  knowledge: Pick<Knowledge, 'aggregates' | 'meter'>,
): { readonly what: Live['watched']; readonly sources: readonly Source[] } {
  const { aggregates = [], meter } = knowledge;
  const spent = meter?.spent ?? 0;
  const context = new Context(fresh, settings);
  const what = watch(context, changes, watched, aggregates);
  context.fillJoins();
  const readings = settings.readings === undefined ? context.readings() : undefined;
  if (readings !== undefined) {
    // The query is taken apart anew, and its steps are not counted twice: it only reads one table in two ways.
    meter?.rewind(spent);
    return analyzeWatched(fresh, { ...settings, readings }, changes, watched, knowledge);
  }
  return { what, sources: context.sources() };
}

function watch(
  context: Context,
  changes: CallTerm,
  watched: Term,
  aggregates: readonly AggregateDefinition[],
): Live['watched'] {
  const analysis = analysisOf(context);
  const below = analysis.analyze(watched);
  const reducer = optargOf(changes, 'reducer');
  const name = optargOf(changes, 'aggregate');
  if (reducer !== undefined) {
    if (name !== undefined)
      throw logicError('A feed is of a `reducer` or of an `aggregate`, not of both.', name.origin);
    return reduced(analysis, changes, below, reducer);
  }
  const piece = name === undefined ? below : namedAggregate(analysis, below, name, aggregates);
  if (name === undefined && isSelection(piece)) throw new LeaveToServer();
  switch (piece.kind) {
    case 'pure':
      throw new LeaveToServer();
    case 'stream':
      return watchedRows(analysis, changes, piece);
    case 'grouped':
      return groupedValue(analysis, piece);
    case 'value':
      if (piece.leaves.length === 0) throw new LeaveToServer();
      return piece.sequence ? flatRows(analysis, piece) : expressed(context, piece);
  }
}

/** Terms for each element that RethinkDB does not watch. */
const unwatched: ReadonlySet<number> = new Set([TermType.CONCAT_MAP, TermType.ZIP]);

/** Whether a piece is rows that RethinkDB watches by itself, though the terms did not tell: `distinct` by the primary key. */
function isSelection(piece: Piece): boolean {
  if (piece.kind !== 'stream') return false;
  return piece.branches.every(({ root: base, chain }) => {
    const all = [...chain, ...piece.tail];
    if (base.kind !== 'selection') return false;
    return all.every((term) => (base.limited ? keepsElements(term) || isOrder(term) : !unwatched.has(term.type)));
  });
}
