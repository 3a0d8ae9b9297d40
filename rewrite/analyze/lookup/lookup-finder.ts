// Takes apart what the arguments of one term look up: the keys, what is made of the rows that are found, and the function that
// is left of each argument.

import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import { substituteVars } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm, type VarId } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import type { FoundLookup } from '../join/lookup-base.ts';
import type { Leaf, Piece, Valued } from '../piece.ts';
import { checkDeterministic } from '../rules/argument.ts';
import { bodyOf, collected } from '../rules/collect.ts';
import { isArray } from '../rules/stream-type.ts';
import { SelectedPieces } from './selected-pieces.ts';
import { type Selected, SelectedRows } from './selected-rows.ts';
import { standsOnGroup } from './stands-on-group.ts';

/** Finds what the arguments of one term look up. */
export class LookupFinder {
  readonly #analysis: Analysis;
  readonly #term: CallTerm;
  /** The variable of the element. */
  readonly #row: VarId;
  readonly #selected: SelectedRows;
  readonly #pieces: SelectedPieces;
  readonly #used = new Set<Leaf>();

  constructor(analysis: Analysis, term: CallTerm, row: VarId) {
    this.#analysis = analysis;
    this.#term = term;
    this.#row = row;
    this.#selected = new SelectedRows(analysis, row);
    this.#pieces = new SelectedPieces(analysis, this.#selected);
  }

  /** An argument with variables for what it looks up. */
  take(argument: Term): Term {
    const parts = funcParts(argument);
    if (parts !== undefined && parts.params.length > 1) {
      throw refusal(
        this.#term,
        'its function takes several values, and looks things up. Look them up in a `map` before',
      );
    }
    const [param] = parts?.params ?? [];
    const t = this.#analysis.context.builder(argument);
    const own = parts?.body ?? argument;
    const body = param === undefined ? own : substituteVars(own, new Map([[param, t.var(this.#row)]]));
    const marked = this.#selected.mark(body);
    for (const selected of marked.found) this.#takeKey(selected);
    const piece = this.#analysis.analyze(marked.body, this.#pieces.scope());
    const value = this.#valueOf(argument, piece);
    checkDeterministic(value.body);
    for (const leaf of value.leaves) this.#used.add(leaf);
    const read = new Map(value.leaves.map(({ id }) => [id, checked(t, id)]));
    const result = substituteVars(value.body, read);
    return parts === undefined ? result : funcTerm([this.#row], result, argument);
  }

  /** All that is looked up, what reads others after them. */
  lookups(): readonly FoundLookup[] {
    const placed = new Map<Leaf, FoundLookup>();
    const place = (leaf: Leaf): void => {
      if (placed.has(leaf)) return;
      const selected = this.#selected.of(leaf.value);
      for (const before of selected?.taken?.leaves ?? []) place(before);
      placed.set(leaf, this.#found(leaf, selected));
    };
    for (const leaf of this.#used) place(leaf);
    return [...placed.values()];
  }

  #found(leaf: Leaf, selected: Selected | undefined): FoundLookup {
    if (selected === undefined) {
      if (standsOnGroup(leaf.value.of)) {
        throw refusal(
          leaf.value.term,
          'what it makes of the rows that are looked up cannot be kept for each element. Use `coerceTo("array")` on these',
        );
      }
      return { leaf, by: undefined };
    }
    const { taken, right, uses, by } = selected;
    return { leaf, by: { ...by, key: taken?.key ?? selected.key, right, uses } };
  }

  #takeKey(selected: Selected): void {
    const { all } = this.#selected;
    const before = all.slice(0, all.indexOf(selected));
    const piece = this.#analysis.analyze(selected.key, this.#pieces.scope(before));
    const { body, leaves } = this.#valueOf(selected.key, piece);
    checkDeterministic(body);
    selected.taken = { key: body, leaves };
  }

  #valueOf(term: Term, piece: Piece): Valued {
    switch (piece.kind) {
      case 'pure':
        return { kind: 'value', body: bodyOf(piece), leaves: [], sequence: false, row: false };
      // RethinkDB takes a stream for a value where it makes elements of it, and an array anywhere.
      case 'value':
        if (this.#term.type !== TermType.CONCAT_MAP && piece.stream !== undefined) throw new LeaveToServer();
        return piece;
      case 'stream':
        if (this.#term.type !== TermType.CONCAT_MAP && !isArray(piece)) throw new LeaveToServer();
        return collected(this.#analysis, term.kind === 'call' ? term : this.#term, piece);
      case 'grouped':
        throw refusal(piece.group, 'its groups are used inside an expression. Use `ungroup`');
    }
  }
}

/** A value that was looked up may be an error where it is read. */
function checked(t: Builder, id: VarId): Term {
  return t.nth(t.array(t.var(id)), 0);
}
