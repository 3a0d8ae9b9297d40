// Queries that are refused when they are opened: in the server's words where it has some, else by naming the term in the way.

import { error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import type { FeedCase } from './case.ts';
import { ARRAY, NUMBER, STRING } from './upstream.ts';

const rows = {
  t: [
    { id: 1, x: 1, k: 'a' },
    { id: 2, x: 2, k: 'b' },
  ],
  u: [{ id: 'a' }],
};
const NO_STREAM = error('QUERY_LOGIC', 'Cannot treat the output of `group` as a stream (did you mean to `ungroup`?).');
const NO_KEY = error('QUERY_LOGIC', 'Must specify something to order by.');
const chance = error('QUERY_LOGIC', 'Cannot call `changes` after a non-deterministic function.');

/** What RethinkDB says, whichever of its terms comes first. */
const opaque = error('QUERY_LOGIC', /^(Cannot convert NUMBER to SEQUENCE|Expected type DATUM but found SEQUENCE:)/);

const rowIntoU = (r: Reql) => (row: Reql) => r.table('u').insert({ row });

/** Feeds where none can be, by the term that is in the way. CASES N7. */
const misplaced: readonly (readonly [name: string, term: string, after: NonNullable<FeedCase['after']>])[] = [
  ['counted', 'count', (feed) => feed.count()],
  ['of which the first document is wanted', 'nth', (feed) => feed.nth(0)],
  ['read by place', 'bracket', (feed) => feed.bracket(0)],
  ['made an array', 'coerceTo', (feed) => feed.limit(2).coerceTo('array')],
  ['put in order', 'orderBy', (feed) => feed.orderBy('new_val')],
  ['grouped', 'group', (feed) => feed.group('new_val')],
  ['folded to one value', 'fold', (feed) => feed.fold(0, (acc: Reql, _: Reql) => acc.add(1))],
  ['written for each document', 'forEach', (feed, r) => feed.forEach(rowIntoU(r))],
  ['inserted', 'insert', (feed, r) => r.table('u').insert(feed)],
  ['a field of a row that is inserted', 'insert', (feed, r) => r.table('u').insert({ id: 1, feed })],
  ['merged into an object', 'merge', (feed, r) => r.expr({ a: 1 }).merge(feed)],
  ['an element of an array', 'array', (feed, r) => r.expr([r.table('u').changes(), feed])],
  ['an argument of do', 'do', (feed, r) => r.do(feed, (all: Reql) => all.map((row: Reql) => row('new_val')))],
  ['in a function of concatMap', 'concatMap', (feed, r) => r.expr([1]).concatMap((_: Reql) => feed)],
  ['in a filter', 'filter', (feed, r) => r.table('u').filter((_: Reql) => feed.limit(1).nth(0).ne(null))],
  [
    'one of two that a table chooses',
    'branch',
    (feed, r) => r.branch(r.table('u').isEmpty(), feed, r.table('u').count().changes()),
  ],
  ['united in an order', 'union', (feed, r) => feed.union(r.table('u').changes(), { interleave: false })],
  ['united in a function', 'union', (feed, r) => r.do(r.table('u').changes(), (other: Reql) => other.union(feed))],
  [
    'united in an order, behind another',
    'union',
    (feed, r) => r.table('u').changes().union(feed, { interleave: false }),
  ],
];

const names = (term: string): ReturnType<typeof error> => error('QUERY_LOGIC', new RegExp(`\`${term}\``));

export const refusedCases: readonly FeedCase[] = [
  ...misplaced.map(
    ([name, term, after]): FeedCase => ({
      name: `a live feed that is ${name} is refused by name`,
      source: 'CASES N7, rethinkdb/docs#923, rethinkdb#4531',
      seed: rows,
      query: (r) => r.table('t').count(),
      after,
      refused: names(term),
      without: opaque,
    }),
  ),
  {
    name: 'a live feed that a table does not choose is left alone',
    source: 'CASES N7: what RethinkDB takes',
    seed: rows,
    query: (r) => r.table('t').count(),
    after: (feed, r) => r.branch(r.table('u').isEmpty(), feed, r.table('u').changes({ includeInitial: true })),
    initial: [{ new_val: { id: 'a' } }],
  },
  {
    name: 'a live feed that is a field of the answer is refused',
    source: 'CASES N7, rethinkdb/docs#923',
    seed: rows,
    query: (r) => r.table('t').count(),
    after: (feed, r) => r.expr({ feed }),
    refused: error('QUERY_LOGIC', /a feed inside an object/),
    without: opaque,
  },
  {
    name: 'changes of live changes are refused in the words of the server',
    source: 'CASES N7',
    seed: rows,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.changes(),
    refused: error('QUERY_LOGIC', 'Cannot call `changes` on an eager stream.'),
    without: opaque,
  },
  {
    name: 'chance before the aggregate is refused in the words of the server',
    source: 'CASES D5, rethinkdb/rethinkdb#4063',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .map((_) => r.random())
        .sum(),
    refused: chance,
    without: NUMBER,
  },
  {
    name: 'chance within the aggregate is refused in the words of the server',
    source: 'CASES D5, rethinkdb/rethinkdb#4063',
    seed: rows,
    query: (r) => r.table('t').sum((row) => row('x').mul(r.random())),
    refused: chance,
    without: NUMBER,
  },
  {
    name: 'a sample is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').sample(1).count(),
    refused: names('sample'),
    without: NUMBER,
  },
  {
    name: 'skip is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').skip(1).count(),
    refused: names('skip'),
    without: NUMBER,
  },
  {
    name: 'a fold without a reverse is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').fold(0, (acc, _) => acc.add(1)),
    refused: names('fold'),
    without: NUMBER,
  },
  {
    name: 'a fold over the elements of groups is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: they are a stream that only ungroup or an order makes lists of',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .pluck('x')
        .fold(0, (acc, _) => acc.add(1)),
    refused: NO_STREAM,
    without: NO_STREAM,
  },
  {
    name: 'a join of the elements of groups is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: neighbour of fold',
    seed: rows,
    query: (r) => r.table('t').group('k').eqJoin('k', r.table('u')).count(),
    refused: NO_STREAM,
    without: NO_STREAM,
  },
  {
    name: 'a map over the elements of groups and a list is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: neighbour of fold',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map([1, 2], (row, n) => row('x').add(n))
        .sum(),
    refused: NO_STREAM,
    without: NO_STREAM,
  },
  {
    name: 'an order by nothing is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4',
    seed: rows,
    query: (r) => r.table('t').orderBy().limit(1)('x'),
    refused: NO_KEY,
    without: NO_KEY,
  },
  {
    name: 'a table that is not there, and is looked up for each row, is told of in the words of the server',
    source: 'RethinkDB 2.4.4: the one-shot query says so, a feed only that its function is not deterministic',
    seed: rows,
    query: (r) => r.table('t').merge((row) => ({ c: r.table('nope').get(row('k')) })),
    refused: error('OP_FAILED', /^Table `.*\.nope` does not exist\.$/),
    without: chance,
  },
  {
    name: 'a list that is written out and joined with a table is refused by name',
    source: 'CASES N7: what is not on the spine of first arguments',
    seed: rows,
    query: (r) =>
      r
        .expr([{ id: 'a' }])
        .eqJoin('id', r.table('u'))
        .count(),
    refused: names('eqJoin'),
    without: NUMBER,
  },
  {
    name: 'r.row that nests by itself fails with the text of the server',
    source: 'CASES D1, rethinkdb/rethinkdb#1593',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .filter(r.row('x').eq(r.expr([1]).map(r.row).nth(0)))
        .count(),
    refused: error('COMPILE', 'Cannot use r.row in nested queries.  Use functions instead.'),
    without: error('COMPILE', 'Cannot use r.row in nested queries.  Use functions instead.'),
  },
  {
    name: 'a group by nothing is refused in the words of the server',
    source: 'RethinkDB 2.4.4: group of no fields, functions and indexes',
    seed: rows,
    query: (r) => r.table('t').group(r.args([])).count(),
    refused: error('QUERY_LOGIC', 'Cannot group by nothing.'),
    without: error('QUERY_LOGIC', 'Cannot group by nothing.'),
  },
  {
    name: 'a union after a group is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: a union is not applied to each group',
    seed: rows,
    query: (r) => r.table('t').group('k').union(r.table('u')).count(),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found SEQUENCE/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found SEQUENCE/),
  },
  {
    name: 'a number does not name a field to sum',
    source: 'RethinkDB 2.4.4: the field of an aggregate is a string',
    seed: rows,
    query: (r) => r.table('t').sum(1),
    refused: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
    without: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
  },
  {
    name: 'an array does not name a field to group by',
    source: 'RethinkDB 2.4.4: the fields of a group are strings',
    seed: rows,
    query: (r) => r.table('t').group(['k', 'x']).count(),
    refused: error('QUERY_LOGIC', 'Expected type STRING but found ARRAY.'),
    without: error('QUERY_LOGIC', 'Expected type STRING but found ARRAY.'),
  },
  {
    name: 'a do around changes with something that is read once is refused by name',
    source: 'RethinkDB 2.4.4: the arguments of do are evaluated when the feed is opened',
    seed: rows,
    query: (r) => r.table('u').count(),
    after: (_, r) =>
      r
        .table('u')
        .count()
        .do((least) =>
          r
            .table('t')
            .filter((row) => row('x').gt(least))
            .count()
            .changes(),
        ),
    refused: names('do'),
    without: NUMBER,
  },
  {
    name: 'a table is no value for a do: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: the arguments of do are data',
    seed: rows,
    query: (r) => r.table('t').do((t) => t.count()),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found TABLE/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found TABLE/),
  },
  {
    name: 'a table is no value in an object: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: the fields of an object are data',
    seed: rows,
    query: (r) => r.expr({ all: r.table('t').filter({ k: 'a' }), n: r.table('t').count() }),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found SELECTION/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found SELECTION/),
  },
  {
    name: 'a group by an index of something else than a table is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: an index is of a table',
    seed: rows,
    query: (r) => r.table('t').filter({ k: 'a' }).group({ index: 'k' }).count(),
    refused: error('QUERY_LOGIC', /^Expected type TABLE but found SELECTION/),
    without: error('QUERY_LOGIC', /^Expected type TABLE but found SELECTION/),
  },
  {
    name: 'an order by an index of something else than a table is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: an index is of a table',
    seed: rows,
    query: (r) => r.table('t').filter({ k: 'a' }).orderBy({ index: 'k' }).count(),
    refused: error('QUERY_LOGIC', /^Indexed order_by can only be performed on a TABLE or TABLE_SLICE/),
    without: error('QUERY_LOGIC', /^Indexed order_by can only be performed on a TABLE or TABLE_SLICE/),
  },
  {
    name: 'distinct values of an index that is not there are refused by its name',
    source: 'RethinkDB 2.4.4: what the same query says without changes',
    seed: rows,
    query: (r) => r.table('t').distinct({ index: 'nope' }),
    refused: error('OP_FAILED', /^Index `nope` was not found on table/),
    without: ARRAY,
  },
  {
    name: 'something else than a function to reduce by is shown as it is',
    source: 'RethinkDB 2.4.4: an argument of the wrong type',
    seed: rows,
    query: (r) => r.table('t')('x').reduce(1),
    refused: error('QUERY_LOGIC', 'Expected type FUNCTION but found DATUM:\n1'),
    without: error('QUERY_LOGIC', 'Expected type FUNCTION but found DATUM:\n1'),
  },
  {
    name: 'a number of rows that is none is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: an argument of the wrong type',
    seed: rows,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit('two').count(),
    refused: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
    without: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
  },
  {
    name: 'what cannot be a key is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: keys',
    seed: rows,
    query: (r) => r.table('t').get({ a: 1 })('x'),
    refused: error('QUERY_LOGIC', /^Primary keys must be either a number, string, bool, pseudotype or array/),
    without: error('QUERY_LOGIC', /^Primary keys must be either a number, string, bool, pseudotype or array/),
  },
  {
    name: 'a type that a stream cannot become is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: coerceTo',
    seed: rows,
    query: (r) => r.table('t').coerceTo('string'),
    refused: error('QUERY_LOGIC', 'Cannot coerce TABLE to STRING.'),
    without: error('QUERY_LOGIC', 'Cannot coerce TABLE to STRING.'),
  },
  {
    name: 'an index whose name is no text is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: an argument of the wrong type',
    seed: rows,
    query: (r) => r.table('t').distinct({ index: 1 }),
    refused: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
    without: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
  },
  {
    name: 'ungroup of something else than groups is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: ungroup',
    seed: rows,
    query: (r) => r.table('t').ungroup(),
    refused: error('QUERY_LOGIC', /^Expected type GROUPED_DATA but found TABLE/),
    without: error('QUERY_LOGIC', /^Expected type GROUPED_DATA but found TABLE/),
  },
  {
    name: 'the type of groups never changes: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: typeOf tells of the groups themselves',
    seed: rows,
    query: (r) => r.table('t').group('k').count().typeOf(),
    refused: STRING,
    without: STRING,
  },
  {
    name: 'the type of a row by key never changes: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: typeOf tells of the selection',
    seed: rows,
    query: (r) => r.table('t').get(1).typeOf(),
    refused: STRING,
    without: STRING,
  },
  {
    name: 'the type of a feed is refused by name, not told of the fold in its place',
    source: 'a term after changes whose answer is no feed',
    seed: rows,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.typeOf(),
    refused: names('typeOf'),
    without: NUMBER,
  },
  ...['aggregate', 'reducer', 'reverse'].map(
    (name): FeedCase => ({
      name: `where RethinkDB has to say what is in the way, \`${name}\` is not said to be`,
      source: 'README: your own reductions',
      query: (r) =>
        r
          .table('t')
          .filter({ k: 'a' })
          .getAll(1)('x')
          .reduce((a, b) => a.add(b)),
      changes: { [name]: name === 'aggregate' ? 'median' : 1 },
      refused: error('QUERY_LOGIC', new RegExp(`does not know \`${name}\`, which is Livefold's\\. Leave it out`)),
      without: error('COMPILE', `Unrecognized optional argument \`${name}\`.`),
    }),
  ),
  {
    name: 'a query that does not compile is refused for that, not for an option of ours',
    source: 'README: your own reductions',
    query: (r) => r.table('t').filter({ k: 'a' }, { nope: true })('x'),
    changes: { aggregate: 'median' },
    refused: error('COMPILE', 'Unrecognized optional argument `nope`.'),
    without: error('COMPILE', /^Unrecognized optional argument `(nope|aggregate)`\.$/),
  },
];
