// VAR and IMPLICIT_VAR: found at compile time by how many scopes up they are and which of their scope they are.

import type { Datum } from '../../data/datum.ts';
import { compileError, ReqlError } from '../../error.ts';
import type { CallTerm } from '../../term/term.ts';
import type { CompileEnv } from './compile.ts';
import { type Compiled, compiled, Determinism } from './compiled.ts';
import type { Bound, Scope } from './scope.ts';

/** VAR. */
export function compileVar(call: CallTerm, env: CompileEnv): Compiled {
  const [id] = call.args;
  const fail = (message: string): Error => compileError(message, call.origin);
  if (call.args.length !== 1 || id === undefined) throw fail('A variable term has the wrong number of arguments.');
  if (id.kind !== 'datum') throw fail('A variable term has a non-datum argument.');
  if (typeof id.value !== 'number') throw fail('A variable term has a non-numeric name datum.');
  let depth = 0;
  for (let frame = env.frame; frame !== undefined; frame = frame.parent) {
    const index = frame.params.indexOf(id.value);
    if (index >= 0) return readVariable(call, depth, index);
    depth += 1;
  }
  throw fail('Variable name not found.');
}

/** IMPLICIT_VAR. */
export function compileImplicitVar(call: CallTerm, env: CompileEnv): Compiled {
  const fail = (message: string): Error => compileError(message, call.origin);
  if (call.args.length > 0 || call.optargs.length > 0) {
    throw fail('Expected no arguments or optional arguments on implicit variable term.');
  }
  if (env.implicitDepth === 0) throw fail('r.row is not defined in this context.');
  if (env.implicitDepth > 1) throw fail('Cannot use r.row in nested queries.  Use functions instead.');
  let depth = 0;
  for (let frame = env.frame; frame !== undefined && frame !== env.implicitFrame; frame = frame.parent) depth += 1;
  return readVariable(call, depth, 0);
}

function readVariable(call: CallTerm, depth: number, index: number): Compiled {
  const nearest = depth === 0 ? NEAREST[index] : undefined;
  if (nearest !== undefined) return compiled(call, Determinism.ALWAYS, nearest);
  const take = taker(index);
  const read = (scope: Scope | undefined): Datum => {
    let found = scope;
    for (let up = depth; up > 0; up--) found = found?.parent;
    return found === undefined ? null : raised(take(found));
  };
  return compiled(call, Determinism.ALWAYS, read);
}

/** Most variables are the first parameters of the innermost function. */
const NEAREST: readonly ((scope: Scope | undefined) => Datum)[] = [
  (scope) => raised(scope?.first ?? null),
  (scope) => raised(scope?.second ?? null),
];

/** The datum that a variable holds. Raises the error that it holds. */
function raised(bound: Bound): Datum {
  if (bound instanceof ReqlError) throw bound;
  return bound;
}

/** Reads one variable of a scope. */
export function taker(index: number): (scope: Scope) => Bound {
  if (index === 0) return (scope) => scope.first;
  if (index === 1) return (scope) => scope.second;
  return (scope) => scope.others[index - 2] ?? null;
}
