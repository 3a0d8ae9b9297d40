// The proxy as a whole: it listens, or is given connections, gives each client a session, and stops in good order.

import type { Server, Socket } from 'node:net';
import { type Arrival, createEntrance } from './connection/entrance.ts';
import { HandshakeGate } from './connection/handshake-gate.ts';
import { keepaliveOptions } from './connection/keepalive.ts';
import { FIRST_WORD_MS } from './connection/phase.ts';
import { Session, type SessionContext } from './connection/session.ts';
import { Strangers } from './connection/strangers.ts';
import { listen } from './listen.ts';
import type { Log } from './log.ts';
import { MemoryBudget, type MemoryReading } from './memory/memory-budget.ts';
import { LogObserver } from './observer/log-observer.ts';
import { Observers } from './observer/observers.ts';
import { Tally } from './observer/tally.ts';
import { DEFAULTS, type ProxyOptions } from './options.ts';
import { expiryOf, UpstreamTls } from './tls.ts';
import type { Address } from './upstream/address.ts';
import { Upstreams } from './upstream/upstreams.ts';
import { Schedule } from './work/schedule.ts';

/** How often silence is looked for: each second, and so many times within the time that an end may be silent. */
const LOOK_MS = 1000;
const LOOKS = 4;
/** What a client gets beyond the time to stop to read its last answers. */
const LAST_WORD_MS = 1000;
/** Clients above the limit that may wait for their refusal at once; more are dropped as they come. */
const MOST_REFUSED = 1000;

/** A proxy that is given its clients. */
export interface ProxyCore {
  readonly clientCount: number;
  /** Serves a client whose connection somebody else has accepted, and of which nothing has been read. */
  take(socket: Socket): void;
  /**
   * Feeds end at once, with an error that says to connect again; each client is let go when none of its queries is running
   * any more, at the latest a second after the drain time. Resolves when all clients are gone.
   */
  drain(): Promise<void>;
  /** Stops at once. */
  destroy(): Promise<void>;
  /** Reads certificates and authorities again, for connections from now on. Throws what reading the files throws. */
  reloadTls(): void;
  /** What is held for all clients. */
  readonly memory: MemoryReading;
  /** Asks each upstream server whether it is a RethinkDB, over a connection of its own, and tells the versions of those that are. */
  askUpstreams(tell: (upstream: Address, version: string) => void): void;
}

/** A proxy that listens; when it stops, it stops accepting first. */
export interface RunningProxy extends Omit<ProxyCore, 'take'> {
  /** Where it listens; the port is the real one where 0 was asked for. */
  readonly address: Address;
}

/** The settings that a proxy cannot do without, and anything else of its options. */
export type UnboundSettings = Pick<ProxyOptions, 'upstreams' | 'openFeed' | 'log'> & Partial<ProxyOptions>;

/** The same for one that listens. */
export type ProxySettings = UnboundSettings & Pick<ProxyOptions, 'listen'>;

/** Starts a proxy. Rejects with the system's error where it cannot listen, or where a certificate cannot be read. */
export async function startProxy(settings: ProxySettings): Promise<RunningProxy> {
  const { listen: where, log } = settings;
  const { proxy, server } = assemble(settings);
  try {
    await listen(server, where, settings.reusePort === true);
  } catch (error) {
    await proxy.destroy();
    throw error;
  }
  server.on('error', (error) => log.error({ err: error }, 'listener failed'));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : where.port;
  return {
    address: { host: where.host, port },
    get clientCount() {
      return proxy.clientCount;
    },
    async drain() {
      // Clients that have connected by now are accepted before the port is given up.
      await new Promise((resolve) => setImmediate(resolve));
      server.close();
      await proxy.drain();
    },
    async destroy() {
      server.close();
      await proxy.destroy();
    },
    reloadTls: proxy.reloadTls,
    get memory() {
      return proxy.memory;
    },
    askUpstreams: proxy.askUpstreams,
  };
}

/** Makes a proxy that listens nowhere. Throws where a certificate cannot be read. */
export function createProxy(settings: UnboundSettings): ProxyCore {
  return assemble(settings).proxy;
}

