// Random queries that need no table, as JSON terms: mostly of fitting types, so that they get somewhere, and often enough
// not. Functions name their parameters 1, 2 and 3 at every depth, so that any part of a query fits anywhere.

import fc from 'fast-check';
import { pureTerms } from '../../../../rewrite/reql/eval/index.ts';
import { signatureOf } from '../../../../rewrite/reql/term/signatures.ts';
import { TermType as T } from '../../../../rewrite/reql/term-type.ts';

/** A term as the wire has it. */
export type Wire = null | boolean | number | string | readonly Wire[] | { readonly [key: string]: Wire };

type Query = fc.Arbitrary<Wire>;

const key = fc.constantFrom('a', 'b', 'id', 'é', '1', '10');
const smallInteger = fc.constantFrom(0, 1, 2, 3, 5, -1, -2);
const oddNumber = fc.constantFrom(2.5, -0.5, 0.1, 1e15, 9007199254740992, -9007199254740992, 1e20, 1e-7, 1e308);
const text = fc.constantFrom(
  '',
  'a',
  'ab',
  'B',
  'héllo☃',
  '😀x',
  'a,b',
  ' a  b ',
  'e\u0301x',
  '12',
  '0x1F',
  '1e3',
  'nan',
);
const zone = fc.constantFrom('+00:00', 'Z', '-07:00', '+0530', '+14:01', 'x');
const iso = fc.constantFrom('2016-02-29T12:34:56.789Z', '2016-12-31T23:30:00-05:00', '2016-02-29', '1999-366T00Z', 'x');
const bytes = fc.constantFrom('AP8K', '', 'YWJj', 'w6k=');
const pattern = fc.constantFrom('a', '(a)(b)?', '^a', '(', '[a-c]+', '(?P<x>a)', '', '(?i)A', '\\d');
const typeName = fc.constantFrom('string', 'number', 'array', 'object', 'bool', 'binary', 'stream', 'nope');
const parameter = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom<Wire>([T.VAR, [1]], [T.VAR, [2]], [T.VAR, [3]]) },
  { weight: 1, arbitrary: fc.constant<Wire>([T.IMPLICIT_VAR, []]) },
);

const seconds = fc.constantFrom(0, 1.5, -1.5, 1480586400.123, 253402300799, -17987443200);

function call(type: number, ...args: readonly Query[]): Query {
  return fc.tuple(...args).map((given) => [type, given]);
}

/** A call of one of several terms, with between `min` and `max` arguments of a kind. */
function calls(types: readonly number[], arg: Query, min: number, max: number): Query {
  return fc
    .tuple(fc.constantFrom(...types), fc.array(arg, { minLength: min, maxLength: max }))
    .map(([type, args]) => [type, args]);
}

/** A term whose first argument is given, and others of which there may be fewer. */
function withSome(types: readonly number[], first: Query, rest: Query, max: number): Query {
  return fc
    .tuple(fc.constantFrom(...types), first, fc.array(rest, { maxLength: max }))
    .map(([type, head, args]) => [type, [head, ...args]]);
}

function func(arity: number, body: Query): Query {
  const params = Array.from({ length: arity }, (_, index) => index + 1);
  return body.map((inner) => [T.FUNC, [[T.MAKE_ARRAY, params], inner]]);
}

function optargs(term: Query, entries: { readonly [name: string]: Query }): Query {
  return fc.tuple(term, fc.record(entries, { requiredKeys: [] })).map(([made, given]) => {
    return Array.isArray(made) ? [...made, given] : made;
  });
}

/** Terms that give another result each time, or that no evaluation of data can run. */
const UNEVEN: ReadonlySet<number> = new Set([
  T.NOW,
  T.RANDOM,
  T.SAMPLE,
  T.UUID,
  T.FOR_EACH,
  T.IMPLICIT_VAR,
  T.VAR,
  T.FUNC,
  T.DATUM,
  T.EQ_JOIN,
  T.ASC,
  T.DESC,
]);

const plainTerms = Object.keys(pureTerms)
  .map(Number)
  .filter((type) => !UNEVEN.has(type));

const optargName = fc.constantFrom(
  'default',
  'index',
  'multi',
  'interleave',
  'emit',
  'final_emit',
  'left_bound',
  'nope',
);

