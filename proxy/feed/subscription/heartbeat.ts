// Signs of life: a document after so long without one, while upstream is known to answer, so that silence is never taken for calm.

/** The part of its subscription that a heartbeat needs. */
export interface HeartbeatHost {
  /** Calls back after so many milliseconds, unless the function returned is called first. */
  schedule(ms: number, callback: () => void): () => void;
  /** Whether the client waits for documents. Where it does not, there is something to send at once when it does. */
  readonly isAsked: boolean;
  /** Calls back when upstream is known to answer, and nothing is being read again. */
  askForLife(alive: () => void): void;
  sayAlive(): void;
}

const MS_PER_SECOND = 1000;

/** The heartbeat of one feed. */
export class Heartbeat {
  readonly #ms: number;
  readonly #host: HeartbeatHost;
  #cancel: (() => void) | undefined;

  /** `sent` begins it. */
  constructor(seconds: number, host: HeartbeatHost) {
    this.#ms = seconds * MS_PER_SECOND;
    this.#host = host;
  }

  /** A document has been sent: the next sign of life is due when nothing has been for so long again. */
  sent(): void {
    this.#cancel?.();
    this.#cancel = this.#host.schedule(this.#ms, () => this.#due());
  }

  stop(): void {
    this.#cancel?.();
  }

  #due(): void {
    if (!this.#host.isAsked) {
      this.sent();
      return;
    }
    this.#host.askForLife(() => {
      this.#host.sayAlive();
      this.sent();
    });
  }
}
