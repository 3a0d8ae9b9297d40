// What a part of a live query is while it is taken apart. A piece is never shown outside: `watched.ts` turns the last one
// into a `Live`.

import type { Aggregated, GroupPart, Join, Rows } from '../live.ts';
import type { Consumer, RowType } from '../plan/projection.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { VarId } from '../reql/term/vars.ts';

export type Piece = Pure | Stream | Valued | GroupedPiece;

/** A term with nothing live in it. */
export interface Pure {
  readonly kind: 'pure';
  readonly term: Term;
}

/** Elements on their way to something that consumes them. */
export interface Stream {
  readonly kind: 'stream';
  /** The union of these. */
  readonly branches: readonly Branch[];
  /** The terms from the first `orderBy` on, innermost first: what they mean depends on who consumes the stream. */
  readonly tail: readonly CallTerm[];
  /** An order was lost that RethinkDB keeps: whoever depends on it is refused because of that. */
  readonly lost?: LostOrder | undefined;
}

/** What RethinkDB makes of a stream. */
export interface StreamType {
  /** It is still known to be rows of a table, and then never taken for an array. */
  readonly selection: boolean;
  readonly inMemory: boolean;
}

/** An order that RethinkDB keeps, and a live query does not. */
export interface LostOrder {
  /** Where it was lost. */
  readonly term: CallTerm;
  /** It was that of a list, in which aggregates too meet the elements. */
  readonly listed: boolean;
}

/** Elements of one origin. */
export interface Branch {
  readonly root: Base;
  /** The per-element terms above the base, innermost first; the first argument of each stands for what is below. */
  readonly chain: readonly CallTerm[];
  /** How many of the chain RethinkDB accepts on a feed of the base. */
  readonly native: number;
  /** How many of those hand on objects: more would send bare values, of which RethinkDB does not tell null from nothing. */
  readonly nativeObjects: number;
  /** Whether every element is known to be an object. */
  readonly objects: boolean;
  /** A term of the chain can raise more than NON_EXISTENCE for an element. */
  readonly mayRaise: boolean;
  /** A term of the chain can raise NON_EXISTENCE for an element. */
  readonly mayLackField: boolean;
  /** For rows that are computed: counts of what raises NON_EXISTENCE below them. While there is any there are no rows. */
  readonly missed: readonly Leaf[];
}

/** The elements of a base, with nothing on top of it. */
export function branchOf(base: Base, objects: boolean, missed: readonly Leaf[] = []): Branch {
  return { root: base, chain: [], native: 0, nativeObjects: 0, objects, mayRaise: false, mayLackField: false, missed };
}

export type Base = Selection | RowsBase | GroupBase | JoinBase;

/** A part of the query that RethinkDB accepts before `changes`. */
export interface Selection {
  readonly kind: 'selection';
  readonly term: CallTerm;
  /** It takes no `map` after it: `orderBy({index}).limit`. */
  readonly limited: boolean;
}

/** The rows of something live. */
export interface RowsBase {
  readonly kind: 'rows';
  readonly rows: Rows;
  /** RethinkDB makes an array of them, rather than a stream. */
  readonly array: boolean;
  /** They are still known to be rows of a table; they are not if absent. */
  readonly selection?: boolean;
  /** `undefined` where nobody can want it. */
  readonly order: RowOrder | undefined;
}

/**
 * The order in which RethinkDB gives the rows of something live: by their group, by themselves, by the primary key, or as an
 * `orderBy` over an array says.
 */
export interface RowOrder {
  readonly by: 'group' | 'row' | { readonly primaryKeyOf: CallTerm } | { readonly term: CallTerm };
  readonly descending: boolean;
}

/** The elements of one group. */
export interface GroupBase {
  readonly kind: 'group';
  readonly uses: GroupUses;
  /** They come from a list in memory, so that aggregates meet them in its order. */
  readonly listed: boolean;
  /** They are rows of a table that are looked up, which RethinkDB reads as a stream: those of a group are an array. */
  readonly isSelection: boolean;
  /** With how many terms the tail of its stream begins that restore the order of what was grouped. */
  readonly orders: number;
}

/** What a join gives. */
export interface JoinBase {
  readonly kind: 'join';
  /** What the client wrote: joins of one text are one. */
  readonly term: CallTerm;
  readonly join: Join;
  /** What RethinkDB makes of it: a stream or an array, still known to be rows of a table or not. */
  readonly type: StreamType;
  /** What its elements are known to be. */
  readonly rows: RowType;
  /** How many joins stand on one another, this one included. */
  readonly depth: number;
  /** Makes the sides and the consumers of the join, once it is known who takes what of it. */
  fill(uses: readonly JoinUse[]): void;
}

/** Who takes the elements of a join. */
export interface JoinUse {
  readonly branch: Branch;
  readonly consumer: Consumer;
}

/** Who consumes the elements of a group. There may be one; it is told when the terms above have been taken apart. */
export class GroupUses {
  #consumer: JoinUse | undefined;
  #part: GroupPart | undefined;

  get consumer(): JoinUse | undefined {
    return this.#consumer;
  }

  /** What the consumer takes. */
  get part(): GroupPart | undefined {
    return this.#part;
  }

  /** Tells who the consumer is, and says what it takes. */
  consumedBy(consumer: JoinUse): GroupPart {
    this.#consumer = consumer;
    this.#part = { kind: 'group' };
    return this.#part;
  }
}

/** A pure expression over live values. */
export interface Valued {
  readonly kind: 'value';
  /** The expression, with a variable for each leaf. */
  readonly body: Term;
  readonly leaves: readonly Leaf[];
  /** Its items are rows for the client: a per-element term stands on top of it. */
  readonly sequence: boolean;
  /** It is one row of a table (SINGLE_SELECTION), which no term that wants a sequence takes. */
  readonly row: boolean;
  /** It is a list of ours, of which RethinkDB makes no array: terms that want a value do not take it. An array, or no list, if absent. */
  readonly stream?: StreamType | undefined;
}

/** A live value under an expression. Equal ones share their variable. */
export interface Leaf {
  readonly id: VarId;
  readonly value: Aggregated;
}

/** Something per group: `inner` stands over the elements of one group. */
export interface GroupedPiece {
  readonly kind: 'grouped';
  /** The stream before `group`. */
  readonly stream: Stream;
  readonly group: CallTerm;
  readonly uses: GroupUses;
  readonly inner: Stream | Valued;
  /** The `default`s over the groups, innermost first. */
  readonly defaults: readonly WholeDefault[];
}

/** A `default` over groups: it stands for the whole answer. */
export interface WholeDefault {
  /** What each group is below it. */
  readonly below: Valued;
  /** The variable that raises what a group raised. */
  readonly raised: VarId;
  /** The whole answer while one raises, with the terms above the `default` on top. */
  readonly whole: Valued;
}
