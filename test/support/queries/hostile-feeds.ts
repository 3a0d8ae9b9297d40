// Live queries that keep, make or send much of what few rows give: pairs of all rows with all, look-ups for each row, orders without
// an end, documents of large values, revisions that nobody wrote. Over tables of a drill's own: `many` has `MANY_ROWS` rows with one
// and the same `k`, by which there is an index, and `n`, which is their `id`; `big` has `BIG_ROWS` such rows, without an index;
// `large` has one row of `LARGE_KEYS` keys, one of values in values, `DEEP` of them, and one of a long text.

import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import { evaluate } from '../evaluate.ts';

export const MANY_ROWS = 3000;
export const BIG_ROWS = 100_000;
export const LARGE_KEYS = 100_000;
export const DEEP = 500;

const INITIAL = 'includeInitial: true, includeStates: true';
const MANY = "r.table('many')";
const BIG = "r.table('big')";
const SAME = `${MANY}.getAll(1, {index: 'k'})`;
const PAIRS = `${MANY}.eqJoin('k', ${MANY}, {index: 'k'})`;

function live(query: string, options = ''): string {
  return `${query}.changes({${INITIAL}${options === '' ? '' : `, ${options}`}})`;
}

function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join();
}

/** A revision of the form that those of the proxy have, of which the client made up the rest. */
function forged(rest: string): string {
  return `${'0'.repeat(17)}.${Buffer.from(rest).toString('base64url')}`;
}

/** A text with a revision that nobody wrote, as the option it stands in. */
const since = (rest: string): string => `since: '${forged(rest)}'`;

const joins: Readonly<Record<string, string>> = {
  'pairs of all with all': live(`${PAIRS}.count()`),
  'pairs of all with all, each shown': live(`${PAIRS}.map(p => [p('left')('id'), p('right')('id')])`),
  'pairs of all with all, in groups of their own': live(
    `${PAIRS}.group(p => [p('left')('id'), p('right')('id')]).count()`,
  ),
  'pairs of all with all, zipped and sorted': live(`${PAIRS}.zip().orderBy('n')('n').coerceTo('array')`),
  'pairs by equality': live(`${MANY}.innerJoin(${MANY}, (a, b) => a('k').eq(b('k'))).count()`),
  'pairs by equality and a condition': live(
    `${MANY}.innerJoin(${MANY}, (a, b) => a('k').eq(b('k')).and(a('n').lt(b('n')))).count()`,
  ),
  'outer pairs of which none is': live(
    `${MANY}.outerJoin(${MANY}, (a, b) => a('k').eq(b('k')).and(a('n').add(b('n')).lt(0))).count()`,
  ),
  'pairs of pairs': live(`${PAIRS}.zip().eqJoin('k', ${MANY}, {index: 'k'}).count()`),
  'equal pairs': live(`${MANY}.pluck('k').eqJoin('k', ${MANY}, {index: 'k'}).map(p => p('left')('k')).sum()`),
  'pairs of a large table': live(`${BIG}.eqJoin('k', ${MANY}, {index: 'k'}).sum(p => p('left')('n'))`),
  'pairs by a function that costs': live(`${BIG}.eqJoin(x => r.range(10000).sum().add(x('id')), ${MANY}).count()`),
};

