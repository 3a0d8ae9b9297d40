// Terms to JSON text. What the client wrote goes out as it was written; what was generated is valid wire JSON whatever
// data it holds: arrays as MAKE_ARRAY, negative zero as a double, `r.minval` and `r.maxval` as their terms.

import { type Datum, isObject, MAXVAL, MINVAL } from '../data/datum.ts';
import { internalError } from '../error.ts';
import { QueryType } from '../protocol.ts';
import { TermType } from '../term-type.ts';
import type { ParsedControl, ParsedStart } from './parse.ts';
import type { Entry, StartQuery, Term } from './term.ts';

/** The JSON of a term. Raises INTERNAL for a generated number that JSON cannot spell. Depth is no concern. */
export function serializeTerm(term: Term): string {
  return term.text ?? written([term]);
}

/** The JSON of a whole query: its own text where it was parsed and left alone. */
export function serializeQuery(query: ParsedStart | ParsedControl | StartQuery): string {
  if ('text' in query) return query.text;
  const { term, globalOptargs } = query;
  const optargs: readonly Piece[] = globalOptargs.length === 0 ? [] : [',', { kind: 'object', fields: globalOptargs }];
  return written([`[${QueryType.START},`, term, ...optargs, ']']);
}

/** Something to be written: text as it is, a term, or a datum. */
type Piece = string | Term | { readonly datum: Datum };

/** How many levels recursion goes down before it leaves the rest for later. */
const LEVELS = 500;

function written(pieces: readonly Piece[]): string {
  const left = pieces.toReversed();
  let out = '';
  for (let piece = left.pop(); piece !== undefined; piece = left.pop()) {
    if (typeof piece === 'string') out += piece;
    else left.push(...new Writer().write(piece).toReversed());
  }
  return out;
}

class Writer {
  /** What has been written, with what lies too deep in its place. */
  readonly #pieces: Piece[] = [];
  #out = '';

  /** A piece as text, and as smaller pieces where it is too deep. */
  write(piece: Exclude<Piece, string>): readonly Piece[] {
    if ('kind' in piece) this.#term(piece, LEVELS);
    else this.#datum(piece.datum, LEVELS);
    this.#pieces.push(this.#out);
    return this.#pieces;
  }

  #later(piece: Piece): void {
    this.#pieces.push(this.#out, piece);
    this.#out = '';
  }

  #term(term: Term, levels: number): void {
    const { text } = term;
    if (text !== undefined) this.#out += text;
    else if (term.kind === 'datum') this.#datum(term.value, levels);
    else if (levels === 0) this.#later(term);
    else if (term.kind === 'object') this.#entries(term.fields, levels);
    else {
      this.#out += opening(term.type);
      const { args, optargs } = term;
      for (let index = 0; index < args.length; index++) {
        const argument = args[index];
        if (index > 0) this.#out += ',';
        if (argument !== undefined) this.#term(argument, levels - 1);
      }
      if (optargs.length === 0) {
        this.#out += ']]';
      } else {
        this.#out += '],';
        this.#entries(optargs, levels);
        this.#out += ']';
      }
    }
  }

  #entries(entries: readonly Entry[], levels: number): void {
    this.#out += '{';
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index];
      if (entry === undefined) continue;
      this.#key(entry[0], index);
      this.#term(entry[1], levels - 1);
    }
    this.#out += '}';
  }

  #key(name: string, index: number): void {
    this.#out += `${index > 0 ? ',' : ''}${JSON.stringify(name)}:`;
  }

  #datum(value: Datum, levels: number): void {
    if (typeof value === 'number') this.#out += number(value);
    else if (typeof value !== 'object' || value === null) this.#out += JSON.stringify(value);
    else if (value === MINVAL) this.#out += `${opening(TermType.MINVAL)}]]`;
    else if (value === MAXVAL) this.#out += `${opening(TermType.MAXVAL)}]]`;
    else if (levels === 0) this.#later({ datum: value });
    else if (isObject(value)) {
      this.#out += '{';
      for (const [index, [name, field]] of Object.entries(value).entries()) {
        this.#key(name, index);
        this.#datum(field, levels - 1);
      }
      this.#out += '}';
    } else {
      this.#out += opening(TermType.MAKE_ARRAY);
      for (const [index, element] of value.entries()) {
        if (index > 0) this.#out += ',';
        this.#datum(element, levels - 1);
      }
      this.#out += ']]';
    }
  }
}

/** What a call begins with. */
function opening(type: number): string {
  return OPENINGS[type] ?? `[${type},[`;
}

const OPENINGS: readonly string[] = Array.from({ length: 256 }, (_, type) => `[${type},[`);

function number(value: number): string {
  if (!Number.isFinite(value)) throw internalError(`Cannot write the number ${value} as JSON.`);
  return Object.is(value, -0) ? '-0.0' : String(value);
}
