// A datum term as the literal that it stands for, one level at a time.

import { type Datum, isObject, MAXVAL, MINVAL } from '../data/datum.ts';
import { TermType } from '../term-type.ts';
import type { Term } from './term.ts';

/**
 * An array datum as MAKE_ARRAY, an object datum as an object of terms, `r.minval` and `r.maxval` as their terms; the parts
 * are datum terms again. Any other term as it is.
 */
export function unfoldDatum(term: Term): Term {
  if (term.kind !== 'datum') return term;
  const { value } = term;
  if (value === MINVAL) return constant(TermType.MINVAL);
  if (value === MAXVAL) return constant(TermType.MAXVAL);
  if (Array.isArray(value)) return { kind: 'call', type: TermType.MAKE_ARRAY, args: value.map(datum), optargs: [] };
  if (!isObject(value)) return term;
  return { kind: 'object', fields: Object.entries(value).map(([key, field]) => [key, datum(field)] as const) };
}

function datum(value: Datum): Term {
  return { kind: 'datum', value };
}

function constant(type: TermType): Term {
  return { kind: 'call', type, args: [], optargs: [] };
}
