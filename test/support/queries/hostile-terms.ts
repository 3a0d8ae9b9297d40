// Terms that would run on and on, or make data without end, if nobody counted: expressions without tables,
// as ReQL that evaluates with the official driver. Each is a kind of its own: another term, or another way for its cost to grow.

/** An expression by its name. */
export type HostileTerms = Readonly<Record<string, string>>;

/** `start`, and so many functions of one variable applied to it, one inside the other. */
function nested(times: number, start: string, step: string): string {
  return `${start}${`.do(z => ${step})`.repeat(times)}`;
}

const MANY = '1e15';
const PAIRS = nested(40, 'r.expr(1)', 'r.expr([z, z])');
const OBJECTS = nested(40, 'r.expr({a: 1})', '({a: z, b: z})');
const LISTS = nested(30, 'r.expr({a: 1})', 'r.expr([z, z])');
const text = (doublings: number, start: string): string => nested(doublings, `r.expr('${start}')`, 'z.add(z)');
const LIST = "r.range(50000).coerceTo('array')";
const ROWS =
  "r.range(3000).map(i => ({id: i, a: i.mod(7), s: r.expr('row ').add(i.coerceTo('string')), n: {x: [i, i], y: {z: i}}})).coerceTo('array')";
const WIDE = "r.range(2000).map(i => [i.coerceTo('string'), i]).coerceTo('object')";
const times = (body: string): string => `r.range(1e6).map(i => ${body})`;

/** Counting on and on. */
const counts: HostileTerms = {
  'count of a range': `r.range(${MANY}).count()`,
  'sum of a range': `r.range(${MANY}).sum()`,
  'average of a range': `r.range(${MANY}).avg()`,
  'max of a range': `r.range(${MANY}).max()`,
  'min by a function': `r.range(${MANY}).min(x => x.mul(-1))`,
  'reduce over a range': `r.range(${MANY}).reduce((a, b) => a.add(b))`,
  'fold over a range': `r.range(${MANY}).fold(0, (a, b) => a.add(b))`,
  'fold that emits': `r.range(${MANY}).fold(0, (a, b) => a.add(b), {emit: (a, b, c) => [c]}).count()`,
  'fold that emits nothing': `r.range(${MANY}).fold(0, (a, b) => a.add(b), {emit: (a, b, c) => []}).count()`,
  'count of a map': `r.range(${MANY}).map(x => x.mul(2)).count()`,
  'filter of nothing': `r.range(${MANY}).filter(x => x.lt(0)).count()`,
  'filter by a constant': `r.range(${MANY}).filter(false).isEmpty()`,
  'is it empty': `r.range(${MANY}).filter(x => x.lt(0)).isEmpty()`,
  'contains a value': `r.range(${MANY}).contains(-1)`,
  'contains by a function': `r.range(${MANY}).contains(x => x.lt(0))`,
  'offsets of a value': `r.range(${MANY}).offsetsOf(-1).count()`,
  'the billionth': `r.range(${MANY}).nth(1e9)`,
  'skipping far': `r.range(${MANY}).skip(1e14).limit(1)`,
  'a slice far out': `r.range(${MANY}).slice(1e13, 1e14).limit(1)`,
  'distinct of few': `r.range(${MANY}).map(x => x.mod(2)).distinct()`,
  'groups of a range': `r.range(${MANY}).group(x => x.mod(3)).count()`,
  'grouped array': `r.range(${MANY}).group(x => x.mod(3)).map(x => x).count()`,
  'a union of ranges': `r.range(${MANY}).union(r.range(${MANY})).count()`,
  'a union in turn': `r.range(${MANY}).union(r.range(${MANY}), {interleave: false}).count()`,
  'an ordered union': `r.range(${MANY}).union(r.range(${MANY}), {interleave: [x => x]}).count()`,
  'a union of many': `r.union(r.args(r.range(50000).map(x => [x]).coerceTo('array'))).count()`,
  'a map of two': `r.map(r.range(${MANY}), r.range(${MANY}), (a, b) => a.add(b)).sum()`,
  'ranges of ranges': 'r.range(1e6).concatMap(x => r.range(1e6)).count()',
  'ranges three deep': 'r.range(3000).map(x => r.range(3000).map(y => r.range(3000).count()).sum()).sum()',
  'arrays one after the other': `r.expr(${LIST}).do(b => r.range(1e6).concatMap(x => b).count())`,
  'a product': `r.expr(${ROWS}).do(x => x.concatMap(a => x.map(b => [a, b])).count())`,
  'an inner join': `r.expr(${ROWS}).do(x => x.innerJoin(x, (a, b) => a('id').eq(b('id').add(-1))).count())`,
  'an outer join': `r.expr(${ROWS}).do(x => x.outerJoin(x, (a, b) => false).count())`,
  'pairs zipped': `r.range(${MANY}).map(x => ({left: {a: x}, right: {b: x}})).zip().count()`,
  'reports added up': 'r.range(1e9).forEach(x => ({inserted: 1}))',
  difference: `r.expr(${LIST}).do(b => b.difference(b))`,
};