const lookups: Readonly<Record<string, string>> = {
  'a thousand look-ups': live(`${MANY}.map(x => r.expr([${list(1000, (i) => `${MANY}.get(${i})('n')`)}]).sum()).sum()`),
  'a thousand look-ups for each row': live(
    `${MANY}.map(x => r.expr([${list(1000, (i) => `${MANY}.get(x('n').add(${i}))('n').default(0)`)}]).sum()).sum()`,
  ),
  'look-ups of all': live(`${MANY}.map(x => ${MANY}.getAll(x('k'), {index: 'k'}).count()).sum()`),
  'look-ups of all by a filter': live(`${MANY}.map(x => ${MANY}.filter({k: x('k')}).count()).sum()`),
  'lists of all for each row': live(`${MANY}.map(x => ${MANY}.getAll(x('k'), {index: 'k'})('n').coerceTo('array'))`),
  'rows merged with lists of all': live(
    `${MANY}.merge(x => ({all: ${MANY}.getAll(x('k'), {index: 'k'}).coerceTo('array')}))`,
  ),
  'look-ups in look-ups': live(
    `${MANY}.map(x => ${MANY}.getAll(x('k'), {index: 'k'}).map(y => ${MANY}.get(y('n'))('n')).sum()).sum()`,
  ),
  'look-ups of a large table': live(`${BIG}.map(x => ${MANY}.get(x('n').mod(7))('n')).sum()`),
  'a look-up by a function that costs': live(
    `${BIG}.map(x => ${MANY}.get(r.range(10000).count().add(x('n')))).count()`,
  ),
};

const orders: Readonly<Record<string, string>> = {
  'the first 1e15 of an order': live(`${BIG}.orderBy('n').limit(1e15)`),
  'the first 1e15 of an index': live(`${MANY}.orderBy({index: 'k'}).limit(1e15)`),
  'a page far out': live(`${BIG}.orderBy(r.desc('n')).skip(90000).limit(9000)`),
  'the row at 1e15': live(`${BIG}.orderBy('n').nth(1e15)`),
  'a slice to the end': live(`${BIG}.orderBy('n').slice(1, 9007199254740991).count()`),
  'an order by a function that costs': live(`${BIG}.orderBy(x => r.range(10000).sum().add(x('n'))).limit(5)`),
  'an order by large keys': live(`${MANY}.orderBy(x => r.range(1000).map(i => x('n')).coerceTo('array')).limit(3000)`),
  'orders of many fields': live(`${BIG}.orderBy(${list(500, (i) => `'f${i}'`)}).limit(100000)`),
  'an order as a list': live(`${BIG}.orderBy('n')('n').coerceTo('array')`),
};

const followed: Readonly<Record<string, string>> = {
  'a filter that follows a row': live(`${MANY}.get(1).do(m => ${BIG}.filter(x => x('n').ge(m('n'))).count())`),
  'a list that follows a row': live(
    `${MANY}.get(1).do(m => ${BIG}.filter(x => x('n').ge(m('n')))('n').coerceTo('array'))`,
  ),
  'figures for a thousand keys': live(`r.expr([${list(1000, String)}]).map(n => ${BIG}.filter({n}).count())`),
  'a thousand keys that follow rows': live(
    `r.expr([${list(300, (i) => `${SAME}.filter(x => x('n').gt(${i})).count()`)}])`,
  ),
};

const documents: Readonly<Record<string, string>> = {
  'a large row as merges': live("r.table('large')", "format: 'merge'"),
  'large values as merges': live("r.table('large').map(x => [x, x, x]).max(x => x.count())", "format: 'merge'"),
  'lists as merges': live(`${BIG}('n').coerceTo('array')`, "format: 'merge'"),
  'deep values as merges': live(
    "r.table('large').get('deep')('v').do(x => r.expr({x: x, y: [x, x]}))",
    "format: 'merge'",
  ),
  'groups as merges': live(`${BIG}.group('id').count()`, "format: 'merge'"),
  'a list with revisions': live(`${BIG}('n').coerceTo('array')`, 'includeRevs: true'),
  'large values with revisions': live("r.table('large').coerceTo('array')", 'includeRevs: true'),
  'groups with revisions': live(`${BIG}.group('id').count()`, 'includeRevs: true'),
  'a heartbeat as often as may be': live(`${MANY}.count()`, 'heartbeat: 0.01'),
  'a heartbeat that never comes': live(`${MANY}.count()`, 'heartbeat: 1e300'),
  'healing that is told of': live(`${BIG}.group('id').count()`, 'includeHealing: true, heartbeat: 0.01'),
  'changes composed without a pause': live(`${MANY}.group('id').count()`, 'squash: 1e-9'),
  'changes composed for ever': live(`${BIG}.group('id').count()`, 'squash: 1e300'),
  'keys of a large row': live("r.table('large').concatMap(x => x.keys()).distinct()"),
  'groups of the keys of a large row': live("r.table('large').group(x => x.keys(), {multi: true}).count()"),
  'a large row in an order': live("r.table('large').orderBy('id').limit(10)"),
  'a large row in pairs': live("r.table('large').eqJoin('k', r.table('many'), {index: 'k'})"),
};

