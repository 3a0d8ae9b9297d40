// What `livefold explain` says of a query, for whoever looks at its feed. It is made when somebody asks, from the query's text, so that
// a feed costs nothing for it.

import { explain } from '../../../rewrite/explain.ts';
import { explanationLines } from '../../../rewrite/explanation-lines.ts';
import type { Plan } from '../../../rewrite/plan/choose-plan.ts';
import type { Knowledge } from '../../../rewrite/recognized.ts';
import { printLines } from '../../../rewrite/reql/print/print-line.ts';
import type { KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import type { Looked } from '../../relay/feed-port.ts';

/** Longer queries are not taken apart again for somebody who only looks. */
const MOST_CHARACTERS = 64 * 1024;

/** What a query was opened with. */
export interface DescribedQuery {
  readonly text: string;
  /** The plan that it has now. */
  readonly plan: () => Plan;
  /** What is known but for the indexes. */
  readonly knowledge: () => Omit<Knowledge, 'indexes' | 'asks'>;
  readonly upstreamQueueSize: number | undefined;
}

/** Describes one query. */
export class Description {
  readonly #query: DescribedQuery;
  #indexes: KnownIndexes;
  #made: { readonly plan: Plan; readonly lines: readonly string[] } | undefined;

  /** @param indexes what is known of the indexes that it reads */
  constructor(query: DescribedQuery, indexes: KnownIndexes) {
    this.#query = query;
    this.#indexes = indexes;
  }

  /** The query has been planned anew, since indexes are others now. */
  replanned(indexes: KnownIndexes): void {
    this.#indexes = indexes;
    this.#made = undefined;
  }

  /** The lines, made once: who looks at a feed does so again and again. */
  lines(looked: Looked): readonly string[] {
    const plan = this.#query.plan();
    if (this.#made?.plan !== plan) this.#made = { plan, lines: this.#make(plan, looked) };
    return this.#made.lines;
  }

  #make(plan: Plan, { showsData, alone }: Looked): readonly string[] {
    const { text, knowledge, upstreamQueueSize } = this.#query;
    if (text.length > MOST_CHARACTERS)
      return [`The query is too long to be explained here: ${text.length} characters.`];
    const explanation = explain(
      text,
      plan,
      { ...knowledge(), indexes: this.#indexes },
      { print: (term, names, width) => printLines(term, showsData, names, width), upstreamQueueSize },
    );
    if (explanation.kind !== 'rewritten') return explanationLines(explanation);
    const { alone: _, ...rest } = explanation;
    return explanationLines(alone === undefined ? rest : { ...rest, alone });
  }
}