/** Little work, done over and over. */
const loops: HostileTerms = {
  'defaults of missing fields': `r.range(${MANY}).map(x => r.expr({})('a').default(0)).sum()`,
  'defaults by a function': `r.range(${MANY}).map(x => r.expr({})('a').default(e => 0)).sum()`,
  'fields missing in filters': `r.expr(${ROWS}).do(x => r.range(1e6).concatMap(i => x.filter(y => y('nope').gt(1))).count())`,
  'errors that show data': `r.expr(${ROWS}).do(x => ${times("r.expr({x: x})('q').default(1)")}.count())`,
  branches: `r.range(${MANY}).map(x => r.branch(x.lt(0), 1, x.lt(1), 2, 3)).sum()`,
  'types of things': `r.range(${MANY}).map(x => x.typeOf()).count()`,
  'times printed': `r.range(${MANY}).map(x => r.epochTime(x).toISO8601()).count()`,
  'times read': `r.range(${MANY}).map(x => r.ISO8601('2020-01-01T00:00:00Z')).count()`,
  'parts of times': `r.range(${MANY}).map(x => r.epochTime(x).year().add(r.epochTime(x).dayOfYear())).count()`,
  'times in zones': `r.range(${MANY}).map(x => r.epochTime(x).inTimezone('+02:00').date()).count()`,
  'JSON written': `r.expr(${ROWS}).do(x => ${times('x.toJsonString().count()')}.sum())`,
  'JSON read': `r.expr(${ROWS}).toJsonString().do(s => ${times('r.json(s).count()')}.sum())`,
  'distinct again and again': `r.expr(${ROWS}).do(x => ${times('x.distinct().count()')}.sum())`,
  'equal again and again': `r.expr(${ROWS}).do(x => ${times("x.eq(x.map(y => y).coerceTo('array'))")}.count())`,
  'sorted again and again': `r.expr(${ROWS}).do(x => ${times("x.orderBy('s').count()")}.sum())`,
  'grouped again and again': `r.expr(${ROWS}).do(x => ${times("x.group('a').count().ungroup().count()")}.sum())`,
  'the greatest again and again': `r.expr(${ROWS}).do(x => ${times("x.max('s')('id')")}.sum())`,
  'names made UUIDs': `r.range(${MANY}).map(x => r.uuid(x.coerceTo('string'))).count()`,
  'texts split': `r.range(${MANY}).map(x => r.expr('a b c d e').split()).count()`,
  'texts matched': `r.range(${MANY}).map(x => r.expr('abc def').match('(\\\\w+) (\\\\w+)')).count()`,
  'patterns made': `r.range(${MANY}).map(x => r.expr('abc').match(r.expr('(a').add(x.coerceTo('string'), ')'))).count()`,
  'functions called': `r.range(${MANY}).map(x => x.do(y => y.do(z => z.add(1)))).sum()`,
  'arguments spread': `r.expr(${LIST}).do(b => ${times('r.add(r.args(b))')}.sum())`,
  'wide literals': `r.range(${MANY}).map(x => [${Array.from({ length: 100 }, () => 'x').join()}]).count()`,
  'numbers printed and read': `r.range(${MANY}).map(x => x.coerceTo('string').coerceTo('number')).sum()`,
  'fields of rows': `r.expr(${ROWS}).do(x => ${times("x('n')('y')('z').sum()")}.sum())`,
  'fields plucked': `r.expr(${ROWS}).do(x => ${times("x.pluck('a', {n: 'x'}).count()")}.sum())`,
  'fields left out': `r.expr(${ROWS}).do(x => ${times("x.without({n: {y: 'z'}}).count()")}.sum())`,
  'fields looked for': `r.expr(${ROWS}).do(x => ${times("x.hasFields({n: {y: 'z'}}).count()")}.sum())`,
  'keys of wide objects': `r.expr(${WIDE}).do(o => ${times('o.keys().count()')}.sum())`,
  'values of wide objects': `r.expr(${WIDE}).do(o => ${times('o.values().count()')}.sum())`,
  'wide objects merged': `r.expr(${WIDE}).do(o => ${times('o.merge({a: i})')}.count())`,
  'wide objects without': `r.expr(${WIDE}).do(o => ${times("o.without('1')")}.count())`,
  'sets taken off': `r.expr(${LIST}).do(b => ${times('b.setDifference(b).count()')}.sum())`,
  'sets cut': `r.expr(${LIST}).do(b => ${times('b.setIntersection(b).count()')}.sum())`,
  'places in arrays': `r.expr(${LIST}).do(b => ${times('b.deleteAt(0).count()')}.sum())`,
};

