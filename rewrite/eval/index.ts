// Evaluation of ReQL that needs no server: the terms, and the ways in.

import { TermType } from '../reql/term-type.ts';
import { arithmeticTerms } from './arithmetic.ts';
import { bitwiseTerms } from './bitwise.ts';
import { comparisonTerms } from './comparison.ts';
import type { TermTable } from './context.ts';
import { controlTerms } from './control.ts';
import { literalTerms } from './literal.ts';
import { compileFunc, compileImplicitVar, compileVar } from './reql-func.ts';

/** All terms that need no server. A server adds its own: `{ ...pureTerms, ...tableTerms }`. */
export const pureTerms: TermTable = {
  ...literalTerms,
  ...arithmeticTerms,
  ...bitwiseTerms,
  ...comparisonTerms,
  ...controlTerms,
  [TermType.FUNC]: compileFunc,
  [TermType.VAR]: compileVar,
  [TermType.IMPLICIT_VAR]: compileImplicitVar,
};

export { Args, asFunc, asSelection, asStream } from './args.ts';
export { type CompileEnv, compile, compileTerm } from './compile.ts';
export { type Compiled, Determinism } from './compiled.ts';
export {
  type ContextOptions,
  createContext,
  type EvalContext,
  type RandomSource,
  type TermCompiler,
  type TermTable,
} from './context.ts';
export { op, preparedOp } from './op.ts';
