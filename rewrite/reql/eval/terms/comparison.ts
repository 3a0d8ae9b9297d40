// EQ, NE, LT, LE, GT, GE and NOT. A comparison of several values compares each with the next.

import { compareDatums } from '../../data/compare.ts';
import { TermType } from '../../term-type.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { op, pairOp } from '../core/op.ts';

/** `holds` judges each pair by its order; `whenAll` is the answer where it holds for all of them. */
function chain(holds: (order: number) => boolean, whenAll: boolean): TermCompiler {
  return pairOp(
    (left, right, { meter }) => holds(compareDatums(left, right, meter)) === whenAll,
    (args) => {
      let left = args.datum(0);
      for (let i = 1; i < args.count; i++) {
        const right = args.datum(i);
        if (!holds(compareDatums(left, right, args.context.meter))) return !whenAll;
        left = right;
      }
      return whenAll;
    },
  );
}

/** The terms of this family. */
export const comparisonTerms: TermTable = {
  [TermType.EQ]: chain((order) => order === 0, true),
  [TermType.NE]: chain((order) => order === 0, false),
  [TermType.LT]: chain((order) => order < 0, true),
  [TermType.LE]: chain((order) => order <= 0, true),
  [TermType.GT]: chain((order) => order > 0, true),
  [TermType.GE]: chain((order) => order >= 0, true),
  [TermType.NOT]: op((args) => !args.bool(0)),
};