/** Any term with about as many arguments as it takes, of whatever type, and now and then optargs, known or not. */
function anyCall(first: Query, rest: Query): Query {
  const arity = fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 2 }) }, fc.constantFrom(-1, 99));
  return fc
    .tuple(fc.constantFrom(...plainTerms), arity, fc.tuple(first, rest, rest, rest, rest))
    .chain(([type, extra, args]) => {
      const { min, max, optargs: known } = signatureOf(type) ?? { min: 0, max: 0, optargs: [] };
      const count = extra === 99 ? max + 1 : min + Math.min(extra, max - min);
      const given = args.slice(0, Math.max(0, count));
      const names = fc.oneof({ weight: 19, arbitrary: fc.constantFrom(...known, 'nope') }, optargName);
      const entries = fc.array(fc.tuple(names, rest), { maxLength: 2 });
      return fc.oneof(
        { weight: known.length === 0 ? 30 : 2, arbitrary: fc.constant<Wire>([type, given]) },
        { weight: 1, arbitrary: entries.map((list): Wire => [type, given, Object.fromEntries(list)]) },
      );
    });
}

/**
 * A stream without end, where a term stops reading it or refuses to read it at all. What fills a batch of a megabyte, or as
 * much as the server makes within some time, is left out.
 */
function endless(any: Query, sequence: Query, unary: Query, binary: Query): Query {
  const integers = fc.constant<Wire>([T.RANGE, []]);
  const stream = fc.oneof(
    integers,
    call(T.MAP, integers, unary),
    call(T.UNION, integers, sequence),
    call(T.UNION, sequence, integers),
  );
  return fc.oneof(
    call(
      T.LIMIT,
      fc.oneof(stream, call(T.MAP, integers, integers, binary), call(T.SKIP, integers, smallInteger)),
      smallInteger,
    ),
    call(T.SLICE, stream, smallInteger, smallInteger),
    call(T.MAP, stream, sequence, binary),
    call(T.MAP, sequence, stream, binary),
    call(T.NTH, stream, smallInteger),
    calls([T.COUNT, T.SUM, T.AVG, T.MIN, T.MAX, T.DISTINCT, T.TYPE_OF, T.INFO, T.IS_EMPTY], stream, 1, 1),
    call(T.REDUCE, stream, binary),
    call(T.FOLD, stream, any, binary),
    call(T.ORDER_BY, stream, unary),
    call(T.COERCE_TO, stream, typeName),
    call(
      T.CONCAT_MAP,
      sequence,
      stream.map((body): Wire => [T.FUNC, [[T.MAKE_ARRAY, [1]], body]]),
    ),
    optargs(call(T.UNION, stream, sequence), {
      interleave: fc.constantFrom<Wire>(false, true, [T.FUNC, [[T.MAKE_ARRAY, [1]], 1]]),
    }).map((union): Wire => [T.LIMIT, [union, 3]]),
  );
}

interface Parts {
  readonly any: Wire;
  readonly number: Wire;
  readonly string: Wire;
  readonly bool: Wire;
  readonly time: Wire;
  readonly binary: Wire;
  readonly object: Wire;
  readonly array: Wire;
  readonly sequence: Wire;
  readonly lazy: Wire;
  readonly grouped: Wire;
}

const bounds = { left_bound: fc.constantFrom('open', 'closed', 'x'), right_bound: fc.constantFrom('open', 'closed') };
const path: Query = fc.oneof(
  key,
  fc.dictionary(key, fc.constantFrom<Wire>(true, 'a', { a: true }, [T.MAKE_ARRAY, ['a', { b: true }]]), { maxKeys: 2 }),
);
const interleave = fc.constantFrom<Wire>(
  false,
  true,
  'a',
  [T.DESC, ['a']],
  [T.MAKE_ARRAY, ['a', [T.DESC, ['b']]]],
  [
    T.FUNC,
    [
      [T.MAKE_ARRAY, [1]],
      [T.VAR, [1]],
    ],
  ],
  [
    T.FUNC,
    [
      [T.MAKE_ARRAY, [1]],
      [T.MUL, [-1, [T.VAR, [1]]]],
    ],
  ],
  [T.FUNC, [[T.MAKE_ARRAY, [1]], 1]],
);

