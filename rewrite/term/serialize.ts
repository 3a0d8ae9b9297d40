// Terms to JSON text. What the client wrote goes out as it was written; what was generated is valid wire JSON whatever
// data it holds: arrays as MAKE_ARRAY, negative zero as a double, `r.minval` and `r.maxval` as their terms.

import { type Datum, isObject, MAXVAL, MINVAL } from '../reql/datum.ts';
import { internalError } from '../reql/error.ts';
import { QueryType } from '../reql/protocol.ts';
import { TermType } from '../reql/term-type.ts';
import type { ParsedControl, ParsedStart } from './parse.ts';
import type { Entry, StartQuery, Term } from './term.ts';

/** Something still to be written: text as it is, a term, or a datum. What is written next is last on the stack. */
type Piece = string | Term | { readonly datum: Datum };

/** The JSON of a term. Raises INTERNAL for a generated number that JSON cannot spell. Depth is no concern. */
export function serializeTerm(term: Term): string {
  return term.text ?? write([term]);
}

/** The JSON of a whole query: its own text where it was parsed and left alone. */
export function serializeQuery(query: ParsedStart | ParsedControl | StartQuery): string {
  if ('text' in query) return query.text;
  const stack: Piece[] = [']'];
  if (query.globalOptargs.length > 0) {
    pushEntries(stack, query.globalOptargs);
    stack.push(',');
  }
  stack.push(query.term, `[${QueryType.START},`);
  return write(stack);
}

function write(stack: Piece[]): string {
  let out = '';
  for (let piece = stack.pop(); piece !== undefined; piece = stack.pop()) {
    if (typeof piece === 'string') out += piece;
    else out += 'kind' in piece ? openTerm(stack, piece) : openDatum(stack, piece.datum);
  }
  return out;
}

/** What a term begins with; the rest of it goes onto the stack. */
function openTerm(stack: Piece[], term: Term): string {
  const whole = leaf(term);
  if (whole !== undefined) return whole;
  if (term.kind === 'datum') return openDatum(stack, term.value);
  if (term.kind === 'object') {
    pushEntries(stack, term.fields);
    return '';
  }
  const { type, args, optargs } = term;
  if (optargs.length === 0) {
    stack.push(']]');
  } else {
    stack.push(']');
    pushEntries(stack, optargs);
    stack.push('],');
  }
  // Most arguments are short: they need no way over the stack.
  let out = `[${type},[`;
  let index = 0;
  for (; index < args.length; index++) {
    const argument = args[index];
    const text = argument === undefined ? undefined : leaf(argument);
    if (text === undefined) break;
    out += index > 0 ? `,${text}` : text;
  }
  for (let rest = args.length - 1; rest >= index; rest--) {
    const argument = args[rest];
    if (argument !== undefined) stack.push(argument);
    if (rest > 0) stack.push(',');
  }
  return out;
}

/** The text of a term that holds no others but for a variable's number. */
function leaf(term: Term): string | undefined {
  if (term.text !== undefined) return term.text;
  if (term.kind === 'datum')
    return typeof term.value === 'object' && term.value !== null ? undefined : scalar(term.value);
  if (term.kind !== 'call' || term.type !== TermType.VAR) return undefined;
  const [id, ...more] = term.args;
  if (id?.kind !== 'datum' || typeof id.value !== 'number' || more.length > 0 || term.optargs.length > 0)
    return undefined;
  return `[${TermType.VAR},[${id.text ?? number(id.value)}]]`;
}

function pushEntries(stack: Piece[], entries: readonly Entry[]): void {
  stack.push('}');
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry !== undefined) stack.push(entry[1], `${index > 0 ? ',' : ''}${JSON.stringify(entry[0])}:`);
  }
  stack.push('{');
}

/** What a datum begins with; the rest of it goes onto the stack. */
function openDatum(stack: Piece[], value: Datum): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (value === MINVAL) return `[${TermType.MINVAL},[]]`;
  if (value === MAXVAL) return `[${TermType.MAXVAL},[]]`;
  if (!isObject(value)) {
    stack.push(']]');
    for (let index = value.length - 1; index >= 0; index--) {
      stack.push({ datum: value[index] ?? null });
      if (index > 0) stack.push(',');
    }
    return `[${TermType.MAKE_ARRAY},[`;
  }
  stack.push('}');
  const fields = Object.entries(value);
  for (let index = fields.length - 1; index >= 0; index--) {
    const [key, field] = fields[index] ?? ['', null];
    stack.push({ datum: field }, `${index > 0 ? ',' : ''}${JSON.stringify(key)}:`);
  }
  return '{';
}

function scalar(value: null | boolean | number | string): string {
  return typeof value === 'number' ? number(value) : JSON.stringify(value);
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw internalError(`Cannot write the number ${value} as JSON.`);
  return Object.is(value, -0) ? '-0.0' : String(value);
}
