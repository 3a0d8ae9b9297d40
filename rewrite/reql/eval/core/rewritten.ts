// Terms that the server rewrites into others before it looks at their arguments. The generated terms all stand in the
// place of the one that they replace; their variables have negative ids, so that they never bind `r.row`.

import { type Builder, builder } from '../../build/build.ts';
import { compileError } from '../../error.ts';
import { copiedEntries } from '../../term/copied.ts';
import { arityFault } from '../../term/signature.ts';
import { signatureOf } from '../../term/signatures.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import { compileTerm } from './compile.ts';
import type { TermCompiler } from './context.ts';

/** A term that means what `rewrite` makes of it. Raises COMPILE_ERROR for a wrong number of arguments. */
export function rewritten(rewrite: (t: Builder, call: CallTerm) => Term): TermCompiler {
  return (call, env) => {
    const signature = signatureOf(call.type);
    const fault = signature === undefined ? undefined : arityFault(signature, call.args.length);
    if (fault !== undefined) throw compileError(fault, call.origin);
    let last = 0;
    const fresh = (): number => {
      last -= 1;
      return last;
    };
    return { ...compileTerm(rewrite(builder(call.origin, fresh), call), { ...env, literalOk: false }), term: call };
  };
}

/** A generated term with the optargs of the one it replaces: those come over its own, and all are read in order of name. */
export function withOptargsOf(call: CallTerm, made: CallTerm): CallTerm {
  if (call.optargs.length === 0) return made;
  return { ...made, optargs: copiedEntries([...made.optargs, ...call.optargs]) };
}
