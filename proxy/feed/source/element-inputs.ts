// The upstream side of a graph: takes the values of an element feed apart and hands each consumer its elements. The feed
// carries, for each row,
//
//   one source, one consumer        [element, ...]
//   one source, several consumers   [[element, ...], [element, ...], ...]
//   a bare source                   the row itself
//   a source with a place           [one of the above, the place]
//   several sources                 [index of the source, one of the above]

import type { Source } from '../../../rewrite/live.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { CallTerm } from '../../../rewrite/reql/term/term.ts';
import type { Graph } from '../operator/graph.ts';
import { NONE } from '../operator/operator.ts';
import { raisedFor } from '../operator/raised-for.ts';
import { elementsOf, isIdentity, projectionOf } from '../operator/row-elements.ts';
import type { Steps } from '../operator/steps.ts';

/** The elements that a value of the feed is for a consumer. */
type Read = (value: Datum) => readonly Datum[];

interface Input {
  readonly source: number;
  readonly reads: readonly Read[];
  /** Whether a change can be one of a place alone, which is nothing to anybody. */
  readonly placed: boolean;
  /** The row that a value of the feed is; `undefined` where the feed carries elements alone. Errors name it. */
  readonly row: Carried | undefined;
  /** Whether elements are made of the row by functions of the client. */
  readonly evaluates: boolean;
}

/** What the feed carries of a row, without the tag and the place. */
type Carried = (value: Datum) => Datum;

/** Reads an element feed for a graph. */
export class ElementInputs {
  readonly #graph: Graph;
  /** By source. */
  readonly #inputs: readonly Input[];

  constructor(sources: readonly Source[], graph: Graph, compile: (func: CallTerm) => PureFunction) {
    this.#graph = graph;
    const tagged = sources.length > 1;
    this.#inputs = sources.map((source, index) => ({
      source: index,
      reads: readsOf(source, tagged, compile),
      placed: source.place !== undefined,
      row: source.wholeRows ? carriedOf(source, tagged) : undefined,
      evaluates: source.wholeRows && !source.projections.every(isIdentity),
    }));
  }

  /** A row of a source changed; null stands for a row that is not there. All that has to be evaluated for it is so at once. */
  change(oldVal: Datum, newVal: Datum): void {
    this.#change(this.#inputOf(oldVal, newVal), oldVal, newVal);
  }

  /**
   * The same in steps where functions are evaluated for it: each may take as long as a turn, and there are two for each consumer.
   * What is not, is done when this returns.
   */
  steps(oldVal: Datum, newVal: Datum): Steps | undefined {
    const input = this.#inputOf(oldVal, newVal);
    if (input.evaluates && input.row !== undefined) return this.#evaluate(input, input.row, oldVal, newVal);
    this.#change(input, oldVal, newVal);
    return undefined;
  }

  #inputOf(oldVal: Datum, newVal: Datum): Input {
    const source = this.#inputs.length > 1 ? tagOf(oldVal === null ? newVal : oldVal) : 0;
    const input = this.#inputs[source];
    if (input === undefined) throw new TypeError(`an element of source ${source}`);
    return input;
  }

  #change(input: Input, oldVal: Datum, newVal: Datum): void {
    const { source, reads, placed, row } = input;
    try {
      for (let consumer = 0; consumer < reads.length; consumer++) {
        const read = reads[consumer];
        if (read === undefined) continue;
        const gone = oldVal === null ? NONE : read(oldVal);
        const come = newVal === null ? NONE : read(newVal);
        if (gone.length === 0 && come.length === 0) continue;
        if (!placed || !equalDatums(gone, come)) this.#graph.change(source, consumer, gone, come);
      }
    } catch (error) {
      throw row === undefined ? error : raisedFor(error, row(newVal === null ? oldVal : newVal));
    }
  }

  *#evaluate(input: Input, row: Carried, oldVal: Datum, newVal: Datum): Steps {
    const { source, reads, placed } = input;
    try {
      for (const [consumer, read] of reads.entries()) {
        const gone = oldVal === null ? NONE : read(oldVal);
        yield;
        const come = newVal === null ? NONE : read(newVal);
        if (gone.length > 0 || come.length > 0) {
          if (!placed || !equalDatums(gone, come)) this.#graph.change(source, consumer, gone, come);
        }
        yield;
      }
    } catch (error) {
      throw raisedFor(error, row(newVal === null ? oldVal : newVal));
    }
  }
}

function readsOf(source: Source, tagged: boolean, compile: (func: CallTerm) => PureFunction): readonly Read[] {
  const carried = carriedOf(source, tagged);
  if (source.wholeRows) {
    return source.projections.map((consumer) => {
      const each = projectionOf(consumer, compile);
      return (value) => each(carried(value));
    });
  }
  if (source.projections.length > 1) {
    return source.projections.map((_, index) => (value) => elementsOf(itemOf(carried(value), index)));
  }
  return carried === whole ? [elementsOf] : [(value) => elementsOf(carried(value))];
}

/** How a feed carries rows. */
function carriedOf({ place }: Source, tagged: boolean): Carried {
  if (place === undefined) return tagged ? (value) => itemOf(value, 1) : whole;
  return tagged ? (value) => itemOf(itemOf(value, 1), 0) : (value) => itemOf(value, 0);
}

function whole(value: Datum): Datum {
  return value;
}

function tagOf(value: Datum): number {
  const tag = itemOf(value, 0);
  return typeof tag === 'number' ? tag : -1;
}

function itemOf(value: Datum, index: number): Datum {
  return elementsOf(value)[index] ?? null;
}
