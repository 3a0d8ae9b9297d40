// The fields of a row that terms read: so that feeds and sides of joins carry these alone, and people can be told of them. What is
// not understood reads all.

import { freshVars } from '../reql/build/fresh-vars.ts';
import { type Datum, isObject } from '../reql/data/datum.ts';
import { callWith } from '../reql/term/call-with.ts';
import { factsOf } from '../reql/term/facts.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts, type VarId, varOf, varTerm } from '../reql/term/vars.ts';
import { childrenOf } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { onTop, withVariables } from './projection.ts';

/** The part of a value that is read: all of it, or some of its fields, and of these in turn. Of a list it is that of each item. */
export type Read = 'all' | ReadonlyMap<string, Read>;

/** Nothing but whether it is there. */
export const NOTHING_READ: Read = new Map();

/** The part that either reads. */
export function bothRead(one: Read, other: Read): Read {
  if (one === 'all' || other === 'all') return 'all';
  const both = new Map(one);
  for (const [field, read] of other) both.set(field, bothRead(both.get(field) ?? NOTHING_READ, read));
  return both;
}

/** The part that a term reads of the value of a variable. */
export function fieldsRead(root: Term, id: VarId): Read {
  return readOf(root, id, 'all');
}

/** The part of one of its parameters that a function reads; of what is no function written out, all. */
export function parameterRead(func: Term, index: number): Read {
  const parts = funcParts(func);
  if (parts === undefined) return 'all';
  const param = parts.params[index];
  return param === undefined ? NOTHING_READ : fieldsRead(parts.body, param);
}

/** The part that a term reads of each row that it stands on, where `wanted` is read of the rows that it gives. */
export function readBelow(term: CallTerm, wanted: Read): Read {
  const fresh = freshVars(term);
  const row = fresh();
  const rows = callWith(term, { type: TermType.MAKE_ARRAY, args: [varTerm(row)], optargs: [] });
  const over = withVariables(onTop(term, rows), fresh);
  return isList(over) ? readOfItems(over, row, wanted) : readOf(over, row, wanted);
}

/** What of a variable is read where `wanted` is read of a term. */
function readOf(term: Term, id: VarId, wanted: Read): Read {
  switch (term.kind) {
    case 'datum':
      return NOTHING_READ;
    case 'object':
      return term.fields.reduce<Read>((read, [name, field]) => {
        // A field that nobody reads is evaluated all the same, and must not raise what it would not.
        const of = wanted === 'all' ? 'all' : (wanted.get(name) ?? NOTHING_READ);
        return bothRead(read, readOf(field, id, of));
      }, NOTHING_READ);
    case 'call':
      if (varOf(term) === id) return wanted;
      if (isList(term)) return readOfItems(term, id, 'all');
      return rules.get(term.type)?.(term, id, wanted, readOf) ?? readByAll(term, id);
  }
}

/** What of a variable is read where `wanted` is read of each item of a list; of what may be no list, or a list of lists, all is. */
function readOfItems(term: Term, id: VarId, wanted: Read): Read {
  if (term.kind !== 'call' || !isList(term)) return readOf(term, id, 'all');
  const rule = listRules.get(term.type) ?? rules.get(term.type);
  return rule?.(term, id, wanted, readOfItems) ?? readByAll(term, id);
}

function readByAll(term: Term, id: VarId): Read {
  return readOfAll(childrenOf(term), id, 'all');
}

function readOfAll(terms: readonly Term[], id: VarId, wanted: Read): Read {
  return terms.reduce<Read>((read, term) => bothRead(read, readOf(term, id, wanted)), NOTHING_READ);
}

/** Whether a term gives a list, whatever its variables are. */
function isList(term: Term): boolean {
  if (term.kind !== 'call') return false;
  const [below] = term.args;
  return LISTS.has(term.type) || (ofEither.has(term.type) && below !== undefined && isList(below));
}

const LISTS: ReadonlySet<number> = new Set([
  TermType.MAKE_ARRAY,
  TermType.FILTER,
  TermType.MAP,
  TermType.CONCAT_MAP,
  TermType.WITH_FIELDS,
  TermType.ORDER_BY,
  TermType.GET_ALL,
  TermType.BETWEEN,
]);

/** Terms that go over a value and over each item of a list. */
const ofEither: ReadonlySet<number> = new Set([
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.HAS_FIELDS,
  TermType.PLUCK,
  TermType.MERGE,
  TermType.DEFAULT,
  TermType.LIMIT,
]);

/**
 * What a term reads of a variable; `undefined` where it is not of the form that the rule knows. `below` reads what the term stands
 * on, a value or a list of values.
 */
type Rule = (term: CallTerm, id: VarId, wanted: Read, below: typeof readOf) => Read | undefined;

const field: Rule = ({ args: [of, name, ...more] }, id, wanted, below) => {
  if (of === undefined || name?.kind !== 'datum' || typeof name.value !== 'string' || more.length > 0) return undefined;
  return below(of, id, new Map([[name.value, wanted]]));
};

