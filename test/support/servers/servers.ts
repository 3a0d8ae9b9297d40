// The one list of servers that every case runs against. Feeds are opened at `client`; writes go straight to `database`,
// which is the same address where there is no proxy.

import { inject } from 'vitest';
import { DEFAULT_LIMITS } from '../../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import { type ProxySettings, type RunningProxy, startProxy } from '../../../proxy/listener.ts';
import { silent } from '../../../proxy/log.ts';
import { noFeeds, type OpenFeed } from '../../../proxy/relay/feed-port.ts';
import type { Address } from '../../../proxy/upstream/address.ts';
import type { Plan } from '../../../rewrite/plan/choose-plan.ts';
import { createEmbeddedServer } from '../../../src/embedded/index.ts';
import { aggregates } from '../queries/aggregates.ts';
import { PLAIN_OVER_REAL, proxyOverReal, REAL } from './server-names.ts';

/** A server under test that runs. */
export interface RunningServer {
  readonly client: Address;
  readonly database: Address;
  close(): Promise<void>;
}

/** A server under test. */
export interface ServerUnderTest {
  readonly name: string;
  /** Whether it is there: false where it needs a real RethinkDB and none was found. */
  readonly there: boolean;
  /** How aggregates are made live; `undefined` where they are not. */
  readonly plan: Plan | undefined;
  /** Whether a real RethinkDB does the work. */
  readonly real: boolean;
  start(): Promise<RunningServer>;
}

/** A database that runs, without a proxy. */
export interface Base {
  readonly address: Address;
  close(): Promise<unknown>;
}

/** The databases that proxies stand before. */
export interface BaseUnderTest {
  readonly name: string;
  readonly there: boolean;
  start(): Promise<Base>;
}

const PLANS: readonly Plan[] = ['auto', 'server', 'proxy'];

async function embedded(): Promise<Base> {
  const server = await createEmbeddedServer();
  return { address: server.address, close: () => server.close() };
}

async function real(): Promise<Base> {
  const address = inject('rethinkdb');
  if (address === null) throw new Error('there is no real RethinkDB');
  return { address, close: async () => {} };
}

function bare(start: () => Promise<Base>): () => Promise<RunningServer> {
  return async () => {
    const { address, close } = await start();
    return { client: address, database: address, close: async () => void (await close()) };
  };
}

/** Starts a proxy before a database. */
export function proxyOver(base: Address, openFeed: OpenFeed, more: Partial<ProxySettings> = {}): Promise<RunningProxy> {
  return startProxy({ listen: { host: '127.0.0.1', port: 0 }, upstreams: [base], openFeed, log: silent, ...more });
}

/** Opens feeds by a plan. */
export const rewriting = (plan: Plan): OpenFeed =>
  createOpenFeed({ plan, limits: DEFAULT_LIMITS, aggregates, now: Date.now });

function proxied(start: () => Promise<Base>, openFeed: OpenFeed): () => Promise<RunningServer> {
  return async () => {
    const base = await start();
    const proxy = await proxyOver(base.address, openFeed);
    return {
      client: proxy.address,
      database: base.address,
      async close() {
        await proxy.destroy();
        await base.close();
      },
    };
  };
}

/** All databases. */
export const bases: readonly BaseUnderTest[] = [
  { name: 'embedded', there: true, start: embedded },
  { name: REAL, there: inject('rethinkdb') !== null, start: real },
];

/** All servers under test. */
export const servers: readonly ServerUnderTest[] = [
  { name: 'embedded', there: true, plan: undefined, real: false, start: bare(embedded) },
  {
    name: 'proxy without rewriting over embedded',
    there: true,
    plan: undefined,
    real: false,
    start: proxied(embedded, noFeeds),
  },
  ...PLANS.map((plan) => ({
    name: `proxy (${plan} plan) over embedded`,
    there: true,
    plan,
    real: false,
    start: proxied(embedded, rewriting(plan)),
  })),
  { name: REAL, there: inject('rethinkdb') !== null, plan: undefined, real: true, start: bare(real) },
  {
    name: PLAIN_OVER_REAL,
    there: inject('rethinkdb') !== null,
    plan: undefined,
    real: true,
    start: proxied(real, noFeeds),
  },
  ...PLANS.map((plan) => ({
    name: proxyOverReal(plan),
    there: inject('rethinkdb') !== null,
    plan,
    real: true,
    start: proxied(real, rewriting(plan)),
  })),
];

/** Servers whose aggregates are live. */
export const liveServers: readonly ServerUnderTest[] = servers.filter(({ plan }) => plan !== undefined);
