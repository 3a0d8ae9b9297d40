// Reads a query and finds out what its terms are, in turns: a query may be long, and one that is holds nobody up.

import { FactsWalk } from '../../../rewrite/reql/term/facts.ts';
import { QueryReader } from '../../../rewrite/reql/term/query-reader.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { Turn } from '../../work/turn.ts';

/** Values that are read, and terms that are looked at, before the clock is. */
const AT_ONCE = 256;

/** A query that is being read. */
export class Reading {
  readonly #reader: QueryReader;
  #query: StartQuery | undefined;
  #facts: FactsWalk | undefined;
  /** Whether all is known of its terms. */
  #isKnown = false;

  constructor(text: string) {
    this.#reader = new QueryReader(text);
  }

  /** The query, once it has been read; `other` for a text that is none; `undefined` where the turn is over before. */
  go(turn: Turn): StartQuery | 'other' | undefined {
    while (this.#query === undefined) {
      const read = this.#reader.read(AT_ONCE);
      if (read.kind === 'other') return 'other';
      if (read.kind === 'query') this.#query = read.query;
      else if (turn.isOver()) return undefined;
    }
    const { term, globalOptargs } = this.#query;
    this.#facts ??= new FactsWalk([term, ...globalOptargs.map(([, optarg]) => optarg)]);
    while (!this.#isKnown) {
      this.#isKnown = this.#facts.go(AT_ONCE);
      if (turn.isOver()) return undefined;
    }
    return this.#query;
  }
}
