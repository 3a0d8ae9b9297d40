// A live query, taken apart: sources that RethinkDB can watch, and the values and rows that
// are folded from their elements. Both plans read this; neither looks at the client's tree again.
//
//   source --each--> elements --aggregate / group--> value --expression--> value      (scalar, groups)
//                       ^                              |
//                       +---------- rows <-------------+  ungroup, distinct, top     (rows)

import type { Aggregate } from './aggregates/aggregate.ts';
import type { CallTerm, Entry, Term } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';
import type { Window } from './window.ts';

/** A query whose `changes` RethinkDB cannot give, taken apart. */
export interface Live {
  /** The CHANGES term as the client wrote it. */
  readonly changes: CallTerm;
  /** What is watched. Its kind decides the documents: one value, one per group, or one per row. */
  readonly watched: Value | Grouped | Rows | Reduced;
  /** What RethinkDB is asked to watch; the indexes in `SourcePart` point here. Equal sources are one. */
  readonly sources: readonly Source[];
  /** The terms after `changes`, innermost first; the first argument of each stands for the stream of documents. */
  readonly after: readonly CallTerm[];
  /** The feeds of ours that are arguments of those terms, by the argument. */
  readonly beside: ReadonlyMap<Term, LiveQuery>;
  /** The global optargs of the query: run options, and fallbacks for the optargs of its terms. */
  readonly globalOptargs: readonly Entry[];
  /** What its selections follow; absent where they are written out. All else is then as it is for some value of that. */
  readonly follows?: Follows;
}

/** The rows that selections of a live query follow, and the query for each of their values. */
export interface Follows {
  /** An array of what is followed, each in an array of its own, which is empty where there is no value. */
  readonly of: LiveQuery;
  /** FUNC of what is followed: what is watched. */
  readonly at: CallTerm;
}

/** A live query, and the variables that generated terms may use. */
export interface LiveQuery {
  readonly live: Live;
  readonly fresh: FreshVars;
}

/** A live query that a fold inside RethinkDB can say. */
export interface FoldableLive extends Live {
  readonly watched: Exclude<Live['watched'], Reduced>;
}

/** A part of the query that RethinkDB accepts before `changes`, and what its feed carries for each row. */
export interface Source {
  /** The selection: a table, getAll, between, orderBy.limit, ... with the per-row terms that the server accepts. */
  readonly term: Term;
  /**
   * One function (FUNC of one variable) per consumer: the array of elements that a row is for it, `[]` where it is none.
   * A feed with several consumers carries an array of such arrays.
   */
  readonly projections: readonly CallTerm[];
  /**
   * The feed carries whole rows, and the fold or the proxy projects them: the term takes no `map` after it, or a function
   * may raise what RethinkDB would silently take for the absence of the row.
   */
  readonly wholeRows: boolean;
  /** The term takes no `map` after it: `orderBy.limit`. */
  readonly limited: boolean;
  /** Terms that make a row smaller before a source of whole rows carries it, innermost first. */
  readonly narrowing: readonly CallTerm[];
  /** What the feed carries besides, so that no row is the same at two places of the index that the term reads (`place.ts`). */
  readonly place: Place | undefined;
  /** It can give a row several times, so that one write to the row is several changes. */
  readonly repeats: boolean;
}

/** The part of a row that tells its place in an index: the fields that the index holds, or all of it. */
export type Place = { readonly kind: 'fields'; readonly fields: readonly string[] } | { readonly kind: 'row' };

/** A part of the elements, by where it comes from. */
export type Part = SourcePart | RowsPart | GroupPart | FailingPart | JoinPart | IncomparablePart;

/** The elements that a consumer of a source gets. */
export interface SourcePart {
  readonly kind: 'source';
  readonly source: number;
  readonly projection: number;
  /** A row can be an element several times, though the source gives it once: what the client selects is read with other selections. */
  readonly repeats?: true;
}

/** The rows of something live, each turned into an array of elements by `each` (FUNC of one variable). */
export interface RowsPart {
  readonly kind: 'rows';
  readonly rows: Rows;
  readonly projection: CallTerm;
}

/** The elements of one group; only inside `Grouped.value`. */
export interface GroupPart {
  readonly kind: 'group';
}

/** An element while something grouped has no groups, since the value of one raises NON_EXISTENCE. */
export interface FailingPart {
  readonly kind: 'failing';
  readonly of: Grouped;
}

/** The elements that a consumer of a join gets. */
export interface JoinPart {
  readonly kind: 'join';
  readonly join: Join;
  readonly consumer: number;
}

/** An element while rows are compared of which one has no value to compare, or nothing that can be looked up as a key. */
export interface IncomparablePart {
  readonly kind: 'incomparable';
  readonly of: PairJoin;
}

/** Rows of one side beside what is found for them on another. */
export type Join = PairJoin | LookupJoin;

/** The pairs of a row of the left side and one of the right side whose keys are equal. */
export interface PairJoin {
  readonly kind: 'pairs';
  /** Elements of both sides are `[key, row]`, or `[row]` for a row whose key raises NON_EXISTENCE where it is compared. */
  readonly left: Elements;
  readonly right: Elements;
  /** What the client wrote for the keys of either side, for people. */
  readonly by: JoinedBy;
  /** What the keys of the left side are looked up in: a value that is no key of it raises an error. */
  readonly keys: JoinKeys;
  /** FUNC of both rows: what has to hold of a pair besides. */
  readonly condition: CallTerm | undefined;
  /** A left row that is in no pair is there alone. */
  readonly outer: boolean;
  /** A pair can be there several times: the right side is found by an index that may have a row under one key more than once. */
  readonly repeats: boolean;
  readonly consumers: readonly PairConsumer[];
}