const after: Readonly<Record<string, string>> = {
  'groups with a term after': `${live(`${BIG}.group('id').count()`)}.map(d => r.range(1000).sum())`,
  'groups with a term that grows': `${live(`${BIG}.group('id').count()`)}.concatMap(d => r.range(1000).coerceTo('array'))`,
  'groups with a term that drops all': `${live(`${BIG}.group('id').count()`)}.filter(d => r.range(100).contains(-1))`,
  'large values with a term after': `${live("r.table('large').coerceTo('array')")}.map(d => [d, d, d])`,
  'pairs with a term after': `${live(PAIRS)}.merge({a: r.range(100).coerceTo('array')})`,
};

const revisions: Readonly<Record<string, string>> = {
  'a revision that is long': live(`${MANY}.count()`, `includeRevs: true, since: '${'x'.repeat(200_000)}'`),
  'a revision of deep JSON': live(
    `${MANY}.count()`,
    `includeRevs: true, ${since(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)}`,
  ),
  'a revision of a large value': live(
    `${MANY}('n').coerceTo('array')`,
    `includeRevs: true, ${since(`["q","s","all",{"now":[${list(40_000, String)}]}]`)}`,
  ),
  'a revision of a deep value': live(
    `${MANY}('n').coerceTo('array')`,
    `includeRevs: true, ${since(`["q","s","all",{"now":${'['.repeat(30_000)}${']'.repeat(30_000)}}]`)}`,
  ),
  'a revision far ahead': live(
    `${MANY}.group('id').count()`,
    `includeRevs: true, since: '${'z'.repeat(17)}.${Buffer.from('["q","s","some",0,1e308]').toString('base64url')}'`,
  ),
  'a revision that is computed': live(
    `${MANY}.count()`,
    "includeRevs: true, since: r.expr('x').add(r.range(1e15).count().coerceTo('string'))",
  ),
};

const aggregates: Readonly<Record<string, string>> = {
  'a quantile of all': live(BIG.replace(/$/, "('n')"), "aggregate: ['quantile', 0.5]"),
  'ten thousand distinct sums': live(`r.expr([${list(1000, (i) => `${BIG}.sum(x => x('n').add(${i}))`)}])`),
  'groups of groups': live(`${BIG}.group('id').count().ungroup().group('reduction').count()`),
  'a list in each group': live(`${BIG}.group(x => x('n').mod(2))('n').coerceTo('array')`),
  'groups by a function that costs': live(`${BIG}.group(x => r.range(10000).sum().add(x('n'))).count()`),
  'a value that costs with each change': live(`${BIG}.count().do(n => r.range(1e6).map(x => x.add(n)).sum())`),
  'a reduction that costs': live(`${BIG}('n').reduce((a, b) => r.range(1000).sum().add(a, b))`),
  'a fold that costs': live(`${MANY}('n').fold(0, (a, b) => r.range(1000).sum().add(a, b))`),
};

/** The wire's JSON of each. */
export function hostileFeeds(): Readonly<Record<string, string>> {
  const all = { ...joins, ...lookups, ...orders, ...followed, ...documents, ...after, ...revisions, ...aggregates };
  return Object.fromEntries(
    Object.entries(all).map(([name, text]) => [name, `[1,${serializeTerm(evaluate(text))},{}]`]),
  );
}
