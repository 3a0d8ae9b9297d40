// Reads the documents of a feed as they come. Nothing is slept for: every wait is for a document, and has a deadline.

import { type DriverError, driverError, isEnd } from '../checks/driver-error.ts';

/** How long a test waits for something that must come. */
export const DEADLINE_MS = 5_000;

/** What every driver's cursor has. */
export interface Cursor {
  next(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** How a feed is over: with the error that a driver raised, or because there are no more rows. */
export type Ending = { readonly kind: 'failed'; readonly error: DriverError } | { readonly kind: 'ended' };

/** A feed being read. Documents that nobody took yet are kept. */
export class Feed {
  readonly #cursor: Cursor;
  readonly #documents: unknown[] = [];
  #ending: Ending | undefined;
  #closed = false;
  #wake: () => void = () => {};

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    void this.#read();
  }

  /** The next `count` documents. Rejects with the driver's error, or when they do not come in time. */
  async take(count: number, deadlineMs: number = DEADLINE_MS): Promise<readonly unknown[]> {
    await this.#until(`${count} documents`, () => this.#documents.length >= count, false, deadlineMs);
    return this.#documents.splice(0, count);
  }

  /** The documents up to and with the first one that `last` holds for. */
  async takeUntil(
    what: string,
    last: (document: unknown) => boolean,
    deadlineMs: number = DEADLINE_MS,
  ): Promise<readonly unknown[]> {
    await this.#until(what, () => this.#documents.some(last), false, deadlineMs);
    return this.#documents.splice(0, this.#documents.findIndex(last) + 1);
  }

  /** How the feed ends, once all documents before that were taken or not. */
  async ending(deadlineMs: number = DEADLINE_MS): Promise<Ending> {
    await this.#until('the end of the feed', () => this.#ending !== undefined, true, deadlineMs);
    return this.#ending ?? { kind: 'ended' };
  }

  /** How the feed is over, if it is by now. */
  get over(): Ending | undefined {
    return this.#ending;
  }

  /** Documents that came and were not taken. */
  get waiting(): readonly unknown[] {
    return this.#documents;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#ending === undefined) await this.#cursor.close();
  }

  async #read(): Promise<void> {
    while (this.#ending === undefined && !this.#closed) {
      try {
        this.#documents.push(await this.#cursor.next());
      } catch (thrown) {
        const error = driverError(thrown);
        this.#ending = isEnd(error) ? { kind: 'ended' } : { kind: 'failed', error };
      }
      this.#wake();
    }
  }

  async #until(
    what: string,
    ready: () => boolean,
    endingWanted = false,
    deadlineMs: number = DEADLINE_MS,
  ): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    while (!ready()) {
      if (this.#ending !== undefined && !endingWanted) throw this.#overBefore(what, this.#ending);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`waited for ${what}, there are only ${JSON.stringify(this.#documents)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #overBefore(what: string, ending: Ending): Error {
    if (ending.kind === 'failed') return ending.error;
    return new Error(`waited for ${what}, but the feed ended after ${JSON.stringify(this.#documents)}`);
  }
}
