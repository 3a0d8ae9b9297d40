// Code that compiles with `rethinkdb-ts` and `livefold/rethinkdb-ts`, to which types, and code that does not.
// test/package/types.test.ts compiles it against the package as it is installed.

import { type Changes, type GroupResults, type RFeed, r } from 'rethinkdb-ts';
import 'livefold/rethinkdb-ts';
import { liveRethinkdbTs } from 'livefold/rewrite';

interface Order {
  readonly id: number;
  readonly city: string;
  readonly total: number;
  readonly tags: string[];
  readonly at: Date;
}

const t = r.table('orders');
const orders = r.table<Order>('orders');

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? [] : ['has another type'];

/** Compiles where `value` is of the type `A`, no wider and no narrower. */
function is<A>() {
  return <B>(value: B, ..._rest: Equal<A, B>): B => value;
}

type Numbers = RFeed<Changes<number | null>>;
type Groups = RFeed<Changes<GroupResults | null>>;

/** Values. */
export const values = [
  is<Numbers>()(t.sum('total').changes({ includeInitial: true })),
  is<Numbers>()(t.count().changes()),
  is<Numbers>()(orders.sum('total').changes({ includeStates: true, includeTypes: true, squash: 1 })),
  is<Numbers>()(orders.filter({ city: 'Bonn' }).avg('total').changes()),
  is<Numbers>()(orders.sum((row) => row('total').mul(2)).changes()),
  is<Numbers>()(orders.max('total')('total').changes()),
  is<Numbers>()(orders.count((row) => row('total').gt(1)).changes()),
  is<RFeed<Changes<Order | null>>>()(orders.max('total').changes()),
  is<RFeed<Changes<Order | null>>>()(orders.min((row) => row('total').mul(-1)).changes()),
  is<RFeed<Changes<Order[] | null>>>()(orders.coerceTo('array').changes()),
  is<RFeed<Changes<Order | null>>>()(orders.get(1).changes()),
];

/** Expressions. */
export const expressions = [
  is<Numbers>()(orders.sum('total').div(orders.count()).changes()),
  is<Numbers>()(orders.sum('total').div(orders.count()).default(0).changes()),
  orders.get(1)('total').add(orders.count()).changes(),
  is<RFeed<Changes<boolean | null>>>()(orders.isEmpty().not().changes()),
  is<Numbers>()(
    t
      .count()
      .do((n) => n.mul(n))
      .changes(),
  ),
  r.changes(t.count()) satisfies Numbers,
  r.expr({ n: t.count(), s: t.sum('x') }).changes(),
  r.branch(t.count().gt(10), 'many', 'few').changes(),
  r.expr('k').do((k) => t.filter({ k }).count().changes()),
];

/** Groups and rows. */
export const groups = [
  orders.group('city').sum('total').changes(),
  orders
    .group('city', (row) => row('at').year())
    .count()
    .changes(),
  orders.group({ index: 'city' }).count().changes(),
  orders.group('tags', { multi: true }).count().changes(),
  t.group('city').avg('total').changes({ includeInitial: true }),
  is<Groups>()(t.group('team').sum('points').ungroup().changes()),
  is<Groups>()(orders.group('city').sum('total').ungroup().orderBy(r.desc('reduction')).limit(10).changes()),
  t.concatMap((row) => row('tags')).changes(),
  t('city').distinct().changes(),
];

/** Reductions of one's own. */
export const reductions = [
  t('x')
    .reduce((a, b) => a.add(b))
    .changes({ reverse: (a, b) => a.sub(b) }),
  is<Numbers>()(
    orders('total')
      .reduce((a, b) => a.add(b))
      .changes({ reverse: (acc, x) => acc.sub(x), base: 0, emit: (acc) => acc }),
  ),
  t
    .fold(0, (acc, row) => acc.add(row('x')))
    .changes({
      reverse: (acc, row) => acc.sub(row('x')),
      emit: (acc) => acc.mul(2),
    }),
  t
    .group('city')('total')
    .changes({
      reducer: (_city, all) => r.expr([[all.nth(-1)(0).sub(all(0)(0)), 1]]),
      includeInitial: true,
    }),
  orders('total').changes({ reducer: (all) => [[all.count(), 1]] }),
  is<RFeed<Changes>>()(orders('total').changes({ aggregate: 'variance' })),
  t
    .group('k')('x')
    .changes({ aggregate: ['quantile', 0.95] }),
];

/** Terms after `changes`. */
export const after = [
  is<Numbers>()(t.count().changes().limit(3)),
  t
    .count()
    .changes()('new_val')
    .filter((n) => n.gt(2))
    .map((n) => ({ n })),
  t.count().changes().merge({ at: r.now() }).pluck('new_val', 'at'),
];

/** Documents. */
export async function documents(): Promise<readonly (number | string | null | undefined)[]> {
  const feed = await liveRethinkdbTs(r, orders.sum('total').changes()).run();
  const { new_val, old_val } = await feed.next();
  const grouped = await t.group('city').count().changes().run();
  const change = await grouped.next();
  const city: string = change.group;
  // @ts-expect-error There may be no value.
  new_val.toFixed();
  return [new_val, old_val, city, change.new_val];
}

/** What does not compile. */
export const wrong = [
  // @ts-expect-error
  t.count().changes({ reverse: 5 }),
  // @ts-expect-error
  t('x').changes({ aggregate: 7 }),
  // @ts-expect-error
  t('x').changes({ aggregate: [0.95, 'quantile'] }),
  // @ts-expect-error
  t('x').changes({ reducer: 'sum' }),
  // @ts-expect-error
  t.count().changes({ includeInital: true }),
  // @ts-expect-error
  t.count().changes({ squash: 'yes' }),
  // @ts-expect-error
  orders.sum('totl').changes(),
  // @ts-expect-error
  orders.max('totl'),
  // @ts-expect-error
  orders.group('cty').count(),
  // @ts-expect-error
  t.changes().count().run(5),
];
