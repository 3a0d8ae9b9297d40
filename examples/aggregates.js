// Aggregates of one's own, for `livefold --aggregates examples/aggregates.js`. Each is the recipe of a reduction; the functions
// build ReQL with `t`, which has one function for each term, so that RethinkDB and the proxy can both run them.

/** The variance of numbers. `unapply` undoes `apply`, so that the state is three numbers. */
const variance = {
  name: 'variance',
  base: [0, 0, 0],
  apply: (t, acc, x) => [t.add(t.nth(acc, 0), 1), t.add(t.nth(acc, 1), x), t.add(t.nth(acc, 2), t.mul(x, x))],
  unapply: (t, acc, x) => [t.sub(t.nth(acc, 0), 1), t.sub(t.nth(acc, 1), x), t.sub(t.nth(acc, 2), t.mul(x, x))],
  emit: (t, acc) =>
    t.do(
      (n, sum, squares) => t.branch(t.eq(n, 0), null, t.sub(t.div(squares, n), t.mul(t.div(sum, n), t.div(sum, n)))),
      t.nth(acc, 0),
      t.nth(acc, 1),
      t.nth(acc, 2),
    ),
};

/** The flags that any element has set. What a flag is there for more than once cannot be undone, so there is no `unapply`. */
const flags = {
  name: 'flags',
  base: 0,
  apply: (t, acc, x) => t.bitOr(acc, x),
};

export default [variance, flags];
