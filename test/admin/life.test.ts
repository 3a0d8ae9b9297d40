// A life of a proxy, scraped after each thing that happens: every metric moves as it should, and no counter ever falls. What comes
// in a life is all that there is: clients, feeds of every kind, joins, feeds taken up, heartbeats, changes, slow readers, refusals,
// mistakes, healings that come about and that do not, want of memory, a server that goes and comes back.

import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { OpenFeed } from '../../proxy/relay/feed-port.ts';
import { METRICS, type MetricRow } from '../../src/admin/metric-table.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { frame, word } from '../support/checks/bytes.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { V0_4 } from '../support/servers/scene.ts';
import { onlyGrows, onWatched, type Scrape, scrape, type Watched } from '../support/servers/watched.ts';

const rows = Object.values<MetricRow>(METRICS);

/** What never changes while a livefold lives. */
const CONSTANT: ReadonlySet<string> = new Set(['info', 'startTime', 'workers', 'memoryLimit'].map(nameOf));

function nameOf(key: string): string {
  return METRICS[key as keyof typeof METRICS].name;
}

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
    await this.#until(wanted, (is, value) => is === value);
  }

  /** Waits until values are more than they were when this was last looked at. */
  async seeMore(...names: readonly string[]): Promise<void> {
    await this.seeAbove(Object.fromEntries(names.map((name) => [name, this.#last.get(`livefold_${name}`) ?? 0])));
  }

  /** Waits until values are above these. */
  async seeAbove(bounds: Readonly<Record<string, number>>): Promise<void> {
    await this.#until(bounds, (is, bound) => is > bound);
  }

  /** Waits until values are as they were at first: what was there is gone. */
  async seeAgain(...names: readonly string[]): Promise<void> {
    await this.see(Object.fromEntries(names.map((name) => [name, this.#first.get(`livefold_${name}`) ?? Number.NaN])));
  }

  value(name: string): number {
    return this.#last.get(`livefold_${name}`) ?? Number.NaN;
  }

  async #until(wanted: Readonly<Record<string, number>>, isSo: (is: number, wanted: number) => boolean): Promise<void> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      await this.#look();
      const shown = Object.fromEntries(Object.keys(wanted).map((name) => [name, this.value(name)]));
      if (Object.entries(wanted).every(([name, value]) => isSo(shown[name] ?? Number.NaN, value))) return;
      if (performance.now() > deadline)
        throw new Error(`wanted ${JSON.stringify(wanted)}, is ${JSON.stringify(shown)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #look(): Promise<void> {
    const now = await scrape(this.#watched.admin);
    for (const [name, value] of now) {
      if (value !== this.#first.get(name)) this.moved.add(name);
      if (onlyGrows(name)) expect(value, name).toBeGreaterThanOrEqual(this.#last.get(name) ?? 0);
    }
    for (const name of this.#last.keys()) if (onlyGrows(name)) expect(now.has(name), name).toBe(true);
    this.#last = now;
  }
}

/** A query with this in it meets a mistake of the proxy's own. */
const MISTAKE = 'meets a mistake';
const opens = createOpenFeed({
  plan: 'auto',
  limits: DEFAULT_LIMITS,
  now: Date.now,
  checkIndexesEvery: 200,
  lingerMs: 60_000,
});
const openFeed: OpenFeed = (query, io) => {
  if (query.body.includes(MISTAKE)) throw new Error('a mistake of ours');
  return opens(query, io);
};

test('metrics tell a life, each of them', { timeout: 90_000 }, async () => {
  await onWatched(undefined, (watched) => live(watched, new Watcher(watched)), {
    proxy: { openFeed, maxMemory: 3_000_000 },
  });
});

async function live(watched: Watched, watcher: Watcher): Promise<void> {
  const first = await watcher.begin();
  for (const { name, type } of rows) {
    if (type !== 'counter') continue;
    expect(
      [...first.keys()].some((key) => key.startsWith(name)),
      name,
    ).toBe(true);
  }
  // The process itself is told by what costs little to read, and by nothing that begins anew with each scrape.
  expect([...first.keys()].filter((key) => /^nodejs_(?:active_|eventloop_)/.test(key))).toEqual([]);
  expect(first.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  const up = `upstream_up{upstream="127.0.0.1:${watched.database.address.port}"}`;
  await watcher.see({ ready: 1, [up]: 1 });

  const [carrier, other, third] = await Promise.all([1, 2, 3].map(() => Client.connect(watched.proxy)));
  if (carrier === undefined || other === undefined || third === undefined) throw new Error('no clients');
  await watcher.see({ connections: 3, clients: 3, 'handshakes_total{outcome="accepted"}': 3 });
  await run(third, "r.tableCreate('t')");
  await run(third, "r.tableCreate('u')");
  await run(third, "r.table('t').indexCreate('k')");
  await run(third, "r.table('t').indexWait()");
  await run(third, "r.table('t').insert([{id: 1, x: 1, k: 'a'}, {id: 2, x: 2, k: 'b'}])");
  await run(third, "r.table('u').insert([{id: 'a', y: 1}, {id: 'b', y: 2}])");
  await watcher.seeMore('queries_passed_total', 'client_read_bytes_total', 'client_written_bytes_total');
  await watcher.see({ 'feeds{plan="native"}': 0 });

  await sharing(watcher, carrier, other, third);
  await kinds(watcher, third);
  await refusals(watcher, third);
  await slowReader(watcher, third);
  await carrierGoes(watcher, carrier, third);
  await healingInVain(watcher, third);
  await memoryIsShort(watcher, third);
  await strangers(watched, watcher);
  await buffers(watched, watcher);
  watched.deaths = 1;
  await watcher.see({ worker_deaths_total: 1 });
  await serverGoes(watched, watcher, up);

  const still = rows.map(({ name }) => name).filter((name) => ![...watcher.moved].some((key) => key.startsWith(name)));
  expect(still.filter((name) => !CONSTANT.has(name))).toEqual([]);
}

const SUM = queryOfText("r.table('t').sum('x').changes({includeInitial: true})");

/** Two clients follow one feed, which is folded inside RethinkDB, and a third one that is folded in the proxy. */
async function sharing(watcher: Watcher, carrier: Client, other: Client, third: Client): Promise<void> {
  void carrier.watch(SUM, () => {}).catch(() => {});
  await watcher.see({
    'feeds{plan="server"}': 1,
    'feeds_opened_total{plan="server",carried="shared"}': 1,
    shares: 1,
    subscribers: 1,
  });
  const sums: unknown[] = [];
  void other.watch(SUM, (document) => void sums.push(document)).catch(() => {});
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
  const worked = watcher.value('feed_work_seconds_total');
  await run(third, "r.table('t').insert({id: 3, x: 3, k: 'a'})");
  await watcher.see({ documents_total: documents + 3, state_rows: 3 });
  expect(watcher.value('change_delay_seconds_count')).toBeGreaterThanOrEqual(2);
  expect(watcher.value('feed_work_seconds_total')).toBeGreaterThan(worked);
  await expect.poll(() => sums.at(-1)).toEqual({ old_val: 3, new_val: 6 });
}

/** Joins, look-ups, merges of RethinkDB's own feeds, heartbeats, and a feed that is taken up where it was left. */
async function kinds(watcher: Watcher, client: Client): Promise<void> {
  const kept = watcher.value('state_rows');
  const joined = client.open(queryOfText("r.table('t').eqJoin('k', r.table('u')).zip().sum('y').changes()"), () => {});
  const lookedUp = client.open(
    queryOfText("r.table('t').map(x => r.table('u').get(x('k'))('y').default(0)).max().changes()"),
    () => {},
  );
  await watcher.see({ 'feeds{plan="proxy"}': 3, shares: 4 });
  await watcher.seeAbove({ state_rows: kept + 5 });
  const documents = watcher.value('documents_total');
  await run(client, "r.table('u').get('a').update({y: 5})");
  await watcher.see({ documents_total: documents + 2 });
  for (const feed of [joined, lookedUp]) feed.stop();
  await watcher.see({ 'feeds_ended_total{reason="stopped"}': 2, 'feeds{plan="proxy"}': 1, shares: 4 });

  const merged = client.open(queryOfText("r.table('t').changes({format: 'merge'})"), () => {});
  await watcher.see({ 'feeds{plan="native"}': 1, 'feeds_opened_total{plan="native",carried="alone"}': 1, shares: 4 });
  merged.stop();
  await watcher.see({ 'feeds_ended_total{reason="stopped"}': 3, 'feeds{plan="native"}': 0 });

  let rev: unknown;
  const told = "r.table('t').group('k').count().changes({includeInitial: true, includeRevs: true})";
  const left = client.open(queryOfText(told), ({ documents: all }) => {
    for (const document of all) ({ rev } = Object(document));
  });
  await expect.poll(() => typeof rev).toBe('string');
  left.stop();
  await left.ended;
  await run(client, "r.table('t').insert({id: 4, x: 0, k: 'b'})");
  const since: unknown[] = [];
  const again = `r.table('t').group('k').count().changes({includeRevs: true, since: '${rev}'})`;
  const taken = client.open(queryOfText(again), ({ documents: all }) => void since.push(...all));
  await expect.poll(() => since).toMatchObject([{ group: 'b', new_val: 2 }]);
  await watcher.see({ 'feeds_opened_total{plan="proxy",carried="joined"}': 1, 'joins_total{outcome="joined"}': 2 });
  taken.stop();
  await taken.ended;

  const read = watcher.value('changes_read_total');
  const beats = client.open(queryOfText("r.table('t').count().changes({heartbeat: 1})"), () => {});
  await watcher.see({ 'feeds{plan="server"}': 3 });
  await watcher.seeAbove({ changes_read_total: read });
  // A sign of life is a document, and no change. When the first comes, all rows have been read.
  await watcher.seeMore('documents_total');
  const before = watcher.value('changes_read_total');
  await watcher.seeMore('documents_total');
  expect(watcher.value('changes_read_total')).toBe(before);
  beats.stop();
  await beats.ended;
  await watcher.see({ 'feeds{plan="server"}': 2 });
}

async function refusals(watcher: Watcher, client: Client): Promise<void> {
  await expect(run(client, "r.table('t').sample(1).count().changes()")).rejects.toThrow('Cannot watch');
  await watcher.see({ 'feeds_refused_total{reason="unsupported"}': 1 });
  await expect(run(client, "r.table('t').count().changes({squash: -1})")).rejects.toThrow();
  await watcher.see({ 'feeds_refused_total{reason="QUERY_LOGIC"}': 1 });
  await expect(run(client, `r.table('t').filter({x: '${MISTAKE}'}).count().changes()`)).rejects.toThrow();
  await watcher.see({ mistakes_total: 1, 'feeds_refused_total{reason="INTERNAL"}': 1 });
}

/** Documents wait for a client that does not ask for them, and are composed where too many do. */
async function slowReader(watcher: Watcher, client: Client): Promise<void> {
  const neverAgain = new Promise<void>(() => {});
  const feed = client.open(
    queryOfText("r.table('t').sum('x').changes({includeInitial: true, changefeedQueueSize: 2})"),
    () => neverAgain,
  );
  await watcher.see({ subscribers: 4 });
  for (let more = 0; more < 6; more++) await run(client, "r.table('t').get(4).update(row => ({x: row('x').add(1)}))");
  await watcher.seeMore('net_changes_total', 'waiting_bytes');
  feed.stop();
  await watcher.see({ subscribers: 3 });
}

async function carrierGoes(watcher: Watcher, carrier: Client, client: Client): Promise<void> {
  carrier.close();
  await watcher.see({
    clients: 2,
    'disconnects_total{by="client"}': 1,
    'feeds_ended_total{reason="closed"}': 1,
    'healings_total{cause="carrier"}': 1,
    feeds_healing: 0,
    subscribers: 2,
  });
  const documents = watcher.value('documents_total');
  await run(client, "r.table('t').insert({id: 5, x: 40, k: 'a'})");
  await watcher.see({ documents_total: documents + 2 });
}

/** An index is dropped: it may be made anew, and until then the feed heals, and then fails. */
async function healingInVain(watcher: Watcher, client: Client): Promise<void> {
  const over = expect(
    client.watch(queryOfText("r.table('t').getAll('a', {index: 'k'}).max('x').changes({shared: false})"), () => {}),
  ).rejects.toThrow('k');
  await watcher.see({ 'feeds_opened_total{plan="proxy",carried="alone"}': 1 });
  await watcher.seeAgain('feeds_healing', 'frontier_age_seconds');
  await run(client, "r.table('t').indexDrop('k')");
  await watcher.see({ feeds_healing: 1 });
  await watcher.seeMore('frontier_age_seconds');
  await over;
  await watcher.see({
    'healings_failed_total{cause="index"}': 1,
    'feeds_ended_total{reason="OP_FAILED"}': 1,
    feeds_healing: 0,
    frontier_age_seconds: 0,
  });
}

async function memoryIsShort(watcher: Watcher, client: Client): Promise<void> {
  await run(client, "r.tableCreate('large')");
  const over = expect(client.watch(queryOfText("r.table('large').distinct().changes()"), () => {})).rejects.toThrow(
    'short of memory',
  );
  await watcher.see({ 'feeds{plan="proxy"}': 2 });
  for (let from = 0; from < 400; from += 100) {
    const some = `r.range(${from}, ${from + 100}).map(n => ({id: n, s: '${'x'.repeat(9000)}'})).coerceTo('array')`;
    await run(client, `r.table('large').insert(${some})`);
  }
  await over;
  await watcher.seeAbove({ memory_short_total: 0 });
  await watcher.see({ 'feeds_ended_total{reason="RESOURCE_LIMIT"}': 1 });
  expect(watcher.value('memory_used_ratio')).toBeLessThan(1);
}

async function strangers(watched: Watched, watcher: Watcher): Promise<void> {
  const stranger = connect(watched.proxy.port, '127.0.0.1', () => stranger.write('GET / HTTP/1.1\r\n\r\n'));
  await watcher.see({ 'handshakes_total{outcome="unknown"}': 1 });
  stranger.destroy();
  const wrong = Client.connect(watched.proxy, { credentials: { user: 'admin', password: 'wrong' } });
  await expect(wrong).rejects.toThrow('password');
  await watcher.see({ 'handshakes_total{outcome="refused"}': 1 });
}

/** A query that arrives in pieces is kept until all of it is there. */
async function buffers(watched: Watched, watcher: Watcher): Promise<void> {
  const peer = await connectPeer(watched.proxy);
  peer.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
  expect(await peer.text()).toBe('SUCCESS');
  const query = frame(1, queryOfText(`r.table('t').filter({x: '${'x'.repeat(20_000)}'}).count().changes()`));
  peer.write(query.subarray(0, 15_000));
  await watcher.seeMore('buffer_bytes');
  peer.socket.destroy();
  await watcher.see({ buffer_bytes: 0 });
}

/** The server goes, with all clients and their feeds, and another one comes in its place. */
async function serverGoes(watched: Watched, watcher: Watcher, up: string): Promise<void> {
  const { database } = watched;
  const failures = up.replace('upstream_up', 'upstream_failures_total');
  await database.close();
  await watcher.see({
    ready: 0,
    [up]: 0,
    clients: 0,
    'feeds{plan="proxy"}': 0,
    // A state that a client may take up by `since` rests for as long as shares linger.
    shares: 1,
    state_rows: 2,
    upstream_lost_total: 2,
    'feeds_ended_total{reason="upstream_lost"}': 2,
    'feeds_ended_total{reason="closed"}': 1,
    'disconnects_total{by="upstream"}': 2,
  });
  expect(watcher.value(failures)).toBeGreaterThan(0);
  await expect(Client.connect(watched.proxy)).rejects.toThrow('Cannot reach');
  await watcher.see({ 'handshakes_total{outcome="unreachable"}': 1 });
  const again = await createEmbeddedServer({ port: database.address.port });
  await watcher.see({ ready: 1, [up]: 1 });
  await again.close();
}
