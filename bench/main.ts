// `npm run bench`: measures all rows, or those that `--only` names, prints the table, and puts the rows
// into RESULTS.md, except for quick runs.
//
//   npm run bench                       everything (about half an hour)
//   npm run bench -- --quick            everything, in few and short rounds
//   npm run bench -- --only ready       rows whose names begin with `ready`; may be repeated, or given as a list with commas
//   npm run bench -- --list             the names

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine } from './machine.ts';
import { measure } from './measure.ts';
import { markdown, markdownOfRow, partsOf, short, textOfRow } from './report.ts';
import { rows } from './rows/index.ts';
import { Bench } from './stage.ts';

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
  },
});

// Programs that were started end with the process, but only where it ends by itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

if (values.list) for (const { name, title } of rows) print(`${name.padEnd(16)}${title}`);
else await runBench();

async function runBench(): Promise<void> {
  const names = values.only.flatMap((text) => text.split(','));
  const chosen = names.length === 0 ? rows : rows.filter(({ name }) => names.some((only) => name.startsWith(only)));
  if (chosen.length === 0) throw new Error('no row has such a name; --list shows them');
  if (!values.built) execFileSync('npm', ['run', 'build'], { cwd: ROOT, stdio: 'ignore' });
  const bench = await Bench.open(values.quick);
  print(`${machine()}\nagainst ${bench.serverName}\n`);
  const parts = new Map(existsSync(RESULTS) ? partsOf(readFileSync(RESULTS, 'utf8')) : []);
  for (const row of chosen) {
    try {
      const result = await measure(row, bench);
      print(`${textOfRow(result)}\n`);
      parts.set(row.name, markdownOfRow(result));
      const known = rows.flatMap(({ name }) => parts.get(name) ?? []);
      if (!values.quick) writeFileSync(RESULTS, markdown(known, head(bench)));
    } catch (error) {
      print(`${row.name}: failed: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  await bench.close();
  process.exit(0);
}

function head(bench: Bench): readonly string[] {
  return [
    'Written by `npm run bench`, row by row: each row is from the last run that measured it. A row measures its contenders in',
    'turn, round after round; a ratio (`A / B`) is taken within each round, and shown as the median of the rounds with the',
    'middle half of them.',
    '',
    `- Machine: ${machine()}; everything runs on it, and other work did, too (load at the end: ${loadavg().map(short).join(', ')})`,
    `- Server: ${bench.serverName}`,
  ];
}
