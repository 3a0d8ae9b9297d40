// `livefold` as a server: the proxy, and the in-memory database behind it if asked for; signals, stopping.

import type { Logger } from 'pino';
import {
  createProxy,
  type ProxyCore,
  type RunningProxy,
  startProxy,
  type UnboundSettings,
} from '../../proxy/listener.ts';
import type { OpenFeed } from '../../proxy/relay/feed-port.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import type { ProcessAdmin } from '../admin/process-admin.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../embedded/index.ts';
import { reload } from '../processes/child.ts';
import type { OptionValues } from './option-table.ts';
import type { ProcessIo } from './process-io.ts';
import { systemMistake } from './usage-error.ts';

/** The servers that run. */
export interface Running {
  readonly proxy: RunningProxy;
  readonly embedded: EmbeddedServer | undefined;
  readonly upstreams: readonly Address[];
  readonly admin: ProcessAdmin | undefined;
}

/**
 * Starts what the options ask for in this process alone. Rejects with UsageError where an address or a certificate cannot be
 * used.
 */
export async function startServing(
  values: OptionValues,
  openFeed: OpenFeed,
  log: Logger,
  makeAdmin: (upstreams: readonly Address[]) => ProcessAdmin | undefined,
): Promise<Running> {
  const embedded = values.upstream === undefined ? await startEmbedded(values, log) : undefined;
  const upstreams = embedded === undefined ? (values.upstream ?? []) : [embedded.address];
  const { listen, reusePort = false } = values;
  try {
    const admin = makeAdmin(upstreams);
    const proxy = await startProxy({ ...settingsOf(values, upstreams, openFeed, log, admin), listen, reusePort });
    return { proxy, embedded, upstreams, admin };
  } catch (error) {
    await embedded?.close();
    throw systemMistake(error, printAddress(listen)) ?? error;
  }
}

/** Makes the proxy of a worker, which is given its clients. Throws UsageError where a certificate cannot be used. */
export function makeProxy(
  values: OptionValues,
  upstreams: readonly Address[],
  openFeed: OpenFeed,
  log: Logger,
  admin: ProcessAdmin | undefined,
): ProxyCore {
  try {
    return createProxy(settingsOf(values, upstreams, openFeed, log, admin));
  } catch (error) {
    throw systemMistake(error, printAddress(values.listen)) ?? error;
  }
}

function settingsOf(
  values: OptionValues,
  upstreams: readonly Address[],
  openFeed: OpenFeed,
  log: Logger,
  admin: ProcessAdmin | undefined,
): UnboundSettings {
  const { tlsCert, tlsKey } = values;
  return {
    upstreams,
    openFeed,
    log,
    ...(admin === undefined ? {} : { observers: admin.observers, tally: admin.tally }),
    maxClients: values.maxClients,
    maxHandshakes: values.maxHandshakes,
    maxFeedsPerClient: values.maxFeedsPerClient,
    maxQueryBytes: values.maxQueryBytes,
    maxMemory: values.maxMemory,
    connectTimeoutMs: values.connectTimeout * 1000,
    handshakeTimeoutMs: values.handshakeTimeout * 1000,
    keepaliveMs: values.keepaliveSeconds * 1000,
    drainMs: values.drainSeconds * 1000,
    logQueries: values.logQueries === true,
    proxyProtocol: values.proxyProtocol === true,
    clientTls:
      tlsCert === undefined || tlsKey === undefined
        ? undefined
        : { cert: tlsCert, key: tlsKey, clientCa: values.tlsClientCa },
    upstreamTls:
      values.upstreamTls === true ? { ca: values.upstreamCa, serverName: values.upstreamServerName } : undefined,
  };
}

/** Starts the in-memory database. Rejects with UsageError where it cannot listen. */
export async function startEmbedded(values: OptionValues, log: Logger): Promise<EmbeddedServer> {
  const listen = values.embeddedListen ?? { host: '127.0.0.1', port: 0 };
  const password = values.embeddedPassword;
  try {
    const server = await createEmbeddedServer({ ...listen, ...(password === undefined ? {} : { password }) });
    log.warn({ address: printAddress(server.address) }, 'the embedded database is in memory: it stores nothing');
    return server;
  } catch (error) {
    throw systemMistake(error, printAddress(listen)) ?? error;
  }
}

/**
 * Stops on SIGTERM and SIGINT: the first lets what runs finish, the second ends at once. SIGHUP and SIGUSR2 read certificates
 * again. `begun` is called when stopping begins.
 */
export function obeySignals(
  { proxy, embedded }: Running,
  log: Logger,
  around: Pick<ProcessIo, 'exit' | 'onSignal'>,
  begun: () => void,
): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    around.onSignal(signal, () => {
      if (stopping) {
        log.warn({ signal }, 'stopping at once');
        around.exit(1);
        return;
      }
      stopping = true;
      begun();
      log.info({ signal, clients: proxy.clientCount }, 'stopping');
      void proxy
        .drain()
        .then(() => embedded?.close())
        .then(() => around.exit(0));
    });
  }
  for (const signal of ['SIGHUP', 'SIGUSR2'] as const) around.onSignal(signal, () => reload(proxy, log));
}
