// Readings of tables that have to be done again: few of one table at a time, so that a hundred feeds over it do not ask for a
// hundred scans at once.

/** So many readings of one table at a time. */
const AT_ONCE = 4;

/** A reading that waits for its turn, or goes on. */
interface Refill {
  readonly tables: ReadonlySet<string>;
  readonly begin: () => void;
  state: 'waiting' | 'running' | 'over';
}

/** The readings of a process that are done again. */
export class Refills {
  /** How many there are of each table. */
  readonly #running = new Map<string, number>();
  #waiting: Refill[] = [];

  /**
   * Begins now, or when it is its turn: nobody who came later begins before it on one of its tables.
   * @param identity which tables are read, as `readIdentity` gives them
   * @returns what ends the reading, or the wait for it
   */
  enter(identity: string, begin: () => void): () => void {
    const refill: Refill = { tables: new Set(identity.split(',')), begin, state: 'waiting' };
    this.#waiting.push(refill);
    this.#serve();
    return () => this.#leave(refill);
  }

  #leave(refill: Refill): void {
    const { state, tables } = refill;
    refill.state = 'over';
    if (state === 'waiting') this.#waiting = this.#waiting.filter((other) => other !== refill);
    if (state === 'running') for (const table of tables) this.#count(this.#running, table, -1);
    // The readings behind it on a table may begin.
    if (state !== 'over') this.#serve();
  }

  #serve(): void {
    const taken = new Map(this.#running);
    const next: Refill[] = [];
    for (const refill of this.#waiting) {
      const tables = [...refill.tables];
      if (tables.every((table) => (taken.get(table) ?? 0) < AT_ONCE)) next.push(refill);
      for (const table of tables) this.#count(taken, table, 1);
    }
    for (const refill of next) {
      refill.state = 'running';
      for (const table of refill.tables) this.#count(this.#running, table, 1);
    }
    this.#waiting = this.#waiting.filter(({ state }) => state === 'waiting');
    // A reading that begins may end at once, or have others begin.
    for (const refill of next) if (refill.state === 'running') refill.begin();
  }

  #count(counts: Map<string, number>, table: string, by: number): void {
    const count = (counts.get(table) ?? 0) + by;
    if (count === 0) counts.delete(table);
    else counts.set(table, count);
  }
}
