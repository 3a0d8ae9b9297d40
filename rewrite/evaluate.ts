// What a live query watches, computed from whole bags of elements, as ReQL over arrays. The server plan uses it where the
// state is not constant: it keeps the bags and computes anew.

import type { Aggregated, Elements, Grouped, Part, Rows, Value } from './live.ts';
import type { Builder, Expression } from './term/build.ts';
import type { Term } from './term/term.ts';
import { funcParts, substituteVar, type VarId } from './term/vars.ts';

/** Gives the array that holds the elements of a source's consumer, or, inside a group, of the group. */
export type BagOf = (part: Exclude<Part, { kind: 'rows' }>) => Term;

/** How values are read: `value` gives an aggregate's, from its own state where it has one. */
export interface Reading {
  readonly t: Builder;
  readonly bagOf: BagOf;
  /** The value of an aggregate that has a state of its own. */
  readonly stateOf?: (value: Aggregated) => Term | undefined;
}

/** A value as ReQL; raises the error of the one-shot query where there is none. */
export function valueTerm(reading: Reading, value: Value): Term {
  const { t } = reading;
  if (value.kind === 'aggregate') {
    const own = reading.stateOf?.(value);
    if (own !== undefined) return own;
    const { aggregate, term, of } = value;
    if (aggregate.evaluate === undefined) throw new TypeError(`ReQL cannot say \`${aggregate.name}\``);
    return t.expr(aggregate.evaluate(t, elementsTerm(reading, of), term));
  }
  const parts = funcParts(value.func);
  if (parts === undefined) throw new TypeError('an expression without a function');
  // Substituted, not called: an argument without a value may only raise where it is read, under a `default`.
  const values = new Map<VarId, Term>();
  for (const [index, inner] of value.of.entries()) {
    const id = parts.params[index];
    if (id !== undefined) values.set(id, valueTerm(reading, inner));
  }
  return [...values].reduce<Term>((body, [id, term]) => substituteVar(body, id, term), parts.body);
}

/** The array of elements. */
export function elementsTerm(reading: Reading, elements: Elements): Term {
  const { t } = reading;
  const [first, ...more] = elements.parts.map((part) => partTerm(reading, part));
  if (first === undefined) return t.array();
  return more.reduce<Term>((all, part) => t.add(all, part), first);
}

function partTerm(reading: Reading, part: Part): Term {
  if (part.kind !== 'rows') return reading.bagOf(part);
  return reading.t.coerceTo(reading.t.concatMap(rowsTerm(reading, part.rows), part.each), 'array');
}

/** The groups as an array of `{group, reduction}`, a reduction without a value as null. */
export function groupsTerm(reading: Reading, grouped: Grouped): Term {
  const { t } = reading;
  const keyed = t.ungroup(t.group(elementsTerm(reading, grouped.of), (pair) => t.nth(pair, 0)));
  const rows = t.map(
    keyed,
    t.func((row) => {
      const pairs = t.bracket(row, 'reduction');
      const bag = t.map(pairs, (pair) => t.nth(pair, 1));
      const inner: Reading = { ...reading, bagOf: (part) => (part.kind === 'group' ? bag : reading.bagOf(part)) };
      const reduction: Expression = t.default(valueTerm(inner, grouped.value), null);
      return { group: t.bracket(row, 'group'), reduction };
    }, 1),
  );
  return unlessMissed(reading, grouped.missed, rows);
}

/** Rows, of which there are none while something is missed. */
function unlessMissed(reading: Reading, missed: Value | undefined, rows: Term): Term {
  const { t } = reading;
  return missed === undefined ? rows : t.branch(t.gt(valueTerm(reading, missed), 0), t.array(), rows);
}

/** The rows as an array. */
export function rowsTerm(reading: Reading, rows: Rows): Term {
  const { t } = reading;
  switch (rows.kind) {
    case 'distinct':
      return unlessMissed(reading, rows.missed, t.distinct(elementsTerm(reading, rows.of)));
    case 'ungroup':
      return groupsTerm(reading, rows.of);
    case 'listed':
      return elementsTerm(reading, rows.of);
    case 'flat':
      return t.default(valueTerm(reading, rows.of), []);
    case 'top': {
      const keys = rows.descending.map((descending, index) => {
        const key = t.func((pair) => t.nth(t.nth(pair, 0), index), 1);
        return descending ? t.desc(key) : key;
      });
      const ordered = t.limit(t.orderBy(elementsTerm(reading, rows.of), ...keys), rows.limit);
      return t.map(ordered, (pair) => t.nth(pair, 1));
    }
  }
}
