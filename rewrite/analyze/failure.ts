// The errors that the per-row functions of a query can raise. RethinkDB drops a change silently when a function before `changes` raises
// anything for it (changefeed.cc, apply_ops), where the one-shot query would fail. So functions that can raise more than
// NON_EXISTENCE run in the fold or in the proxy, over whole rows; and those that can raise that are counted.

import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../reql/term/vars.ts';
import { childrenOf, visit } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';

/** Terms that raise nothing of their own, whatever they are given. */
const harmless: ReadonlySet<number> = new Set([
  TermType.VAR,
  TermType.IMPLICIT_VAR,
  TermType.MAKE_ARRAY,
  TermType.FUNC,
  TermType.FUNCALL,
  TermType.BRANCH,
  TermType.DEFAULT,
  TermType.EQ,
  TermType.NE,
  TermType.LT,
  TermType.LE,
  TermType.GT,
  TermType.GE,
  TermType.NOT,
  TermType.AND,
  TermType.OR,
  TermType.TYPE_OF,
  TermType.MINVAL,
  TermType.MAXVAL,
  TermType.NOW,
  TermType.TO_JSON_STRING,
]);

const field: ReadonlySet<number> = new Set([TermType.BRACKET, TermType.GET_FIELD]);

/** Terms of a chain that need objects, and raise nothing on them. */
const overObjects: ReadonlySet<number> = new Set([
  ...field,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.HAS_FIELDS,
  TermType.WITH_FIELDS,
]);

/** Whether a per-element term can raise more than NON_EXISTENCE; `objects` says that its elements are objects. */
export function mayRaise(term: CallTerm, objects: boolean): boolean {
  const args = term.args.slice(1);
  if (overObjects.has(term.type)) return !objects || args.some((arg) => arg.kind === 'call' && !isPattern(arg));
  if (term.type === TermType.CONCAT_MAP) return true;
  if (term.type === TermType.MERGE)
    return !objects || args.some((arg) => bodyOf(arg).kind !== 'object' || fails(arg, objects));
  return args.some((arg) => fails(arg, objects));
}

/** Whether an argument of an aggregate or of a group can raise more than NON_EXISTENCE for an element. */
export function argumentCanFail(arg: Term, objects: boolean): boolean {
  if (arg.kind !== 'call' || arg.type !== TermType.FUNC) return !objects || arg.kind === 'call';
  return fails(arg, objects);
}

/** The same where a literal names a field: what is no string raises an error. */
export function fieldCanFail(arg: Term, objects: boolean): boolean {
  const isField = arg.kind === 'datum' && typeof arg.value === 'string';
  return (arg.kind !== 'call' && !isField) || argumentCanFail(arg, objects);
}

/** Whether the functions of a term can raise NON_EXISTENCE for an element. */
export function mayLackField(term: CallTerm): boolean {
  // A filter does as its `default` says, which may be to raise after all.
  const args = term.args.slice(1);
  if (term.type === TermType.FILTER) {
    // The values of an object are evaluated before the filter is.
    const isRaised = args.some((arg) => arg.kind === 'object' && mayMiss(arg));
    return isRaised || term.optargs.some(([, value]) => value.kind !== 'datum');
  }
  if (term.type === TermType.CONCAT_MAP && args.some((arg) => !isList(bodyOf(arg)))) return true;
  return args.some((arg) => arg.kind !== 'datum' && mayMiss(arg));
}

/** Whether evaluating a term can raise NON_EXISTENCE, other than by reading a variable. */
export function mayMiss(root: Term): boolean {
  let found = false;
  visit(root, (term) => {
    if (term.kind !== 'call') return true;
    if (term.type === TermType.DEFAULT) {
      // What stands in for a value can be missing itself, and `r.error()` raises what was caught once more.
      found ||= term.args.slice(1).some(mayMiss);
      return false;
    }
    // A missing field raises NON_EXISTENCE, and so does null where another type is wanted.
    if (!harmless.has(term.type)) found = true;
    return !found;
  });
  return found;
}

/** Whether a term is an array whatever the element: written out, or with an array in the place of null. */
function isList(term: Term): boolean {
  if (term.kind === 'datum') return Array.isArray(term.value);
  if (term.kind !== 'call') return false;
  if (term.type === TermType.DEFAULT) return term.args[1] !== undefined && isList(term.args[1]);
  return term.type === TermType.MAKE_ARRAY;
}

/** Whether a function, or a literal with `r.row` in it, can raise more than NON_EXISTENCE. */
function fails(arg: Term, objects: boolean): boolean {
  const params: ReadonlySet<VarId> = new Set(objects ? (funcParts(arg)?.params ?? []) : []);
  const unseen: Term[] = [arg];
  for (let term = unseen.pop(); term !== undefined; term = unseen.pop()) {
    if (term.kind === 'call') {
      if (field.has(term.type)) {
        if (!isFieldOf(term, params, objects)) return true;
        continue;
      }
      if (!harmless.has(term.type)) return true;
    }
    for (const child of childrenOf(term)) unseen.push(child);
  }
  return false;
}

/** Whether a term reads a literal field of an element that is known to be an object. */
function isFieldOf(term: CallTerm, params: ReadonlySet<VarId>, objects: boolean): boolean {
  const [of, name] = term.args;
  if (of === undefined || name?.kind !== 'datum' || typeof name.value !== 'string') return false;
  const id = varOf(of);
  if (id !== undefined) return params.has(id);
  return objects && of.kind === 'call' && of.type === TermType.IMPLICIT_VAR;
}

function bodyOf(arg: Term): Term {
  return funcParts(arg)?.body ?? arg;
}

/** An array literal in a path of fields. */
function isPattern(arg: CallTerm): boolean {
  return arg.type === TermType.MAKE_ARRAY;
}
