// Every aggregate, in process and as a fold of ReQL, against the one-shot query over the rows that are there.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Accumulator, type Aggregate, isNamed } from '../../rewrite/aggregates/aggregate.ts';
import { aggregateFor, aggregates } from '../../rewrite/aggregates/index.ts';
import { reductionOfTerm } from '../../rewrite/reductions/reduction.ts';
import { builder } from '../../rewrite/reql/build/build.ts';
import { freshVars } from '../../rewrite/reql/build/fresh-vars.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { compileFunction, createContext, evaluate, pureTerms } from '../../rewrite/reql/eval/index.ts';
import type { CallTerm, Term } from '../../rewrite/reql/term/term.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { evaluate as termOf } from '../support/evaluate.ts';
import { expectSame, histories, outcome, walk } from '../support/queries/aggregate-histories.ts';

const context = createContext({ terms: pureTerms });

/** Few values, so that things cancel often. */
const x = fc.constantFrom<Datum>(-2, 0, 1, 1, 3, 2 ** 40);
const odd = fc.constantFrom<Datum>(null, '', '0', 0, 1, false, true, [0], { a: 1 });

function row(value: fc.Arbitrary<Datum>): fc.Arbitrary<Datum> {
  return fc.record({ x: value, k: fc.constantFrom('a', 'b') }, { requiredKeys: ['k'] });
}

interface Case {
  /** Over `s`, the sequence of rows. */
  readonly query: string;
  readonly rows: fc.Arbitrary<Datum>;
  /** Rows are objects. */
  readonly objects?: boolean;
  /** What of the value is compared, where several rows would do: the value of this field. */
  readonly of?: string;
}

const cases: readonly Case[] = [
  { query: 's.count()', rows: odd },
  { query: 's.count(1)', rows: odd },
  { query: 's.count(null)', rows: odd },
  { query: 's.count(v => v.gt(0))', rows: odd },
  { query: 's.count(v => v("x").gt(0))', rows: row(x) },
  { query: 's.count(v => ({k: "a"}))', rows: row(x) },
  { query: 's.sum("x")', rows: row(fc.oneof(x, fc.constant(null))), objects: true },
  { query: 's.sum("x")', rows: row(x) },
  { query: 's.sum(v => v("x").mul(2))', rows: row(x) },
  { query: 's.sum()', rows: fc.oneof(x, fc.constant(null)) },
  { query: 's.avg("x")', rows: row(fc.oneof(x, fc.constant(null))), objects: true },
  { query: 's.avg(v => v("x"))', rows: row(x) },
  { query: 's.min("x")', rows: row(odd), objects: true, of: 'x' },
  { query: 's.min("x")', rows: row(odd), of: 'x' },
  { query: 's.min()', rows: odd },
  { query: 's.max("x")', rows: row(odd), objects: true, of: 'x' },
  { query: 's.max(v => v("x"))', rows: row(odd), of: 'x' },
  { query: 's.max()', rows: odd },
  { query: 's.contains(1)', rows: odd },
  { query: 's.contains(1, null, 1)', rows: odd },
  { query: 's.contains(v => v.eq(""))', rows: odd },
  { query: 's.contains()', rows: odd },
  { query: 's.isEmpty()', rows: odd },
  { query: 's.coerceTo("array").orderBy(v => v)', rows: odd },
  { query: 's.coerceTo("object")', rows: fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), odd) },
  { query: 's.reduce((a, b) => a.add(b))', rows: x },
  { query: 's.reduce((a, b) => r.add(b, 1, a))', rows: x },
  { query: 's.reduce((a, b) => a.add(b))', rows: fc.constantFrom<Datum>('', 'x') },
  { query: 's.reduce((a, b) => a.mul(b))', rows: fc.constantFrom<Datum>(0, 1, 2, -1) },
  { query: 's.reduce((a, b) => r.branch(a.gt(b), a, b))', rows: odd },
  { query: 's.reduce((a, b) => r.branch(a.le(b), a, b))', rows: odd },
  { query: 's.reduce((a, b) => a.setUnion(b).orderBy(v => v))', rows: fc.constantFrom<Datum>([], [1], [2, 3]) },
  { query: 's.reduce((a, b) => ({n: a("n").add(b("n"))}))', rows: fc.record({ n: x }) },
  { query: 's.reduce((a, b) => a.merge({n: a("n").add(b("n"))}))', rows: fc.record({ n: x }) },
  { query: 's.reduce((a, b) => [a(0).add(b(0)), r.branch(b(1).gt(a(1)), b(1), a(1))])', rows: fc.tuple(x, odd) },
  { query: 's.reduce((a, b) => ({n: a("n").add(b("n"))}))', rows: fc.record({ n: x, id: x }, { requiredKeys: ['n'] }) },
];

