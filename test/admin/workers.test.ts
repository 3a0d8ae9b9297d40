// One scrape for all workers: what they count is summed, and stays counted when one of them dies and is replaced.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Status } from '../../src/admin/status.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { eventually } from '../support/checks/eventually.ts';
import { buildProgram, type Program, type Started } from '../support/servers/program.ts';
import { onlyGrows, type Scrape, scrape } from '../support/servers/watched.ts';

const MS = 60_000;
let program: Program;

beforeAll(async () => {
  program = await buildProgram();
}, 3 * MS);
afterAll(() => program.close());

const READY = /listening on 127\.0\.0\.1:(\d+),.*\nlivefold admin on http:\/\/127\.0\.0\.1:(\d+)\/\n/;

async function ports({ out }: Started): Promise<readonly [proxy: number, admin: number]> {
  await eventually('it is ready', () => READY.test(out()), MS);
  const [, proxy = '', admin = ''] = READY.exec(out()) ?? [];
  return [Number(proxy), Number(admin)];
}

const at = (port: number): { host: string; port: number } => ({ host: '127.0.0.1', port });
const ACCEPTED = 'livefold_handshakes_total{outcome="accepted"}';

test(
  'workers are summed, and no counter falls when one is killed or all are restarted',
  async () => {
    const started = program.start(['--embedded', '--listen', '127.0.0.1:0', '--admin', '0', '--workers', '2']);
    const [proxy, admin] = await ports(started);
    const status = async (): Promise<Status> =>
      JSON.parse(await (await fetch(`http://127.0.0.1:${admin}/api/status`)).text());
    let last: Scrape = new Map();
    const scraped = async (): Promise<Scrape> => {
      const now = await scrape(at(admin));
      for (const [name, value] of last) {
        if (onlyGrows(name) && name.startsWith('livefold_')) expect(now.get(name), name).toBeGreaterThanOrEqual(value);
      }
      last = now;
      return now;
    };
    const gets = async (name: string, value: number): Promise<void> => {
      await expect.poll(async () => (await scraped()).get(name), { timeout: MS, interval: 200 }).toBe(value);
    };

    // One after the other: workers take clients in turn.
    const clients: Client[] = [];
    while (clients.length < 4) clients.push(await Client.connect(at(proxy)));
    await gets(ACCEPTED, 4);
    expect(last.get('livefold_clients')).toBe(4);
    expect(last.get('livefold_workers')).toBe(2);
    await clients[0]?.run(queryOfText("r.tableCreate('t')"));
    for (const client of clients) {
      void client.watch(queryOfText("r.table('t').count().changes({includeInitial: true})"), () => {}).catch(() => {});
    }
    await gets('livefold_subscribers', 4);
    // The two of each worker share one.
    expect(last.get('livefold_shares')).toBe(2);
    const before = await status();
    expect(before.workers.map(({ clients: of, feeds }) => [of, feeds])).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(new Set(before.clients.map(({ id }) => id.split('-')[0]))).toEqual(new Set(['1', '2']));

    process.kill(before.workers[0]?.pid ?? 0, 'SIGKILL');
    await gets('livefold_worker_deaths_total', 1);
    await gets('livefold_workers', 2);
    expect(last.get(ACCEPTED)).toBe(4);
    await gets('livefold_clients', 2);
    expect((await status()).totals.documents).toBeGreaterThanOrEqual(before.totals.documents);
    const again = await Client.connect(at(proxy));
    await gets(ACCEPTED, 5);

    started.child.kill('SIGHUP');
    await expect
      .poll(async () => (await status()).workers.map(({ id }) => id), { timeout: MS, interval: 200 })
      .toEqual([4, 5]);
    await gets('livefold_clients', 0);
    expect(last.get(ACCEPTED)).toBe(5);
    expect(last.get('livefold_feeds_ended_total{reason="stopping"}')).toBe(2);
    expect(last.get('livefold_worker_deaths_total')).toBe(1);
    for (const client of [...clients, again]) client.close();
    started.child.kill('SIGTERM');
    await eventually('it has ended', () => started.code() !== undefined, MS);
    expect(started.code()).toBe(0);
  },
  3 * MS,
);
