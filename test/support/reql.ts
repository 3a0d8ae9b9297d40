// ReQL as the tests write it: one loose type that fits the official driver, rethinkdb-ts and rethinkdbdash alike, so that
// a row of a table is one function of `r`. What a driver refuses by itself, it throws when the query is built.

/** A query under construction, from any driver: only its makers can read it. */
export interface Built {
  readonly changes: unknown;
}

/** A function of ReQL: the driver calls it once, with variables. */
export type Func = (...variables: readonly Reql[]) => Argument;

/** What can stand as an argument of a term. */
export type Argument =
  | null
  | boolean
  | number
  | string
  | Date
  | Uint8Array
  | Built
  | Func
  | readonly Argument[]
  | { readonly [key: string]: Argument };

/** A term of any driver, and the namespace `r` itself. Calling a term is `bracket`. */
export interface Reql extends Methods {
  (field: Argument): Reql;
  /** The row that an enclosing function was called with. */
  readonly row: Reql;
  readonly minval: Reql;
  readonly maxval: Reql;
  /** Runs the term. What it resolves to depends on the driver; see drivers.ts. */
  run(connection: unknown, options: object): Promise<unknown>;
}

/** A query, written once for all drivers. */
export type Query = (r: Reql) => Reql;

type Method = (...args: readonly Argument[]) => Reql;

type Methods = { readonly [name in MethodName]: Method };

type MethodName =
  | 'ISO8601'
  | 'add'
  | 'and'
  | 'append'
  | 'args'
  | 'avg'
  | 'between'
  | 'binary'
  | 'bracket'
  | 'branch'
  | 'changes'
  | 'coerceTo'
  | 'concatMap'
  | 'config'
  | 'contains'
  | 'count'
  | 'date'
  | 'db'
  | 'dbCreate'
  | 'dbDrop'
  | 'dbList'
  | 'default'
  | 'delete'
  | 'desc'
  | 'distinct'
  | 'div'
  | 'do'
  | 'epochTime'
  | 'eq'
  | 'eqJoin'
  | 'error'
  | 'expr'
  | 'filter'
  | 'floor'
  | 'fold'
  | 'forEach'
  | 'ge'
  | 'get'
  | 'getAll'
  | 'getField'
  | 'getIntersecting'
  | 'grant'
  | 'group'
  | 'gt'
  | 'hasFields'
  | 'hours'
  | 'indexCreate'
  | 'indexDrop'
  | 'indexList'
  | 'indexRename'
  | 'indexStatus'
  | 'indexWait'
  | 'info'
  | 'innerJoin'
  | 'insert'
  | 'isEmpty'
  | 'js'
  | 'json'
  | 'keys'
  | 'le'
  | 'limit'
  | 'literal'
  | 'lt'
  | 'map'
  | 'match'
  | 'max'
  | 'merge'
  | 'min'
  | 'mod'
  | 'mul'
  | 'ne'
  | 'not'
  | 'now'
  | 'nth'
  | 'offsetsOf'
  | 'object'
  | 'or'
  | 'orderBy'
  | 'outerJoin'
  | 'pluck'
  | 'polygon'
  | 'prepend'
  | 'random'
  | 'range'
  | 'rebalance'
  | 'reconfigure'
  | 'reduce'
  | 'replace'
  | 'round'
  | 'sample'
  | 'setInsert'
  | 'setUnion'
  | 'skip'
  | 'slice'
  | 'split'
  | 'status'
  | 'sub'
  | 'sum'
  | 'table'
  | 'tableCreate'
  | 'tableDrop'
  | 'tableList'
  | 'toJSON'
  | 'typeOf'
  | 'ungroup'
  | 'union'
  | 'update'
  | 'upcase'
  | 'uuid'
  | 'values'
  | 'wait'
  | 'withFields'
  | 'without'
  | 'zip';
