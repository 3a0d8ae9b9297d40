// The pieces that the variables of selections stand for, in the function that looks them up.

import { point } from '../../aggregates/point.ts';
import type { Analysis, Scope } from '../analysis.ts';
import type { Piece } from '../piece.ts';
import { collected } from '../rules/collect.ts';
import { asStream, typeOf } from '../rules/stream-type.ts';
import type { Selected, SelectedRows } from './selected-rows.ts';

/** The pieces of selected rows, each made once. */
export class SelectedPieces {
  readonly #analysis: Analysis;
  readonly #selected: SelectedRows;
  readonly #pieces = new Map<Selected, Piece>();

  constructor(analysis: Analysis, selected: SelectedRows) {
    this.#analysis = analysis;
    this.#selected = selected;
  }

  /** The variables of selections, with the pieces that they stand for. */
  scope(selected: readonly Selected[] = this.#selected.all): Scope {
    return new Map([...this.#analysis.scope, ...selected.map((one) => [one.id, this.#pieceOf(one)] as const)]);
  }

  #pieceOf(selected: Selected): Piece {
    const known = this.#pieces.get(selected);
    if (known !== undefined) return known;
    const made = this.#makePiece(selected);
    this.#pieces.set(selected, made);
    return made;
  }

  #makePiece(selected: Selected): Piece {
    const { term, rows, isPoint } = selected;
    if (!isPoint && !this.#selected.isList(selected)) return rows;
    if (!isPoint) return asStream(collected(this.#analysis, term, rows), typeOf(rows));
    const { context } = this.#analysis;
    const leaf = context.leaf(undefined, () => ({
      kind: 'aggregate',
      aggregate: point,
      term,
      of: context.consume(rows, { term, isIdentity: true, elements: (t, row) => t.array(row) }),
    }));
    return { kind: 'value', body: context.builder(term).var(leaf.id), leaves: [leaf], sequence: false, row: true };
  }
}
