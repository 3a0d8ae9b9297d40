// Connections of which nothing is known yet: no magic number, or no TLS. Where the proxy is full, the one that has been silent
// for longest makes room, so that nobody locks clients out by connecting and saying nothing.

interface Stranger {
  readonly since: number;
  readonly leave: () => void;
}

/** The strangers of one listener, by anything that tells them apart. */
export class Strangers {
  readonly #patienceMs: number;
  readonly #strangers = new Map<unknown, Stranger>();

  /** `patienceMs`: how long each may be silent, whoever wants its place. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get size(): number {
    return this.#strangers.size;
  }

  /** Remembers one; `leave` is called when it has to make room. */
  add(who: unknown, leave: () => void): void {
    this.#strangers.set(who, { since: performance.now(), leave });
  }

  delete(who: unknown): void {
    this.#strangers.delete(who);
  }

  /** Sends all away. */
  dismiss(): void {
    const all = [...this.#strangers.values()];
    this.#strangers.clear();
    for (const { leave } of all) leave();
  }

  /** Sends away the one that came first. Returns whether there was one that had had its time. */
  makeRoom(): boolean {
    for (const [who, { since, leave }] of this.#strangers) {
      if (performance.now() - since < this.#patienceMs) return false;
      this.#strangers.delete(who);
      leave();
      return true;
    }
    return false;
  }
}
