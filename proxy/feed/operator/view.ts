// The view of a live query: the end of its builder. One view serves any number of listeners, who may come at any settled moment:
// the snapshot is what they have to be shown first, and what they are told from then on follows from it. A view knows nothing
// of what a client asked for: states, types, or whether it wants to see what is there at first.
//
//   change, change ... settle     snapshot + listen, here     change ... settle
//                     └── a settled moment, until the next change ──┘

import { isOrderOfGroups } from '../../../rewrite/kinds/top.ts';
import type { Live } from '../../../rewrite/live.ts';
import type { Turn } from '../../work/turn.ts';
import type { Difference, Tell } from './difference.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { GroupsView } from './groups-view.ts';
import type { Operator } from './operator.ts';
import { OutputsView } from './outputs-view.ts';
import { RowPairing } from './row-pairing.ts';
import { RowView } from './row-view.ts';
import { ValueView } from './value-view.ts';

/** The watched value or rows, as they are and as they change. */
export interface View extends Operator {
  /** At once if no turn is given. */
  settle(turn?: Turn): boolean;
  /**
   * Tells of what differs, each time that it settles, beginning with what differs from this moment: a settled one. Before the
   * first, that is everything. The function returned ends it.
   */
  listen(tell: Tell): () => void;
  /** All that is there at a settled moment, as what differs from nothing. To be read before the next change. */
  snapshot(): Iterable<Difference>;
}

type Watched = Live['watched'];

type MakeView<Of extends Watched> = (builder: GraphBuilder, watched: Of, pairing: RowPairing) => View;

/** The view of what is watched, on its builder. It is to settle after the graph has. */
export function view<Kind extends Watched['kind']>(
  builder: GraphBuilder,
  watched: Extract<Watched, { readonly kind: Kind }>,
  pairing: RowPairing = new RowPairing(),
): View {
  return views[watched.kind](builder, watched, pairing);
}

const value: MakeView<Extract<Watched, { readonly kind: 'aggregate' | 'expression' }>> = (builder, watched) =>
  new ValueView(builder.value(watched));

const rows: MakeView<Parameters<GraphBuilder['rows']>[0]> = (builder, watched, pairing) =>
  new RowView(builder.rows(watched), isOrderOfGroups(watched), pairing);

const views: { readonly [Kind in Watched['kind']]: MakeView<Extract<Watched, { readonly kind: Kind }>> } = {
  aggregate: value,
  expression: value,
  grouped: (builder, watched) => new GroupsView(builder.groups(watched)),
  reduced: (builder, watched) => new OutputsView(builder.reduced(watched), watched.grouped),
  distinct: rows,
  ungroup: rows,
  top: rows,
  flat: rows,
  listed: rows,
};
