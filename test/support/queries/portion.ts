// The live queries that a law watches in one run. All of them at once are more than a short run can take, and than one connection opens
// within the deadlines of a test: a long run takes them in portions, each of which is so much work and no more.
//
//   LIVEFOLD_PORTION=2/12    every twelfth query, from the second on: twelve such runs watch them all
//   LIVEFOLD_QUERIES=eqJoin  those of which the name matches the regular expression

import type { LiveQuery } from './live-queries.ts';

const QUERIES = new RegExp(process.env['LIVEFOLD_QUERIES'] ?? '');
const PORTION = /^(\d+)\/(\d+)$/.exec(process.env['LIVEFOLD_PORTION'] ?? '');

/**
 * The queries to watch.
 * @param each every so manieth where no portion is named
 */
export function portionOf<Query extends LiveQuery>(queries: readonly Query[], each: number): readonly Query[] {
  const [, nth = '1', of = String(each)] = PORTION ?? [];
  return queries.filter(({ name }, at) => QUERIES.test(name) && at % Number(of) === Number(nth) - 1);
}
