// Terms as JavaScript: ReQL that people read in golden files and logs, and that evaluates with the official driver to
// the same term up to variable numbers. What no driver can write is printed as `r.term(number, ...)`, which does not
// evaluate.

import { arityFault, MANY, type Signature } from '../term/signature.ts';
import { signatureOf } from '../term/signatures.ts';
import type { CallTerm, Entry, Term } from '../term/term.ts';
import { unfoldDatum } from '../term/unfold-datum.ts';
import { bindsImplicit, type FuncParts, funcParts, type VarId, varOf } from '../term/vars.ts';
import { childrenOf, fold } from '../term/walk.ts';
import { TermType } from '../term-type.ts';
import { type Doc, layout } from './layout.ts';
import { freeName, roleNames } from './print-name.ts';
import { bindsBareRow, wrapsRow } from './print-row.ts';
import {
  asTerm,
  braces,
  call,
  docOf,
  key,
  link,
  list,
  type Printed,
  type PrintedData,
  scalar,
  termOf,
} from './printed.ts';

/** Names for some variables, in the place of those made up. They must be identifiers and differ from each other. */
export type VarNames = ReadonlyMap<VarId, string>;

const WIDTH = 100;
/** The driver refuses plain data nested deeper than 20 levels; `r.expr` starts a new count. */
const DRIVER_DEPTH = 15;

/** Where a term stands as it is printed. */
interface Scope {
  readonly parent: Term | undefined;
  /** The name of the optarg or field that the term is. */
  readonly name: string | undefined;
  /** Whether the term is an argument that the driver wraps in a function if it finds `r.row` anywhere in it. */
  readonly wraps: boolean;
  /** Whether any term above is such an argument. */
  readonly wrapped: boolean;
  readonly vars: VarNames;
  /** What `r.row` is called here. */
  readonly row: string;
  /** How many literals stand around it. */
  readonly depth: number;
}

/** A term as it is being printed: its children's scopes derive from it. */
interface Inner {
  readonly term: Term;
  readonly scope: Scope;
  readonly func: { readonly params: readonly string[]; readonly bare: boolean } | undefined;
}

/** The text of a term in lines of about `width` columns; in one where that is infinite. Depth is no concern. */
export function printTerm(term: Term, names: VarNames = new Map(), width: number = WIDTH): string {
  const scope: Scope = {
    parent: undefined,
    name: undefined,
    wraps: false,
    wrapped: false,
    vars: new Map(),
    row: 'r.row',
    depth: 0,
  };
  const printed = fold<Scope, Inner, Printed>(term, scope, {
    enter: (each, at) => ({ term: each, scope: at, func: enterFunc(each, at, names) }),
    children: (each) => childrenOf(unfoldDatum(each)),
    scopeOf: scopeOfChild,
    leave: (each, at, inner, results) => printOne(unfoldDatum(each), at, inner, results),
  });
  return layout(docOf(asTerm(printed)), width);
}

/** Terms that may go without arguments, though the driver has them as methods only. */
const METHODS_ONLY: ReadonlySet<number> = new Set([TermType.WAIT, TermType.RECONFIGURE, TermType.REBALANCE]);

function enterFunc(term: Term, scope: Scope, names: VarNames): Inner['func'] {
  const parts = funcParts(term);
  if (parts === undefined) return undefined;
  const bare = scope.wraps && !scope.wrapped && bindsBareRow(parts);
  const taken = new Set(scope.vars.values());
  const roles = roleNames(scope.parent, scope.name);
  const params = parts.params.map((param, index) => {
    const name = names.get(param) ?? freeName(roles, index, taken);
    taken.add(name);
    return name;
  });
  return { params, bare };
}

function scopeOfChild({ term, scope, func }: Inner, index: number): Scope {
  const unfolded = unfoldDatum(term);
  const literal = unfolded.kind === 'object' || isMakeArray(unfolded);
  const wraps = unfolded.kind === 'call' && wrapsRow(unfolded, index);
  // Written out: the spread of an object would cost more than all the rest of this.
  const below: Scope = {
    parent: unfolded,
    name: nameOfChild(unfolded, index),
    wraps,
    wrapped: scope.wrapped || scope.wraps,
    vars: scope.vars,
    row: scope.row,
    depth: literal ? scope.depth + 1 : 0,
  };
  const parts = funcParts(term);
  return parts === undefined || func === undefined ? below : scopeOfBody(below, parts, func);
}

function scopeOfBody(scope: Scope, parts: FuncParts, { params, bare }: NonNullable<Inner['func']>): Scope {
  const [first] = params;
  const vars = new Map(scope.vars);
  if (!bare) for (const [index, param] of parts.params.entries()) vars.set(param, params[index] ?? '');
  if (!bindsImplicit(parts) || first === undefined) return { ...scope, vars };
  return { ...scope, vars, row: bare ? 'r.row' : first };
}

function nameOfChild(term: Term, index: number): string | undefined {
  if (term.kind === 'call') return term.optargs[index - term.args.length]?.[0];
  return term.kind === 'object' ? term.fields[index]?.[0] : undefined;
}

function isMakeArray(term: Term): boolean {
  return term.kind === 'call' && term.type === TermType.MAKE_ARRAY && term.optargs.length === 0;
}

