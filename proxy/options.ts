// The options of a proxy, and their defaults.

import type { Log } from './log.ts';
import type { Observer } from './observer/observer.ts';
import type { Tally } from './observer/tally.ts';
import type { OpenFeed } from './relay/feed-port.ts';
import type { ClientTlsFiles, UpstreamTlsFiles } from './tls.ts';
import type { Address } from './upstream/address.ts';
import type { Token } from './wire/frame.ts';

/** Everything a proxy is told. Times are milliseconds. */
export interface ProxyOptions {
  readonly listen: Address;
  /** Whether other processes may listen on the port as well; `canReusePort` says where Node can do that. */
  readonly reusePort: boolean;
  /** Servers, one or more; clients are spread over them round robin. */
  readonly upstreams: readonly Address[];
  readonly openFeed: OpenFeed;
  readonly log: Log;
  /** Who is told, beside the log, what happens. */
  readonly observers: readonly Observer[];
  /** Where is counted what observers are not told one by one. */
  readonly tally?: Tally | undefined;
  /** Clients served at once; the next is refused in its own protocol. */
  readonly maxClients: number;
  /** Clients that shake hands with upstream at once; others wait for their turn. */
  readonly maxHandshakes: number;
  readonly maxFeedsPerClient: number;
  /** Live queries with longer bodies are refused. Other queries stream through, whatever their length. */
  readonly maxQueryBytes: number;
  /** What may be kept for all clients together, in bytes of the heap, and half as much in buffers; half of the heap if absent. */
  readonly maxMemory?: number | undefined;
  readonly connectTimeoutMs: number;
  /** From a client's connection to its last handshake message. */
  readonly handshakeTimeoutMs: number;
  /** How long a client that upstream has not let in may say nothing while others want its place. */
  readonly strangerPatienceMs: number;
  /**
   * After so much silence of an end the system probes it; upstream is asked by the proxy, too, while it owes an answer, and
   * is gone if it is silent as long again and accepts no connections, or after ten times as long. 0: never.
   */
  readonly keepaliveMs: number;
  /** Whether upstream servers are tried at the start, and those that fail until they answer: logs tell how they are. */
  readonly watchUpstreams: boolean;
  /** How long queries may go on after the proxy is told to stop; feeds end at once. */
  readonly drainMs: number;
  /** Whether logs may show the data in queries. */
  readonly logQueries: boolean;
  readonly clientTls?: ClientTlsFiles | undefined;
  /** Whether each connection begins with a header of the PROXY protocol, before TLS, which says where the client is. */
  readonly proxyProtocol: boolean;
  readonly upstreamTls?: UpstreamTlsFiles | undefined;
  /** Makes tokens for the proxy's own queries; random ones if absent. */
  readonly makeToken?: (() => Token) | undefined;
}

/** The defaults of all options. */
export const DEFAULTS = {
  reusePort: false,
  observers: [],
  maxClients: 10_000,
  maxHandshakes: 256,
  maxFeedsPerClient: 1000,
  // Ten million characters a second are read and parsed: so long a query holds others up for less than half a second.
  maxQueryBytes: 4 * 1024 * 1024,
  connectTimeoutMs: 5000,
  handshakeTimeoutMs: 15_000,
  strangerPatienceMs: 2000,
  keepaliveMs: 30_000,
  watchUpstreams: true,
  drainMs: 10_000,
  logQueries: false,
  proxyProtocol: false,
} as const;
