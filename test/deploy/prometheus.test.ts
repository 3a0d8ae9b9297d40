// Prometheus itself, where it is on the PATH, scrapes a livefold and evaluates the alerts.

import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { METRICS, type MetricRow } from '../../src/admin/metric-table.ts';
import { Client } from '../../src/client/client.ts';
import { isOnPath } from '../support/servers/programs.ts';
import { onWatched } from '../support/servers/watched.ts';

const alerts = fileURLToPath(new URL('../../deploy/prometheus/alerts.yml', import.meta.url));
const isThere = isOnPath('prometheus');

/** A port that nobody has at this moment. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
}

/** What it answers to a question, as far as it is looked at. */
interface Answer<Data> {
  readonly data: Data;
}

interface Found {
  readonly result: readonly { readonly value: readonly [at: number, value: string] }[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[];
}

type Metadata = Readonly<Record<string, readonly { readonly type: string }[]>>;

const SOON = { timeout: 30_000, interval: 200 };

test.skipIf(!isThere)('it takes each metric as it is meant, and its alerts are well', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'livefold-prometheus-'));
  const port = await freePort();
  await onWatched(undefined, async ({ admin, proxy }) => {
    const client = await Client.connect(proxy);
    copyFileSync(alerts, join(folder, 'alerts.yml'));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: [{ job_name: 'livefold', static_configs: [{ targets: [`${admin.host}:${admin.port}`] }] }],
    };
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const prometheus = spawn(
      'prometheus',
      [
        '--config.file=prometheus.yml',
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => prometheus.on('exit', resolve));
    const asked = async <Data>(path: string): Promise<Data | undefined> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
      const { data }: Partial<Answer<Data>> = answer?.ok === true ? JSON.parse(await answer.text()) : {};
      return data;
    };
    try {
      await expect
        .poll(async () => (await asked<Found>('query?query=livefold_clients'))?.result[0]?.value[1], SOON)
        .toBe('1');
      const told = (await asked<Metadata>('metadata')) ?? {};
      for (const { name, type } of Object.values<MetricRow>(METRICS)) {
        // It tells of counters without their ending.
        expect((told[name] ?? told[name.replace(/_total$/, '')])?.[0]?.type, name).toBe(type);
      }
      const healths = async (): Promise<readonly string[]> => {
        const { groups = [] } = (await asked<Rules>('rules')) ?? {};
        return [...new Set(groups.flatMap(({ rules }) => rules.map(({ health }) => health)))];
      };
      await expect.poll(healths, SOON).toEqual(['ok']);
      expect((await asked<Found>('query?query=ALERTS'))?.result).toEqual([]);
    } finally {
      client.close();
      prometheus.kill();
      await ended;
      rmSync(folder, { recursive: true });
    }
  });
});