/** Data that grow with every step. */
const growth: HostileTerms = {
  'a long array': "r.range(1e9).coerceTo('array').count()",
  'objects in an array': "r.range(1e6).map(i => ({a: i, b: {c: i, d: [i, i]}})).coerceTo('array').count()",
  'a wide object': "r.range(1e6).map(i => [i.coerceTo('string'), i]).coerceTo('object').count()",
  'an object that grows': "r.range(1e6).fold({}, (a, b) => a.merge(r.object(b.coerceTo('string'), b))).count()",
  'an array that grows': 'r.range(1e6).fold([], (a, b) => a.append(b)).count()',
  'an array that grows in front': 'r.range(1e6).fold([0], (a, b) => a.prepend(b)).count()',
  'arrays added': 'r.range(1e6).fold([0], (a, b) => a.add([b])).count()',
  'arrays inserted into': 'r.range(1e6).fold([0], (a, b) => a.insertAt(0, b)).count()',
  'a set that grows': 'r.range(1e6).fold([0], (a, b) => a.setInsert(b)).count()',
  'arrays that are kept': `r.expr(${LIST}).do(b => ${times('b.append(i)')}.coerceTo('array').count())`,
  'arrays repeated': "r.range(1e6).map(i => r.expr([i]).mul(90000)).coerceTo('array').count()",
  'keys for every pair':
    "r.range(1e6).map(i => ({a: r.range(300).coerceTo('array'), b: r.range(300).coerceTo('array')})).group('a', 'b', {multi: true}).count()",
  'rows sorted': "r.range(90000).map(x => ({x: x})).orderBy('x').count()",
  'rows sorted by texts': "r.range(90000).map(x => ({x: x.coerceTo('string')})).orderBy('x').count()",
  'numbers sorted by a function': 'r.range(90000).orderBy(x => x.mul(7919).mod(10007)).count()',
  'pairs of pairs': PAIRS,
  'pairs of pairs compared': `${PAIRS}.do(x => x.eq(x))`,
  'pairs of pairs as JSON': `${PAIRS}.toJsonString()`,
  'pairs of pairs as text': `${PAIRS}.coerceTo('string')`,
  'pairs of pairs distinct': `${PAIRS}.do(x => r.expr([x, x]).distinct())`,
  'pairs of pairs in a set': `${PAIRS}.do(x => r.expr([x]).setUnion([x]))`,
  'pairs of pairs in groups': `${PAIRS}.do(x => r.expr([x, x]).group(y => y).count())`,
  'pairs of pairs in order': `${PAIRS}.do(x => r.expr([{x: x}, {x: x}]).orderBy('x'))`,
  'pairs of pairs looked for': `${PAIRS}.do(x => r.expr([x]).contains(x))`,
  'pairs of pairs merged': `${PAIRS}.do(x => r.expr({a: 1}).merge({b: x}))`,
  'pairs of pairs in an error': `${PAIRS}.do(x => r.expr({x: x})('nope').default(1))`,
  'pairs of pairs where a number is due': `${PAIRS}.do(x => x.add(1).default(1))`,
  'pairs of pairs told of': `${PAIRS}.info()`,
  'the greatest pair of pairs': `${PAIRS}.do(x => r.expr([x, x]).max())`,
  'pairs of pairs counted off': `${PAIRS}.do(x => r.expr([x, x, x]).limit(2).coerceTo('array'))`,
  'objects of objects': OBJECTS,
  'objects of objects compared': `${OBJECTS}.do(x => x.lt(x))`,
  'objects of objects plucked': `${OBJECTS}.do(x => r.expr([x]).pluck({a: {a: 'b'}}).distinct())`,
  'lists of lists looked into': `${LISTS}.do(x => r.expr({q: x}).hasFields({q: {a: true}}))`,
  'lists of lists taken out': `${LISTS}.do(x => r.expr({q: x}).without({q: 'b'}))`,
  'lists of lists as a time': `${LISTS}.do(x => x.toEpochTime().default(1))`,
  'a text that doubles': text(40, 'abcdefgh'),
  'a text counted': `${text(23, 'abcdefgh')}.count()`,
  'a text split': `${text(22, 'a b c d ')}.split().count()`,
  'a text split into characters': `${text(22, 'abcdefgh')}.split('').count()`,
  'a text split at a letter': `${text(22, 'abababab')}.split('a').count()`,
  'a text in capitals': `${text(22, 'abcdefgh')}.upcase().count()`,
  'a text matched': `${text(20, 'abababab')}.match('[ab]*a[ab]{50}[cd]')`,
  'a text matched by many groups': `${text(16, 'abababab')}.match('${'([ab]+)'.repeat(50)}[ab]')`,
  'a pattern repeated': `r.expr('aaaa').match('(${'abcdefghij'.repeat(100)}){1000}')`,
  'a pattern of many words': `r.expr('aaaa').match('${Array.from({ length: 3000 }, (_, i) => `w${i}`).join('|')}')`,
  'a text as bytes': `${text(22, 'abcdefgh')}.coerceTo('binary').count()`,
  'texts compared': `${text(16, 'abcdefgh')}.do(x => ${times("x.add('a').lt(x.add('b'))")}.count())`,
  'a slice of a text': `${text(22, 'abcdefgh')}.slice(1, 5)`,
  'JSON of a long text': `${text(18, '[1,2,3],')}.do(x => r.json(r.expr('[').add(x, '1]')).count())`,
  'JSON that nests': `${text(12, '[[[[[[[[')}.do(x => r.json(x.add('1')))`,
  'a number of many digits': `${text(20, '11111111')}.coerceTo('number')`,
  'a key that is long': `r.object(${text(20, 'abcdefgh')}, 1).keys()`,
  'a long text where a number is due': `${text(22, 'abcdefgh')}.do(x => x.add(1).default(2))`,
};

/** All of them. */
export const hostileTerms: HostileTerms = { ...counts, ...loops, ...growth };
