// Terms over rows that are looked up that look things up themselves, or join, and ask nothing of the element: what they make of a row is
// the same for all who find it, so that it is made of all rows, beside the keys by which each is found.
//
//   row  ->  [[its keys], [what it is made]]     null in the place of the second where that raised NON_EXISTENCE

import { appliedToRow } from '../../plan/projection.ts';
import type { Builder } from '../../reql/build/build.ts';
import { callWith } from '../../reql/term/call-with.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, type VarId } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, Scope } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import type { Piece, Stream } from '../piece.ts';
import { above } from '../rules/above.ts';
import type { Selection } from './selection.ts';

/** Rows that are looked up, before and after such a term. */
export interface FoundRows {
  readonly by: Selection['by'];
  /** What they are selected of. */
  readonly right: Stream;
  /** Those that are found, as terms above stand on them. */
  readonly rows: Stream;
  /** Whether they are still themselves, or each is what a term has made of it; several where it has made several. */
  readonly made: 'nothing' | 'one' | 'several';
}

/** The term with all that it stands on taken for all rows; `undefined` where it has to be taken where it stands. */
export function madeOfAll(analysis: Analysis, term: CallTerm, found: FoundRows): FoundRows | undefined {
  const isThinned = found.made === 'nothing' && found.rows.branches.some(({ chain }) => chain.length > 0);
  if (found.made === 'several' || isThinned) return undefined;
  if (term.type === TermType.EQ_JOIN) return joined(analysis, term, found);
  if (term.optargs.length > 0) return undefined;
  if (term.type === TermType.FILTER) return filtered(analysis, term, found);
  const make = makes.get(term.type);
  const t = analysis.context.builder(term);
  if (make === undefined || !make.takes(term)) return undefined;
  const right = over(analysis, term, found.right, (rows) =>
    t.map(
      rows,
      t.func((row) => {
        const list = make.list(t, term, found.made === 'nothing' ? row : t.nth(t.nth(row, 1), 0));
        return t.array(keysOf(t, found, row), t.default(list, null));
      }, 1),
    ),
  );
  return withKeys(analysis, term, { ...found, right, made: make.several ? 'several' : 'one' });
}

interface Make {
  /** Whether it is written so that it can be applied to one row. */
  takes(term: CallTerm): boolean;
  /** The array of what a row is made. */
  list(t: Builder, term: CallTerm, row: Term): Term;
  readonly several: boolean;
}

const makes: ReadonlyMap<number, Make> = new Map<number, Make>([
  [
    TermType.MAP,
    { takes: hasOneFunction, list: (t, term, row) => t.array(applied(t, functionIn(term), row)), several: false },
  ],
  [
    TermType.CONCAT_MAP,
    {
      takes: hasOneFunction,
      list: (t, term, row) => t.coerceTo(applied(t, functionIn(term), row), 'array'),
      several: true,
    },
  ],
  [
    TermType.MERGE,
    {
      takes: () => true,
      list: (t, term, row) => t.array(t.merge(row, ...term.args.slice(1).map((merge) => applied(t, merge, row)))),
      several: false,
    },
  ],
  [
    TermType.ZIP,
    {
      takes: () => true,
      list: (t, _term, row) => t.array(t.merge(t.bracket(row, 'left'), t.default(t.bracket(row, 'right'), {}))),
      several: false,
    },
  ],
]);

function hasOneFunction({ args }: CallTerm): boolean {
  const [, func, ...more] = args;
  return func !== undefined && more.length === 0 && funcParts(func)?.params.length === 1;
}

function functionIn({ args }: CallTerm): Term {
  const [, func] = args;
  if (func === undefined) throw new TypeError('a term without a function');
  return func;
}

function applied(t: Builder, argument: Term, row: Term): Term {
  return argument.kind === 'call' && funcParts(argument) !== undefined ? appliedToRow(t, argument, row) : argument;
}

/** Rows for which a function is true; what could not be made of a row stays, since it raises where it is read. */
function filtered(analysis: Analysis, term: CallTerm, found: FoundRows): FoundRows | undefined {
  const t = analysis.context.builder(term);
  if (!hasOneFunction(term)) return undefined;
  const passes = (row: Term): Term => {
    const made = t.nth(row, 1);
    return found.made === 'nothing'
      ? applied(t, functionIn(term), row)
      : t.branch(t.eq(made, null), true, applied(t, functionIn(term), t.nth(made, 0)));
  };
  const right = over(analysis, term, found.right, (rows) => t.filter(rows, t.func(passes, 1)));
  return { ...found, right };
}

/** Pairs of the rows and those of another table. */
function joined(analysis: Analysis, term: CallTerm, found: FoundRows): FoundRows | undefined {
  if (found.made !== 'nothing') return undefined;
  const t = analysis.context.builder(term);
  const right = over(analysis, term, found.right, (rows) =>
    t.map(
      callWith(term, { args: [rows, ...term.args.slice(1)] }),
      t.func((pair) => t.array(keysOf(t, found, t.bracket(pair, 'left')), t.array(pair)), 1),
    ),
  );
  return withKeys(analysis, term, { ...found, right, made: 'one' });
}

/** The keys by which a row is found, as it is before the term. */
function keysOf(t: Builder, { by, made }: FoundRows, row: Term): Term {
  return made === 'nothing' ? by.rightKeys(t, row) : t.nth(row, 0);
}

/** The rows that are found, once each is the pair of its keys and of what it is made. */
function withKeys(analysis: Analysis, term: CallTerm, found: FoundRows): FoundRows {
  const t = analysis.context.builder(term);
  const { by, rows } = found;
  const made = t.concatMap(
    t.array(),
    t.func((pair) => t.nth(pair, 1), 1),
  );
  const branches = rows.branches.map((branch) =>
    branch.chain.length > 0 ? branch : above({ ...branch, objects: false }, made),
  );
  return { ...found, by: { ...by, rightKeys: (b, pair) => b.nth(pair, 0) }, rows: { ...rows, branches } };
}

/** A term over a stream. */
function over(analysis: Analysis, term: CallTerm, stream: Stream, make: (rows: Term) => Term): Stream {
  const { context, scope } = analysis;
  const id: VarId = context.fresh();
  const standing: Scope = new Map<VarId, Piece>([...scope, [id, stream]]);
  const piece = analysis.analyze(make(context.builder(term).var(id)), standing);
  if (piece.kind !== 'stream' || piece.tail.length > 0) throw new LeaveToServer();
  return piece;
}
