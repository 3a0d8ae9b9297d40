// Evaluation of ReQL that needs no server: the terms, and the ways in.

import { TermType } from '../reql/term-type.ts';
import { aggregateTerms } from './aggregate.ts';
import { arithmeticTerms } from './arithmetic.ts';
import { arrayTerms } from './array.ts';
import { bitwiseTerms } from './bitwise.ts';
import { chanceTerms } from './chance.ts';
import { comparisonTerms } from './comparison.ts';
import type { TermTable } from './context.ts';
import { controlTerms } from './control.ts';
import { forEachTerms } from './for-each.ts';
import { groupTerms } from './group.ts';
import { joinTerms } from './join.ts';
import { jsonTerms } from './json.ts';
import { literalTerms } from './literal.ts';
import { objectTerms } from './object.ts';
import { orderTerms } from './order.ts';
import { compileFunc } from './reql-func.ts';
import { sequenceTerms } from './sequence.ts';
import { sliceTerms } from './slice.ts';
import { stringTerms } from './string.ts';
import { timeTerms } from './time.ts';
import { typeTerms } from './type.ts';
import { compileImplicitVar, compileVar } from './variable.ts';

/** All terms that need no server. A server adds its own: `{ ...pureTerms, ...tableTerms }`. */
export const pureTerms: TermTable = {
  ...literalTerms,
  ...controlTerms,
  ...comparisonTerms,
  ...arithmeticTerms,
  ...bitwiseTerms,
  ...stringTerms,
  ...jsonTerms,
  ...timeTerms,
  ...typeTerms,
  ...chanceTerms,
  ...arrayTerms,
  ...objectTerms,
  ...sequenceTerms,
  ...sliceTerms,
  ...orderTerms,
  ...joinTerms,
  ...aggregateTerms,
  ...groupTerms,
  ...forEachTerms,
  [TermType.FUNC]: compileFunc,
  [TermType.VAR]: compileVar,
  [TermType.IMPLICIT_VAR]: compileImplicitVar,
};

export { Args, asFunc, asSelection } from './args.ts';
export { compile } from './compile.ts';
export { Determinism } from './compiled.ts';
export {
  createContext,
  type EvalContext,
  type RandomSource,
  type TermCompiler,
  type TermTable,
} from './context.ts';
export {
  type CallFunction,
  compileFunction,
  evaluate,
  guarded,
} from './evaluate.ts';
export { op } from './op.ts';