const pluck: Rule = ({ args: [of, ...names] }, id, wanted, below) => {
  const read = named(names);
  if (of === undefined || read === undefined) return undefined;
  return below(of, id, wanted === 'all' ? read : new Map([...wanted].filter(([name]) => read.has(name))));
};

/** Whether a value has fields is nothing of what else is read of it. */
const hasFields: Rule = ({ args: [of, ...names] }, id, _, below) => {
  const read = named(names);
  return of === undefined || read === undefined ? undefined : below(of, id, read);
};

/** What is merged has the fields of all; a function reads what is merged before it. */
const merge: Rule = ({ args: [of, ...args] }, id, wanted, below) => {
  if (of === undefined) return undefined;
  const functions = args.filter((arg) => funcParts(arg) !== undefined);
  const others = args.filter((arg) => !functions.includes(arg));
  const read = functions.reduce<Read>((all, func) => bothRead(all, elementRead(func, 'all')), wanted);
  return [readOfAll(others, id, read), readByFunctions(functions, id, wanted)].reduce(bothRead, below(of, id, read));
};

const either: Rule = ({ args }, id, wanted, below) =>
  args.reduce<Read>((read, arg) => bothRead(read, below(arg, id, wanted)), NOTHING_READ);

/** `branch(test, value, test, value, ..., value)`. */
const branch: Rule = ({ args }, id, wanted) =>
  args.reduce<Read>((read, arg, at) => {
    const isTest = at % 2 === 0 && at < args.length - 1;
    return bothRead(read, readOf(arg, id, isTest ? 'all' : wanted));
  }, NOTHING_READ);

const call: Rule = ({ args: [func, ...given] }, id, wanted) => {
  const parts = func === undefined ? undefined : funcParts(func);
  if (parts === undefined || parts.params.length !== given.length || parts.params.includes(id)) return undefined;
  const own = readOf(parts.body, id, wanted);
  return given.reduce<Read>((read, value, at) => {
    const param = parts.params[at];
    if (param === undefined) return 'all';
    const of = readOf(parts.body, param, wanted);
    // An argument is evaluated whether it is read or not: it has to raise what it raises for want of a field.
    return bothRead(read, readOf(value, id, of));
  }, own);
};

/** One item of a list, by its place. */
const item: Rule = ({ args: [of, place, ...more] }, id, wanted) =>
  of === undefined || !isList(of) || place?.kind !== 'datum' || more.length > 0
    ? undefined
    : readOfItems(of, id, wanted);

/** A comparison with null asks whether it is there. */
const comparison: Rule = ({ args }, id) => {
  const others = args.filter((arg) => !(arg.kind === 'datum' && arg.value === null));
  const [only, ...more] = others;
  return only === undefined || more.length > 0 || others.length === args.length
    ? undefined
    : readOf(only, id, NOTHING_READ);
};

/** `x.keys().contains(name)`. */
const contains: Rule = ({ args: [keys, ...names] }, id) => {
  const [of] = keys?.kind === 'call' && keys.type === TermType.KEYS ? keys.args : [];
  const read = named(names);
  return of === undefined || read === undefined ? undefined : readOf(of, id, read);
};

/** One row of those of a table, as it is. */
const row: Rule = ({ args: [of, ...rest] }, id, wanted) =>
  of === undefined ? undefined : bothRead(readOfItems(of, id, wanted), readOfAll(rest, id, 'all'));

/** `min` and `max` by an index; otherwise they compare rows. */
const extreme: Rule = (term, id, wanted, below) => (term.args.length > 1 ? undefined : row(term, id, wanted, below));

const rules: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [TermType.BRACKET, field],
  [TermType.GET_FIELD, field],
  [TermType.PLUCK, pluck],
  [TermType.HAS_FIELDS, hasFields],
  [TermType.MERGE, merge],
  [TermType.DEFAULT, either],
  [TermType.BRANCH, branch],
  [TermType.FUNCALL, call],
  [TermType.NTH, item],
  [TermType.EQ, comparison],
  [TermType.NE, comparison],
  [TermType.CONTAINS, contains],
  [TermType.GET, row],
  [TermType.MIN, extreme],
  [TermType.MAX, extreme],
]);

const items: Rule = ({ args }, id, wanted) => readOfAll(args, id, wanted);

/** Some of the items as they are. */
const some: Rule = ({ args: [of, ...rest] }, id, wanted, below) =>
  of === undefined ? undefined : bothRead(below(of, id, wanted), readOfAll(rest, id, 'all'));

const withFields: Rule = ({ args: [of, ...names] }, id, _, below) => {
  const read = named(names);
  return of === undefined || read === undefined ? undefined : below(of, id, read);
};

const havingFields: Rule = ({ args: [of, ...names] }, id, wanted, below) => {
  const read = named(names);
  return of === undefined || read === undefined ? undefined : below(of, id, bothRead(wanted, read));
};