/** A proxy, and the server that makes TLS of its connections where that is wanted. */
function assemble(settings: UnboundSettings): { readonly proxy: ProxyCore; readonly server: Server } {
  const options: UnboundOptions = { ...DEFAULTS, ...settings };
  const upstreamTls = options.upstreamTls === undefined ? undefined : new UpstreamTls(options.upstreamTls);
  const sessions = new Set<Session>();
  const strangers = new Strangers(options.strangerPatienceMs);
  let admitted = 0;
  let draining = false;
  let emptied: () => void = () => {};
  let nextId = 1;
  const { log } = options;
  const logged = new LogObserver(log);
  const observer = options.observers.length === 0 ? logged : new Observers([logged, ...options.observers]);
  const memory = new MemoryBudget({ maxMemory: options.maxMemory, observer });
  const context: SessionContext = {
    relay: { ...options, observer, memory, work: new Schedule(), tally: options.tally ?? new Tally() },
    upstreams: new Upstreams(
      {
        addresses: options.upstreams,
        connectTimeoutMs: options.connectTimeoutMs,
        keepaliveMs: options.keepaliveMs,
        tls: upstreamTls,
      },
      observer,
    ),
    gate: new HandshakeGate(options.maxHandshakes, options.strangerPatienceMs),
    handshakeTimeoutMs: options.handshakeTimeoutMs,
    keepaliveMs: options.keepaliveMs,
    observer,
    arrived(session) {
      strangers.delete(session);
    },
    closed(session) {
      sessions.delete(session);
      if (session.admitted) admitted--;
      emptied();
    },
  };
  const accept = (socket: Socket, arrival: Arrival): void => {
    const full = admitted >= options.maxClients && !strangers.makeRoom();
    if (full) observer.clientRefused(admitted);
    else admitted++;
    const refusal = full ? `Too many clients: at most ${options.maxClients} at once (--max-clients).` : undefined;
    const session = new Session(nextId++, socket, context, arrival, refusal);
    sessions.add(session);
    strangers.add(session, () => session.destroy('it said nothing while others wanted its place'));
    if (draining) session.drain();
  };
  if (options.clientTls !== undefined) warnOfExpiry(options.clientTls.cert, log);
  const entrance = createEntrance(options, {
    observer,
    accept,
    crowded(onTheirWay) {
      if (sessions.size + onTheirWay.size > options.maxClients) onTheirWay.makeRoom();
    },
    left: () => emptied(),
  });
  const { server } = entrance;
  server.maxConnections = options.maxClients + MOST_REFUSED;
  if (options.watchUpstreams) context.upstreams.watch();
  const looking = lookForSilence(options.keepaliveMs, sessions);
  const empty = (): Promise<void> =>
    new Promise<void>((resolve) => {
      emptied = () => {
        if (sessions.size === 0 && entrance.size === 0) resolve();
      };
      emptied();
    }).then(() => {
      clearInterval(looking);
      logged.close();
    });
  const proxy: ProxyCore = {
    get clientCount() {
      return sessions.size;
    },
    take(socket) {
      if (sessions.size + entrance.size >= server.maxConnections) {
        socket.destroy();
        return;
      }
      prepare(socket, options.keepaliveMs);
      server.emit('connection', socket);
    },
    async drain() {
      draining = true;
      context.upstreams.stop();
      for (const session of sessions) session.drain();
      const over = 'it still ran when the time to stop was over';
      const deadlines = [
        setTimeout(() => entrance.dismiss(), FIRST_WORD_MS),
        setTimeout(() => {
          for (const session of sessions) session.end('proxy', over);
        }, options.drainMs),
        // A client that goes on reading its backlog could go on as long as it likes.
        setTimeout(() => {
          for (const session of sessions) session.destroy(over);
        }, options.drainMs + LAST_WORD_MS),
      ];
      await empty();
      for (const deadline of deadlines) clearTimeout(deadline);
    },
    async destroy() {
      context.upstreams.stop();
      entrance.dismiss();
      for (const session of sessions) session.destroy();
      await empty();
    },
    get memory() {
      return memory.reading;
    },
    askUpstreams: (tell) => context.upstreams.ask(tell),
    reloadTls() {
      upstreamTls?.reload();
      entrance.reloadTls();
      if (options.clientTls !== undefined) warnOfExpiry(options.clientTls.cert, log);
    },
  };
  return { proxy, server };
}

/** Makes of a socket that somebody else has accepted one as the server's own. */
function prepare(socket: Socket, keepaliveMs: number): void {
  const { keepAlive, keepAliveInitialDelay } = keepaliveOptions(keepaliveMs);
  socket.allowHalfOpen = true;
  socket.setNoDelay(true);
  socket.setKeepAlive(keepAlive, keepAliveInitialDelay);
}

/** Looks now and then for upstream servers that are silent. One timer for all clients, however many. */
function lookForSilence(keepaliveMs: number, sessions: ReadonlySet<Session>): NodeJS.Timeout | undefined {
  if (keepaliveMs === 0) return undefined;
  const every = Math.min(LOOK_MS, keepaliveMs / LOOKS);
  return setInterval(() => {
    const now = performance.now();
    for (const session of sessions) session.lookForSilence(now);
  }, every);
}

/** All options but where to listen. */
type UnboundOptions = Omit<ProxyOptions, 'listen'>;

function warnOfExpiry(file: string, log: Log): void {
  const expiry = expiryOf(file);
  if (expiry.getTime() < Date.now()) log.warn({ file, expiry }, 'the certificate towards clients has expired');
}
