// The fields of a row that a term reads, so that a side of a join carries these alone. What is not understood reads all.

import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, type VarId, varOf } from '../../reql/term/vars.ts';
import { childrenOf } from '../../reql/term/walk.ts';
import { TermType } from '../../reql/term-type.ts';

/** The part of a value that is read: all of it, or some of its fields, and of these in turn. */
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

/** The fields that a term reads of the value of a variable. */
export function fieldsRead(root: Term, id: VarId): Read {
  return readOf(root, id, 'all');
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
      return varOf(term) === id ? wanted : (rules.get(term.type)?.(term, id, wanted) ?? readByAll(term, id));
  }
}

function readByAll(term: Term, id: VarId): Read {
  return childrenOf(term).reduce<Read>((read, child) => bothRead(read, readOf(child, id, 'all')), NOTHING_READ);
}

/** What a term reads of a variable; `undefined` where it is not of the form that the rule knows. */
type Rule = (term: CallTerm, id: VarId, wanted: Read) => Read | undefined;

const field: Rule = ({ args }, id, wanted) => {
  const [of, name, ...more] = args;
  if (of === undefined || more.length > 0) return undefined;
  const text = nameOf(name);
  return text === undefined ? undefined : readOf(of, id, new Map([[text, wanted]]));
};

/** Terms that look at fields by their names: of what they find they may hand on all. */
const byName: Rule = ({ args }, id) => {
  const [of, ...names] = args;
  const texts = names.map(nameOf);
  if (of === undefined || texts.length === 0) return undefined;
  const read = new Map<string, Read>();
  for (const text of texts) {
    if (text === undefined) return undefined;
    read.set(text, 'all');
  }
  return readOf(of, id, read);
};

/** What is merged has the fields of all; functions among them read what is below. */
const merge: Rule = ({ args }, id, wanted) =>
  args.some((arg) => funcParts(arg) !== undefined)
    ? undefined
    : args.reduce<Read>((read, arg) => bothRead(read, readOf(arg, id, wanted)), NOTHING_READ);

const either: Rule = ({ args }, id, wanted) =>
  args.reduce<Read>((read, arg) => bothRead(read, readOf(arg, id, wanted)), NOTHING_READ);

/** `branch(test, value, test, value, ..., value)`. */
const branch: Rule = ({ args }, id, wanted) =>
  args.reduce<Read>((read, arg, at) => {
    const isTest = at % 2 === 0 && at < args.length - 1;
    return bothRead(read, readOf(arg, id, isTest ? 'all' : wanted));
  }, NOTHING_READ);

const call: Rule = ({ args }, id, wanted) => {
  const [func, ...given] = args;
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

/** The one item of a list that is written out is that item. */
const first: Rule = ({ args }, id, wanted) => {
  const [of, place, ...more] = args;
  const isFirst = place?.kind === 'datum' && place.value === 0 && more.length === 0;
  if (!isFirst || of?.kind !== 'call' || of.type !== TermType.MAKE_ARRAY || of.args.length !== 1) return undefined;
  const [item] = of.args;
  return item === undefined ? undefined : readOf(item, id, wanted);
};

/** What is compared with null is there or not. */
const comparison: Rule = ({ args }, id) => {
  const others = args.filter((arg) => !(arg.kind === 'datum' && arg.value === null));
  const [only, ...more] = others;
  return only === undefined || more.length > 0 || others.length === args.length
    ? undefined
    : readOf(only, id, NOTHING_READ);
};

const list: Rule = ({ args }, id) =>
  args.reduce<Read>((read, arg) => bothRead(read, readOf(arg, id, 'all')), NOTHING_READ);

const rules: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [TermType.BRACKET, field],
  [TermType.GET_FIELD, field],
  [TermType.PLUCK, byName],
  [TermType.HAS_FIELDS, byName],
  [TermType.MERGE, merge],
  [TermType.DEFAULT, either],
  [TermType.BRANCH, branch],
  [TermType.FUNCALL, call],
  [TermType.MAKE_ARRAY, list],
  [TermType.NTH, first],
  [TermType.EQ, comparison],
  [TermType.NE, comparison],
]);

function nameOf(term: Term | undefined): string | undefined {
  return term?.kind === 'datum' && typeof term.value === 'string' ? term.value : undefined;
}
