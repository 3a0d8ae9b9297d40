// A text for each term that is equal for two terms exactly when they mean the same by their form: whatever the driver numbered
// its variables, and however it wrote a literal. Equal parts of a query share state by it, and so may equal queries.
//
//   12, "a", null        a scalar, by its value: 1, 1.0 and 1E0 are one double, and RethinkDB keeps no spelling; 0 and -0 differ
//   [..] {"k":..}        MAKE_ARRAY and an object, or the datum that they are; fields in the order of their names
//   145(..;name:..)      any other call by its number, optargs in the order of their names
//   f2(..)               a function of two parameters
//   $0 $1                the parameter bound last, the one before it, ...; `r.row` is a read of the parameter that it means
//   @7 @row              a variable, and an `r.row`, that no function of the term binds
//
// A parameter is named by how many are bound after it, so that the key of a part that reads nothing from outside is the same
// wherever it stands: such keys are kept, and every part is looked at once.

import type { Datum } from '../data/datum.ts';
import { quoted } from '../data/quoted.ts';
import { TermType } from '../term-type.ts';
import { factsOf } from './facts.ts';
import type { CallTerm, Entry, Term } from './term.ts';
import { unfoldDatum } from './unfold-datum.ts';
import { bindsImplicit, type FuncParts, funcParts, type VarId, varOf } from './vars.ts';
import { childrenOf, fold } from './walk.ts';

/** The key of a term; linear in what has not been asked before. Depth is no concern. */
export function canonicalKey(root: Term): string {
  const found = factsOf(root).key;
  if (found !== undefined) return found;
  const bound = new Bound();
  return fold<undefined, Shape, string>(root, undefined, {
    known: (term) => (term.kind === 'datum' ? scalarKey(term.value) : factsOf(term).key),
    enter: (term) => {
      const shape = shapeOf(term);
      if (shape.func !== undefined) bound.open(shape.func);
      return shape;
    },
    children: (_, { func, term: written }) => {
      // The numbers of variables are no terms.
      const isNumbered = func !== undefined || varOf(written) !== undefined;
      return isNumbered ? childrenOf(written).slice(1) : childrenOf(written);
    },
    scopeOf: () => undefined,
    leave: (term, _, { func, term: written }, keys) => {
      if (func !== undefined) bound.close(func);
      const key = keyOf(written, func, keys, bound);
      keep(term, key);
      return key;
    },
  });
}

/** Keeps the key of a part that reads nothing from outside. What is known of data is the same for all. */
function keep(term: Term, key: string): void {
  if (term.kind === 'datum') return;
  const facts = factsOf(term);
  if (facts.free !== 'many' && facts.free.size === 0 && !facts.readsRow) facts.key = key;
}

/** A term as it is compared: a datum as the literal that it stands for, a function by its parts. */
interface Shape {
  readonly term: Term;
  readonly func: FuncParts | undefined;
}

function shapeOf(term: Term): Shape {
  const written = unfoldDatum(term);
  return { term: written, func: funcParts(written) };
}

/** The parameters of the functions around a place. */
class Bound {
  /** How many parameters are bound. */
  #depth = 0;
  /** For each variable the places of its parameters, counted from outside; the last is the one that is read. */
  readonly #places = new Map<VarId, number[]>();
  /** The places of the parameters that `r.row` may mean. */
  readonly #rows: number[] = [];

  open(func: FuncParts): void {
    if (bindsImplicit(func)) this.#rows.push(this.#depth);
    for (const param of func.params) {
      const places = this.#places.get(param);
      if (places === undefined) this.#places.set(param, [this.#depth]);
      else places.push(this.#depth);
      this.#depth += 1;
    }
  }

  close(func: FuncParts): void {
    for (const param of func.params) this.#places.get(param)?.pop();
    this.#depth -= func.params.length;
    if (bindsImplicit(func)) this.#rows.pop();
  }

  read(id: VarId): string {
    return this.#name(this.#places.get(id)?.at(-1)) ?? `@${id}`;
  }

  readRow(): string {
    return this.#name(this.#rows.at(-1)) ?? '@row';
  }

  #name(place: number | undefined): string | undefined {
    return place === undefined ? undefined : `$${this.#depth - 1 - place}`;
  }
}

/** The key of a term from those of its children. */
function keyOf(term: Term, func: FuncParts | undefined, keys: readonly string[], bound: Bound): string {
  switch (term.kind) {
    case 'datum':
      return scalarKey(term.value) ?? '';
    case 'object':
      return `{${named(term.fields, keys)}}`;
    case 'call':
      if (func !== undefined) return `f${func.params.length}(${within(term, keys)})`;
      return keyOfCall(term, keys, bound);
  }
}

/** The key of a scalar; `undefined` for what is made of others. */
function scalarKey(value: Datum): string | undefined {
  switch (typeof value) {
    case 'number':
      return Object.is(value, -0) ? '-0' : JSON.stringify(value);
    case 'string':
      return quoted(value);
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : undefined;
  }
}

function keyOfCall(term: CallTerm, keys: readonly string[], bound: Bound): string {
  const id = varOf(term);
  const isAlone = keys.length === 0;
  if (id !== undefined) return isAlone ? bound.read(id) : `${bound.read(id)}(${within(term, keys)})`;
  if (term.type === TermType.IMPLICIT_VAR && isAlone) return bound.readRow();
  if (term.type === TermType.MAKE_ARRAY && term.optargs.length === 0) return `[${keys.join()}]`;
  return `${term.type}(${within(term, keys)})`;
}

/** Arguments and optargs, of which there may be fewer keys than arguments. */
function within({ optargs }: CallTerm, keys: readonly string[]): string {
  if (optargs.length === 0) return keys.join();
  const args = keys.length - optargs.length;
  return `${keys.slice(0, args).join()};${named(optargs, keys.slice(args))}`;
}

/** Entries by name; repeated names keep the order in which they were written. */
function named(entries: readonly Entry[], keys: readonly string[]): string {
  return entries
    .map(([name], index) => ({ name, key: keys[index] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, key }) => `${JSON.stringify(name)}:${key}`)
    .join();
}
