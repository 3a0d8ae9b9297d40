// `import 'livefold/rethinkdb'`: what the types of the official driver (`@types/rethinkdb` 2.3) do not know of live aggregates.
// Those types know few of ReQL's terms; here are the aggregates, `changes` after them with all options, and groups.

import type { Expression, expr } from 'rethinkdb';

/** A term of any type. */
type Term = ReturnType<typeof expr>;

/** What an aggregate takes of a row: a field, or a function. */
type Value = string | ((row: Term) => unknown);

interface LiveOptions {
  squash?: boolean | number;
  changefeedQueueSize?: number;
  includeInitial?: boolean;
  includeStates?: boolean;
  includeTypes?: boolean;
  includeOffsets?: boolean;
  /** After `reduce` and `fold`: the inverse of their function. `reverse(f(acc, element), element)` is `acc`. */
  reverse?: (acc: Term, element: Term) => unknown;
  /** With `reverse`: the acc of no elements. */
  base?: unknown;
  /** With `base`: what is shown of an acc. */
  emit?: (acc: Term) => unknown;
  /**
   * The outputs over all values, as a list of `[value, count]`: `values => outputs`, or `(group, values) => outputs` after
   * `group`. `values` is the like, in ReQL's order.
   */
  reducer?: (valuesOrGroup: Term, values: Term) => unknown;
  /**
   * An aggregate by name: one that is built in, `'median'` or `['quantile', 0.95]`, or one that the proxy was given with
   * `--aggregates`, or the library as a setting.
   */
  aggregate?: string | readonly [name: string, argument: number];
  /** `false`: a feed upstream of its own, though others of the same query are carried together. */
  shared?: boolean;
  /** `{state: 'healing'}` and `{state: 'healed'}` while what RethinkDB has ended is read again. */
  includeHealing?: boolean;
  /** `{state: 'alive'}` after so many seconds without a document, while RethinkDB answers. */
  heartbeat?: number;
  /** Documents are merges, as `livefold/merge` applies them: `{key, body, reverse}` in place of `old_val` and `new_val`. */
  format?: 'merge';
  /** `rev` on each document: what `since` takes. */
  includeRevs?: boolean;
  /** The `rev` of a document: first comes what has changed since, once for each value, group or row. */
  since?: string;
}

declare module 'rethinkdb' {
  interface Operation<T> {
    /** The term as the driver sends it: what `liveRethinkdb` reads. `T` is what `run` gives. */
    build(): unknown;
  }

  interface Sequence {
    /** The rows as they change. */
    changes(options?: LiveOptions): Sequence;
    (field: string): Sequence;
    count(value: unknown): Expression<number>;
    sum(value?: Value): Expression<number>;
    avg(value?: Value): Expression<number>;
    min(value?: Value | { index: string }): Term;
    max(value?: Value | { index: string }): Term;
    group(...by: Array<Value | { index?: string; multi?: boolean }>): Sequence;
    ungroup(): Sequence;
    contains(...values: unknown[]): Expression<boolean>;
    /** The inverse second, or with `base` and `emit` as options. */
    reduce(
      func: (left: Term, right: Term) => unknown,
      reverse?: ((acc: Term, element: Term) => unknown) | Pick<LiveOptions, 'reverse' | 'base' | 'emit'>,
    ): Term;
    fold(base: unknown, func: (acc: Term, row: Term) => unknown): Term;
    orderBy(...keys: Array<Value | Sort | { index: string | Sort }>): Sequence;
    map(func: (row: Term) => unknown): Sequence;
    concatMap(func: (row: Term) => unknown): Sequence;
  }

  interface Expression<T> {
    /** The value as it changes; null stands for no value, as `avg` of nothing. */
    changes(options?: LiveOptions): Sequence;
    ungroup(): Sequence;
    do(func: (value: Expression<T>) => unknown): Term;
    coerceTo(type: string): Term;
    sub(...values: Array<number | Term>): Expression<number>;
    mul(...values: Array<number | Term>): Expression<number>;
    div(...values: Array<number | Term>): Expression<number>;
  }
}