function printOne(term: Term, scope: Scope, { func }: Inner, results: readonly Printed[]): Printed {
  if (term.kind === 'datum') return { kind: 'data', doc: scalar(term.value), opens: undefined };
  if (term.kind === 'object') return literal(braces(term.fields, results, key), '{', scope);
  if (isMakeArray(term)) return literal(list('[', results.map(docOf), ']'), '[', scope);
  const id = varOf(term);
  if (id !== undefined) return termOf(scope.vars.get(id) ?? `var_${String(id).replace('-', 'm')}`);
  const [, body] = results;
  if (func === undefined || body === undefined) return printCall(term, scope, results);
  return func.bare ? body : printFunc(func.params, body);
}

function literal(doc: Doc, opens: PrintedData['opens'], { depth }: Scope): Printed {
  const data: Printed = { kind: 'data', doc, opens };
  return depth > 0 && depth % DRIVER_DEPTH === 0 ? asTerm(data) : data;
}

function printFunc(params: readonly string[], body: Printed): Printed {
  const doc = docOf(body);
  const hugs = body.kind === 'data' ? body.opens !== undefined : body.kind === 'term' && body.links === undefined;
  // Braces right after the arrow would be taken for a block.
  const braced = body.kind === 'data' && body.opens === '{';
  return { kind: 'func', params: `(${params.join(', ')}) =>`, body: braced ? ['(', doc, ')'] : doc, hugs };
}

function printCall(term: CallTerm, scope: Scope, results: readonly Printed[]): Printed {
  const signature = signatureOf(term.type);
  const args = results.slice(0, term.args.length);
  const optargs = term.optargs.length === 0 ? [] : [printOptargs(term.optargs, results.slice(term.args.length))];
  if (signature === undefined || !isPlain(term, signature)) {
    const number: Printed = { kind: 'data', doc: String(term.type), opens: undefined };
    return termOf(call('r.term', [number, ...args, ...optargs]));
  }
  if (term.type === TermType.IMPLICIT_VAR) return termOf(scope.row);
  if (signature.form === 'constant') return termOf(`r.${signature.driver}`);
  if (term.type === TermType.FUNCALL) return printDo(args);
  const given = [...unambiguous(term, signature, args), ...optargs];
  const [first, ...rest] = given;
  const chained = signature.form === 'method' || (signature.form === 'scoped' && args.length === signature.max);
  if (first === undefined || args.length === 0 || !chained) return termOf(call(`r.${signature.driver}`, given));
  if (term.type === TermType.BRACKET) return link(first, call('', rest), false);
  return link(first, call(`.${signature.driver}`, rest), true);
}

/** What a client may say beyond RethinkDB's own language, of a reduction and of a feed. Drivers send it as it is written. */
const recipe: ReadonlySet<string> = new Set(['reverse', 'base', 'emit']);
const ofFeed: ReadonlySet<string> = new Set([
  ...recipe,
  ...['reducer', 'aggregate', 'shared', 'include_healing', 'heartbeat', 'format', 'include_revs', 'since'],
]);

/** Whether the driver can write the call: it knows the term, and neither refuses nor changes its parts. */
function isPlain(term: CallTerm, signature: Signature): boolean {
  if (signature.form === 'syntax' && term.type !== TermType.FUNCALL) return false;
  if (term.args.length === 0 && METHODS_ONLY.has(term.type)) return false;
  if (term.type === TermType.REDUCE) return term.args.length > 1 && term.optargs.every(([name]) => recipe.has(name));
  const known = (name: string): boolean =>
    signature.optargs.includes(name) || (term.type === TermType.CHANGES && ofFeed.has(name));
  const counted = signature.max === MANY && term.args.length > 0;
  return (
    (counted || arityFault(signature, term.args.length) === undefined) &&
    term.optargs.every(([name]) => known(name) && !name.startsWith('_'))
  );
}

/** The function comes first on the wire and last in JavaScript. */
function printDo([func, first, ...rest]: readonly Printed[]): Printed {
  const body = func === undefined ? [] : [func];
  if (first === undefined) return termOf(call('r.do', body));
  return rest.length > 0 ? termOf(call('r.do', [first, ...rest, ...body])) : link(first, call('.do', body), true);
}

/** Where the term can have optargs the driver takes a plain object in the last place for them; for bytes, only terms. */
function unambiguous(term: CallTerm, signature: Signature, args: readonly Printed[]): readonly Printed[] {
  if (term.type === TermType.BINARY) return args.map(asTerm);
  const ambiguous =
    term.optargs.length === 0 && args.length > signature.min && signature.optargs.some((name) => !name.startsWith('_'));
  const last = args.at(-1);
  return ambiguous && last?.kind === 'data' && last.opens === '{' ? [...args.slice(0, -1), asTerm(last)] : args;
}

function printOptargs(optargs: readonly Entry[], results: readonly Printed[]): Printed {
  return { kind: 'data', doc: braces(optargs, results, (name) => key(camelCase(name))), opens: '{' };
}

/** Optargs in the driver's spelling, where it gives back the same name. */
function camelCase(name: string): string {
  const camel = name.replace(/_[a-z]/g, (part) => part.charAt(1).toUpperCase());
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) === name ? camel : name;
}
