// Pieces of printed ReQL: data, functions, and terms as chains of calls, put together as documents for `layout`.

import type { Datum } from '../data/datum.ts';
import type { Entry } from '../term/term.ts';
import { type Doc, group, ifBroken, indent, join, LINE, SOFTLINE } from './layout.ts';

/** A printed term: data and functions become terms by `r.expr`; terms are a base with links after it. */
export type Printed = PrintedData | PrintedFunc | PrintedTerm;

export interface PrintedData {
  readonly kind: 'data';
  readonly doc: Doc;
  /** What it opens with, if it has brackets of its own: they need no others around them. */
  readonly opens: '[' | '{' | undefined;
}

export interface PrintedFunc {
  readonly kind: 'func';
  readonly params: Doc;
  readonly body: Doc;
  readonly hugs: boolean;
}

export interface PrintedTerm {
  readonly kind: 'term';
  readonly base: Doc;
  readonly links: Links | undefined;
}

/** The links of a chain, last first. */
interface Links {
  readonly before: Links | undefined;
  readonly doc: Doc;
  /** `.name(...)`, before which a line may break; otherwise `('field')`. */
  readonly dot: boolean;
}

/** A term without links after it. */
export function termOf(base: Doc): PrintedTerm {
  return { kind: 'term', base, links: undefined };
}

/** A term to which links may be added: data and functions become one by `r.expr`. */
export function asTerm(printed: Printed): PrintedTerm {
  return printed.kind === 'term' ? printed : termOf(call('r.expr', [printed]));
}

/** A term with one more link; `dot` says whether it is `.name(...)` or `(field)`. */
export function link(first: Printed, doc: Doc, dot: boolean): Printed {
  const { base, links } = asTerm(first);
  return { kind: 'term', base, links: { before: links, doc, dot } };
}

/** The document of a printed term; a chain of several calls breaks before every dot or nowhere. */
export function docOf(printed: Printed): Doc {
  if (printed.kind === 'data') return printed.doc;
  if (printed.kind === 'func') return funcDoc(printed, '');
  const links: Links[] = [];
  for (let at = printed.links; at !== undefined; at = at.before) links.push(at);
  links.reverse();
  if (links.filter(({ dot }) => dot).length < 2) return [printed.base, ...links.map(({ doc }) => doc)];
  return group(printed.base, indent(...links.map(({ doc, dot }) => (dot ? [SOFTLINE, doc] : doc))));
}

function funcDoc({ params, body, hugs }: PrintedFunc, end: Doc): Doc {
  return hugs ? [params, ' ', body] : [params, group(indent(LINE, body), end)];
}

/** A call; a lone function or literal in it needs no lines of its own. */
export function call(name: string, args: readonly Printed[]): Doc {
  const [only] = args;
  if (only === undefined) return `${name}()`;
  if (args.length === 1 && only.kind === 'func') return [`${name}(`, funcDoc(only, SOFTLINE), ')'];
  if (args.length === 1 && only.kind === 'data' && only.opens !== undefined) return [`${name}(`, only.doc, ')'];
  return [name, list('(', args.map(docOf), ')')];
}

/** Documents in brackets. */
export function list(open: string, docs: readonly Doc[], close: string): Doc {
  if (docs.length === 0) return `${open}${close}`;
  return group(open, indent(SOFTLINE, join([',', LINE], docs)), ifBroken(','), SOFTLINE, close);
}

/** Entries in braces, with the results printed for them. */
export function braces(entries: readonly Entry[], results: readonly Printed[], keyOf: (name: string) => string): Doc {
  const fields = entries.flatMap(([name], index) => {
    const result = results[index];
    return result === undefined ? [] : [[`${keyOf(name)}: `, docOf(result)]];
  });
  if (fields.length === 0) return '{}';
  return group('{', indent(LINE, join([',', LINE], fields)), ifBroken(','), LINE, '}');
}

/** The key of an object literal. */
export function key(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A datum that is neither an array nor an object. */
export function scalar(value: Datum): string {
  if (typeof value === 'string') return quoted(value);
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A string literal in one line, with nothing in it that a terminal or an editor would take for something else. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, unicodeEscape)}'`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
