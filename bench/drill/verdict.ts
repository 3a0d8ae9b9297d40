// Whether a drill has shown what it is to show: one line for each target, and at the end one for each part of it.

import type { Reading } from './reading.ts';

interface Part {
  readonly title: string;
  readonly began: number;
  ms: number;
  targets: number;
  readonly missed: string[];
}

/** Prints targets as they are met or missed, and remembers which are. */
export class Verdicts {
  readonly #parts: Part[] = [];

  get missed(): number {
    return this.#parts.reduce((sum, { missed }) => sum + missed.length, 0);
  }

  /** Begins a part: the targets that come are its. */
  begin(title: string): void {
    console.log(`${title}:`);
    this.#parts.push({ title, began: performance.now(), ms: 0, targets: 0, missed: [] });
  }

  /** A target. `what`: what was seen, and what it should be. */
  say(holds: boolean, what: string): void {
    const part = this.#parts.at(-1);
    if (part === undefined) throw new TypeError('no part of the drill has begun');
    part.targets++;
    part.ms = performance.now() - part.began;
    if (!holds) part.missed.push(what);
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

  /** Tells of all parts again, each in a line, with what it has missed. */
  sum(): void {
    console.log('in short:');
    for (const { title, ms, targets, missed } of this.#parts) {
      const how = missed.length === 0 ? `pass: all ${targets}` : `FAIL: ${missed.length} of ${targets}`;
      console.log(`  ${how}, ${(ms / 1000).toFixed(0)} s, ${title}`);
      for (const what of missed) console.log(`    ${what}`);
    }
    console.log(this.missed === 0 ? 'all targets are met' : `${this.missed} targets are missed`);
  }
}

/** What a read through the proxy may take beyond one at the database, in milliseconds. */
const MORE = { p99: 100, longest: 500 } as const;