const reversed: readonly Case[] = [
  { query: 's.reduce((acc, v) => acc.mul(v), {base: 1})', rows: fc.constantFrom<Datum>(1, 2, 0, -1) },
  { query: 's.reduce((a, b) => a.add(b), (a, b) => a.sub(b))', rows: x },
  { query: 's.reduce((a, b) => a.mul(b), (a, b) => a.div(b))', rows: fc.constantFrom<Datum>(1, 2, 4, -1) },
];

function callOf(query: string): CallTerm {
  const term = termOf(`(s => ${query})(r.expr([]))`);
  return innermost(term);
}

/** The aggregate under what is done with its value. */
function innermost(term: Term): CallTerm {
  if (term.kind !== 'call') throw new TypeError('no call');
  if (aggregateFor(term) !== undefined) return term;
  const [below] = term.args;
  if (below === undefined) throw new TypeError('no aggregate');
  return innermost(below);
}

interface Ready {
  readonly aggregate: Aggregate;
  readonly term: CallTerm;
  readonly elements: (row: Datum) => readonly Datum[];
  readonly oneShot: (rows: readonly Datum[]) => Datum;
}

function ready({ query, objects = false, of }: Case): Ready {
  const term = callOf(query);
  const aggregate = aggregateFor(term);
  if (aggregate === undefined) throw new TypeError(`no aggregate in ${query}`);
  const fresh = freshVars(term);
  const t = builder(term.origin, fresh);
  const args = term.args.slice(1);
  const project = compileFunction(
    t.func((each) => aggregate.project({ t, term, args, objects }, each), 1),
    context,
  );
  return {
    aggregate,
    term,
    elements: (datum) => asList(project(datum)),
    oneShot(rows) {
      const whole = innermostReplaced(termOf(`(s => ${query})(r.expr([]))`), { kind: 'datum', value: rows });
      const answer = outcome(() => {
        const { datum } = { datum: null, ...evaluate(whole, context) };
        return datum;
      });
      return shownOf(answer, of);
    },
  };
}

function innermostReplaced(term: Term, rows: Term): Term {
  if (term.kind !== 'call') throw new TypeError('no call');
  const [below, ...rest] = term.args;
  if (below === undefined) throw new TypeError('no sequence');
  const under = aggregateFor(term) === undefined ? innermostReplaced(below, rows) : rows;
  const base = term.type === TermType.REDUCE ? reductionOfTerm(term).base : undefined;
  if (base !== undefined) return { ...term, type: TermType.FOLD, args: [under, base, ...rest.slice(0, 1)] };
  // The one-shot query knows no reverse.
  return { ...term, args: term.type === TermType.REDUCE ? [under, ...rest.slice(0, 1)] : [under, ...rest] };
}

function asList(datum: Datum): readonly Datum[] {
  if (!Array.isArray(datum)) throw new TypeError('no array');
  return datum;
}

function shownOf(datum: Datum, field: string | undefined): Datum {
  if (field === undefined || Array.isArray(datum) || typeof datum !== 'object' || datum === null) return datum;
  return (datum as { readonly [key: string]: Datum })[field] ?? 'missing';
}