const { any, lazy, sequence, grouped } = fc.letrec<Parts>((tie: fc.LetrecTypedTie<Parts>): fc.LetrecValue<Parts> => {
  const anything = tie('any');
  const number = tie('number');
  const string = tie('string');
  const bool = tie('bool');
  const time = tie('time');
  const sequence = tie('sequence');
  const array = tie('array');
  const object = tie('object');
  const fieldOrFunction = fc.oneof(key, key, func(1, anything));
  const predicate = func(1, bool);
  const either = (fitting: Query): Query =>
    fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: anything });

  /** What any type can come out of. */
  const around = (inner: Query): readonly Query[] => [
    call(T.BRANCH, bool, inner, inner),
    call(T.FUNCALL, func(1, inner), anything),
    call(T.FUNCALL, func(2, inner), anything, anything),
    call(T.DEFAULT, fc.oneof(inner, anything), fc.oneof(inner, func(1, inner), fc.constant([T.ERROR, []]))),
    call(T.BRACKET, either(object), key),
    call(T.NTH, sequence, smallInteger),
    call(T.REDUCE, sequence, func(2, inner)),
    call(T.FOLD, sequence, inner, func(2, inner)),
    call(T.FUNCALL, func(2, inner), call(T.ARGS, array)),
    parameter,
  ];
  const wire = (...parts: readonly Query[]): Query =>
    fc.oneof({ maxDepth: 8, depthIdentifier: 'query', depthSize: 'small', withCrossShrink: true }, ...parts);

  return {
    any: wire(
      number,
      string,
      bool,
      fc.constant(null),
      parameter,
      object,
      array,
      sequence,
      time,
      tie('binary'),
      fc.constantFrom<Wire>([T.MINVAL, []], [T.MAXVAL, []], [T.LITERAL, []], [T.ERROR, []]),
      tie('grouped'),
      tie('lazy'),
      call(T.ERROR, string),
      anyCall(fc.oneof(anything, sequence, object, tie('grouped')), anything),
    ),
    number: wire(
      smallInteger,
      smallInteger,
      oddNumber,
      calls([T.ADD, T.SUB, T.MUL, T.DIV], either(number), 1, 3),
      calls([T.MOD, T.BIT_SAL, T.BIT_SAR], number, 2, 2),
      calls([T.BIT_AND, T.BIT_OR, T.BIT_XOR], number, 1, 3),
      calls([T.FLOOR, T.CEIL, T.ROUND, T.BIT_NOT], number, 1, 1),
      withSome([T.COUNT], either(sequence), predicate, 1),
      withSome([T.SUM, T.AVG, T.MIN, T.MAX], sequence, fieldOrFunction, 1),
      call(T.REDUCE, sequence, func(2, anything)),
      call(T.FOLD, sequence, number, func(2, anything)),
      optargs(call(T.FOLD, sequence, number, func(2, number)), { final_emit: func(1, anything) }),
      calls([T.YEAR, T.MONTH, T.DAY, T.HOURS, T.SECONDS, T.DAY_OF_WEEK, T.DAY_OF_YEAR, T.TIME_OF_DAY], time, 1, 1),
      call(T.COERCE_TO, string, fc.constant('number')),
      ...around(number),
    ),
    string: wire(
      text,
      text,
      calls([T.ADD], string, 1, 3),
      calls([T.UPCASE, T.DOWNCASE, T.UUID], string, 1, 1),
      optargs(call(T.SLICE, string, smallInteger, smallInteger), bounds),
      call(T.COERCE_TO, anything, fc.constant('string')),
      calls([T.TYPE_OF, T.TO_JSON_STRING], anything, 1, 1),
      calls([T.TO_ISO8601, T.TIMEZONE], time, 1, 1),
      ...around(string),
    ),
    bool: wire(
      fc.boolean(),
      calls([T.EQ, T.NE, T.LT, T.LE, T.GT, T.GE], anything, 2, 3),
      calls([T.AND, T.OR], anything, 0, 3),
      calls([T.NOT], anything, 1, 1),
      calls([T.IS_EMPTY], sequence, 1, 1),
      withSome([T.CONTAINS], sequence, fc.oneof(anything, predicate), 2),
      withSome([T.HAS_FIELDS], either(object), path, 2),
      optargs(call(T.DURING, time, time, time), bounds),
      ...around(bool),
    ),
    time: wire(
      call(T.EPOCH_TIME, seconds),
      optargs(call(T.ISO8601, iso), { default_timezone: zone }),
      call(T.TIME, fc.constantFrom(2016, 1399), fc.constantFrom(2, 13), fc.constantFrom(29, 30), zone),
      calls([T.ADD, T.SUB], time, 2, 2),
      call(T.ADD, time, smallInteger),
      call(T.IN_TIMEZONE, time, zone),
      calls([T.DATE], time, 1, 1),
      ...around(time),
    ),
    binary: wire(
      bytes.map((data) => ({ $reql_type$: 'BINARY', data })),
      call(T.BINARY, string),
      optargs(call(T.SLICE, tie('binary'), smallInteger, smallInteger), bounds),
      ...around(tie('binary')),
    ),
    object: wire(
      fc.dictionary(key, anything, { maxKeys: 3 }),
      withSome([T.PLUCK, T.WITHOUT], either(object), path, 2),
      withSome([T.MERGE], either(object), fc.oneof(object, func(1, object)), 2),
      call(T.MERGE, object, fc.dictionary(key, fc.oneof(anything, call(T.LITERAL, anything)), { maxKeys: 2 })),
      calls([T.INFO], anything, 1, 1),
      call(T.MATCH, string, pattern),
      call(T.OBJECT, key, anything, key, anything),
      call(T.MERGE, object, call(T.LITERAL, anything)),
      call(T.MERGE, object, func(1, fc.dictionary(key, fc.oneof(anything, call(T.LITERAL, anything)), { maxKeys: 2 }))),
      call(T.JSON, fc.constantFrom('{"a":[1,2]}', '{', '[1,]', '{"a":1,"a":2}', '1e400', '-0', '')),
      ...around(object),
    ),
    array: wire(
      calls([T.MAKE_ARRAY], anything, 0, 4),
      calls([T.MAKE_ARRAY], object, 0, 4),
      call(T.APPEND, array, anything),
      calls([T.SET_UNION, T.SET_INTERSECTION, T.SET_DIFFERENCE, T.DIFFERENCE, T.ADD], array, 2, 2),
      call(T.INSERT_AT, array, smallInteger, anything),
      call(T.CHANGE_AT, array, smallInteger, anything),
      call(T.SPLICE_AT, array, smallInteger, array),
      withSome([T.DELETE_AT], array, smallInteger, 2),
      withSome([T.SPLIT], string, fc.constantFrom<Wire>('', ',', 'b', null), 1),
      call(T.SPLIT, string, fc.constantFrom<Wire>('', ',', null), smallInteger),
      call(T.SET_INSERT, array, anything),
      call(T.PREPEND, array, anything),
      call(T.MAKE_ARRAY, call(T.ARGS, array), anything),
      call(T.UNGROUP, optargs(call(T.GROUP, sequence, func(1, anything)), { multi: fc.boolean() })),
      calls([T.KEYS, T.VALUES], object, 1, 1),
      call(T.COERCE_TO, anything, fc.constant('array')),
      call(T.UNGROUP, tie('grouped')),
      ...around(array),
    ),
    sequence: wire(
      array,
      array,
      tie('lazy'),
      tie('lazy'),
      call(T.MAP, sequence, func(1, anything)),
      call(T.MAP, sequence, sequence, func(2, anything)),
      call(T.MAP, sequence, sequence, sequence, func(3, anything)),
      call(T.CONCAT_MAP, sequence, func(1, sequence)),
      optargs(call(T.FILTER, either(sequence), fc.oneof(predicate, object)), {
        default: fc.constantFrom<Wire>(true, false, [T.ERROR, []]),
      }),
      withSome([T.ORDER_BY], sequence, fieldOrFunction, 2),
      call(T.ORDER_BY, sequence, call(T.DESC, fieldOrFunction)),
      calls([T.DISTINCT, T.ZIP], sequence, 1, 1),
      optargs(call(T.SLICE, sequence, smallInteger, smallInteger), bounds),
      calls([T.LIMIT, T.SKIP], sequence, 2, 2),
      call(T.LIMIT, sequence, smallInteger),
      optargs(calls([T.UNION], sequence, 0, 3), { interleave }),
      call(T.OFFSETS_OF, sequence, fc.oneof(anything, predicate)),
      call(T.INNER_JOIN, sequence, sequence, func(2, bool)),
      call(T.OUTER_JOIN, sequence, sequence, func(2, bool)),
      withSome([T.PLUCK, T.WITHOUT, T.HAS_FIELDS, T.WITH_FIELDS], sequence, path, 2),
      optargs(call(T.FOLD, sequence, anything, func(2, anything)), {
        emit: func(3, array),
        final_emit: func(1, array),
      }),
      ...around(sequence),
    ),
    // Streams that are no arrays, read batch by batch.
    lazy: wire(
      calls([T.RANGE], smallInteger, 1, 2),
      calls([T.RANGE], smallInteger, 1, 2),
      endless(anything, sequence, func(1, anything), func(2, anything)),
      call(T.RANGE, fc.constantFrom(3, 4)),
      call(T.MAP, tie('lazy'), func(1, anything)),
      call(T.MAP, tie('lazy'), sequence, func(2, anything)),
      call(T.MAP, tie('lazy'), func(1, fc.record<{ a: Wire; b: Wire }>({ a: anything, b: number }))),
      call(T.CONCAT_MAP, tie('lazy'), func(1, sequence)),
      call(T.FILTER, tie('lazy'), predicate),
      call(T.LIMIT, tie('lazy'), smallInteger),
      call(T.SKIP, tie('lazy'), smallInteger),
      call(T.OFFSETS_OF, tie('lazy'), predicate),
      optargs(call(T.FOLD, tie('lazy'), anything, func(2, anything)), {
        emit: func(3, array),
        final_emit: func(1, array),
      }),
      call(T.FOLD, tie('lazy'), number, func(2, number)).chain((fold) =>
        fc
          .record({ emit: func(3, array), final_emit: func(1, array) })
          .map((both) => (Array.isArray(fold) ? [...fold, both] : fold)),
      ),
      optargs(calls([T.UNION], tie('lazy'), 1, 3), { interleave }),
      optargs(calls([T.UNION], sequence, 2, 3), { interleave }),
      ...around(tie('lazy')),
    ),
    grouped: wire(
      optargs(call(T.GROUP, sequence, fieldOrFunction), { multi: fc.boolean() }),
      optargs(withSome([T.GROUP], sequence, fieldOrFunction, 3), { multi: fc.boolean() }),
      optargs(call(T.GROUP, sequence, func(1, anything)), { multi: fc.boolean() }),
      call(T.COUNT, tie('grouped')),
      withSome([T.SUM, T.AVG, T.MIN, T.MAX], tie('grouped'), fieldOrFunction, 1),
      call(T.REDUCE, tie('grouped'), func(2, anything)),
      call(T.CONCAT_MAP, tie('grouped'), func(1, sequence)),
      call(T.BRACKET, tie('grouped'), fc.oneof(key, smallInteger)),
      withSome([T.PLUCK, T.MERGE, T.HAS_FIELDS], tie('grouped'), object, 1),
      call(T.MAP, tie('grouped'), func(1, anything)),
      call(T.FILTER, tie('grouped'), predicate),
      call(T.ADD, tie('grouped'), smallInteger),
      call(T.COERCE_TO, tie('grouped'), typeName),
    ),
  };
});

const ROWS: Wire = [
  T.MAKE_ARRAY,
  [
    { a: 1, b: 2 },
    { a: 2, b: 'x', id: 1 },
    { a: 2, id: null },
    { b: [1, 2], id: 2 },
  ],
];

/** A random query: a function of a number, an object and an array, applied; or what needs no variable by itself. */
export const anyQuery: Query = fc.oneof(
  {
    weight: 3,
    arbitrary: func(3, any).map(
      (query): Wire => [
        T.FUNCALL,
        [query, 2, { a: 1, b: 'x', id: [1, 2] }, [T.MAKE_ARRAY, [3, 1, { a: 2, id: null }, 1]]],
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: func(3, fc.oneof(lazy, sequence, grouped)).map(
      (query): Wire => [T.FUNCALL, [query, 2, { a: 1, b: 'x' }, ROWS]],
    ),
  },
  { weight: 1, arbitrary: any },
);
