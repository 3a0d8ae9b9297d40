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
import { elementsOf } from '../operator/row-elements.ts';

/** The elements that a value of the feed is for a consumer. */
type Read = (value: Datum) => readonly Datum[];

interface Input {
  readonly reads: readonly Read[];
  /** Whether a change can be one of a place alone, which is nothing to anybody. */
  readonly placed: boolean;
  /** The row that a value of the feed is; `undefined` where the feed carries elements alone. */
  readonly row: ((value: Datum) => Datum) | undefined;
}

/** Reads an element feed for a graph. */
export class ElementInputs {
  readonly #graph: Graph;
  readonly #tagged: boolean;
  /** By source. */
  readonly #inputs: readonly Input[];

  constructor(sources: readonly Source[], graph: Graph, compile: (func: CallTerm) => PureFunction) {
    this.#graph = graph;
    this.#tagged = sources.length > 1;
    this.#inputs = sources.map((source) => ({
      reads: readsOf(source, this.#tagged, compile),
      placed: source.place !== undefined,
      row: source.wholeRows ? carriedOf(source, this.#tagged) : undefined,
    }));
  }

  /** A row of a source changed; null stands for a row that is not there. */
  change(oldVal: Datum, newVal: Datum): void {
    const source = this.#tagged ? tagOf(oldVal === null ? newVal : oldVal) : 0;
    const input = this.#inputs[source];
    if (input === undefined) throw new TypeError(`an element of source ${source}`);
    try {
      this.#take(source, input, oldVal, newVal);
    } catch (error) {
      throw input.row === undefined ? error : raisedFor(error, input.row(newVal === null ? oldVal : newVal));
    }
  }

  #take(source: number, { reads, placed }: Input, oldVal: Datum, newVal: Datum): void {
    for (let consumer = 0; consumer < reads.length; consumer++) {
      const read = reads[consumer];
      if (read === undefined) continue;
      const gone = oldVal === null ? NONE : read(oldVal);
      const come = newVal === null ? NONE : read(newVal);
      if (gone.length === 0 && come.length === 0) continue;
      if (!placed || !equalDatums(gone, come)) this.#graph.change(source, consumer, gone, come);
    }
  }
}

function readsOf(source: Source, tagged: boolean, compile: (func: CallTerm) => PureFunction): readonly Read[] {
  const carried = carriedOf(source, tagged);
  if (source.wholeRows) {
    return source.projections.map((consumer) => {
      const each = compile(consumer);
      return (value) => elementsOf(each([carried(value)]));
    });
  }
  if (source.projections.length === 1) return [(value) => elementsOf(carried(value))];
  return source.projections.map((_, index) => (value) => elementsOf(itemOf(carried(value), index)));
}

/** What the feed carries of a row, without the tag and the place. */
function carriedOf({ place }: Source, tagged: boolean): (value: Datum) => Datum {
  const untagged = tagged ? (value: Datum) => itemOf(value, 1) : (value: Datum) => value;
  return place === undefined ? untagged : (value) => itemOf(untagged(value), 0);
}

function tagOf(value: Datum): number {
  const tag = itemOf(value, 0);
  return typeof tag === 'number' ? tag : -1;
}

function itemOf(value: Datum, index: number): Datum {
  return elementsOf(value)[index] ?? null;
}
