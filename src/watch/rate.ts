// The rate at which something happens, over the last seconds.

const WINDOW_MS = 10_000;
const BIN_MS = 500;

/** Counts what happens in time. Times are milliseconds, and do not go back. */
export class Rate {
  #total = 0;
  #bins: { readonly start: number; count: number }[] = [];
  #since: number | undefined;

  /** All that has happened. */
  get total(): number {
    return this.#total;
  }

  count(now: number, times = 1): void {
    this.#since ??= now;
    this.#total += times;
    const last = this.#bins.at(-1);
    if (last !== undefined && now - last.start < BIN_MS) last.count += times;
    else this.#bins.push({ start: now, count: times });
  }

  /** How many there were a second, over the last ten seconds or since the first. */
  perSecond(now: number): number {
    this.#bins = this.#bins.filter(({ start }) => now - start < WINDOW_MS);
    if (this.#since === undefined) return 0;
    const seconds = Math.max(1000, Math.min(WINDOW_MS, now - this.#since)) / 1000;
    return this.#bins.reduce((sum, { count }) => sum + count, 0) / seconds;
  }
}
