// Whether a selection goes by something that is not there: by what a row that is followed has not, or by a key that is none.

import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import { ErrorType } from '../reql/protocol.ts';
import { freeVars } from '../reql/term/facts.ts';
import { isSpread } from '../reql/term/spread.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import { checkJoinKey } from '../sources/join-key.ts';

/** The values of what is followed, by the variables that stand for them; `undefined` for what is not there. */
export type FollowedValues = ReadonlyMap<VarId, Datum | undefined>;

/**
 * Whether a selection goes by a value that is not there, or that is no key for want of something: null, also within an array.
 * @throws ReqlError QUERY_LOGIC for what can be no key of anything
 */
export function selectsByNothing(term: Term, values: FollowedValues): boolean {
  if (term.kind !== 'call') return false;
  const args = term.args.slice(1);
  // The values of an object are evaluated once, the body of a function for each row.
  if (term.type === TermType.FILTER) return args.some((arg) => funcParts(arg) === undefined && reads(arg, values));
  if (!byValue.has(term.type)) return false;
  const keys = keysOf(term);
  return args.some(
    (arg) =>
      reads(arg, values) ||
      isListOfNothing(arg, values) ||
      (keys !== undefined && keysAt(arg, values).some((key) => isNoKey(key, keys))),
  );
}

/** Whether `r.args` gets null in the place of a list. */
function isListOfNothing(arg: Term, values: FollowedValues): boolean {
  const [list] = isSpread(arg) ? arg.args : [];
  const id = list === undefined ? undefined : varOf(list);
  return id !== undefined && values.get(id) === null;
}

/** What the arguments of a term are keys of. */
function keysOf({ type, optargs }: CallTerm): 'primary' | 'index' | undefined {
  if (type === TermType.GET) return 'primary';
  if (type !== TermType.GET_ALL) return undefined;
  return optargs.some(([name]) => name === 'index') ? 'index' : 'primary';
}

/** @throws ReqlError QUERY_LOGIC for what can be no key of anything */
function isNoKey(key: Datum, keys: 'primary' | 'index'): boolean {
  try {
    checkJoinKey(key, keys);
    return false;
  } catch (error) {
    if (error instanceof ReqlError && error.errorType === ErrorType.NON_EXISTENCE) return true;
    throw error;
  }
}

/** The keys that an argument is, as far as they are known: that of a value, the items of the list of `r.args`. */
function keysAt(arg: Term, values: FollowedValues): readonly Datum[] {
  const [list] = isSpread(arg) ? arg.args : [];
  if (list !== undefined) {
    const items = keyAt(list, values);
    return Array.isArray(items) ? items : [];
  }
  const key = keyAt(arg, values);
  return key === undefined ? [] : [key];
}

/** The key that an argument is: what is followed, or an array of it and of literals; `undefined` for anything else. */
function keyAt(arg: Term, values: FollowedValues): Datum | undefined {
  if (arg.kind === 'datum') return arg.value;
  const id = varOf(arg);
  if (id !== undefined) return values.get(id);
  if (arg.kind !== 'call' || arg.type !== TermType.MAKE_ARRAY) return undefined;
  const items = arg.args.map((item) => keyAt(item, values));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Selections, and parts of orders. */
const byValue: ReadonlySet<number> = new Set([
  TermType.GET,
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.GET_INTERSECTING,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
]);

/** Whether a value reads one that is not there. */
function reads(term: Term, values: FollowedValues): boolean {
  return [...freeVars(term)].some((id) => values.has(id) && values.get(id) === undefined);
}
