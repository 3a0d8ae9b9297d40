// What one aggregate is: how rows become its elements, its fold as ReQL, and its accumulator in process, side by side.

import type { Datum } from '../reql/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { Builder, Expression } from '../term/build.ts';
import type { CallTerm, Term } from '../term/term.ts';

/** How the state of an aggregate grows with what it has seen. */
export type Growth = 'constant' | 'per distinct value' | 'per row';

/** How rows become elements: the argument of an aggregate, applied to a row. */
export interface Projection {
  readonly t: Builder;
  /** The aggregate term of the client's query. */
  readonly term: CallTerm;
  /** The arguments after the sequence; functions have their own variables (no `r.row` in them). */
  readonly args: readonly Term[];
  /** Whether every row is known to be an object (rows of a table), so that `hasFields` cannot fail on it. */
  readonly objects: boolean;
}

/** An aggregate as a fold inside RethinkDB. `acc` is never null. */
export interface ServerFold {
  readonly base: Expression;
  apply(t: Builder, acc: Term, element: Term): Expression;
  unapply(t: Builder, acc: Term, element: Term): Expression;
  /** The aggregate's value; raises the error of the one-shot query where there is none. */
  emit(t: Builder, acc: Term): Expression;
}

/** An aggregate folded in process. */
export interface Accumulator {
  /** @throws ReqlError what the aggregate raises for such an element (`sum` of a string). */
  apply(element: Datum): void;
  /** Takes back an element that was applied before. */
  unapply(element: Datum): void;
  /** The value now, or the error that the one-shot query raises (`avg` of nothing). Cheap: O(log n) at most. */
  emit(): Datum | ReqlError;
  /** How many elements it holds, applied less taken back. A group whose accumulator holds none is gone. */
  readonly count: number;
  /** Distinct things kept, for the limit on a feed's state. */
  readonly kept: number;
  /** What the operator should be told, once there is something: a counterexample to a reverse that the client gave. */
  readonly warning?: Warning | undefined;
}

/** What was found wrong with a function of the client's. */
export interface Warning {
  /** The law that it does not keep, in words. */
  readonly law: string;
  /** The smallest values found for which it does not: data of the client's. */
  readonly counterexample: string;
}

/** One aggregate. */
export interface Aggregate {
  /** The term number that it stands for (`TermType`). */
  readonly term: number;
  /** Its name in ReQL, as drivers spell it. */
  readonly name: string;
  readonly growth: Growth;
  /** Whether a call is for it, where aggregates share a term number (`coerceTo`); absent where none do. */
  readonly takes?: (term: CallTerm) => boolean;
  /** What a feed over no rows shows, in words. */
  readonly empty: string;
  /** Queries for the documentation and the golden file, in JavaScript ReQL over `t`. */
  readonly examples: readonly string[];
  /** No element is null: where a row is one at most, null can stand for none. */
  readonly neverNull?: true;
  /** The array of elements that a row is, as ReQL over the row; a deterministic term. */
  project(projection: Projection, row: Term): Expression;
  /** The fold inside RethinkDB, where the state is constant; others keep the bag of elements and `evaluate` it. */
  readonly server?: (term: CallTerm) => ServerFold;
  /** The value over an array of elements, as ReQL; what the server plan computes from a bag. */
  evaluate(t: Builder, elements: Term, term: CallTerm): Expression;
  /** A new accumulator; `term` is the client's aggregate term, for the origin of errors. */
  accumulator(term: CallTerm): Accumulator;
}
