// Aggregates of one's own, for `livefold --aggregates examples/aggregates.js`. Each is the recipe of a reduction; the functions
// build ReQL with `t`, which has one function for each term, so that RethinkDB and the proxy can both run them. What they do is
// undone exactly: counts, and sets of bits. Sums and products of doubles are not, since they round: `sum`, `avg` and the aggregates
// that are built in take care of that.

/**
 * The share of elements that are true, and neither false nor null: `r.table('orders')('paid').changes({aggregate: 'share'})`.
 * `unapply` undoes `apply`, so that the state is two counts; `emit` makes of them what is shown.
 */
const share = {
  name: 'share',
  base: [0, 0],
  apply: (t, acc, x) => [t.add(t.nth(acc, 0), t.branch(x, 1, 0)), t.add(t.nth(acc, 1), 1)],
  unapply: (t, acc, x) => [t.sub(t.nth(acc, 0), t.branch(x, 1, 0)), t.sub(t.nth(acc, 1), 1)],
  emit: (t, acc) => t.branch(t.eq(t.nth(acc, 1), 0), null, t.div(t.nth(acc, 0), t.nth(acc, 1))),
};

/** The flags that any element has set. What a flag is there for more than once cannot be undone, so there is no `unapply`. */
const flags = {
  name: 'flags',
  base: 0,
  apply: (t, acc, x) => t.bitOr(acc, x),
};

export default [share, flags];
