// A life of a proxy, scraped after each thing that happens: every metric moves as it should, and no counter ever falls.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { METRICS, type MetricRow } from '../../src/admin/metric-table.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { onlyGrows, onWatched, type Scrape, scrape, type Watched } from '../support/servers/watched.ts';

/** What a life does not come to, or what is over before it is scraped; `proxy-metrics.test.ts` has them. */
const ELSEWHERE = [
  'feeds_healing',
  'frontier_age',
  'healings_failed',
  'net_changes',
  'memory_short',
  'mistakes',
  'worker_deaths',
  'buffer_bytes',
];

const run = (client: Client, text: string): Promise<unknown> => client.run(queryOfText(text));

/** Scrapes until it shows so much more, or so much, of each. */
class Watcher {
  readonly #watched: Watched;
  /** All values that were ever seen to be another than at first. */
  readonly moved = new Set<string>();
  #first: Scrape = new Map();
  #last: Scrape = new Map();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  async begin(): Promise<Scrape> {
    this.#first = await scrape(this.#watched.admin);
    this.#last = this.#first;
    return this.#first;
  }

  /** Waits until values are so; names are without `livefold_`. */
  async see(wanted: Readonly<Record<string, number>>): Promise<void> {
    const deadline = performance.now() + 15_000;
    for (;;) {
      const now = await scrape(this.#watched.admin);
      for (const [name, value] of now) {
        if (value !== this.#first.get(name)) this.moved.add(name);
        if (onlyGrows(name)) expect(value, name).toBeGreaterThanOrEqual(this.#last.get(name) ?? 0);
      }
      this.#last = now;
      const shown = Object.fromEntries(Object.keys(wanted).map((name) => [name, now.get(`livefold_${name}`)]));
      if (JSON.stringify(shown) === JSON.stringify(wanted)) return;
      if (performance.now() > deadline) expect(shown).toEqual(wanted);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  value(name: string): number {
    return this.#last.get(`livefold_${name}`) ?? Number.NaN;
  }
}

test('metrics tell a life: clients, feeds, joins, changes, refusals, healings, ends, a server that goes', async () => {
  await onWatched(undefined, async (watched) => {
    const watcher = new Watcher(watched);
    const first = await watcher.begin();
    for (const { name, type } of Object.values<MetricRow>(METRICS)) {
      if (type === 'counter')
        expect(
          [...first.keys()].some((key) => key.startsWith(name)),
          name,
        ).toBe(true);
    }
    // Of the process itself what costs little to read, and nothing that begins anew with each scrape.
    expect([...first.keys()].filter((key) => /^nodejs_(?:active_|eventloop_)/.test(key))).toEqual([]);
    expect(first.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    await watcher.see({ ready: 1, [`upstream_up{upstream="${upstreamOf(watched)}"}`]: 1 });

    const clients = await Promise.all([1, 2, 3].map(() => Client.connect(watched.proxy)));
    const [carrier, other, third] = clients;
    if (carrier === undefined || other === undefined || third === undefined) throw new Error('no clients');
    await watcher.see({ connections: 3, clients: 3, 'handshakes_total{outcome="accepted"}': 3 });
    await run(third, "r.tableCreate('t')");
    await run(third, "r.table('t').insert([{id: 1, x: 1}, {id: 2, x: 2}])");

    const sums: unknown[] = [];
    const sum = queryOfText("r.table('t').sum('x').changes({includeInitial: true})");
    void carrier.watch(sum, () => {}).catch(() => {});
    await watcher.see({
      'feeds{plan="server"}': 1,
      'feeds_opened_total{plan="server",carried="shared"}': 1,
      shares: 1,
      subscribers: 1,
    });
    const joined = other.open(sum, ({ documents }) => void sums.push(...documents));
    await watcher.see({
      'feeds_opened_total{plan="server",carried="joined"}': 1,
      'joins_total{outcome="joined"}': 1,
      shares: 1,
      subscribers: 2,
    });
    void third.watch(queryOfText("r.table('t').max('x').changes()"), () => {}).catch(() => {});
    await watcher.see({ 'feeds{plan="proxy"}': 1, state_rows: 2, shares: 2 });
    expect(watcher.value('state_bytes')).toBeGreaterThan(0);

    const documents = watcher.value('documents_total');
    await run(third, "r.table('t').insert({id: 3, x: 3})");
    await watcher.see({ documents_total: documents + 3, state_rows: 3 });
    expect(watcher.value('change_delay_seconds_count')).toBeGreaterThanOrEqual(2);

    await expect(run(third, "r.table('t').sample(1).count().changes()")).rejects.toThrow('Cannot watch');
    await watcher.see({ 'feeds_refused_total{reason="unsupported"}': 1 });
    await expect(run(third, "r.table('t').count().changes({squash: -1})")).rejects.toThrow();
    await watcher.see({ 'feeds_refused_total{reason="QUERY_LOGIC"}': 1 });

    carrier.close();
    await watcher.see({
      clients: 2,
      'disconnects_total{by="client"}': 1,
      'feeds_ended_total{reason="closed"}': 1,
      'healings_total{cause="carrier"}': 1,
      feeds_healing: 0,
      subscribers: 2,
    });
    await run(third, "r.table('t').insert({id: 4, x: 4})");
    await expect.poll(() => sums.at(-1)).toEqual({ old_val: 6, new_val: 10 });
    joined.stop();
    await joined.ended;
    await watcher.see({ 'feeds_ended_total{reason="stopped"}': 1, 'feeds{plan="server"}': 0, shares: 1 });

    const stranger = connect(watched.proxy.port, '127.0.0.1', () => stranger.write('GET / HTTP/1.1\r\n\r\n'));
    await watcher.see({ 'handshakes_total{outcome="unknown"}': 1 });
    stranger.destroy();
    const wrong = Client.connect(watched.proxy, { credentials: { user: 'admin', password: 'wrong' } });
    await expect(wrong).rejects.toThrow('password');
    await watcher.see({ 'handshakes_total{outcome="refused"}': 1 });

    await watched.database.close();
    await watcher.see({
      ready: 0,
      clients: 0,
      'feeds{plan="proxy"}': 0,
      shares: 0,
      state_rows: 0,
      upstream_lost_total: 2,
    });
    await expect(Client.connect(watched.proxy)).rejects.toThrow('Cannot reach');
    await watcher.see({ 'handshakes_total{outcome="unreachable"}': 1 });

    const still = Object.values<MetricRow>(METRICS).filter(
      ({ name }) => ![...watcher.moved].some((key) => key.startsWith(name)),
    );
    expect(still.map(({ name }) => name).filter((name) => !ELSEWHERE.some((word) => name.includes(word)))).toEqual(
      ['info', 'start_time_seconds', 'workers', 'waiting_bytes', 'memory_limit_bytes'].map(
        (name) => `livefold_${name}`,
      ),
    );
  });
});

function upstreamOf({ database }: Watched): string {
  return `127.0.0.1:${database.address.port}`;
}
