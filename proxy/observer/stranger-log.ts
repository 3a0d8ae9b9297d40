// Warnings that anybody who can connect can cause, without a right to anything: of each kind the first is a line, and what
// comes after it is counted and summed up once a minute, so that a port scan does not fill a disk.

import type { Log } from '../log.ts';

const EVERY_MS = 60_000;

interface Kind {
  /** How often it came since the last line, and what it was about the last time. */
  times: number;
  last: Readonly<Record<string, unknown>>;
  readonly timer: NodeJS.Timeout;
}

/** The log of such warnings; `debug` shows every one. */
export class StrangerLog {
  readonly #log: Log;
  readonly #everyMs: number;
  readonly #kinds = new Map<string, Kind>();

  constructor(log: Log, everyMs: number = EVERY_MS) {
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** Warns of something; the message is its kind. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void {
    const kind = this.#kinds.get(message);
    if (kind !== undefined) {
      kind.times++;
      kind.last = fields;
      this.#log.debug(fields, message);
      return;
    }
    this.#log.warn(fields, message);
    const timer = setInterval(() => this.#sumUp(message), this.#everyMs).unref();
    this.#kinds.set(message, { times: 0, last: fields, timer });
  }

  /** Says what has been counted, and lets go of its timers. */
  close(): void {
    for (const message of [...this.#kinds.keys()]) {
      this.#sumUp(message);
      clearInterval(this.#kinds.get(message)?.timer);
    }
    this.#kinds.clear();
  }

  /** After a time without any the next is a line again. */
  #sumUp(message: string): void {
    const kind = this.#kinds.get(message);
    if (kind === undefined) return;
    if (kind.times === 0) {
      clearInterval(kind.timer);
      this.#kinds.delete(message);
      return;
    }
    this.#log.warn({ ...kind.last, times: kind.times, seconds: this.#everyMs / 1000 }, message);
    kind.times = 0;
  }
}
