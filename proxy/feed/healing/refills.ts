// Readings of tables that have to be done again: few of one table at a time, so that a hundred feeds over it do not ask for a
// hundred scans at once.

/** So many readings of one table at a time. */
const AT_ONCE = 4;

/** The readings of a process that are done again. */
export class Refills {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * Begins now, or when it is its turn.
   * @param table equal for readings of the same tables
   * @returns what ends the reading, or the wait for it
   */
  enter(table: string, begin: () => void): () => void {
    const running = this.#running.get(table) ?? 0;
    if (running >= AT_ONCE) return this.#wait(table, begin);
    this.#running.set(table, running + 1);
    begin();
    return once(() => this.#leave(table));
  }

  #wait(table: string, begin: () => void): () => void {
    let end = (): void => {};
    const start = (): void => {
      end = once(() => this.#leave(table));
      begin();
    };
    const waiting = this.#waiting.get(table) ?? [];
    waiting.push(start);
    this.#waiting.set(table, waiting);
    end = () => {
      const at = waiting.indexOf(start);
      if (at >= 0) waiting.splice(at, 1);
    };
    return () => end();
  }

  #leave(table: string): void {
    const next = this.#waiting.get(table)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#waiting.delete(table);
    const running = (this.#running.get(table) ?? 1) - 1;
    if (running === 0) this.#running.delete(table);
    else this.#running.set(table, running);
  }
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
