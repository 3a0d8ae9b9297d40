// Evaluation of ReQL that needs no server: the terms, and the ways in.

import { TermType } from '../term-type.ts';
import type { TermTable } from './core/context.ts';
import { compileFunc } from './core/reql-func.ts';
import { compileImplicitVar, compileVar } from './core/variable.ts';
import { aggregateTerms } from './terms/aggregate.ts';
import { arithmeticTerms } from './terms/arithmetic.ts';
import { arrayTerms } from './terms/array.ts';
import { bitwiseTerms } from './terms/bitwise.ts';
import { chanceTerms } from './terms/chance.ts';
import { comparisonTerms } from './terms/comparison.ts';
import { controlTerms } from './terms/control.ts';
import { forEachTerms } from './terms/for-each.ts';
import { groupTerms } from './terms/group.ts';
import { joinTerms } from './terms/join.ts';
import { jsonTerms } from './terms/json.ts';
import { literalTerms } from './terms/literal.ts';
import { objectTerms } from './terms/object.ts';
import { orderTerms } from './terms/order.ts';
import { sequenceTerms } from './terms/sequence.ts';
import { sliceTerms } from './terms/slice.ts';
import { stringTerms } from './terms/string.ts';
import { timeTerms } from './terms/time.ts';
import { typeTerms } from './terms/type.ts';

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

export { Args, asFunc, asSelection } from './core/args.ts';
export { compile } from './core/compile.ts';
export { Determinism } from './core/compiled.ts';
export {
  createContext,
  type EvalContext,
  type RandomSource,
  type TermCompiler,
  type TermTable,
} from './core/context.ts';
export { op } from './core/op.ts';
export {
  type CallFunction,
  compileCall,
  compileFunction,
  evaluate,
  guarded,
} from './evaluate.ts';
