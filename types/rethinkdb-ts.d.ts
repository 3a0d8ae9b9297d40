// `import 'livefold/rethinkdb-ts'`: what the types of `rethinkdb-ts` (3.0) do not know of live aggregates. `changes` stands after
// values, groups and expressions, with the options that Livefold adds; and aggregates and groups take the fields of typed tables.

import type { GroupResults, RDatum, RFeed, RQuery, RValue } from 'rethinkdb-ts';

/** `Any` for the type `any`, `Other` for all others. */
type IfAny<T, Any, Other> = 0 extends 1 & T ? Any : Other;

/** What a document of the feed of a value shows: one `{group, reduction}` after `ungroup`, the whole value after all else. */
type Watched<T> = IfAny<T, T, T extends ReadonlyArray<infer Row> ? IfAny<Row, Row, RowOf<Row, T>> : T>;

type RowOf<Row, T> = Row extends GroupResults ? Row : T;

/** A value of any type, as the driver has it. */
type AnyValue = GroupResults['reduction'];

/** What an aggregate takes of a row: a field, or a function. */
type Value<T> = keyof T | ((row: RDatum<T>) => unknown);

declare module 'rethinkdb-ts' {
  interface ChangesOptions {
    /** After `reduce` and `fold`: the inverse of their function. `reverse(f(acc, element), element)` is `acc`. */
    reverse?: (acc: RDatum, element: RDatum) => unknown;
    /** With `reverse`: the acc of no elements. */
    base?: unknown;
    /** With `base`: what is shown of an acc. */
    emit?: (acc: RDatum) => unknown;
    /**
     * The outputs over all values, as a list of `[value, count]`: `values => outputs`, or `(group, values) => outputs` after
     * `group`. `values` is the like, in ReQL's order.
     */
    reducer?: (valuesOrGroup: RDatum, values: RDatum) => unknown;
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

  interface Changes<T> {
    /** The group, where the query is grouped. */
    group?: AnyValue;
    /** An output of a `reducer`, and how much more often it is there than before. */
    value?: AnyValue;
    count?: number;
    /** With `format: 'merge'`: what names the row, and what leads to its new value and back. */
    key?: AnyValue;
    body?: AnyValue;
    reverse?: AnyValue;
    /** With `includeRevs`. */
    rev?: string;
  }

  interface RDatum<T> {
    /** The value as it changes; null stands for no value, as `avg` of nothing. */
    changes(options?: ChangesOptions): RFeed<Changes<Watched<T> | null>>;
    do<U>(func: (value: RDatum<T>) => U): U extends RQuery ? U : RDatum<U>;
  }

  interface RSingleSelection<T> {
    changes(options?: ChangesOptions): RFeed<Changes<Watched<T> | null>>;
  }

  interface RStream<T> {
    /** Over a `reducer` or a named `aggregate` the documents are not rows. */
    changes(
      options: ChangesOptions &
        ({ reducer: NonNullable<ChangesOptions['reducer']> } | { aggregate: NonNullable<ChangesOptions['aggregate']> }),
    ): RFeed<Changes>;
    count(predicate: (row: RDatum<T>) => unknown): RDatum<number>;
    sum(value: Value<T>): RDatum<number>;
    avg(value: Value<T>): RDatum<number>;
    min(value: Value<T> | { index: string }): RDatum<T>;
    max(value: Value<T> | { index: string }): RDatum<T>;
    group(...by: Array<Value<T> | { index?: string; multi?: boolean }>): RDatum;
    /** With the inverse among the options of `changes`, since the driver takes no second argument. */
    reduce<U = T>(func: (left: RDatum<T>, right: RDatum<T>) => unknown): RDatum<U>;
  }

  interface RFeed<T> {
    limit(n: RValue<number>): this;
    skip(n: RValue<number>): this;
    merge(...objects: Array<object | RDatum | ((document: RDatum<T>) => unknown)>): RFeed;
  }

  interface R {
    changes<T>(value: RDatum<T>, options?: ChangesOptions): RFeed<Changes<Watched<T> | null>>;
  }
}
