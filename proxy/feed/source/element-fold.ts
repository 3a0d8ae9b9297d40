// A live query folded in this process, without the feed: elements of its sources in, differences out. All that the proxy plan does
// between reading what RethinkDB sends and writing documents.

import type { Live } from '../../../rewrite/live.ts';
import { countedFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { Graph } from '../operator/graph.ts';
import { GraphBuilder, type GraphSettings } from '../operator/graph-builder.ts';
import type { RowPairing } from '../operator/row-pairing.ts';
import { type View, view } from '../operator/view.ts';
import { ElementInputs } from './element-inputs.ts';

/** The fold of a live query. */
export class ElementFold {
  /** Takes the changes of rows, as an element feed carries them. */
  readonly inputs: ElementInputs;
  /** What is watched. */
  readonly view: View;
  readonly #graph: Graph;

  /** `pairing`: what rows are paired by; as they come if absent. */
  constructor({ sources, watched }: Live, settings: GraphSettings, pairing?: RowPairing) {
    const builder = new GraphBuilder(settings);
    this.#graph = builder.graph;
    this.view = view(builder, watched, pairing);
    this.inputs = new ElementInputs(sources, this.#graph, (func) => countedFunction(func, settings.context));
  }

  /**
   * Brings all up to date, and tells the listeners of the view what differs; at once if no turn is given.
   * @returns false where the turn was over first. Then nothing may be pushed before it is called again
   */
  settle(turn: Turn = WHOLE_TURN): boolean {
    return this.#graph.settle(turn) && this.view.settle(turn);
  }
}
