// Dashboards as programs have them, while servers are killed at random; and whether every figure is right in the end, on the screens
// that were there from the start. `npm run drill:dashboard -- --help`.

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { clusterGround, embeddedGround, playDrill } from '../test/support/checks/dashboard-drill.ts';
import { chance } from '../test/support/queries/chance.ts';

const USAGE = `npm run drill:dashboard -- [options]
  --seconds N   how long servers are killed and come back (300)
  --pause N     the longest pause between a kill and a revival, in seconds (3)
  --seed N      the same seed gives the same pauses and victims (1)
  --embedded    the in-memory database behind two ways that are cut, where no \`rethinkdb\` program is on the PATH

Three servers of RethinkDB with one table that each has whole, a livefold before them, and a dashboard of nine figures for each
driver. The last line says RIGHT or WRONG; the exit code is 1 if a figure is wrong a minute after all are well again, and 2 if there
is no database to play with.
`;
const NO_DATABASE = 'There is no `rethinkdb` program on the PATH: put it there, or play with --embedded.';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    pause: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    embedded: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<number> {
  if (!values.embedded && spawnSync('rethinkdb', ['--version']).status !== 0) {
    console.error(NO_DATABASE);
    return 2;
  }
  const ground = await (values.embedded ? embeddedGround() : clusterGround());
  try {
    const started = performance.now();
    const report = await playDrill(ground, {
      ms: Number(values.seconds) * 1000,
      pauseMs: Number(values.pause) * 1000,
      random: chance(Number(values.seed)),
      tell: (line) => console.log(`${((performance.now() - started) / 1000).toFixed(1)} s: ${line}`),
    });
    console.log(`${report.kills} kills, ${report.writes} writes that were acknowledged`);
    for (const { driver, connections, differences, wrong } of report.dashboards) {
      const verdict = wrong.length === 0 ? 'all figures are right' : `these are wrong: ${wrong.join(', ')}`;
      console.log(`${driver}: ${connections} connections, ${differences} changes on the screen, ${verdict}`);
    }
    const isRight = report.dashboards.every(({ wrong }) => wrong.length === 0);
    const after = `${(report.rightAfter / 1000).toFixed(1)} s after all were well`;
    console.log(isRight ? `RIGHT: every figure of every dashboard, ${after}` : `WRONG: figures differ ${after}`);
    return isRight ? 0 : 1;
  } finally {
    await ground.close();
  }
}

if (values.help) console.log(USAGE);
else process.exit(await main());
