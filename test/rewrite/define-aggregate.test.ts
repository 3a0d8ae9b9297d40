import { expect, test } from 'vitest';
import { type AggregateDefinition, defineAggregate, rewrite } from '../../rewrite/index.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { evaluate } from '../support/evaluate.ts';

const product: AggregateDefinition = {
  name: 'product',
  base: 1,
  apply: (t, acc, x) => t.mul(acc, x),
  unapply: (t, acc, x) => t.div(acc, x),
};

function rewritten(query: string, aggregates: readonly AggregateDefinition[] = []) {
  return rewrite(`[1,${serializeTerm(evaluate(query))}]`, { aggregates });
}

test('a definition that is right is given back', () => {
  expect(defineAggregate(product)).toBe(product);
});

test('one with an unapply folds in constant state inside RethinkDB, another keeps the elements', () => {
  const query = 'r.table("t")("x").changes({aggregate: "product"})';
  expect(rewritten(query, [product])).toMatchObject({ kind: 'rewritten', growth: 'constant' });
  const { unapply: _, ...rest } = product;
  expect(rewritten(query, [rest])).toMatchObject({ kind: 'rewritten', growth: 'per row' });
});

test('what RethinkDB gets has no option that it does not know', () => {
  for (const query of [
    'r.table("t")("x").changes({aggregate: "product", includeInitial: true})',
    'r.table("t").group("k")("x").changes({aggregate: "product"})',
    'r.table("t")("x").reduce((a, b) => a.add(b)).changes({reverse: (a, b) => a.sub(b)})',
  ]) {
    const result = rewritten(query, [product]);
    const sent = result.kind === 'rewritten' ? result.query : '';
    expect(sent).toMatch(/^\[1,/);
    expect(sent).not.toMatch(/"(aggregate|reverse)"/);
  }
});

test('a name that is not known is refused with the known ones', () => {
  const result = rewritten('r.table("t").changes({aggregate: "p"})', [product, { ...product, name: 'q' }]);
  expect(result).toMatchObject({
    kind: 'refused',
    error: {
      message: expect.stringMatching(/^None of the aggregates \(`median`, .*, `product`, `q`\) is called `p`\.$/),
      frames: ['aggregate'],
    },
  });
});

test('a name that is built in cannot be defined', () => {
  const variance = { ...product, name: 'variance' };
  const isBuiltIn = new TypeError('The aggregate `variance`: `name` is that of one that is built in.');
  expect(() => defineAggregate(variance)).toThrow(isBuiltIn);
  expect(() => rewritten('r.table("t").changes({aggregate: "variance"})', [variance])).toThrow(isBuiltIn);
});

test('the library says which aggregates only the proxy can keep, wherever they stand', () => {
  const texts = ['"variance"', '["quantile", 0.5]'].flatMap((aggregate) =>
    ['r.table("t")("x")', 'r.table("t").group("k")("x")', 'r.table("t").group("k").count().ungroup()("reduction")'].map(
      (stream) => {
        const result = rewritten(`${stream}.changes({aggregate: ${aggregate}})`);
        return result.kind === 'refused' ? result.error.message : result.kind;
      },
    ),
  );
  expect(new Set(texts)).toEqual(
    new Set([
      'Cannot watch a query with `changes` at this place: only the proxy can keep the aggregate `variance` exactly.',
      'Cannot watch a query with `changes` at this place: only the proxy can keep the aggregate `quantile` exactly.',
    ]),
  );
  expect(rewritten('r.table("t")("x").changes({aggregate: "median"})')).toMatchObject({
    kind: 'rewritten',
    growth: 'per row',
  });
});

test('a reducer is refused by the library: only the proxy can call it', () => {
  const result = rewritten('r.table("t").changes({reducer: values => values})');
  expect(result.kind === 'refused' ? result.error.message : '').toContain('only the proxy can call its `reducer`');
});

test.each([
  ['r.table("t").eqJoin("k", r.table("u")).zip().count().changes()', 'eqJoin'],
  ['r.table("t").innerJoin(r.table("u"), (a, b) => a("k").eq(b("id"))).changes()', 'innerJoin'],
  ['r.table("t").merge(row => ({of: r.table("u").get(row("k"))})).filter(row => row("n").gt(1)).changes()', 'merge'],
])('the library names the term that joins: %s', (query, name) => {
  const result = rewritten(query);
  expect(result.kind === 'refused' ? result.error.message : '').toBe(
    `Cannot watch a query with \`${name}\` at this place: only the proxy can keep both sides of a join.`,
  );
});

test('what stands under a named aggregate has to be a stream', () => {
  for (const stream of ['r.table("t").count()', 'r.table("t").group("k").count()', 'r.expr([1])']) {
    const result = rewritten(`${stream}.changes({aggregate: "product"})`, [product]);
    expect(result).toMatchObject({ kind: 'refused', error: { frames: ['aggregate'] } });
  }
});
