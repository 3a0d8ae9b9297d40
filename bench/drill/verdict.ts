// Whether a drill has shown what it is to show: one line for each target.

import type { Reading } from './reading.ts';

/** Prints targets as they are met or missed, and remembers whether all are met. */
export class Verdicts {
  #missed = 0;

  get missed(): number {
    return this.#missed;
  }

  /** A target. `what`: what was seen, and what it should be. */
  say(holds: boolean, what: string): void {
    if (!holds) this.#missed++;
    console.log(`  ${holds ? 'pass' : 'FAIL'}: ${what}`);
  }

  /** Reads beside something, against reads beside the same at the database itself. */
  compare(through: Reading, directly: Reading): void {
    for (const [what, ms] of Object.entries(MORE)) {
      const [seen, base] = what === 'p99' ? [through.p99, directly.p99] : [through.longest, directly.longest];
      this.say(seen <= base + ms, `${what} ${seen.toFixed(0)} ms, at most ${ms} ms more than ${base.toFixed(0)} ms`);
    }
    this.say(through.failed === 0, `${through.failed} reads failed, of ${through.reads}`);
  }
}

/** What a read through the proxy may take beyond one at the database, in milliseconds. */
const MORE = { p99: 100, longest: 500 } as const;
