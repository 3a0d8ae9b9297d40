// What a live query watches, computed from whole bags of elements, as ReQL over arrays. The server plan uses it where the
// state is not constant: it keeps the bags and computes anew.

import type { Aggregated, Elements, GroupDefault, Grouped, GroupPart, Part, Rows, SourcePart, Value } from './live.ts';
import type { Builder } from './term/build.ts';
import { substituteVars } from './term/substitute.ts';
import type { CallTerm, Term } from './term/term.ts';
import { funcParts, type VarId } from './term/vars.ts';

/** Gives the array that holds the elements of a source's consumer, or, inside a group, of the group. */
export type BagOf = (part: SourcePart | GroupPart) => Term;

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
  return calledWith(
    value.func,
    value.of.map((inner) => valueTerm(reading, inner)),
  );
}

/** Substituted, not called: an argument without a value may only raise where it is read, under a `default`. */
function calledWith(func: CallTerm, values: readonly Term[]): Term {
  const parts = funcParts(func);
  if (parts === undefined) throw new TypeError('an expression without a function');
  const byId = new Map<VarId, Term>();
  for (const [index, value] of values.entries()) {
    const id = parts.params[index];
    if (id !== undefined) byId.set(id, value);
  }
  return substituteVars(parts.body, byId);
}

/** The array of elements. */
export function elementsTerm(reading: Reading, elements: Elements): Term {
  const { t } = reading;
  const [first, ...more] = elements.parts.map((part) => partTerm(reading, part));
  if (first === undefined) return t.array();
  return more.reduce<Term>((all, part) => t.add(all, part), first);
}

function partTerm(reading: Reading, part: Part): Term {
  const { t } = reading;
  switch (part.kind) {
    case 'source':
    case 'group':
      return reading.bagOf(part);
    case 'rows':
      return t.coerceTo(t.concatMap(rowsTerm(reading, part.rows), part.each), 'array');
    case 'failing':
      return t.branch(t.bracket(answerTerm(reading, part.of), 'failing'), [1], []);
  }
}

/** The groups as an array of `{group, reduction}`: none while the value of one raises NON_EXISTENCE. */
export function groupsTerm(reading: Reading, grouped: Grouped): Term {
  const { t } = reading;
  if (grouped.defaults.length > 0) return t.bracket(answerTerm(reading, grouped), 'groups');
  return t.default(raisingGroups(reading, grouped, grouped.value), []);
}

/**
 * `{groups, whole, failing}`: the groups; what stands for the whole answer, null where nothing does; and whether there are no
 * groups for want of a value.
 */
export function answerTerm(reading: Reading, grouped: Grouped): Term {
  const { t } = reading;
  const groups = raisingGroups(reading, grouped, grouped.value);
  const failing = { groups: [], whole: null, failing: true };
  const all = t.default(t.fields({ groups, whole: null, failing: false }), failing);
  // From the outermost in: where all below a `default` is well, it is seen to by what stands above.
  return grouped.defaults.reduceRight<Term>((above, given) => {
    const below = raisingGroups(reading, grouped, given.below);
    const whole = t.default(t.fields({ groups: [], whole: wholeTerm(reading, given, below), failing: true }), failing);
    const isWell = t.default(t.ge(t.count(below), 0), false);
    return t.branch(isWell, above, whole);
  }, all);
}

function wholeTerm(reading: Reading, { func, of }: GroupDefault, raised: Term): Term {
  return calledWith(func, [raised, ...of.map((inner) => valueTerm(reading, inner))]);
}

/** The array of the groups, each with a value; raises what is raised for one of them. */
function raisingGroups(reading: Reading, grouped: Grouped, value: Value): Term {
  const { t } = reading;
  const keyed = t.ungroup(t.group(elementsTerm(reading, grouped.of), (pair) => t.nth(pair, 0)));
  const rows = t.map(
    keyed,
    t.func((row) => {
      const pairs = t.bracket(row, 'reduction');
      const bag = t.map(pairs, (pair) => t.nth(pair, 1));
      const inner: Reading = { ...reading, bagOf: (part) => (part.kind === 'group' ? bag : reading.bagOf(part)) };
      return { group: t.bracket(row, 'group'), reduction: valueTerm(inner, value) };
    }, 1),
  );
  const array = t.coerceTo(rows, 'array');
  if (grouped.missed === undefined) return array;
  return t.branch(t.gt(valueTerm(reading, grouped.missed), 0), t.bracket({}, 'value'), array);
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
