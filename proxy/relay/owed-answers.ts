// Counts the answers that upstream owes the client for queries that passed.

import type { Splitter } from '../wire/splitter.ts';
import type { Inspection } from './inspection.ts';

/** The answers owed on one connection. */
export class OwedAnswers {
  /** Held frames that went on. */
  replayed = 0;
  /** Answers that are the proxy's own to queries that passed. */
  answered = 0;
  readonly #fromClient: Pick<Splitter, 'passed'>;
  readonly #fromUpstream: Pick<Splitter, 'passed'>;
  readonly #inspection: Pick<Inspection, 'noreply'>;

  constructor(
    fromClient: Pick<Splitter, 'passed'>,
    fromUpstream: Pick<Splitter, 'passed'>,
    inspection: Pick<Inspection, 'noreply'>,
  ) {
    this.#fromClient = fromClient;
    this.#fromUpstream = fromUpstream;
    this.#inspection = inspection;
  }

  get count(): number {
    const asked = this.#fromClient.passed + this.replayed - this.#inspection.noreply;
    return asked - this.answered - this.#fromUpstream.passed;
  }
}
