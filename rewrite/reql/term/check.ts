// The faults for which RethinkDB refuses a query of the right shape before it runs it, in the order in which it looks: terms where
// they may not stand (its term walker), then global optargs, then arity, optargs and variables of every term (its
// compiler).

import { compileError, ReqlError } from '../error.ts';
import type { Origin } from '../origin.ts';
import { TermType } from '../term-type.ts';
import { copied } from './copied.ts';
import { isGlobalOptarg } from './global-optarg.ts';
import { arityFault, type Signature } from './signature.ts';
import { signatureOf } from './signatures.ts';
import { isSpread } from './spread.ts';
import type { CallTerm, Entry, ObjectTerm, StartQuery, Term } from './term.ts';
import { bindsImplicit, readFunc, type VarId } from './vars.ts';
import { visitInScope } from './walk.ts';

/** The COMPILE_ERROR with which RethinkDB 2.4.4 refuses a query, or `undefined` where it would run it. */
export function checkQuery(query: StartQuery): ReqlError | undefined {
  return checkPlaces(query.term) ?? checkGlobalOptargs(query.globalOptargs) ?? checkTerm(query.term);
}

interface Place {
  readonly parent: Term | undefined;
  readonly grandparent: Term | undefined;
  readonly writesLegal: boolean;
}

function checkPlaces(root: Term): ReqlError | undefined {
  let fault: ReqlError | undefined;
  const top: Place = { parent: undefined, grandparent: undefined, writesLegal: true };
  visitInScope(root, top, (term, { parent, grandparent, writesLegal: above }) => {
    const writesLegal = above && !(parent !== undefined && forbidsWrites(parent) && firstArgument(parent) !== term);
    const message = term.kind === 'call' ? placeFault(term, { parent, grandparent, writesLegal }) : undefined;
    if (message !== undefined) {
      fault = compileError(message, term.origin);
      return 'stop';
    }
    return { inner: { parent: term, grandparent: parent, writesLegal } };
  });
  return fault;
}

function firstArgument(term: Term): Term | undefined {
  return term.kind === 'call' ? term.args[0] : undefined;
}

function forbidsWrites(term: Term): boolean {
  return term.kind === 'call' && signatureOf(term.type)?.forbidsWrites === true;
}

function placeFault(term: CallTerm, { parent, grandparent, writesLegal }: Place): string | undefined {
  const signature = signatureOf(term.type);
  if (signature === undefined) return `Unrecognized TermType: ${term.type}.`;
  if (term.type === TermType.ASC || term.type === TermType.DESC) {
    const ordered =
      isCall(parent, TermType.ORDER_BY) ||
      isCall(parent, TermType.UNION) ||
      (isCall(parent, TermType.MAKE_ARRAY) && isCall(grandparent, TermType.UNION));
    if (!ordered) return `${signature.driver.toUpperCase()} may only be used as an argument to ORDER_BY or UNION.`;
  }
  if (signature.writes && !writesLegal) {
    return 'Cannot nest writes or meta ops in stream operations.  Use FOR_EACH instead.';
  }
  return undefined;
}

function isCall(term: Term | undefined, type: TermType): boolean {
  return term?.kind === 'call' && term.type === type;
}

/** Global optargs have no place in the query, so their errors have none either. */
function checkGlobalOptargs(optargs: readonly Entry[]): ReqlError | undefined {
  if (optargs.length === 0) return undefined;
  const seen = new Set<string>();
  for (const [name, optarg] of optargs) {
    const fault = checkPlaces(optarg);
    if (fault !== undefined) return compileError(fault.message);
    if (!isGlobalOptarg(name)) return compileError(`Unrecognized global optional argument \`${name}\`.`);
    if (seen.has(name)) return compileError(`Duplicate global optional argument: \`${name}\`.`);
    seen.add(name);
  }
  return undefined;
}

/** How many functions with an `r.row` stand around, and whether the server has copied what is here. */
interface Scope {
  /** The variables that may be read at the place where the check stands, with how many functions around it bind each. */
  readonly vars: Map<VarId, number>;
  readonly implicitDepth: number;
  readonly copied: boolean;
}

/** A step of the compiler: a term to look at, or a check that waits for the terms before it. */
type Step = { readonly term: Term; readonly scope: Scope } | { readonly check: () => ReqlError | undefined };

function checkTerm(root: Term): ReqlError | undefined {
  const steps: Step[] = [{ term: root, scope: { vars: new Map(), implicitDepth: 0, copied: false } }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const next = 'check' in step ? (step.check() ?? []) : stepsOf(step.term, step.scope);
    if (next instanceof ReqlError) return next;
    for (let index = next.length - 1; index >= 0; index--) {
      const later = next[index];
      if (later !== undefined) steps.push(later);
    }
  }
  return undefined;
}

