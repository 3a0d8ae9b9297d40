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
  return termText(term, LEVELS);
}

/** The JSON of a whole query: its own text where it was parsed and left alone. */
export function serializeQuery(query: ParsedStart | ParsedControl | StartQuery): string {
  if ('text' in query) return query.text;
  const { term, globalOptargs } = query;
  const optargs = globalOptargs.length === 0 ? '' : `,${entriesText(globalOptargs, LEVELS)}`;
  return `[${QueryType.START},${termText(term, LEVELS)}${optargs}]`;
}

/** How many levels recursion goes down before it leaves the rest to a walk. */
const LEVELS = 500;

function termText(term: Term, levels: number): string {
  const { text } = term;
  if (text !== undefined) return text;
  if (term.kind === 'datum') return datumText(term.value, levels);
  if (levels === 0) return deepText(term);
  if (term.kind === 'object') return entriesText(term.fields, levels - 1);
  const { args, optargs } = term;
  let out = opening(term.type);
  for (let index = 0; index < args.length; index++) {
    const argument = args[index];
    if (index > 0) out += ',';
    if (argument !== undefined) out += argument.text ?? termText(argument, levels - 1);
  }
  return optargs.length === 0 ? `${out}]]` : `${out}],${entriesText(optargs, levels - 1)}]`;
}

function entriesText(entries: readonly Entry[], levels: number): string {
  let out = '{';
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    if (entry !== undefined) out += `${key(entry[0], index)}${termText(entry[1], levels)}`;
  }
  return `${out}}`;
}

function datumText(value: Datum, levels: number): string {
  switch (typeof value) {
    case 'number':
      return numberText(value);
    case 'string':
      return quoted(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : termText(unfoldDatum({ kind: 'datum', value }), levels);
  }
}

/** The text of a term that nests too deeply for recursion, from the innermost out. */
function deepText(root: Term): string {
  return fold<undefined, Term, string>(root, undefined, {
    known: ({ text }) => text,
    enter: unfoldDatum,
    children: (_, unfolded) => childrenOf(unfolded),
    scopeOf: () => undefined,
    leave: (_term, _scope, unfolded, texts) => termText(withChildren(unfolded, texts.map(written)), 1),
  });
}

function written(text: string): Term {
  return { kind: 'datum', value: null, text };
}

function key(name: string, index: number): string {
  return `${index > 0 ? ',' : ''}${quoted(name)}:`;
}

/** What a call begins with. */
function opening(type: number): string {
  return OPENINGS[type] ?? `[${type},[`;
}

const OPENINGS: readonly string[] = Array.from({ length: 256 }, (_, type) => `[${type},[`);

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw internalError(`Cannot write the number ${value} as JSON.`);
  return Object.is(value, -0) ? '-0.0' : String(value);
}
