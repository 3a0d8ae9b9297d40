// Terms to JSON text. What the client wrote goes out as it was written; what was generated is valid wire JSON whatever
// data it holds: arrays as MAKE_ARRAY, negative zero as a double, `r.minval` and `r.maxval` as their terms.

import type { Datum } from '../data/datum.ts';
import { quoted } from '../data/quoted.ts';
import { internalError } from '../error.ts';
import { QueryType } from '../protocol.ts';
import type { ParsedControl, ParsedStart } from './parse.ts';
import type { Entry, StartQuery, Term } from './term.ts';
import { unfoldDatum } from './unfold-datum.ts';
import { childrenOf, fold, withChildren } from './walk.ts';

/** The JSON of a term. Raises INTERNAL for a generated number that JSON cannot spell. Depth is no concern. */
export function serializeTerm(term: Term): string {
  return termText(term, LEVELS, UNBOUNDED);
}

/** How large a text may become. */
export interface TextBounds {
  /** The levels that it may nest. */
  readonly deepest: number;
  /** The characters that any part of it may be long, about. */
  readonly longest: number;
}

/** The JSON of a term; `undefined` where that would be larger than it may be, which is found while it is written. */
export function boundedText(term: Term, { deepest, longest }: TextBounds): string | undefined {
  try {
    return termText(term, deepest, longest);
  } catch (thrown) {
    if (thrown instanceof TooLarge) return undefined;
    throw thrown;
  }
}

class TooLarge extends Error {}

/** The JSON of a whole query: its own text where it was parsed and left alone. */
export function serializeQuery(query: ParsedStart | ParsedControl | StartQuery): string {
  if ('text' in query) return query.text;
  const { term, globalOptargs } = query;
  const optargs = globalOptargs.length === 0 ? '' : `,${entriesText(globalOptargs, LEVELS, UNBOUNDED)}`;
  return `[${QueryType.START},${termText(term, LEVELS, UNBOUNDED)}${optargs}]`;
}

/** How many levels recursion goes down before it leaves the rest to a walk. */
const LEVELS = 500;
/** The longest text where what is too deep or too long is written all the same. */
const UNBOUNDED = Number.POSITIVE_INFINITY;
/** JSON spends so many characters on a level at least: `{"":` and `}`. */
const LEVEL_LENGTH = 5;

function termText(term: Term, levels: number, longest: number): string {
  const { text } = term;
  if (text !== undefined) return longest === UNBOUNDED ? text : fitting(term, text, levels, longest);
  if (term.kind === 'datum') return datumText(term.value, levels, longest);
  if (levels === 0) return deepText(term, longest);
  if (term.kind === 'object') return entriesText(term.fields, levels - 1, longest);
  const { args, optargs } = term;
  let out = OPENINGS[term.type] ?? opening(term.type);
  for (let index = 0; index < args.length; index++) {
    const argument = args[index];
    if (index > 0) out += ',';
    if (argument !== undefined) out += termText(argument, levels - 1, longest);
  }
  if (out.length > longest) throw new TooLarge();
  return optargs.length === 0 ? `${out}]]` : `${out}],${entriesText(optargs, levels - 1, longest)}]`;
}

function entriesText(entries: readonly Entry[], levels: number, longest: number): string {
  let out = '{';
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry !== undefined) out += `${key(entry[0], index)}${termText(entry[1], levels, longest)}`;
  }
  if (out.length > longest) throw new TooLarge();
  return `${out}}`;
}

/** A text that is there, if what it says is small enough. */
function fitting(term: Term, text: string, levels: number, longest: number): string {
  const fits = text.length <= levels * LEVEL_LENGTH || (text.length <= longest && nestsWithin(term, levels));
  if (fits) return text;
  throw new TooLarge();
}

/** Whether a term nests at most so many levels; recursion goes no deeper than that. Data are never too deep: they were read with limits. */
function nestsWithin(term: Term, levels: number): boolean {
  if (levels === 0) return false;
  const { text } = term;
  if (term.kind === 'datum' || (text !== undefined && text.length <= levels * LEVEL_LENGTH)) return true;
  return childrenOf(term).every((child) => nestsWithin(child, levels - 1));
}

function datumText(value: Datum, levels: number, longest: number): string {
  switch (typeof value) {
    case 'number':
      return numberText(value);
    case 'string':
      return quoted(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : termText(unfoldDatum({ kind: 'datum', value }), levels, longest);
  }
}

/** The text of a term that nests too deeply for recursion, from the innermost out. */
function deepText(root: Term, longest: number): string {
  if (longest !== UNBOUNDED) throw new TooLarge();
  return fold<undefined, Term, string>(root, undefined, {
    known: ({ text }) => text,
    enter: unfoldDatum,
    children: (_, unfolded) => childrenOf(unfolded),
    scopeOf: () => undefined,
    leave: (_term, _scope, unfolded, texts) => termText(withChildren(unfolded, texts.map(written)), 1, UNBOUNDED),
  });
}

function written(text: string): Term {
  return { kind: 'datum', value: null, text };
}

function key(name: string, index: number): string {
  return `${index > 0 ? ',' : ''}${quoted(name)}:`;
}

/** What a call of a term begins with. */
function opening(type: number): string {
  return `[${type},[`;
}

const OPENINGS: readonly string[] = Array.from({ length: 256 }, (_, type) => opening(type));

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw internalError(`Cannot write the number ${value} as JSON.`);
  return Object.is(value, -0) ? '-0.0' : String(value);
}
