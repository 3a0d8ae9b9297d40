// Computes what a live query watches from whole bags of elements, as ReQL over arrays. The server plan uses it where the state is
// not constant: it keeps the bags and computes anew.

import { answerTerm } from '../../kinds/grouped.ts';
import { foldableKindOf } from '../../kinds/index.ts';
import type { Aggregated, Elements, FoldableLive, Part, SourcePart } from '../../live.ts';
import type { Builder } from '../../reql/build/build.ts';
import { substituteVars } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, type VarId } from '../../reql/term/vars.ts';

/** Where values are read from. */
export interface Bags {
  /** The array that holds the elements of a source's consumer. */
  readonly ofSource: (part: SourcePart) => Term;
  /** The array of the elements of the group that is read; absent outside of one. */
  readonly ofGroup?: Term | undefined;
  /** The value of an aggregate that has a state of its own. */
  readonly stateOf?: ((value: Aggregated) => Term | undefined) | undefined;
}

/** A reading of bags. */
export class Reading {
  readonly t: Builder;
  readonly #bags: Bags;

  constructor(t: Builder, bags: Bags) {
    this.t = t;
    this.#bags = bags;
  }

  /** The same reading inside a group with these elements. */
  inGroup(ofGroup: Term): Reading {
    const { ofSource, stateOf } = this.#bags;
    return new Reading(this.t, { ofSource, ofGroup, stateOf });
  }

  /** What is watched; a value raises the error of the one-shot query where there is none. */
  watched(watched: FoldableLive['watched']): Term {
    return foldableKindOf(watched).term(this, watched);
  }

  /** The value of an aggregate that has a state of its own; `undefined` where it has none. */
  stateOf(value: Aggregated): Term | undefined {
    return this.#bags.stateOf?.(value);
  }

  /** The array of elements. */
  elements({ parts }: Elements): Term {
    const [first, ...more] = parts.map((part) => this.#part(part));
    if (first === undefined) return this.t.array();
    return more.reduce<Term>((all, part) => this.t.add(all, part), first);
  }

  #part(part: Part): Term {
    const { t } = this;
    switch (part.kind) {
      case 'source':
        return this.#bags.ofSource(part);
      case 'group': {
        const { ofGroup } = this.#bags;
        if (ofGroup === undefined) throw new TypeError('the elements of a group outside of it');
        return ofGroup;
      }
      case 'rows':
        return t.coerceTo(t.concatMap(this.watched(part.rows), part.projection), 'array');
      case 'failing':
        return t.branch(t.bracket(answerTerm(this, part.of), 'failing'), [1], []);
      case 'join':
      case 'incomparable':
        throw new TypeError('a join in a fold');
    }
  }

  /**
   * The body of a function over values. They are substituted, not given: an argument without a value may only raise where it is
   * read, under a `default`.
   */
  called(func: CallTerm, values: readonly Term[]): Term {
    const parts = funcParts(func);
    if (parts === undefined) throw new TypeError('an expression without a function');
    const byId = new Map<VarId, Term>();
    for (const [index, value] of values.entries()) {
      const id = parts.params[index];
      if (id !== undefined) byId.set(id, value);
    }
    return substituteVars(parts.body, byId);
  }
}
