// An aggregate: how rows become its elements, its fold as ReQL, and its accumulator in process, side by side.

import type { Builder, Expression } from '../reql/build/build.ts';
import type { Datum } from '../reql/data/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { Arrangement } from './state/arrangement.ts';

/**
 * On which order of the elements a value depends: on none; on one in which they are `read` one by one, or `listed` in memory;
 * on the latter only, since else RethinkDB runs the aggregate on each shard by itself; and there only between elements that
 * are equal to the aggregate (`ties`).
 */
export type OrderDependence = 'none' | 'read' | 'listed' | 'listed, ties';

/** The growth of an aggregate's state with the elements that it has seen. */
export type Growth = 'constant' | 'per distinct value' | 'per row';

/** The projection of rows to elements: an aggregate's argument, applied to a row. */
export interface Projection {
  readonly t: Builder;
  /** The aggregate term of the client's query. */
  readonly term: CallTerm;
  /**
   * The arguments after the sequence; functions have their own variables (no `r.row` in them). A named aggregate has none: its
   * elements are those of the stream.
   */
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
  value(): Datum | ReqlError;
  /** The number of elements that it holds, applied less taken back. A group whose accumulator holds none is gone. */
  readonly count: number;
  /** Distinct things kept, for the limit on a feed's state. */
  readonly kept: number;
  /** The memory that it takes beside the data that it keeps; that of a small tree if absent. */
  readonly cost?: StateCost | undefined;
  /** A warning for the operator, once there is one: a counterexample to a reverse that the client gave. */
  readonly warning?: Warning | undefined;
}

/** Bytes that a state takes beside the data in it, measured on V8 (scripts/measure-state.ts). */
export interface StateCost {
  /** Before it keeps anything. */
  readonly base: number;
  /** For each thing kept. */
  readonly entry: number;
}

/** A law that a function of the client's breaks. */
export interface Warning {
  /** The law that it does not keep, in words. */
  readonly law: string;
  /** The smallest values found for which it does not: data of the client's. */
  readonly counterexample: string;
}

/** The form of the elements of an order: `[key, row]`, of which equal keys have several, or `[key]`. */
export type ArrangedForm = 'keyed rows' | 'keys';

/** The reading of a value from the order of the elements. */
export interface ArrangedReading {
  readonly form: ArrangedForm;
  /** The value now, or the error that the one-shot query raises. O(log n) at most. */
  read(arrangement: Arrangement): Datum | ReqlError;
}

/** An aggregate: of a term of ReQL, or by name. */
export type Aggregate = TermAggregate | NamedAggregate;

/** The part that all aggregates have. */
interface Described {
  /** Its name in ReQL, as drivers spell it, or the name that `changes({aggregate: name})` takes. */
  readonly name: string;
  readonly growth: Growth;
  /** The value of a feed over no rows, in words. */
  readonly empty: string;
  /** Queries for the documentation and the golden file, in JavaScript ReQL over `t`. */
  readonly examples: readonly string[];
  /** No element is null: where a row is one at most, null can stand for none. */
  readonly neverNull?: true;
  /** Its value is the one row that it is of: whoever reads fields of the value alone needs no more of the row. */
  readonly givesRow?: true;
  /** The array of elements that a row is, as ReQL over the row; a deterministic term. */
  project(projection: Projection, row: Term): Expression;
  /** The fold inside RethinkDB, where the state is constant; others keep the bag of elements and `evaluate` it. */
  readonly server?: (term: CallTerm) => ServerFold;
  /** The reading of the value where the state is the order of the elements, which aggregates over the same elements share. */
  readonly arranged?: (term: CallTerm) => ArrangedReading;
  /**
   * A new accumulator; `term` is the client's aggregate term, for the origin of errors. `context`: what functions of the client
   * are evaluated with.
   */
  accumulator(term: CallTerm, context: EvalContext): Accumulator;
}

/**
 * The kind of an aggregate's arguments: a value, or a function of an element (`value`); the name of a field, or such a function
 * (`field`); functions that the aggregate applies to what it has put together, and nobody to an element (`combining`).
 */
export type TermArgument = 'value' | 'field' | 'combining';

/** An aggregate that a term of ReQL stands for. */
export interface TermAggregate extends Described {
  /** The term number that it stands for (`TermType`). */
  readonly term: number;
  /** Whether a call is for it, where aggregates share a term number (`coerceTo`); absent where none do. */
  readonly takes?: (term: CallTerm) => boolean;
  /** The kind of its arguments; `value` if absent. */
  readonly argumentIs?: TermArgument;
  /** Its argument is a function whose NON_EXISTENCE is the aggregate's: rows for which it is raised are counted. */
  readonly mayLackField?: true;
  /**
   * In which orders the value depends on that of the elements, for these arguments (those after the sequence); absent where it
   * never does.
   */
  readonly order?: (args: readonly Term[]) => OrderDependence;
  /** The value over an array of elements, as ReQL; what the server plan computes from a bag. */
  evaluate(t: Builder, elements: Term, term: CallTerm): Expression;
}

/** An aggregate that ReQL has no term for: `changes({aggregate: name})`, or `[name, argument]` where it takes one. */
export interface NamedAggregate extends Described {
  /** Its definition in words, for the documentation, and its names elsewhere. */
  readonly meaning: string;
  /** The argument; absent where it takes none. Its value is the second argument of the aggregate term, a datum. */
  readonly argument?: NamedArgument;
  /** As for terms; absent where ReQL cannot say the value exactly: such an aggregate is folded in the proxy alone. */
  readonly evaluate?: TermAggregate['evaluate'];
}

/** The argument of a named aggregate. */
export interface NamedArgument {
  /** In words that follow "is": `a number from 0 to 1`. */
  readonly what: string;
  /** An argument that it takes. */
  readonly example: Datum;
  accepts(value: Datum): boolean;
}

/** Whether an aggregate goes by name. */
export function isNamed(aggregate: Aggregate): aggregate is NamedAggregate {
  return 'meaning' in aggregate;
}

/** The aggregates of terms by the number of their term, in the order given. */
export function byTerm(aggregates: readonly Aggregate[]): ReadonlyMap<number, readonly TermAggregate[]> {
  const found = new Map<number, TermAggregate[]>();
  for (const aggregate of aggregates) {
    if (isNamed(aggregate)) continue;
    const sharing = found.get(aggregate.term);
    if (sharing === undefined) found.set(aggregate.term, [aggregate]);
    else sharing.push(aggregate);
  }
  return found;
}
