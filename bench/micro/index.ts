// Work without sockets, by name. Each takes a size and gives the numbers of its row.

import type { Reql } from '../../rewrite/reql/build/r.ts';
import { evaluator } from './evaluator.ts';
import { joined, lookups, pairs } from './joined.ts';
import { merges } from './merges.ts';
import { multiset } from './multiset.ts';
import { netChanges } from './net-changes.ts';
import { operator, operatorOfRows } from './operator.ts';
import { rewriting } from './rewriting.ts';
import { tree } from './tree.ts';

/** A measurement. */
export type Micro = (size: number) => Promise<readonly number[]>;

/** Groups in the order of their counts. */
const ranked = (t: Reql): Reql => t.group('k').count().ungroup().orderBy('reduction');

/** All of them. */
export const micros = {
  'rewrite-count': rewriting((t) => t.count().changes()),
  'rewrite-sum': rewriting((t) => t.sum('x').changes({ includeInitial: true })),
  'rewrite-avg': rewriting((t) => t.avg('x').changes({ includeInitial: true })),
  'rewrite-group': rewriting((t) => t.group('k').count().changes({ includeInitial: true })),
  evaluator,
  'operator-count': operator(
    (t) => t.count(),
    (n) => [n],
  ),
  'operator-sum': operator(
    (t) => t.sum('x'),
    (n) => [n],
  ),
  'operator-min': operator(
    (t) => t('x').min(),
    (n) => [[n]],
  ),
  'operator-max': operator(
    (t) => t('x').max(),
    (n) => [[n]],
  ),
  'operator-distinct': operator(
    (t) => t('x').distinct(),
    (n) => [n],
  ),
  'operator-grouped-count': operator(
    (t) => t.group('k').count(),
    (n) => [[n % 100_000, 1]],
  ),
  'operator-top': operator(
    (t) => ranked(t).limit(10),
    (n) => [[n, 1]],
  ),
  'operator-page': operator(
    (t, size) =>
      ranked(t)
        .skip(size / 2)
        .limit(10),
    (n) => [[n, 1]],
  ),
  'operator-top-rows': operatorOfRows(
    (t) => t.orderBy('n').limit(10),
    (id, n) => ({ id, n }),
  ),
  'operator-list': operator(
    (t) => t('x').coerceTo('array'),
    (n) => [n],
  ),
  'join-left': joined(pairs, 'left'),
  'join-right': joined(pairs, 'right'),
  'look-up-left': joined(lookups, 'left'),
  'look-up-right': joined(lookups, 'right'),
  merges,
  multiset,
  'net-changes': netChanges,
  tree,
} as const satisfies Readonly<Record<string, Micro>>;

export type MicroName = keyof typeof micros;
