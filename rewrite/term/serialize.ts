// Terms to JSON text. What the client wrote goes out as it was written; what was generated is valid wire JSON whatever
// data it holds: arrays as MAKE_ARRAY, negative zero as a double, `r.minval` and `r.maxval` as their terms.

import { type Datum, MAXVAL, MINVAL } from '../reql/datum.ts';
import { internalError } from '../reql/error.ts';
import { QueryType } from '../reql/protocol.ts';
import { TermType } from '../reql/term-type.ts';
import type { ParsedControl, ParsedStart } from './parse.ts';
import type { Entry, StartQuery, Term } from './term.ts';

/** Something still to be written: text as it is, a term, or a datum. */
type Piece = string | { readonly term: Term } | { readonly datum: Datum };

/** The JSON of a term. Raises INTERNAL for a generated number that JSON cannot spell. Depth is no concern. */
export function serializeTerm(term: Term): string {
  return term.text ?? write([{ term }]);
}

/** The JSON of a whole query: its own text where it was parsed and left alone. */
export function serializeQuery(query: ParsedStart | ParsedControl | StartQuery): string {
  if ('text' in query) return query.text;
  const pieces: Piece[] = [`[${QueryType.START},`, { term: query.term }];
  if (query.globalOptargs.length > 0) {
    pieces.push(',');
    pushEntries(pieces, query.globalOptargs);
  }
  pieces.push(']');
  return write(pieces);
}

function write(pieces: readonly Piece[]): string {
  const unwritten = pieces.toReversed();
  let out = '';
  for (let piece = unwritten.pop(); piece !== undefined; piece = unwritten.pop()) {
    if (typeof piece === 'string') {
      out += piece;
      continue;
    }
    const parts = 'term' in piece ? termPieces(piece.term) : datumPieces(piece.datum);
    if (typeof parts === 'string') {
      out += parts;
    } else {
      for (let index = parts.length - 1; index >= 0; index--) {
        const part = parts[index];
        if (part !== undefined) unwritten.push(part);
      }
    }
  }
  return out;
}

function termPieces(term: Term): string | Piece[] {
  if (term.text !== undefined) return term.text;
  if (term.kind === 'datum') return datumPieces(term.value);
  const pieces: Piece[] = [];
  if (term.kind === 'object') {
    pushEntries(pieces, term.fields);
    return pieces;
  }
  pieces.push(`[${term.type},[`);
  term.args.forEach((argument, index) => {
    if (index > 0) pieces.push(',');
    pieces.push({ term: argument });
  });
  pieces.push(']');
  if (term.optargs.length > 0) {
    pieces.push(',');
    pushEntries(pieces, term.optargs);
  }
  pieces.push(']');
  return pieces;
}

function pushEntries(pieces: Piece[], entries: readonly Entry[]): void {
  pieces.push('{');
  entries.forEach(([name, term], index) => {
    pieces.push(`${index > 0 ? ',' : ''}${JSON.stringify(name)}:`, { term });
  });
  pieces.push('}');
}

function datumPieces(value: Datum): string | Piece[] {
  if (typeof value === 'number') return number(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value === MINVAL) return `[${TermType.MINVAL},[]]`;
  if (value === MAXVAL) return `[${TermType.MAXVAL},[]]`;
  const pieces: Piece[] = [];
  if (Array.isArray(value)) {
    pieces.push(`[${TermType.MAKE_ARRAY},[`);
    value.forEach((item: Datum, index) => {
      if (index > 0) pieces.push(',');
      pieces.push({ datum: item });
    });
    pieces.push(']]');
    return pieces;
  }
  pieces.push('{');
  Object.entries(value).forEach(([key, field], index) => {
    pieces.push(`${index > 0 ? ',' : ''}${JSON.stringify(key)}:`, { datum: field });
  });
  pieces.push('}');
  return pieces;
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw internalError(`Cannot write the number ${value} as JSON.`);
  return Object.is(value, -0) ? '-0.0' : String(value);
}
