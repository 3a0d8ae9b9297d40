// The number of elements that a row can be for a consumer, as far as the shape of its function tells; and the function without the
// array around its element, where there is one at most.

import { equalDatums } from '../reql/data/compare.ts';
import { type Datum, isObject } from '../reql/data/datum.ts';
import { callWith } from '../reql/term/call-with.ts';
import { originOf } from '../reql/term/origin-of.ts';
import { isSpread } from '../reql/term/spread.ts';
import type { CallTerm, DatumTerm, Term } from '../reql/term/term.ts';
import { type FuncParts, funcParts, funcTerm } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';

/** The number of elements for each row. */
export type ElementCount = 'one' | 'at most one' | 'any';

/** How many elements a function from a row to an array of elements gives. */
export function elementCount(consumer: CallTerm): ElementCount {
  const body = funcParts(consumer)?.body;
  return body === undefined ? 'any' : countOf(body);
}

/**
 * The same function with `shape` of the element in place of the array, and null for none; `undefined` where there may be more.
 */
export function unboxed(consumer: CallTerm, shape: (element: Term) => Term = itself): FuncParts | undefined {
  const parts = funcParts(consumer);
  if (parts === undefined || countOf(parts.body) === 'any') return undefined;
  return { params: parts.params, body: elementOf(parts.body, shape) };
}

function itself(element: Term): Term {
  return element;
}

/** The one datum that all elements of a function are, where it is written out. */
export function constantElement(consumer: CallTerm): DatumTerm | undefined {
  const elements: Term[] = [];
  unboxed(consumer, (element) => {
    elements.push(element);
    return element;
  });
  const [first, ...more] = elements;
  if (first?.kind !== 'datum') return undefined;
  return more.every((element) => element.kind === 'datum' && equalDatums(element.value, first.value))
    ? first
    : undefined;
}

function countOf(term: Term): ElementCount {
  if (term.kind === 'datum') return isEmptyArray(term.value) ? 'at most one' : 'any';
  if (term.kind !== 'call') return 'any';
  if (term.type === TermType.MAKE_ARRAY) {
    if (term.args.some(isSpread)) return 'any';
    return term.args.length === 1 ? 'one' : term.args.length === 0 ? 'at most one' : 'any';
  }
  const body = bodyOfCall(term);
  if (body !== undefined) return countOf(body);
  const arrays = term.args.filter((_, index) => givesResult(term, index));
  return arrays.length === 0 ? 'any' : loosest(arrays.map(countOf));
}

function elementOf(term: Term, shape: (element: Term) => Term): Term {
  const call = term.kind === 'call' ? term : undefined;
  if (call === undefined || call.type === TermType.MAKE_ARRAY) {
    const [element] = call?.args ?? [];
    return element === undefined ? { kind: 'datum', value: null, ...originOf(term) } : shape(element);
  }
  const [func, ...values] = call.args;
  const parts = func === undefined ? undefined : funcParts(func);
  if (bodyOfCall(call) !== undefined && parts !== undefined) {
    return callWith(call, { args: [funcTerm(parts.params, elementOf(parts.body, shape), func), ...values] });
  }
  const args = call.args.map((arg, index) => (givesResult(call, index) ? elementOf(arg, shape) : arg));
  return callWith(call, { args });
}

/** The body of a function that is called at once. */
function bodyOfCall({ type, args }: CallTerm): Term | undefined {
  return type === TermType.FUNCALL && args[0] !== undefined ? funcParts(args[0])?.body : undefined;
}

/** Whether the value of a call may be that of its argument at `index`. */
function givesResult({ type, args }: CallTerm, index: number): boolean {
  if (type === TermType.DEFAULT) return true;
  return type === TermType.BRANCH && (index % 2 === 1 || index === args.length - 1);
}

function isEmptyArray(value: Datum): boolean {
  return !isObject(value) && Array.isArray(value) && value.length === 0;
}

function loosest(counts: readonly ElementCount[]): ElementCount {
  if (counts.includes('any')) return 'any';
  return counts.every((count) => count === 'one') ? 'one' : 'at most one';
}
