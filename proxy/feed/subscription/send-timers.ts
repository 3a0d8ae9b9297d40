// The two clocks of a subscription: when an answer without documents is due, and until when changes are held back.

import type { FeedIo } from '../../relay/feed-port.ts';

/** What V0_3 waits for changes before it answers with none (batching.cc: half a second). */
const EMPTY_BATCH_MS = 500;
const MS_PER_SECOND = 1000;

/** The timers of one subscription. */
export class SendTimers {
  readonly #io: Pick<FeedIo, 'schedule'>;
  /** Cancels the timer of an empty batch. */
  #cancelEmpty: (() => void) | undefined;
  /** Cancels the timer before whose end no more changes are sent, under `squash` with a number. */
  #cancelHold: (() => void) | undefined;

  constructor(io: Pick<FeedIo, 'schedule'>) {
    this.#io = io;
  }

  /** Whether changes are held back. */
  get isHolding(): boolean {
    return this.#cancelHold !== undefined;
  }

  /** Calls back when an answer without documents is due, unless `answered` is called before. */
  awaitEmpty(due: () => void): void {
    this.#cancelEmpty ??= this.#io.schedule(EMPTY_BATCH_MS, () => {
      this.#cancelEmpty = undefined;
      due();
    });
  }

  answered(): void {
    this.#cancelEmpty?.();
    this.#cancelEmpty = undefined;
  }

  /** Holds changes back from now on, and calls back when they may go. */
  hold(seconds: number, over: () => void): void {
    this.#cancelHold?.();
    this.#cancelHold = this.#io.schedule(seconds * MS_PER_SECOND, () => {
      this.#cancelHold = undefined;
      over();
    });
  }

  stop(): void {
    this.#cancelEmpty?.();
    this.#cancelHold?.();
  }
}
