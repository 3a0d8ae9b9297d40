// A `map` over values that are written out, whose function reads tables: one expression for each value.

import { callWith } from '../../reql/term/call-with.ts';
import { canonicalKey } from '../../reql/term/canonical-key.ts';
import { factsOf } from '../../reql/term/facts.ts';
import { bindImplicit, substituteVar } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { unfoldDatum } from '../../reql/term/unfold-datum.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import { isConstant } from '../constant.ts';
import type { Context } from '../context.ts';

/** Steps for each term of the function, for each value. */
const TERM_STEPS = 10;

/** The array that such a `map` is, each item written out; `undefined` for any other term. */
export function eachWritten(context: Context, term: CallTerm): CallTerm | undefined {
  const [list, given, ...more] = term.args;
  const func = given === undefined ? undefined : bindImplicit(given, context.fresh);
  const parts = func === undefined ? undefined : funcParts(func);
  const [param] = parts?.params ?? [];
  if (term.type !== TermType.MAP || list === undefined || parts === undefined || param === undefined) return undefined;
  if (more.length > 0 || parts.params.length !== 1 || factsOf(parts.body).table === undefined) return undefined;
  const values = unfoldDatum(list);
  if (values.kind !== 'call' || values.type !== TermType.MAKE_ARRAY || !isConstant(values)) return undefined;
  const { terms } = factsOf(parts.body);
  const made = new Map<string, Term>();
  const args = values.args.map((value) => {
    const key = canonicalKey(value);
    const known = made.get(key);
    if (known !== undefined) return known;
    context.spend(TERM_STEPS * (terms + 1), term);
    const item = substituteVar(parts.body, param, value);
    made.set(key, item);
    return item;
  });
  return callWith(term, { type: TermType.MAKE_ARRAY, args, optargs: [] });
}
