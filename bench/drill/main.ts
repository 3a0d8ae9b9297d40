// Drills: what a client that means harm, or that only asks much, does to the others. `npm run drill -- --help`.

import { parseArgs } from 'node:util';
import { buildProgram } from '../../test/support/servers/program.ts';
import { filling } from './filling.ts';
import { hostile } from './hostile.ts';
import { running } from './running.ts';
import { silentTls } from './silent-tls.ts';
import { slowReader } from './slow-reader.ts';
import type { DatabaseKind } from './stage.ts';
import { unauthenticated } from './unauthenticated.ts';
import { Verdicts } from './verdict.ts';

const USAGE = `npm run drill -- [options]
  --only A,B             hostile, silent-tls, slow-reader, filling, running, unauthenticated (all)
  --databases A,B        real, which needs a \`rethinkdb\` on the PATH, embedded (real,embedded)
  --minutes N            of each form of hostile, and of slow-reader (1)
  --direct-minutes N     of each run of hostile at the database itself (as --minutes)
  --plans A,B            of hostile: auto, server, proxy (auto,server,proxy)
  --workers A,B          of hostile: processes of the proxy (1,2)
  --rights A,B           of hostile: whether its client may read: with, without (with,without)
  --fuzzed N             of hostile: queries made by chance, beside one for each hostile term (200)
  --seed N               of hostile: the same seed gives the same queries (1)
  --named TEXT           of hostile: sends those queries alone whose names contain this
  --passing              of hostile: sends also what RethinkDB alone evaluates, which stops RethinkDB itself
  --turns                of hostile: looks at the turns of the proxy's loops in place of reads, and tells what ran in long ones
  --rows N               of filling (1000000)
Each target is a line that says pass or FAIL, and at the end there is a line for each part; the exit code is 1 where one is missed.

  npm run drill -- --only hostile --minutes 0.5
      all 24 forms (2 databases, with and without rights, 3 plans, 1 and 2 workers), and 8 runs at the databases themselves to
      compare with: 32 times half a minute, and some seconds each to fill tables
  npm run drill -- --only hostile --databases real --plans auto --workers 2 --rights with --minutes 10 --direct-minutes 1
      one form for ten minutes, 12 minutes in all
  npm run drill -- --only silent-tls,unauthenticated,slow-reader --minutes 1.5
  npm run drill -- --only filling,running --databases real
`;

const KINDS: readonly DatabaseKind[] = ['real', 'embedded'];
const RIGHTS = ['with', 'without'] as const;
const MS_PER_MINUTE = 60_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'hostile,silent-tls,slow-reader,filling,running,unauthenticated' },
    databases: { type: 'string', default: 'real,embedded' },
    minutes: { type: 'string', default: '1' },
    'direct-minutes': { type: 'string' },
    plans: { type: 'string', default: 'auto,server,proxy' },
    workers: { type: 'string', default: '1,2' },
    rights: { type: 'string', default: 'with,without' },
    fuzzed: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    named: { type: 'string', default: '' },
    passing: { type: 'boolean', default: false },
    turns: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const only = values.only.split(',');
const databases = KINDS.filter((kind) => values.databases.split(',').includes(kind));
const ms = Number(values.minutes) * MS_PER_MINUTE;
const verdicts = new Verdicts();
const program = await buildProgram();
try {
  if (only.includes('silent-tls')) await silentTls(program, verdicts);
  for (const kind of databases) {
    if (only.includes('unauthenticated')) await unauthenticated(program, kind, verdicts);
    if (only.includes('slow-reader')) await slowReader(program, kind, ms, verdicts);
    if (only.includes('running')) await running(program, kind, verdicts);
    if (only.includes('filling')) await filling(program, kind, Number(values.rows), verdicts);
  }
  if (only.includes('hostile')) {
    await hostile(
      program,
      {
        ms,
        directMs: Number(values['direct-minutes'] ?? values.minutes) * MS_PER_MINUTE,
        databases,
        plans: values.plans.split(','),
        workers: values.workers.split(',').map(Number),
        rights: RIGHTS.filter((right) => values.rights.split(',').includes(right)),
        fuzzed: Number(values.fuzzed),
        seed: Number(values.seed),
        named: values.named,
        passing: values.passing,
        turns: values.turns,
      },
      verdicts,
    );
  }
  verdicts.sum();
} finally {
  await program.close();
}
process.exit(verdicts.missed === 0 ? 0 : 1);