for (const one of [...cases, ...reversed]) {
  const { query, rows, of } = one;

  test(`in process, ${query}${one.objects === true ? ' over objects' : ''} is always the one-shot query`, () => {
    const { aggregate, term, elements, oneShot } = ready(one);
    fc.assert(
      fc.property(histories(rows), (history) => {
        const accumulator = aggregate.accumulator(term, context);
        walk(
          history,
          {
            apply: (datum) => elements(datum).forEach((element) => void accumulator.apply(element)),
            unapply: (datum) => elements(datum).forEach((element) => void accumulator.unapply(element)),
          },
          (there) =>
            expectSame(
              shownOf(
                outcome(() => accumulator.value()),
                of,
              ),
              oneShot(there),
              there,
            ),
        );
      }),
      { numRuns: 150 },
    );
  });

  const { aggregate, term } = ready(one);
  if (aggregate.server === undefined) continue;
  test(`inside RethinkDB, ${query} folds to the same, and back to its base`, () => {
    const { elements } = ready(one);
    const fold = serverFold(aggregate, term);
    fc.assert(
      fc.property(histories(rows), (history) => {
        const accumulator = aggregate.accumulator(term, context);
        let acc = fold.base;
        const each = (datum: Datum, step: (element: Datum) => void): void => elements(datum).forEach(step);
        walk(
          history,
          {
            apply: (datum) =>
              each(datum, (element) => {
                accumulator.apply(element);
                acc = fold.apply(acc, element);
              }),
            unapply: (datum) =>
              each(datum, (element) => {
                accumulator.unapply(element);
                acc = fold.unapply(acc, element);
              }),
          },
          (there) => {
            expectSame(
              outcome(() => fold.emit(acc)),
              outcome(() => accumulator.value()),
              there,
            );
            if (accumulator.count === 0) expect(acc).toEqual(fold.base);
          },
        );
      }),
      { numRuns: 150 },
    );
  });
}

interface Folded {
  readonly base: Datum;
  apply(acc: Datum, element: Datum): Datum;
  unapply(acc: Datum, element: Datum): Datum;
  emit(acc: Datum): Datum;
}

function serverFold(aggregate: Aggregate, term: CallTerm): Folded {
  const t = builder(term.origin, freshVars(term));
  const server = aggregate.server?.(term);
  if (server === undefined) throw new TypeError(`${aggregate.name} has no fold`);
  return {
    base: compileFunction(
      t.func(() => server.base, 0),
      context,
    )(),
    apply: compileFunction(
      t.func((acc, element) => server.apply(t, acc, element), 2),
      context,
    ),
    unapply: compileFunction(
      t.func((acc, element) => server.unapply(t, acc, element), 2),
      context,
    ),
    emit: compileFunction(
      t.func((acc) => server.emit(t, acc), 1),
      context,
    ),
  };
}

test('every aggregate of a term has a case', () => {
  const covered = new Set([...cases, ...reversed].map((one) => ready(one).aggregate.name));
  const terms = aggregates.filter((aggregate) => !isNamed(aggregate));
  expect(terms.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual(['get']);
});

test('the order in which elements come does not matter', () => {
  for (const one of cases) {
    const { aggregate, term, elements } = ready(one);
    fc.assert(
      fc.property(fc.array(one.rows, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (rows, order) => {
        const all = rows.flatMap((datum) => elements(datum));
        const keyed = all.map((element) => ({ element, at: order.next().value ?? 0 }));
        const shuffled = keyed.sort((a, b) => a.at - b.at).map(({ element }) => element);
        const [first, second] = [all, shuffled].map((list) => filled(aggregate.accumulator(term, context), list));
        expectSame(
          outcome(() => second?.value() ?? null),
          outcome(() => first?.value() ?? null),
          rows,
        );
      }),
      { numRuns: 50 },
    );
  }
});

function filled(accumulator: Accumulator, elements: readonly Datum[]): Accumulator {
  for (const element of elements) accumulator.apply(element);
  return accumulator;
}