const filter: Rule = ({ args: [of, predicate], optargs }, id, wanted, below) => {
  const tested = predicate === undefined ? undefined : testedBy(predicate);
  if (of === undefined || predicate === undefined || tested === undefined) return undefined;
  const beside = [predicate, ...optargs.map(([, value]) => value)];
  return bothRead(below(of, id, bothRead(wanted, tested)), readOfAll(beside, id, 'all'));
};

const map: Rule = ({ args: [of, func, ...more] }, id, wanted, below) => {
  if (of === undefined || func === undefined || more.length > 0 || funcParts(func) === undefined) return undefined;
  return bothRead(below(of, id, elementRead(func, wanted)), readByFunctions([func], id, wanted));
};

/** What the items of a list that a function gives are for, they are for in the end. */
const concatMap: Rule = ({ args: [of, func] }, id, wanted, below) => {
  const parts = func === undefined ? undefined : funcParts(func);
  const [param, ...more] = parts?.params ?? [];
  if (of === undefined || parts === undefined || param === undefined || more.length > 0 || hasImplicit(parts.body))
    return undefined;
  const own = parts.params.includes(id) ? NOTHING_READ : readOfItems(parts.body, id, wanted);
  return bothRead(below(of, id, readOfItems(parts.body, param, wanted)), own);
};

const orderBy: Rule = ({ args: [of, ...keys] }, id, wanted, below) => {
  const bare = keys.map((key) => (isDirection(key) ? (key.args[0] ?? key) : key));
  const functions = bare.filter((key) => funcParts(key) !== undefined);
  const read = named(bare.filter((key) => !functions.includes(key)));
  if (of === undefined || read === undefined) return undefined;
  const all = functions.reduce<Read>((sum, func) => bothRead(sum, elementRead(func, 'all')), bothRead(wanted, read));
  return bothRead(below(of, id, all), readByFunctions(functions, id, 'all'));
};

function isDirection(term: Term): term is CallTerm {
  return term.kind === 'call' && (term.type === TermType.ASC || term.type === TermType.DESC);
}

/** The rules of lists, in which `wanted` is read of each item; those of other terms are for lists as well. */
const listRules: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [TermType.MAKE_ARRAY, items],
  [TermType.GET_ALL, some],
  [TermType.BETWEEN, some],
  [TermType.LIMIT, some],
  [TermType.WITH_FIELDS, withFields],
  [TermType.HAS_FIELDS, havingFields],
  [TermType.FILTER, filter],
  [TermType.MAP, map],
  [TermType.CONCAT_MAP, concatMap],
  [TermType.ORDER_BY, orderBy],
]);

/** What a function of one element reads of it, where `wanted` is read of what it gives. */
function elementRead(func: Term, wanted: Read): Read {
  const parts = funcParts(func);
  const [param, ...more] = parts?.params ?? [];
  if (parts === undefined || more.length > 0 || hasImplicit(parts.body)) return 'all';
  return param === undefined ? NOTHING_READ : readOf(parts.body, param, wanted);
}

function hasImplicit(term: Term): boolean {
  return factsOf(term).holdsRow;
}

/** What functions read of a variable that stands outside of them. */
function readByFunctions(functions: readonly Term[], id: VarId, wanted: Read): Read {
  return functions.reduce<Read>((read, func) => {
    const parts = funcParts(func);
    if (parts === undefined || parts.params.includes(id)) return read;
    return bothRead(read, readOf(parts.body, id, wanted));
  }, NOTHING_READ);
}

/** What a test reads of an element: a function, or an object whose fields it has to have; `undefined` for what is not written out. */
function testedBy(predicate: Term): Read | undefined {
  const body = funcParts(predicate)?.body;
  if (body === undefined) return comparedIn(predicate);
  // A function that gives an object is that object (func.cc, filter_helper).
  return bothRead(elementRead(predicate, 'all'), comparedIn(body) ?? NOTHING_READ);
}

function comparedIn(term: Term): Read | undefined {
  if (term.kind === 'object') return allOf(term.fields.map(([name]) => name));
  if (term.kind === 'datum') return isObject(term.value) ? allOf(Object.keys(term.value)) : NOTHING_READ;
  return undefined;
}

/** The fields that arguments of `pluck` and its like name; `undefined` where some are computed. */
function named(terms: readonly Term[]): ReadonlyMap<string, Read> | undefined {
  const names = terms.map(namesIn);
  return names.every((some) => some !== undefined) ? allOf(names.flat()) : undefined;
}

function namesIn(term: Term): readonly string[] | undefined {
  if (term.kind === 'object') return term.fields.map(([name]) => name);
  if (term.kind === 'datum') return namesInDatum(term.value);
  if (term.type !== TermType.MAKE_ARRAY) return undefined;
  const names = term.args.map(namesIn);
  return names.every((some) => some !== undefined) ? names.flat() : undefined;
}

function namesInDatum(value: Datum): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (isObject(value)) return Object.keys(value);
  if (!Array.isArray(value)) return undefined;
  const names = value.map(namesInDatum);
  return names.every((some) => some !== undefined) ? names.flat() : undefined;
}

function allOf(names: readonly string[]): ReadonlyMap<string, Read> {
  return new Map(names.map((name) => [name, 'all']));
}
