// A query as a field of log lines. Nothing is computed for a line that is not written, since loggers ask for the JSON of
// their fields last; what was printed once is kept in the place of the query.

import { HIDDEN, printLine } from '../../rewrite/reql/print/print-line.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';

/** A query that nobody has parsed is parsed for a line up to this length. */
const MOST_BYTES = 16 * 1024;
const MOST_SHOWN = 2000;

/** The text of one query. */
export class QueryText {
  /** The length of the query. */
  readonly bytes: number;
  readonly #showsData: boolean;
  #body: Buffer | undefined;
  #term: Term | undefined;
  #text: string | undefined;
  #isKept = false;

  /** `body` is copied when the query has become a feed. `showsData`: whether the data in the query may be shown. */
  constructor(body: Buffer, showsData: boolean) {
    this.bytes = body.length;
    this.#body = body;
    this.#showsData = showsData;
  }

  /** Whether data may be shown with it. */
  get showsData(): boolean {
    return this.#showsData;
  }

  /** The query as it was parsed, which spares doing so for a line. */
  parsed(term: Term): void {
    this.#term = term;
  }

  /**
   * Keeps what is kept for the life of a feed: lets go of the terms, which take several times what the text does, where they can be
   * had again, and of the read that the query came in.
   */
  keepText(): void {
    if (this.bytes <= MOST_BYTES) this.#term = undefined;
    if (this.#isKept || this.#body === undefined) return;
    this.#isKept = true;
    this.#body = Buffer.from(this.#body);
  }

  toJSON(): string {
    this.#text ??= this.#print();
    this.#body = undefined;
    this.#term = undefined;
    return this.#text;
  }

  #print(): string {
    const body = this.#body;
    if (this.#term !== undefined) return printLine(this.#term, this.#showsData);
    if (body === undefined) return HIDDEN;
    const parsed = body.length > MOST_BYTES ? undefined : parseQuery(body.toString());
    if (parsed !== undefined && 'term' in parsed) return printLine(parsed.term, this.#showsData);
    return this.#showsData ? body.toString('utf8', 0, MOST_SHOWN) : HIDDEN;
  }
}
