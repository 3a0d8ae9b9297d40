// The argument of an aggregate (a field's name or a function) as it makes elements of rows, as ReQL over the row. Where rows
// are objects and the argument is a plain field name no term here raises on the usual path: in the server an exception
// costs more than all the rest.

import type { Builder, Expression } from '../reql/build/build.ts';
import { substituteVar } from '../reql/term/substitute.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import type { Projection } from './aggregate.ts';

/** `[x]` where the argument has a value that is not null, else `[]`: what `sum` and `avg` see of a row. */
export function valueElement({ t, args, objects }: Projection, row: Term): Expression {
  const [arg] = args;
  const field = arg === undefined ? undefined : fieldName(arg);
  if (field !== undefined && objects) {
    return t.branch(t.hasFields(row, field), [argumentValue(t, arg, row)], []);
  }
  const notNull = (value: Term): Expression => t.branch(t.eq(value, null), [], [value]);
  if (arg === undefined) return notNull(row);
  return t.default(t.do(notNull, argumentValue(t, arg, row)), []);
}

/**
 * `[[key, row]]` where the argument has a value, null included, else `[]`: what `min` and `max` see of a row. Without an
 * argument the row is its own key: `[[row]]`.
 */
export function keyedElement({ t, args, objects }: Projection, row: Term): Expression {
  const [arg] = args;
  if (arg === undefined) return [[row]];
  const pair = [[argumentValue(t, arg, row), row]];
  const field = fieldName(arg);
  if (field === undefined || !objects) return t.default(pair, []);
  return t.branch(t.hasFields(row, field), pair, t.contains(t.keys(row), field), [[null, row]], []);
}

/**
 * The argument of an aggregate, applied to a row: the body of a function, else the field that the argument names, as the
 * server reads it. Its errors point to the argument.
 */
export function argumentValue(t: Builder, arg: Term | undefined, row: Term): Term {
  if (arg === undefined) return row;
  return calledOnRow(t, arg, row) ?? at(fieldName(arg) === undefined ? t.getField(row, arg) : t.bracket(row, arg), arg);
}

/** A function applied to a row; `undefined` for a term that is no function. */
export function calledOnRow(t: Builder, arg: Term, row: Term): Term | undefined {
  if (!isFunction(arg)) return undefined;
  const parts = funcParts(arg);
  const [param] = parts?.params ?? [];
  if (parts === undefined || parts.params.length > 1) return t.do(arg, row);
  return param === undefined ? parts.body : substituteVar(parts.body, param, row);
}

/** Whether an argument is a function to the server, rather than a datum. */
export function isFunction(arg: Term): boolean {
  return arg.kind === 'call' && (arg.type === TermType.FUNC || arg.type === TermType.JAVASCRIPT);
}

/** The field that a literal argument names. */
function fieldName(arg: Term): string | undefined {
  return arg.kind === 'datum' && typeof arg.value === 'string' ? arg.value : undefined;
}

function at(made: CallTerm, { origin }: Term): CallTerm {
  const { type, args, optargs } = made;
  return origin === undefined ? made : { kind: 'call', type, args, optargs, origin };
}
