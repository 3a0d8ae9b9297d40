// A feed of RethinkDB's own that ends when an index is made anew. Feeds of the first rows of an order know the identity of their
// index, and fail with the first write that finds another one under its name (changefeed.cc, foreach_limit), which building that
// one over the rows of the table is; feeds of ranges go on with whatever has the name. This one is of a key that no row has.

import { builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Entry } from '../../../rewrite/reql/term/term.ts';
import type { IndexRead } from '../../../rewrite/sources/indexes-read.ts';
import type { FeedQuery, UpstreamPort, UpstreamQuery } from '../../relay/feed-port.ts';
import { readResponse } from '../source/upstream-response.ts';
import { databaseOf } from './table-indexes.ts';

/** A row that had it would be seen, and do no harm. */
const NO_ROWS_KEY = 'livefold: no row has this key';

/** The feed that stands guard over one index. */
export class IndexSentinel {
  readonly #query: UpstreamQuery;
  /** Where answers come in the order of the questions, a CONTINUE holds up all after it until there is something. */
  readonly #serial: boolean;
  #isAsked = true;
  #isOpen = true;

  /** Opens the feed. `ended` is called with its error once it is over, and never after `stop`. */
  constructor(
    port: UpstreamPort,
    { table, index }: IndexRead,
    globalOptargs: readonly Entry[],
    protocol: FeedQuery['protocol'],
    ended: (error: ReqlError | undefined) => void,
  ) {
    this.#serial = protocol === 'V0_3';
    const t = builder(undefined, freshVars(table));
    const range = t.between(table, NO_ROWS_KEY, NO_ROWS_KEY, { index, right_bound: 'closed' });
    const term = t.changes(t.limit(t.orderBy(range, { index }), 1));
    const over = (error: ReqlError | undefined): void => {
      this.#isOpen = false;
      this.#query.drop();
      ended(error);
    };
    this.#query = port.query(serializeQuery({ term, globalOptargs: databaseOf(globalOptargs) }), {
      response: (body) => {
        this.#isAsked = false;
        const response = readResponse(body, term);
        if (response instanceof ReqlError) over(response);
        else if (!response.more) over(undefined);
        else if (!this.#serial) this.#ask();
      },
      failed: over,
      lost: () => over(undefined),
    });
  }

  /** Looks whether it is still there, where that is not heard of at once. */
  look(): void {
    if (this.#serial) this.#ask();
  }

  stop(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#query.stop();
    this.#query.drop();
  }

  #ask(): void {
    if (!this.#isOpen || this.#isAsked) return;
    this.#isAsked = true;
    this.#query.more();
  }
}
