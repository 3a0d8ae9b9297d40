// A query as a field of log lines. Nothing is computed for a line that is not written, since loggers ask for the JSON of
// their fields last; what was printed once is kept in the place of the query.

import { parseQuery } from '../rewrite/term/parse.ts';
import { HIDDEN, printLine } from '../rewrite/term/print-line.ts';
import type { Term } from '../rewrite/term/term.ts';

/** A query that nobody has parsed is parsed for a line up to this length. */
const MOST_BYTES = 16 * 1024;
const MOST_SHOWN = 2000;

/** The text of one query. */
export class QueryText {
  /** The length of the query. */
  readonly bytes: number;
  readonly #showsData: boolean;
  #query: Buffer | Term | string;

  /** `showsData`: whether the data in the query may be shown. */
  constructor(body: Buffer, showsData: boolean) {
    this.bytes = body.length;
    this.#query = body;
    this.#showsData = showsData;
  }

  /** Whether data may be shown with it. */
  get showsData(): boolean {
    return this.#showsData;
  }

  /** The query as it was parsed, which spares doing so for a line. */
  parsed(term: Term): void {
    this.#query = term;
  }

  toJSON(): string {
    if (typeof this.#query !== 'string') this.#query = this.#print(this.#query);
    return this.#query;
  }

  #print(query: Buffer | Term): string {
    if (!Buffer.isBuffer(query)) return printLine(query, this.#showsData);
    const parsed = query.length > MOST_BYTES ? undefined : parseQuery(query.toString());
    if (parsed !== undefined && 'term' in parsed) return printLine(parsed.term, this.#showsData);
    return this.#showsData ? query.toString('utf8', 0, MOST_SHOWN) : HIDDEN;
  }
}
