// Dashboards of all drivers while servers are killed at random: the short form of `npm run drill:dashboard`.

import { describe, expect, inject, test } from 'vitest';
import {
  clusterGround,
  type DrillReport,
  embeddedGround,
  type Ground,
  playDrill,
} from '../support/checks/dashboard-drill.ts';
import { chance } from '../support/queries/chance.ts';

const SEED = Number(process.env['LIVEFOLD_SEED'] ?? 1);

async function play(open: () => Promise<Ground>, ms: number): Promise<DrillReport> {
  const ground = await open();
  try {
    const told: string[] = [];
    const tell = (line: string): void => void told.push(line);
    const report = await playDrill(ground, { ms, pauseMs: 400, random: chance(SEED), tell });
    expect(report, `LIVEFOLD_SEED=${SEED}: ${told.join(', ')}`).toMatchObject({
      dashboards: report.dashboards.map(() => ({ wrong: [] })),
    });
    return report;
  } finally {
    await ground.close();
  }
}

/** The drill did something: servers died, rows were written, and screens lived through it. */
function expectEventful({ kills, writes, dashboards }: DrillReport): void {
  expect(kills).toBeGreaterThan(2);
  expect(writes).toBeGreaterThan(10);
  expect(dashboards.map(({ driver }) => driver)).toEqual(['rethinkdb', 'rethinkdb-ts', 'rethinkdbdash']);
  for (const { connections, differences } of dashboards) {
    expect(connections).toBeGreaterThan(1);
    expect(differences).toBeGreaterThan(20);
  }
}

test('figures are right in the end, without a reload: ways to the in-memory database, and the proxy, are cut', async () => {
  expectEventful(await play(embeddedGround, 4000));
}, 120_000);

const isThere = inject('rethinkdb') !== null && process.env['RETHINKDB_HOST'] === undefined;
describe.skipIf(!isThere)('three servers of RethinkDB', () => {
  test('figures are right in the end, without a reload: servers and the proxy are killed', async () => {
    expectEventful(await play(clusterGround, 5000));
  }, 120_000);
});
