// `npm run bench`: measures all rows, or those that `--only` names, prints the table, and puts the rows into RESULTS.md,
// except for quick runs. `--help` says the rest. Exit codes: 1 where a row failed, 2 for what cannot be read.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { type Asked, DURATION, readCommand } from './command.ts';
import { machine } from './machine.ts';
import { measure } from './measure.ts';
import { quietText } from './other-work.ts';
import { type Progress, progressOn } from './progress.ts';
import { markdownOfRow, textOfRow } from './report.ts';
import { readParts, writeResults } from './results-file.ts';
import type { Row } from './row.ts';
import { comparedRows } from './rows/compared.ts';
import { rows } from './rows/index.ts';
import { Bench } from './stage.ts';

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MISTAKE = 2;

// Programs that were started end with the process, but only where it ends by itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
// Whoever reads the output may have had enough of it.
process.stdout.on('error', () => process.exit(1));

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

process.exit(await main());

/** Does what was typed; the exit code. */
async function main(): Promise<number> {
  try {
    const asked = readCommand(process.argv.slice(2), rows, print, comparedRows);
    if (!asked.list) return await runBench(asked, progressOn(process.stderr));
    const all = asked.against === undefined ? rows : comparedRows;
    const width = Math.max(...all.map(({ name }) => name.length)) + 2;
    for (const { name, title } of all) print(`${name.padEnd(width)}${title}`);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`bench: ${text.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')}\n`);
    return error instanceof CommanderError ? MISTAKE : 1;
  }
}

async function runBench({ rows: chosen, quick, built, against }: Asked, progress: Progress): Promise<number> {
  if (!built) build(ROOT, progress);
  if (against !== undefined && !existsSync(join(against, 'package.json'))) {
    throw new Error(`there is no Livefold in ${against}. Give the folder of a clone, which holds package.json`);
  }
  if (!built && against !== undefined) build(against, progress);
  for (const folder of [ROOT, ...(against === undefined ? [] : [against])]) {
    const main = join(folder, 'dist/src/main.js');
    if (!existsSync(main)) throw new Error(`${main} is missing. Leave --built out, and it is built`);
  }
  const asked = chosen.filter(({ slow }) => !(quick && slow === true));
  const bench = await Bench.open({ quick, against });
  const missing = await missingContenders(bench);
  print(`${machine()}\nagainst ${bench.serverName}${missing}`);
  if (chosen.length === rows.length) print(`all rows take ${quick ? DURATION.quick : DURATION.whole}`);
  print('');
  const parts = new Map(readParts(RESULTS));
  const measured: string[] = [];
  let failures = 0;
  for (const [index, row] of asked.entries()) {
    progress.begins(`[${index + 1}/${asked.length}] ${row.name}: ${row.title}`);
    try {
      const result = await measure(row, bench, progress);
      progress.ends();
      print(`${textOfRow(result)}\n`);
      const part = markdownOfRow(result);
      measured.push(part);
      parts.set(row.name, part);
      if (!quick && against === undefined) writeResults(RESULTS, head(bench, missing, parts), inOrder(parts));
    } catch (error) {
      progress.ends();
      failures += 1;
      print(`${row.name}: failed: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  await bench.close();
  if (measured.length > 0) print(quietText(titlesOf(measured)));
  return failures === 0 ? 0 : 1;
}

function build(folder: string, progress: Progress): void {
  progress.begins(`building ${join(folder, 'dist')}`);
  try {
    execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(`the build failed: ${output}`);
  } finally {
    progress.ends();
  }
}

/** What the table will lack, in words. */
async function missingContenders(bench: Bench): Promise<string> {
  const haproxy = await bench.contender('HAProxy');
  return haproxy === undefined ? '; HAProxy is not installed, so that nothing is compared with it' : '';
}

function inOrder(parts: ReadonlyMap<string, string>): readonly string[] {
  return rows.flatMap(({ name }: Row) => parts.get(name) ?? []);
}

function titlesOf(parts: readonly string[]): readonly string[] {
  return parts.map((part) => part.split('\n', 1)[0] ?? '');
}

function head(bench: Bench, missing: string, parts: ReadonlyMap<string, string>): readonly string[] {
  return [
    'Written by `npm run bench`, row by row: each row is from the last run that measured it. The README says how to read it.',
    '',
    `- Machine: ${machine()}; everything runs on it`,
    `- Other work: ${quietText(titlesOf(inOrder(parts)))}`,
    `- Server: ${bench.serverName}${missing}`,
  ];
}
