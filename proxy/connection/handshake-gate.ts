// The gate that bounds how many clients shake hands with upstream at once. Clients that have shown their magic wait for their turn:
// by turns the one that has waited longest, and the one that has come last, since behind thousands that say nothing who comes last
// would wait longer than drivers do. One that keeps others waiting by saying nothing loses its turn. So whoever has no password
// costs RethinkDB a bounded number of connections, and cannot lock others out.

/** A place at the gate. */
export interface GatePass {
  /** Waits for a turn; `enter` is called then, at once if there is room. */
  wait(enter: () => void): void;
  /** It is the client's turn to speak, so that it may be asked to go; `evict` is called if others wait for too long. */
  clientOwes(evict: () => void): void;
  /** It is upstream's turn to speak. */
  upstreamOwes(): void;
  /** The handshake is over, or given up. */
  leave(): void;
}

interface Entrant {
  enter: (() => void) | undefined;
  /** Since when the client owes a message, on a clock that does not go back. */
  since: number;
  evict: (() => void) | undefined;
}

/** How often it is looked whether somebody keeps others waiting. */
const LOOK_MS = 100;

/** The gate of one listener. */
export class HandshakeGate {
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #inside = new Set<Entrant>();
  readonly #waiting = new Set<Entrant>();
  #isTurnOfLast = false;
  #look: NodeJS.Timeout | undefined;

  /**
   * `most`: how many may be inside at once. `patienceMs`: how long a client may owe a message while others wait.
   */
  constructor(most: number, patienceMs: number) {
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  /** A place for one more client, which does not wait yet. */
  pass(): GatePass {
    const entrant: Entrant = { enter: undefined, since: 0, evict: undefined };
    return {
      wait: (enter) => {
        entrant.enter = enter;
        this.#waiting.add(entrant);
        this.#admit();
      },
      clientOwes: (evict) => {
        // A client that sends its message a byte at a time owes it from the start.
        if (entrant.evict !== undefined) return;
        entrant.since = performance.now();
        entrant.evict = evict;
      },
      upstreamOwes: () => {
        entrant.evict = undefined;
      },
      leave: () => {
        this.#waiting.delete(entrant);
        this.#inside.delete(entrant);
        this.#admit();
      },
    };
  }

  #admit(): void {
    while (this.#inside.size < this.#most && this.#waiting.size > 0) {
      const all = [...this.#waiting];
      const entrant = this.#isTurnOfLast ? all.at(-1) : all[0];
      if (entrant === undefined) break;
      this.#isTurnOfLast = !this.#isTurnOfLast;
      this.#waiting.delete(entrant);
      this.#inside.add(entrant);
      entrant.enter?.();
      entrant.enter = undefined;
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#look);
      this.#look = undefined;
    } else {
      this.#look ??= setInterval(() => this.#evict(), LOOK_MS);
    }
  }

  /** Sends away as many as wait of those who have owed a message for too long, the longest first. */
  #evict(): void {
    const before = performance.now() - this.#patienceMs;
    const idle = [...this.#inside].filter(({ evict, since }) => evict !== undefined && since < before);
    idle.sort((a, b) => a.since - b.since);
    for (const { evict } of idle.slice(0, this.#waiting.size)) evict?.();
  }
}
