// Plans a live query anew: an index that it reads may be another one now, and what has to be carried of each row depends on what
// the index holds. The query is read again from its text, since its terms are not kept.

import type { Live } from '../../../rewrite/live.ts';
import { recognize } from '../../../rewrite/recognize.ts';
import type { Knowledge } from '../../../rewrite/recognized.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { FreshVars } from '../../../rewrite/reql/term/vars.ts';
import type { KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import type { Turn } from '../../work/turn.ts';
import type { OpenSource, SourcePort } from '../source/feed-source.ts';
import { readError } from '../source/upstream-response.ts';
import { IndexAnswers } from './index-answers.ts';
import { askIndex, readIndexAnswer } from './index-status.ts';
import { Reading } from './reading.ts';

/** A query that is planned anew. */
export interface ReplannedQuery {
  readonly text: string;
  /** What is known but for the indexes. */
  readonly knowledge: () => Omit<Knowledge, 'indexes' | 'asks'>;
  /** Plans the live query: how it is opened. */
  readonly plan: (live: Live, fresh: FreshVars, indexes: KnownIndexes) => OpenSource;
}

/** The way in which the query is opened now, the error with which it cannot be, or `undefined` where it is no live query any more. */
export type Replanned = OpenSource | ReqlError | undefined;

/** Plans a query anew, over a connection, in turns. */
export class Replanning {
  readonly #query: ReplannedQuery;
  readonly #port: SourcePort;
  readonly #then: (plan: Replanned) => void;
  readonly #reading: Reading;
  readonly #answers = new IndexAnswers();
  readonly #begin: () => void;

  /** `then` is called once, unless the connection goes. */
  constructor(query: ReplannedQuery, port: SourcePort, then: (plan: Replanned) => void) {
    this.#query = query;
    this.#port = port;
    this.#then = then;
    this.#reading = new Reading(query.text);
    this.#begin = port.job((turn) => this.#goOn(turn));
  }

  begin(): void {
    this.#begin();
  }

  #goOn(turn: Turn): boolean {
    const parsed = this.#reading.go(turn);
    if (parsed === undefined) return false;
    if (parsed === 'other') this.#then(undefined);
    else this.#recognize(parsed);
    return true;
  }

  #recognize(parsed: StartQuery): void {
    const recognized = recognize(parsed, { ...this.#query.knowledge(), indexes: this.#answers.known, asks: true });
    switch (recognized.kind) {
      case 'live':
        this.#then(this.#query.plan(recognized.live, recognized.fresh, this.#answers.known));
        break;
      case 'refused':
        this.#then(recognized.error);
        break;
      case 'untouched':
        this.#then(undefined);
        break;
      case 'asks':
        askIndex(this.#port, recognized.question, parsed.globalOptargs, (body) => {
          const error = readError(body);
          if (error !== undefined) {
            this.#then(error);
            return;
          }
          this.#answers.set(recognized.question, readIndexAnswer(body, recognized.question));
          this.#begin();
        });
        break;
    }
  }
}
