// The table of terms: one row per term number, by family. Arity, optargs and determinism are those of RethinkDB 2.4.4
// (src/rdb_protocol/terms, the constructor of each term).

import { type TermName, TermType } from '../term-type.ts';
import { constant, MANY, method, prefixed, type Signature, scoped, syntax } from './signature.ts';

const BOUNDS = ['left_bound', 'right_bound'] as const;
const GEO_UNITS = ['geo_system', 'unit'] as const;
const WRITE_OPTARGS = ['non_atomic', 'durability', 'return_vals', 'return_changes', 'ignore_write_hook'] as const;

const never = { deterministic: 'never' } as const;
const geo = { deterministic: 'singleServer' } as const;
const meta = { deterministic: 'never', writes: true } as const;
const overRows = { forbidsWrites: true } as const;
const writing = { writes: true, forbidsWrites: true } as const;

/** A row per term, under the names of the protocol definition. */
export const signatures = {
  // Literals and functions
  DATUM: syntax('datum', 1),
  MAKE_ARRAY: syntax('array', 0, MANY),
  MAKE_OBJ: syntax('makeObject', 0),
  VAR: syntax('var', 1),
  FUNC: syntax('func', 2),
  IMPLICIT_VAR: constant('row'),
  FUNCALL: syntax('do', 1, MANY, { optargs: ['_SHORTCUT_', '_EVAL_FLAGS_'] }),
  ARGS: prefixed('args', 1),
  BINARY: prefixed('binary', 1),
  OBJECT: prefixed('object', 0, MANY),
  LITERAL: prefixed('literal', 0, 1),
  MINVAL: constant('minval'),
  MAXVAL: constant('maxval'),

  // Control
  BRANCH: prefixed('branch', 3, MANY),
  OR: method('or', 0, MANY),
  AND: method('and', 0, MANY),
  NOT: method('not', 1),
  DEFAULT: method('default', 2),
  ERROR: prefixed('error', 0, 1),
  FOR_EACH: method('forEach', 2),
  JAVASCRIPT: prefixed('js', 1, 1, { optargs: ['timeout'], ...never }),
  HTTP: prefixed('http', 1, 1, {
    optargs: [
      'data',
      'timeout',
      'method',
      'params',
      'header',
      'attempts',
      'redirects',
      'verify',
      'page',
      'page_limit',
      'auth',
      'result_format',
    ],
    ...never,
  }),
  RANDOM: prefixed('random', 0, 2, { optargs: ['float'], ...never }),
  UUID: prefixed('uuid', 0, 1, { deterministic: 'withArgument' }),
  RANGE: prefixed('range', 0, 2),
  COERCE_TO: method('coerceTo', 2),
  TYPE_OF: method('typeOf', 1),
  INFO: method('info', 1),
  JSON: prefixed('json', 1),
  TO_JSON_STRING: method('toJsonString', 1),

  // Comparison and arithmetic
  EQ: method('eq', 2, MANY),
  NE: method('ne', 2, MANY),
  LT: method('lt', 2, MANY),
  LE: method('le', 2, MANY),
  GT: method('gt', 2, MANY),
  GE: method('ge', 2, MANY),
  ADD: method('add', 1, MANY),
  SUB: method('sub', 1, MANY),
  MUL: method('mul', 1, MANY),
  DIV: method('div', 1, MANY),
  MOD: method('mod', 2),
  FLOOR: method('floor', 1),
  CEIL: method('ceil', 1),
  ROUND: method('round', 1),
  BIT_AND: method('bitAnd', 1, MANY),
  BIT_OR: method('bitOr', 1, MANY),
  BIT_XOR: method('bitXor', 1, MANY),
  BIT_NOT: method('bitNot', 1),
  BIT_SAL: method('bitSal', 2),
  BIT_SAR: method('bitSar', 2),

  // Strings
  MATCH: method('match', 2),
  SPLIT: method('split', 1, 3),
  UPCASE: method('upcase', 1),
  DOWNCASE: method('downcase', 1),

  // Arrays
  APPEND: method('append', 2),
  PREPEND: method('prepend', 2),
  DIFFERENCE: method('difference', 2, 2, { optargs: ['default'], rewritten: true }),
  SET_INSERT: method('setInsert', 2),
  SET_INTERSECTION: method('setIntersection', 2),
  SET_UNION: method('setUnion', 2),
  SET_DIFFERENCE: method('setDifference', 2),
  INSERT_AT: method('insertAt', 3),
  DELETE_AT: method('deleteAt', 2, 3),
  CHANGE_AT: method('changeAt', 3),
  SPLICE_AT: method('spliceAt', 3),

  // Objects, and sequences of them
  GET_FIELD: method('getField', 2, 2, { optargs: ['_NO_RECURSE_'] }),
  BRACKET: method('bracket', 2, 2, { optargs: ['_NO_RECURSE_'] }),
  HAS_FIELDS: method('hasFields', 1, MANY, { optargs: ['_NO_RECURSE_'] }),
  WITH_FIELDS: method('withFields', 1, MANY, { optargs: ['_NO_RECURSE_'], rewritten: true }),
  PLUCK: method('pluck', 1, MANY, { optargs: ['_NO_RECURSE_'] }),
  WITHOUT: method('without', 1, MANY, { optargs: ['_NO_RECURSE_'] }),
  MERGE: method('merge', 1, MANY, { optargs: ['_NO_RECURSE_'] }),
  KEYS: method('keys', 1),
  VALUES: method('values', 1),

  // Sequences
  MAP: method('map', 2, MANY, overRows),
  CONCAT_MAP: method('concatMap', 2, 2, overRows),
  FILTER: method('filter', 2, 2, { optargs: ['default'], ...overRows }),
  ORDER_BY: method('orderBy', 1, MANY, { optargs: ['index'] }),
  ASC: prefixed('asc', 1),
  DESC: prefixed('desc', 1),
  SKIP: method('skip', 2, 2, { optargs: BOUNDS, rewritten: true }),
  LIMIT: method('limit', 2),
  SLICE: method('slice', 2, 3, { optargs: BOUNDS }),
  NTH: method('nth', 2),
  OFFSETS_OF: method('offsetsOf', 2),
  IS_EMPTY: method('isEmpty', 1),
  CONTAINS: method('contains', 1, MANY),
  UNION: method('union', 0, MANY, { optargs: ['interleave'] }),
  SAMPLE: method('sample', 2, 2, never),
  ZIP: method('zip', 1),
  INNER_JOIN: method('innerJoin', 3, 3, { rewritten: true, ...overRows }),
  OUTER_JOIN: method('outerJoin', 3, 3, { rewritten: true, ...overRows }),
  EQ_JOIN: method('eqJoin', 3, 3, { optargs: ['index', 'ordered'], ...overRows }),

  // Aggregates
  REDUCE: method('reduce', 2, 2, { optargs: ['base'], ...overRows }),
  FOLD: method('fold', 3, 3, { optargs: ['emit', 'final_emit'], ...overRows }),
  COUNT: method('count', 1, 2, overRows),
  SUM: method('sum', 1, 2, { optargs: ['index'], ...overRows }),
  AVG: method('avg', 1, 2, { optargs: ['index'], ...overRows }),
  MIN: method('min', 1, 2, { optargs: ['index'], ...overRows }),
  MAX: method('max', 1, 2, { optargs: ['index'], ...overRows }),
  DISTINCT: method('distinct', 1, 1, { optargs: ['index'] }),
  GROUP: method('group', 1, MANY, { optargs: ['index', 'multi'], ...overRows }),
  UNGROUP: method('ungroup', 1),
  CHANGES: method('changes', 1, 1, {
    optargs: [
      'squash',
      'changefeed_queue_size',
      'include_initial',
      'include_offsets',
      'include_states',
      'include_types',
    ],
  }),

  // Databases and tables
  DB: prefixed('db', 1, 1, never),
  TABLE: scoped('table', 1, 2, { optargs: ['read_mode', 'use_outdated', 'identifier_format'], ...never }),
  GET: method('get', 2),
  GET_ALL: method('getAll', 1, MANY, { optargs: ['index'] }),
  BETWEEN: method('between', 3, 3, { optargs: ['index', ...BOUNDS] }),
  BETWEEN_DEPRECATED: syntax('betweenDeprecated', 3, 3, { optargs: ['index', ...BOUNDS] }),
  INSERT: method('insert', 2, 2, {
    optargs: ['conflict', 'durability', 'return_vals', 'return_changes', 'ignore_write_hook'],
    ...writing,
  }),
  UPDATE: method('update', 2, 2, { optargs: WRITE_OPTARGS, rewritten: true, ...writing }),
  REPLACE: method('replace', 2, 2, { optargs: WRITE_OPTARGS, ...writing }),
  DELETE: method('delete', 1, 1, { optargs: WRITE_OPTARGS, rewritten: true, ...writing }),
  SYNC: method('sync', 1, 1, meta),
  DB_CREATE: prefixed('dbCreate', 1, 1, meta),
  DB_DROP: prefixed('dbDrop', 1, 1, meta),
  DB_LIST: prefixed('dbList', 0, 0, never),
  TABLE_CREATE: scoped('tableCreate', 1, 2, {
    optargs: ['primary_key', 'shards', 'replicas', 'nonvoting_replica_tags', 'primary_replica_tag', 'durability'],
    ...meta,
  }),
  TABLE_DROP: scoped('tableDrop', 1, 2, meta),
  TABLE_LIST: scoped('tableList', 0, 1, never),
  CONFIG: method('config', 1, 1, never),
  STATUS: method('status', 1, 1, never),
  WAIT: scoped('wait', 0, 1, { optargs: ['timeout', 'wait_for'], ...meta }),
  RECONFIGURE: scoped('reconfigure', 0, 1, {
    optargs: ['dry_run', 'emergency_repair', 'nonvoting_replica_tags', 'primary_replica_tag', 'replicas', 'shards'],
    ...meta,
  }),
  REBALANCE: scoped('rebalance', 0, 1, meta),
  GRANT: scoped('grant', 2, 3, meta),
  SET_WRITE_HOOK: method('setWriteHook', 2, 2, meta),
  GET_WRITE_HOOK: method('getWriteHook', 1, 1, meta),
  INDEX_CREATE: method('indexCreate', 2, 3, { optargs: ['multi', 'geo'], writes: true }),
  INDEX_DROP: method('indexDrop', 2, 2, { writes: true }),
  INDEX_LIST: method('indexList', 1),
  INDEX_STATUS: method('indexStatus', 1, MANY),
  INDEX_WAIT: method('indexWait', 1, MANY, { writes: true }),
  INDEX_RENAME: method('indexRename', 3, 3, { optargs: ['overwrite'], writes: true }),

  // Times
  NOW: prefixed('now', 0, 0, { deterministic: 'constantNow' }),
  TIME: prefixed('time', 4, 7),
  EPOCH_TIME: prefixed('epochTime', 1),
  ISO8601: prefixed('ISO8601', 1, 1, { optargs: ['default_timezone'] }),
  TO_ISO8601: method('toISO8601', 1),
  TO_EPOCH_TIME: method('toEpochTime', 1),
  IN_TIMEZONE: method('inTimezone', 2),
  DURING: method('during', 3, 3, { optargs: BOUNDS }),
  DATE: method('date', 1),
  TIME_OF_DAY: method('timeOfDay', 1),
  TIMEZONE: method('timezone', 1),
  YEAR: method('year', 1),
  MONTH: method('month', 1),
  DAY: method('day', 1),
  DAY_OF_WEEK: method('dayOfWeek', 1),
  DAY_OF_YEAR: method('dayOfYear', 1),
  HOURS: method('hours', 1),
  MINUTES: method('minutes', 1),
  SECONDS: method('seconds', 1),
  MONDAY: constant('monday'),
  TUESDAY: constant('tuesday'),
  WEDNESDAY: constant('wednesday'),
  THURSDAY: constant('thursday'),
  FRIDAY: constant('friday'),
  SATURDAY: constant('saturday'),
  SUNDAY: constant('sunday'),
  JANUARY: constant('january'),
  FEBRUARY: constant('february'),
  MARCH: constant('march'),
  APRIL: constant('april'),
  MAY: constant('may'),
  JUNE: constant('june'),
  JULY: constant('july'),
  AUGUST: constant('august'),
  SEPTEMBER: constant('september'),
  OCTOBER: constant('october'),
  NOVEMBER: constant('november'),
  DECEMBER: constant('december'),

  // Geometry
  GEOJSON: prefixed('geojson', 1, 1, geo),
  TO_GEOJSON: method('toGeojson', 1),
  POINT: prefixed('point', 2),
  LINE: prefixed('line', 2, MANY, geo),
  POLYGON: prefixed('polygon', 3, MANY, geo),
  CIRCLE: prefixed('circle', 2, 2, { optargs: [...GEO_UNITS, 'fill', 'num_vertices'], ...geo }),
  DISTANCE: method('distance', 2, 2, { optargs: GEO_UNITS, ...geo }),
  INTERSECTS: method('intersects', 2, 2, { optargs: ['_NO_RECURSE_'], ...geo }),
  INCLUDES: method('includes', 2, 2, { optargs: ['_NO_RECURSE_'], ...geo }),
  GET_INTERSECTING: method('getIntersecting', 2, 2, { optargs: ['index'], ...geo }),
  GET_NEAREST: method('getNearest', 2, 2, { optargs: ['index', 'max_results', 'max_dist', ...GEO_UNITS], ...geo }),
  FILL: method('fill', 1, 1, geo),
  POLYGON_SUB: method('polygonSub', 2, 2, geo),
} as const satisfies Record<TermName, Signature>;

/** The names of all terms, in the order of the table. */
export const termNames = Object.keys(signatures) as readonly TermName[];

const namesByNumber: ReadonlyMap<number, TermName> = new Map(termNames.map((name) => [TermType[name], name]));
const byNumber: ReadonlyMap<number, Signature> = new Map(termNames.map((name) => [TermType[name], signatures[name]]));

/** The signature of a term number; `undefined` for numbers that RethinkDB 2.4.4 does not know. */
export function signatureOf(type: number): Signature | undefined {
  return byNumber.get(type);
}

/** The name of a term number in the protocol definition, such as `GET_FIELD`. */
export function termName(type: number): TermName | undefined {
  return namesByNumber.get(type);
}
