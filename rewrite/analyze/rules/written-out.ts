// Arguments that are constants, as the literals that they come to: rules read places, fields, types and names of indexes only where
// these are written out, and RethinkDB takes any expression for them.

import type { Datum } from '../../reql/data/datum.ts';
import { ReqlError } from '../../reql/error.ts';
import { ErrorType } from '../../reql/protocol.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { originOf } from '../../reql/term/origin-of.ts';
import type { CallTerm, Entry, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { constantOutcome } from '../constant.ts';
import { LeaveToServer } from '../context.ts';
import { spreadArguments } from './spread-arguments.ts';

/** The same term with literals for those of its arguments and optargs that come to a text, a number or a truth value. */
export function writtenOut(term: CallTerm): CallTerm {
  if (!readsLiterals.has(term.type)) return term;
  const [below, ...rest] = term.args;
  if (below === undefined || ![...rest, ...term.optargs.map(([, value]) => value)].some(mayBeWritten)) return term;
  return callWith(term, {
    args: [below, ...spreadArguments(term, rest).map(literal)],
    optargs: term.optargs.map(([name, value]): Entry => [name, literal(value)]),
  });
}

/** Terms whose rules read literals. */
const readsLiterals: ReadonlySet<number> = new Set([
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.COERCE_TO,
  TermType.GROUP,
  TermType.SUM,
  TermType.AVG,
  TermType.MIN,
  TermType.MAX,
  TermType.ORDER_BY,
  TermType.DISTINCT,
  TermType.UNION,
]);

/** Terms that are no data, whatever they are made of. */
const noData: ReadonlySet<number> = new Set([TermType.FUNC, TermType.ASC, TermType.DESC, TermType.TABLE, TermType.VAR]);

function mayBeWritten(term: Term): boolean {
  return term.kind === 'call' && !noData.has(term.type);
}

function literal(term: Term): Term {
  const value = mayBeWritten(term) ? constantOutcome(term) : undefined;
  if (value instanceof ReqlError && raisedAtOnce.has(value.errorType)) throw new LeaveToServer();
  return isPlain(value) ? { kind: 'datum', value, ...originOf(term) } : term;
}

/** What the server raises before it reads an element, so that a `default` stands for the whole. */
const raisedAtOnce: ReadonlySet<number | undefined> = new Set([ErrorType.QUERY_LOGIC, ErrorType.NON_EXISTENCE]);

function isPlain(value: Datum | ReqlError | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