/** What has to be equal: functions or names of fields, on the right side also the name of an index. */
export interface JoinedBy {
  readonly left: Term;
  readonly right: Term;
}

/** What keys are of: the primary key of a table, one of its indexes, fields that an object has to be equal to, or any value. */
export type JoinKeys = 'primary' | 'index' | 'fields' | 'any';

/** The arrays of elements that a pair and a left row alone are for a consumer. */
export interface PairConsumer {
  /** FUNC of the left row and the right row. */
  readonly pair: CallTerm;
  /** FUNC of a left row that is in no pair; absent where none is there then. */
  readonly alone: CallTerm | undefined;
  /** A consumer before it: a pair that is an element for that one is none for this one. Absent where nothing is known. */
  readonly unless: number | undefined;
}

/** Rows beside what is looked up for each of them. */
export interface LookupJoin {
  readonly kind: 'lookups';
  /** Elements are the rows. */
  readonly left: Elements;
  readonly lookups: readonly Lookup[];
  /** FUNC of a row and of all that was looked up for it, in their order: the array of elements. */
  readonly consumers: readonly CallTerm[];
}

/** Something that is looked up for each row. */
export type Lookup = KeyedLookup | SharedLookup;

/** A value of the rows that have the row's key. */
export interface KeyedLookup {
  readonly kind: 'keyed';
  /** FUNC of the row and of what was looked up before. */
  readonly key: CallTerm;
  /** What of the rows has to be equal to it, for people: the name of a field or an index, or a function. */
  readonly by: Term;
  readonly keys: JoinKeys;
  /** A row without a key finds the value of no rows; otherwise it finds an error, which is raised where it is read. */
  readonly missingIsNone: boolean;
  /** Elements are `[key, row]`. */
  readonly of: Elements;
  /** FUNC of a row that is found: the array of the elements of the group. It is called only where the row is found. */
  readonly each: CallTerm;
  /** The value over the elements of a `GroupPart`. */
  readonly value: Value;
}

/** A value that is one for all rows. */
export interface SharedLookup {
  readonly kind: 'shared';
  readonly value: Value;
}

/** A bag of elements: the union of its parts. */
export interface Elements {
  readonly parts: readonly Part[];
}

/** Something that has one value at every moment, or an error (`avg` of nothing) that shows as null. */
export type Value = Aggregated | Expressed;

/** An aggregate over elements, which are already what the aggregate takes (see `Aggregate.project`). */
export interface Aggregated {
  readonly kind: 'aggregate';
  readonly aggregate: Aggregate;
  /** The client's aggregate term: its arguments, its origin for errors. */
  readonly term: CallTerm;
  readonly of: Elements;
}

/** A pure function of values. `func` is a FUNC with one variable per value; reading one without a value raises its error. */
export interface Expressed {
  readonly kind: 'expression';
  readonly of: readonly Value[];
  readonly func: CallTerm;
}

/**
 * One value per group. The elements are pairs `[group, element]`. A group without elements that count is not there; while the
 * value of one raises NON_EXISTENCE there are no groups.
 */
export interface Grouped {
  readonly kind: 'grouped';
  readonly of: Elements;
  /** What each group shows: a value over the elements of a `GroupPart`. */
  readonly value: Value;
  /** How many rows raise NON_EXISTENCE: while one does, the query has no groups. Absent where none can. */
  readonly missed?: Value;
  /** What stands for the whole answer while there are no groups, innermost first. */
  readonly defaults: readonly GroupDefault[];
}

/** `default` over groups, which catches what is raised below it for any of them. */
export interface GroupDefault {
  /** What each group has below the `default`. */
  readonly below: Value;
  /** The whole answer: a FUNC of what was raised, which raises it where it is read, and of `of`. */
  readonly func: CallTerm;
  readonly of: readonly Value[];
}

/** The outputs of a client's reducer over the values of each group, values and outputs both with how often they are there. */
export interface Reduced {
  readonly kind: 'reduced';
  /** Pairs `[group, element]` where there are groups, elements as they are otherwise. */
  readonly of: Elements;
  readonly grouped: boolean;
  /** FUNC of the group (null where there are no groups) and a list of `[value, count]`; it gives a list of `[value, count]`. */
  readonly reducer: CallTerm;
}

/** A live stream of rows. */
export type Rows = Distinct | Ungrouped | Top | Flat | Listed;

/** Each distinct element once. */
export interface Distinct {
  readonly kind: 'distinct';
  readonly of: Elements;
  /** As for groups. */
  readonly missed?: Value;
}

/** A row `{group, reduction}` for each group. */
export interface Ungrouped {
  readonly kind: 'ungroup';
  readonly of: Grouped;
}

/**
 * A part of an order: `orderBy(...).skip(m).limit(n)`. Rows are ordered by keys that are computed, of equal ones by fields, and of
 * those that are equal in these too by all that they are.
 */
export interface Top {
  readonly kind: 'top';
  /**
   * The rows, where no key is computed; else pairs `[keys, row]`, each key in an array of its own, which is empty where the row
   * has none and then before all others.
   */
  readonly of: Elements;
  /** For each key that is computed, whether it is descending. */
  readonly computed: readonly boolean[];
  readonly fields: readonly OrderField[];
  readonly window: Window;
}

/** A field by which rows are ordered: where it is not there a row comes before all others. */
export interface OrderField {
  readonly field: string;
  readonly descending: boolean;
}

/** The items of a value that is an array, as rows. */
export interface Flat {
  readonly kind: 'flat';
  readonly of: Value;
}

/** The elements themselves, as rows, equal ones as often as they are there: `concatMap(...).changes()`. */
export interface Listed {
  readonly kind: 'listed';
  readonly of: Elements;
}
