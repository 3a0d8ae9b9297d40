// A proxy over an embedded database, with an admin server beside it, all in this process. And scrapes of it, parsed.

import parsePrometheus from 'parse-prometheus-text-format';
import { DEFAULT_LIMITS } from '../../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import type { OpenFeedSettings } from '../../../proxy/feed/opening/open-feed-settings.ts';
import { type ProxySettings, startProxy } from '../../../proxy/listener.ts';
import { silent } from '../../../proxy/log.ts';
import type { Address } from '../../../proxy/upstream/address.ts';
import type { Member } from '../../../src/admin/gathered.ts';
import { openAdmin } from '../../../src/admin/open-admin.ts';
import { ProcessAdmin } from '../../../src/admin/process-admin.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../../src/embedded/index.ts';

/** What runs. */
export interface Watched {
  readonly proxy: Address;
  readonly admin: Address;
  readonly database: EmbeddedServer;
  /** Whether the program counts as stopping, and how many of its workers have died. */
  isStopping: boolean;
  deaths: number;
}

/** What is not as it is otherwise. */
export interface WatchedSettings {
  readonly proxy?: Partial<ProxySettings>;
  readonly feeds?: Partial<OpenFeedSettings>;
}

/** Starts it, plays with it, and clears it away. */
export async function onWatched(
  token: string | undefined,
  play: (watched: Watched) => Promise<void>,
  settings: WatchedSettings = {},
): Promise<void> {
  const database = await createEmbeddedServer();
  const upstreams = [database.address];
  const own = new ProcessAdmin(0, upstreams, () => {});
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams,
    openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now, ...settings.feeds }),
    log: silent,
    observers: own.observers,
    tally: own.tally,
    ...settings.proxy,
  });
  const member: Member = {
    id: 0,
    isStopping: false,
    ask: (question) => own.answer(question),
    get upstreams() {
      return own.upstreams;
    },
  };
  const watched = { isStopping: false, deaths: 0 };
  const { server } = await openAdmin({
    listen: { host: '127.0.0.1', port: 0 },
    token,
    log: silent,
    program: {
      version: '0',
      isStopping: () => watched.isStopping,
      members: () => [member],
      deaths: () => watched.deaths,
    },
  });
  const end = own.watch(proxy);
  try {
    await play(Object.assign(watched, { proxy: proxy.address, admin: server.address, database }));
  } finally {
    end();
    server.close();
    await proxy.destroy();
    await database.close();
  }
}

/** Values of a scrape by name and labels: `livefold_feeds{plan="server"}`. */
export type Scrape = ReadonlyMap<string, number>;

/** One scrape, parsed as Prometheus does. */
export async function scrape({ host, port }: Address): Promise<Scrape> {
  const response = await fetch(`http://${host}:${port}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answers ${response.status}`);
  const values = new Map<string, number>();
  for (const { name, type, metrics } of parsePrometheus(await response.text())) {
    for (const { labels = {}, value, buckets, count, sum } of metrics) {
      const shown = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      if (type !== 'HISTOGRAM') {
        values.set(named(name, shown), Number(value));
        // The parser loses the counts of a histogram with labels. None of livefold's has any.
      } else if (count !== undefined) {
        values.set(named(`${name}_count`, shown), Number(count));
        values.set(named(`${name}_sum`, shown), Number(sum));
        for (const [le, many] of Object.entries(buckets ?? {})) {
          values.set(named(`${name}_bucket`, [...shown, `le="${le}"`]), Number(many));
        }
      }
    }
  }
  return values;
}

/** Whether what a value is of only grows, by its name. */
export function onlyGrows(name: string): boolean {
  return /_(?:total|count|sum|bucket)(?:\{|$)/.test(name);
}

function named(name: string, labels: readonly string[]): string {
  return labels.length === 0 ? name : `${name}{${labels.join(',')}}`;
}
