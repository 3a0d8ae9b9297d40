// What is looked at inside the workers of a proxy: whether a turn of their loops is longer than anybody may hold it, and what ran
// in it then.

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Program } from '../../test/support/servers/program.ts';
import type { LongTurn, TurnReport } from './turn-watch.ts';
import type { Verdicts } from './verdict.ts';

/** How long a turn may hold the loop, in milliseconds of CPU. */
const MOST_MS = 50;

/** Looks into the workers of one proxy. */
export class TurnWatch {
  readonly #folder: string;
  readonly #file: string;

  private constructor(folder: string, file: string) {
    this.#folder = folder;
    this.#file = file;
  }

  static async make({ folder }: Program): Promise<TurnWatch> {
    const file = join(folder, 'turn-watch.mjs');
    const source = fileURLToPath(new URL('turn-watch.ts', import.meta.url));
    await build({ entryPoints: [source], outfile: file, platform: 'node', format: 'esm', logLevel: 'warning' });
    return new TurnWatch(mkdtempSync(join(folder, 'turns-')), file);
  }

  /** What Node is started with. */
  get nodeOptions(): readonly string[] {
    const url = pathToFileURL(this.#file);
    url.searchParams.set('folder', this.#folder);
    url.searchParams.set('long', String(MOST_MS));
    return ['--import', url.href];
  }

  /** What the workers have told, now that they have ended. */
  say(verdicts: Verdicts): void {
    const reports = readdirSync(this.#folder).map(
      (name): TurnReport => JSON.parse(readFileSync(join(this.#folder, name), 'utf8')),
    );
    const most = (of: (report: TurnReport) => number): number => Math.max(0, ...reports.map(of));
    const turns = reports.reduce((sum, report) => sum + report.turns, 0);
    const longest = most(({ longestCpu }) => longestCpu);
    verdicts.say(
      turns > 0 && longest <= MOST_MS,
      `the longest of ${turns} turns of a worker took ${longest.toFixed(0)} ms of CPU, at most ${MOST_MS} ms`,
    );
    const [wall, delay] = [most(({ longestWall }) => longestWall), most(({ longestDelay }) => longestDelay)];
    const collected = most(({ longestCollection }) => longestCollection);
    console.log(
      `  by the clock ${wall.toFixed(0)} ms at most; a timer was ${delay.toFixed(0)} ms late; a collection took ${collected.toFixed(0)} ms`,
    );
    for (const turn of reports.flatMap(({ long }) => long)) console.log(textOf(turn));
  }
}

function textOf({ began, cpu, wall, ran }: LongTurn): string {
  return `    ${cpu.toFixed(0)} ms of CPU, ${wall.toFixed(0)} by the clock, ${began}: ${ran.join(' < ')}`;
}
