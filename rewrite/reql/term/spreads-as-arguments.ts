// `r.args` that stands where no argument does.

import { TermType } from '../term-type.ts';
import { callWith } from './call-with.ts';
import { factsOf } from './facts.ts';
import { originOf } from './origin-of.ts';
import { isSpread, spreadOut } from './spread.ts';
import type { CallTerm, Entry, Term } from './term.ts';
import { funcParts } from './vars.ts';
import { mapInScope } from './walk.ts';

/**
 * A term in which each `r.args` is an argument. Where it stands for a value (as the body of a function, a field of an object or an
 * optarg) RethinkDB takes its array for that; as an argument of another term the same array would be taken for several.
 */
export function spreadsAsArguments<T extends Term>(root: T): T;
export function spreadsAsArguments(root: Term): Term {
  if (!factsOf(root).holdsSpread) return root;
  return mapInScope(root, undefined, {
    skip: (term) => !factsOf(term).holdsSpread,
    enter: () => undefined,
    leave: withArrays,
  });
}

function withArrays(term: Term): Term {
  if (term.kind === 'datum') return term;
  if (term.kind === 'object') {
    return term.fields.some(isSpreadEntry) ? { ...originOf(term), kind: 'object', fields: arrays(term.fields) } : term;
  }
  const optargs = term.optargs.some(isSpreadEntry) ? arrays(term.optargs) : term.optargs;
  const body = funcParts(term)?.body;
  if (body !== undefined && isSpread(body)) {
    return callWith(term, { args: [...term.args.slice(0, 1), asArray(body)], optargs });
  }
  return optargs === term.optargs ? term : callWith(term, { optargs });
}

function isSpreadEntry([, term]: Entry): boolean {
  return isSpread(term);
}

function arrays(entries: readonly Entry[]): readonly Entry[] {
  return entries.map(([name, term]) => [name, isSpread(term) ? asArray(term) : term]);
}

function asArray(spread: CallTerm): CallTerm {
  return callWith(spread, { type: TermType.MAKE_ARRAY, args: spreadOut([spread]) });
}