function stepsOf(term: Term, scope: Scope): ReqlError | readonly Step[] {
  if (term.kind === 'datum') return [];
  if (term.kind === 'object') return objectSteps(term, scope);
  if (term.type === TermType.FUNC) return funcSteps(term, scope);
  if (term.type === TermType.VAR) return fault(varFault(term, scope), term.origin);
  if (term.type === TermType.IMPLICIT_VAR) return fault(implicitFault(term, scope), term.origin);
  // One without arguments has been read as an object.
  if (term.type === TermType.MAKE_OBJ) return compileError('MAKE_OBJ term must not have any args.', term.origin);
  const signature = signatureOf(term.type);
  if (signature === undefined) return [];
  if (!signature.rewritten || scope.copied) return callSteps(term, signature, scope);
  return callSteps(copied(term), signature, { ...scope, copied: true });
}

function fault(message: string | undefined, origin: Origin | undefined): ReqlError | readonly Step[] {
  return message === undefined ? [] : compileError(message, origin);
}

function objectSteps(term: ObjectTerm, scope: Scope): readonly Step[] {
  const seen = new Set<string>();
  return term.fields.flatMap(([key, field]) => [
    { term: field, scope },
    {
      check: () => {
        if (seen.has(key)) return compileError(`Duplicate object key: ${key}.`, term.origin);
        seen.add(key);
        return undefined;
      },
    },
  ]);
}

function callSteps(term: CallTerm, signature: Signature, scope: Scope): readonly Step[] {
  const arity = { check: () => checkArity(term, signature) };
  // A term that the server rewrites is counted before its arguments are looked at.
  const steps: Step[] = signature.rewritten ? [arity] : [];
  for (const argument of term.args) if (argument.kind !== 'datum') steps.push({ term: argument, scope });
  if (!signature.rewritten) steps.push(arity);
  if (term.optargs.length === 0) return steps;
  const seen = new Set<string>();
  for (const [name, optarg] of term.optargs) {
    steps.push({ check: () => checkOptarg(signature, name, optarg) }, { term: optarg, scope });
    steps.push({
      check: () => {
        if (seen.has(name)) return compileError(`Duplicate optional argument: ${name}`, optarg.origin);
        seen.add(name);
        return undefined;
      },
    });
  }
  return steps;
}

/** Where `r.args` stands among the arguments, they are counted when the query runs. */
function checkArity(term: CallTerm, signature: Signature): ReqlError | undefined {
  if (!signature.rewritten && term.args.some(isSpread)) return undefined;
  const message = arityFault(signature, term.args.length);
  return message === undefined ? undefined : compileError(message, term.origin);
}

function checkOptarg(signature: Signature, name: string, optarg: Term): ReqlError | undefined {
  if (signature.optargs.includes(name)) return undefined;
  return compileError(`Unrecognized optional argument \`${name}\`.`, optarg.origin);
}

function varFault(term: CallTerm, scope: Scope): string | undefined {
  const [id] = term.args;
  if (id === undefined || term.args.length !== 1) return 'A variable term has the wrong number of arguments.';
  if (id.kind !== 'datum') return 'A variable term has a non-datum argument.';
  if (typeof id.value !== 'number') return 'A variable term has a non-numeric name datum.';
  if (!Number.isInteger(id.value)) return `Number not an integer: ${id.value}`;
  return (scope.vars.get(id.value) ?? 0) > 0 ? undefined : 'Variable name not found.';
}

function implicitFault(term: CallTerm, { implicitDepth }: Scope): string | undefined {
  if (term.args.length > 0 || term.optargs.length > 0) {
    return 'Expected no arguments or optional arguments on implicit variable term.';
  }
  if (implicitDepth === 1) return undefined;
  return implicitDepth === 0
    ? 'r.row is not defined in this context.'
    : 'Cannot use r.row in nested queries.  Use functions instead.';
}

function funcSteps(term: CallTerm, scope: Scope): ReqlError | readonly Step[] {
  const func = readFunc(term);
  if (func instanceof ReqlError) return func;
  const { params, body } = func;
  const { vars } = scope;
  const inner: Scope = { ...scope, implicitDepth: scope.implicitDepth + (bindsImplicit(func) ? 1 : 0) };
  for (const param of params) vars.set(param, (vars.get(param) ?? 0) + 1);
  const leave = (): undefined => {
    for (const param of params) vars.set(param, (vars.get(param) ?? 0) - 1);
  };
  return [{ term: body, scope: inner }, { check: leave }];
}
