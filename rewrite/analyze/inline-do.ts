// `changes` inside a `do` or a `branch`: `r.expr(1).do((least) => table.filter(...).count().changes())`. Constants are put in the place of
// the variables, so that CHANGES is on the spine, where the rest of the rewriting looks for it.

import { refusal } from '../refusal.ts';
import { freeVars } from '../reql/term/facts.ts';
import { isSpread, spreadOut } from '../reql/term/spread.ts';
import { substituteVar } from '../reql/term/substitute.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts } from '../reql/term/vars.ts';
import { containsTerm } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { isConstant } from './constant.ts';
import { findChanges, replaceChanges } from './find-changes.ts';
import { isNative } from './native.ts';
import { partOf } from './recipe.ts';

/** Whether a `do` or a `branch` stands on the spine, in which CHANGES may be. */
export function mayHaveChangesInDo(root: Term): boolean {
  for (let term: Term | undefined = root; term?.kind === 'call'; term = term.args[0]) {
    if (term.type === TermType.FUNCALL || term.type === TermType.BRANCH) return containsTerm(term, TermType.CHANGES);
  }
  return false;
}

/**
 * A term whose CHANGES is in the function of a `do`, or is what a `branch` gives, without these; the term itself where it is not.
 * @throws ReqlError where an argument of the `do` is no constant: RethinkDB would read it once, when the feed is opened
 */
export function inlineDo(root: Term): Term {
  const above: CallTerm[] = [];
  for (let term: Term | undefined = root; term?.kind === 'call'; term = term.args[0]) {
    if (term.type !== TermType.FUNCALL && term.type !== TermType.BRANCH) {
      above.push(term);
      continue;
    }
    const body = term.type === TermType.BRANCH ? inlineChosen(term) : bodyOf(term);
    return body === undefined ? root : replaceChanges(above.reverse(), body);
  }
  return root;
}

/** What a `branch` gives of which all conditions are written out. */
function inlineChosen(branch: CallTerm): Term | undefined {
  for (let at = 0; at < branch.args.length; at += 2) {
    const [condition, value] = branch.args.slice(at, at + 2);
    if (condition === undefined) return undefined;
    if (value === undefined) return inlineDo(condition);
    if (condition.kind !== 'datum') return undefined;
    if (condition.value !== false && condition.value !== null) return inlineDo(value);
  }
  return undefined;
}

function bodyOf(term: CallTerm): Term | undefined {
  const [func, ...given] = term.args;
  const args = spreadOut(given);
  if (args.some(isSpread)) return undefined;
  const parts = func === undefined ? undefined : funcParts(func);
  // A function without parameters takes any arguments.
  const fits = parts?.params.length === args.length || parts?.params.length === 0;
  if (parts === undefined || !fits) return undefined;
  const inner = inlineDo(parts.body);
  const found = findChanges(inner);
  const watched = found?.changes.args[0];
  if (found === undefined || watched === undefined) return undefined;
  // RethinkDB watches it by itself, whatever the arguments.
  if (isNative(watched) && partOf(found.changes) === undefined) return undefined;
  const params = new Set(parts.params);
  if (args.some((arg) => !isConstant(arg)) && [...freeVars(inner)].some((id) => params.has(id))) {
    throw refusal(
      term,
      'its argument is read once, when the feed is opened. Read it first and write its value into the query',
    );
  }
  return parts.params.reduce<Term>((body, id, index) => {
    const arg = args[index];
    return arg === undefined ? body : substituteVar(body, id, arg);
  }, inner);
}
