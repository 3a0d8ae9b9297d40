// Code that compiles with `@types/rethinkdb` and `livefold/rethinkdb`, and code that does not. test/package/types.test.ts compiles
// it against the package as it is installed.

import { liveRethinkdb } from 'livefold/rewrite';
import * as r from 'rethinkdb';
import 'livefold/rethinkdb';

const t = r.table('orders');

/** Values, expressions, groups, rows. */
export const queries = [
  t.sum('total').changes({ includeInitial: true }),
  t.count().changes(),
  t.count({ open: true }).changes(),
  t.filter({ city: 'Bonn' }).avg('total').changes({ includeStates: true, squash: 0.5 }),
  t.filter(r.row('x').gt(1)).count().changes(),
  t.sum((row) => row('total').mul(row('n'))).changes(),
  t.max('total')('total').changes(),
  t.max({ index: 'total' })('total').changes(),
  t.sum('total').div(t.count()).changes(),
  t.count().add(1).default(0).changes(),
  r.expr({ n: t.count() }).changes(),
  t.group('city').sum('total').changes(),
  t.group('tags', { multi: true }).count().changes(),
  t.group('team').sum('points').ungroup().orderBy(r.desc('reduction')).limit(10).changes(),
  t
    .orderBy({ index: r.desc('n') })
    .limit(3)
    .sum('n')
    .changes(),
  t.coerceTo('array').changes(),
  t.changes({ includeInitial: true }),
  t.count().changes().limit(3),
];

/** Reductions of one's own. */
export const reductions = [
  t('x')
    .reduce(
      (a, b) => a.add(b),
      (a, b) => a.sub(b),
    )
    .changes(),
  t('x')
    .reduce((a, b) => a.add(b), { reverse: (a, b) => a.sub(b), base: 0 })
    .changes(),
  t('x')
    .reduce((a, b) => a.add(b))
    .changes({ reverse: (a, b) => a.sub(b) }),
  t.fold(0, (acc, row) => acc.add(row('x'))).changes({ reverse: (acc, row) => acc.sub(row('x')) }),
  t
    .group('city')('total')
    .changes({ reducer: (_city, all) => [[all, 1]], includeInitial: true }),
  t('x').changes({ aggregate: 'variance' }),
  t('x').changes({ aggregate: ['quantile', 0.95] }),
];

/** Without the proxy. */
export async function library(connection: r.Connection): Promise<void> {
  const feed = await liveRethinkdb(t.count().changes()).run(connection);
  feed.each((error, change) => change.new_val ?? error);
  // @ts-expect-error
  liveRethinkdb('count');
}

/** Documents. */
export async function documents(connection: r.Connection): Promise<void> {
  const feed = await t.sum('x').changes().run(connection);
  feed.each((error, change) => change.new_val ?? error);
}

/** What does not compile. */
export const wrong = [
  // @ts-expect-error
  t.count().changes({ includeInital: true }),
  // @ts-expect-error
  t.count().changes({ reverse: 5 }),
  // @ts-expect-error
  t('x').changes({ reducer: 'sum' }),
  // @ts-expect-error
  t('x').changes({ aggregate: 7 }),
  // @ts-expect-error
  t('x').changes({ aggregate: [0.95, 'quantile'] }),
  // @ts-expect-error
  t.sum(5),
];
