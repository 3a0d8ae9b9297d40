// Finds out whether a reduction function is a sum, a least or a greatest, by its structure: of numbers, or of each field of
// objects and arrays. What is found holds for elements of exactly the shape that the function makes; callers check that.

import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';

/** A reduction that can be undone, part by part. */
export type Derived = DerivedSum | DerivedExtreme | DerivedObject | DerivedArray;

/** The sum of numbers; `plus` is added at each call of the function. */
export interface DerivedSum {
  readonly kind: 'sum';
  readonly plus: number;
}

/** The least or the greatest of any values. */
export interface DerivedExtreme {
  readonly kind: 'min' | 'max';
}

/** An object of exactly these fields. */
export interface DerivedObject {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, Derived>;
}

/** An array of exactly these items. */
export interface DerivedArray {
  readonly kind: 'array';
  readonly items: readonly Derived[];
}

type Path = readonly (string | number)[];

/** The two parameters of a reduction function. */
interface Params {
  readonly a: VarId;
  readonly b: VarId;
}

/** The structure of a reduction function (FUNC); `undefined` where it is none of these. */
export function deriveReverse(func: Term): Derived | undefined {
  const parts = funcParts(func);
  const [a, b, ...more] = parts?.params ?? [];
  if (parts === undefined || a === undefined || b === undefined || a === b || more.length > 0) return undefined;
  return derive(parts.body, { a, b }, []);
}

/** Whether a sum is part of it: `add` joins texts and arrays too, one behind the other. */
export function sums(derived: Derived): boolean {
  switch (derived.kind) {
    case 'sum':
      return true;
    case 'min':
    case 'max':
      return false;
    case 'object':
      return [...derived.fields.values()].some(sums);
    case 'array':
      return derived.items.some(sums);
  }
}

function derive(term: Term, params: Params, path: Path): Derived | undefined {
  if (term.kind === 'object') return deriveFields(term.fields, params, path);
  if (term.kind !== 'call' || term.optargs.length > 0) return undefined;
  return rules[term.type]?.(term, params, path);
}

type Rule = (term: CallTerm, params: Params, path: Path) => Derived | undefined;

const sum: Rule = ({ args }, params, path) => {
  const read = new Set<VarId>();
  let plus = 0;
  for (const operand of args.flatMap(addends)) {
    if (operand.kind === 'datum' && typeof operand.value === 'number') {
      plus += operand.value;
      continue;
    }
    const id = readAt(withoutDefault(operand), path);
    if (id === undefined || read.has(id)) return undefined;
    read.add(id);
  }
  return readsBoth(read, params) ? { kind: 'sum', plus } : undefined;
};

/** `branch(a.gt(b), a, b)` and its kin. */
const chosen: Rule = ({ args: [test, yes, no, ...more] }, params, path) => {
  if (test?.kind !== 'call' || yes === undefined || no === undefined || more.length > 0) return undefined;
  const greater = test.type === TermType.GT || test.type === TermType.GE;
  if (!greater && test.type !== TermType.LT && test.type !== TermType.LE) return undefined;
  const compared = test.args.map((arg) => readAt(arg, path));
  const results = [yes, no].map((arg) => readAt(arg, path));
  if (compared.length !== 2 || !readsBoth(new Set(compared), params) || !readsBoth(new Set(results), params)) {
    return undefined;
  }
  return { kind: greater === (compared[0] === results[0]) ? 'max' : 'min' };
};

/** `a.merge({n: a('n').add(b('n'))})`: the fields of a that are not merged have no place in an exact shape. */
const merged: Rule = ({ args: [onto, fields, ...more] }, params, path) => {
  const id = onto === undefined ? undefined : readAt(onto, path);
  if ((id !== params.a && id !== params.b) || fields?.kind !== 'object' || more.length > 0) return undefined;
  return derive(fields, params, path);
};

const items: Rule = ({ args }, params, path) => {
  const found = args.map((item, index) => derive(item, params, [...path, index]));
  return args.length > 0 && found.every((item) => item !== undefined) ? { kind: 'array', items: found } : undefined;
};

const rules: { readonly [type: number]: Rule | undefined } = {
  [TermType.ADD]: sum,
  [TermType.BRANCH]: chosen,
  [TermType.MERGE]: merged,
  [TermType.MAKE_ARRAY]: items,
};

function deriveFields(fields: readonly (readonly [string, Term])[], params: Params, path: Path): Derived | undefined {
  const found = new Map<string, Derived>();
  for (const [name, value] of fields) {
    const derived = derive(value, params, [...path, name]);
    if (derived === undefined || found.has(name)) return undefined;
    found.set(name, derived);
  }
  return found.size === 0 ? undefined : { kind: 'object', fields: found };
}

function addends(term: Term): readonly Term[] {
  return term.kind === 'call' && term.type === TermType.ADD ? term.args.flatMap(addends) : [term];
}

// A number that is there needs no default.
function withoutDefault(term: Term): Term {
  const [value, fallback] = term.kind === 'call' && term.type === TermType.DEFAULT ? term.args : [];
  return value !== undefined && fallback?.kind === 'datum' ? value : term;
}

/** The variable of which a term reads exactly this path. */
function readAt(term: Term, path: Path): VarId | undefined {
  const last = path.at(-1);
  if (last === undefined) return varOf(term);
  if (term.kind !== 'call') return undefined;
  const [from, key, ...more] = term.args;
  const types: readonly number[] = [TermType.BRACKET, typeof last === 'string' ? TermType.GET_FIELD : TermType.NTH];
  if (!types.includes(term.type) || from === undefined || more.length > 0) return undefined;
  return key?.kind === 'datum' && key.value === last ? readAt(from, path.slice(0, -1)) : undefined;
}

function readsBoth(read: ReadonlySet<VarId | undefined>, { a, b }: Params): boolean {
  return read.size === 2 && read.has(a) && read.has(b);
}
