// The options of the command line as a table: one row gives the flag, the environment variable, the default and how its
// text is read (`option-readers.ts`). Everything else about options is derived from here.

import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { HEAL_MS } from '../../proxy/feed/healing/heal-ms.ts';
import { HISTORY_DOCUMENTS } from '../../proxy/feed/revisions/history.ts';
import { DEFAULTS } from '../../proxy/options.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { DEFAULT_EVALUATION } from '../../rewrite/reql/eval/core/evaluation-limits.ts';
import { LOG_FORMATS, type LogFormat } from './logger.ts';
import { address, adminAddress, bytes, count, seconds, UPSTREAM_PORT, upstreamAddresses } from './option-readers.ts';

/** The values of all options. Times are milliseconds. */
export interface OptionValues {
  readonly listen: Address;
  readonly addressFile?: string;
  readonly upstream?: readonly Address[];
  readonly embedded?: boolean;
  readonly demo?: boolean;
  readonly embeddedListen?: Address;
  readonly embeddedPassword?: string;
  readonly admin?: Address;
  readonly adminToken?: string;
  readonly workers: number;
  readonly reusePort?: boolean;
  readonly proxyProtocol?: boolean;
  readonly plan: Plan;
  readonly aggregates?: string;
  readonly share: boolean;
  readonly lingerSeconds: number;
  readonly historyDocuments: number;
  readonly healSeconds: number;
  readonly logLevel?: string;
  readonly logFormat: LogFormat;
  readonly logQueries?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsClientCa?: string;
  readonly upstreamTls?: boolean;
  readonly upstreamCa?: string;
  readonly upstreamServerName?: string;
  readonly maxClients: number;
  readonly maxHandshakes: number;
  readonly maxFeedsPerClient: number;
  readonly maxQueryBytes: number;
  readonly maxMemory?: number;
  readonly maxStateRows: number;
  readonly maxStateBytes: number;
  readonly maxSteps: number;
  readonly maxArrayLimit: number;
  readonly connectTimeout: number;
  readonly handshakeTimeout: number;
  readonly keepaliveSeconds: number;
  readonly drainSeconds: number;
}

/** The plan that live queries take: the cheaper one each, or always the same. */
export type Plan = (typeof PLANS)[number];

const PLANS = ['auto', 'server', 'proxy'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** An option. Options without a value in their flags are switches. */
export interface OptionRow {
  readonly flags: string;
  readonly env: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** The default as a value, and as help shows it. */
  readonly fallback?: readonly [value: unknown, shown: string];
  /** Reads the text; `previous` is what an earlier occurrence of the same option gave. Throws InvalidArgumentError. */
  readonly read?: (text: string, previous: unknown) => unknown;
}

/** All options, in the order help shows them. */
export const OPTION_TABLE: readonly OptionRow[] = [
  {
    flags: '--listen <host:port>',
    env: 'LIVEFOLD_LISTEN',
    description: 'where clients connect',
    fallback: [{ host: '127.0.0.1', port: 28016 }, '127.0.0.1:28016'],
    read: (text) => address(text),
  },
  {
    flags: '--address-file <file>',
    env: 'LIVEFOLD_ADDRESS_FILE',
    description: 'where it writes the address that it listens on; `livefold health` reads it there',
  },
  {
    flags: '--upstream <host:port>',
    env: 'LIVEFOLD_UPSTREAM',
    description: `a RethinkDB server (port ${UPSTREAM_PORT} if left out); repeat, or separate by commas, for several`,
    read: upstreamAddresses,
  },
  {
    flags: '--embedded',
    env: 'LIVEFOLD_EMBEDDED',
    description: 'serve an in-memory database in place of an upstream; it stores nothing',
  },
  {
    flags: '--demo',
    env: 'LIVEFOLD_DEMO',
    description: 'the same with orders that come and go in it, and live aggregates over them printed: to look at',
  },
  {
    flags: '--embedded-listen <host:port>',
    env: 'LIVEFOLD_EMBEDDED_LISTEN',
    description: 'where the in-memory database itself can be reached (default: 127.0.0.1, any free port)',
    read: (text) => address(text),
  },
  {
    flags: '--embedded-password <password>',
    env: 'LIVEFOLD_EMBEDDED_PASSWORD',
    description: 'the password of its user admin (default: none)',
  },
  {
    flags: '--admin <host:port>',
    env: 'LIVEFOLD_ADMIN',
    description: 'serve metrics, health, the status and a page for operators over HTTP; a port alone is on 127.0.0.1',
    read: (text) => adminAddress(text),
  },
  {
    flags: '--admin-token <text>',
    env: 'LIVEFOLD_ADMIN_TOKEN',
    description:
      'whoever asks there has to have it, but for /healthz and /readyz; with it feeds and clients can be ended',
  },
  {
    flags: '--workers <count>',
    env: 'LIVEFOLD_WORKERS',
    description:
      'processes that serve clients, under one that watches over them; limits hold for each. 0: the one that is started serves alone',
    fallback: [1, '1'],
    read: (text) => count(text, 0),
  },
  {
    flags: '--reuse-port',
    env: 'LIVEFOLD_REUSE_PORT',
    description: 'let another livefold listen on the same port (Node 22.12 or 23.1 and newer)',
  },
  {
    flags: '--proxy-protocol',
    env: 'LIVEFOLD_PROXY_PROTOCOL',
    description:
      'expect the header of a load balancer (PROXY protocol, version 1 or 2) on each connection; the log and the status show the client that it names. Nobody else must be able to connect',
  },
  {
    flags: '--plan <plan>',
    env: 'LIVEFOLD_PLAN',
    description: 'where live queries are folded',
    choices: PLANS,
    fallback: ['auto', 'auto'],
  },
  {
    flags: '--aggregates <file>',
    env: 'LIVEFOLD_AGGREGATES',
    description: 'a JavaScript module of aggregates of your own, for changes({aggregate: name})',
  },
  {
    flags: '--no-share',
    env: 'LIVEFOLD_NO_SHARE',
    description: 'give every live query a feed upstream of its own, instead of one for all equal ones of a user',
  },
  {
    flags: '--linger-seconds <seconds>',
    env: 'LIVEFOLD_LINGER_SECONDS',
    description: 'how long a shared feed goes on upstream when nobody follows it any more',
    fallback: [0, '0'],
    read: (text) => seconds(text),
  },
  {
    flags: '--history-documents <count>',
    env: 'LIVEFOLD_HISTORY_DOCUMENTS',
    description: 'changes that a shared feed keeps for clients that take it up again by `since`; 0: none',
    fallback: [HISTORY_DOCUMENTS, String(HISTORY_DOCUMENTS)],
    read: (text) => count(text, 0),
  },
  {
    flags: '--heal-seconds <seconds>',
    env: 'LIVEFOLD_HEAL_SECONDS',
    description:
      'how long a live query that RethinkDB has ended or spoilt is read again before it fails; 0: not at all',
    fallback: [HEAL_MS / 1000, String(HEAL_MS / 1000)],
    read: (text) => seconds(text),
  },
  {
    flags: '--log-level <level>',
    env: 'LIVEFOLD_LOG_LEVEL',
    description: 'what is logged to standard error (default: info; error in the demo)',
    choices: LOG_LEVELS,
  },
  {
    flags: '--log-format <format>',
    env: 'LIVEFOLD_LOG_FORMAT',
    description: 'lines of JSON, or text for people',
    choices: LOG_FORMATS,
    fallback: ['json', 'json'],
  },
  {
    flags: '--log-queries',
    env: 'LIVEFOLD_LOG_QUERIES',
    description: 'log queries, and errors about them, with the data in them',
  },
  { flags: '--tls-cert <file>', env: 'LIVEFOLD_TLS_CERT', description: 'certificate towards clients (PEM)' },
  { flags: '--tls-key <file>', env: 'LIVEFOLD_TLS_KEY', description: 'its private key (PEM)' },
  {
    flags: '--tls-client-ca <file>',
    env: 'LIVEFOLD_TLS_CLIENT_CA',
    description: 'clients need a certificate signed by one of these (PEM)',
  },
  { flags: '--upstream-tls', env: 'LIVEFOLD_UPSTREAM_TLS', description: 'speak TLS with upstream' },
  {
    flags: '--upstream-ca <file>',
    env: 'LIVEFOLD_UPSTREAM_CA',
    description: 'authorities to trust for upstream, in place of the system’s (PEM)',
  },
  {
    flags: '--upstream-server-name <name>',
    env: 'LIVEFOLD_UPSTREAM_SERVER_NAME',
    description: 'the name upstream’s certificate must carry (default: the host)',
  },
  {
    flags: '--max-clients <count>',
    env: 'LIVEFOLD_MAX_CLIENTS',
    description: 'clients at once',
    fallback: [DEFAULTS.maxClients, String(DEFAULTS.maxClients)],
    read: (text) => count(text),
  },
  {
    flags: '--max-handshakes <count>',
    env: 'LIVEFOLD_MAX_HANDSHAKES',
    description: 'clients that shake hands with upstream at once; more wait for their turn',
    fallback: [DEFAULTS.maxHandshakes, String(DEFAULTS.maxHandshakes)],
    read: (text) => count(text),
  },
  {
    flags: '--max-feeds-per-client <count>',
    env: 'LIVEFOLD_MAX_FEEDS_PER_CLIENT',
    description: 'live queries of one client at once',
    fallback: [DEFAULTS.maxFeedsPerClient, String(DEFAULTS.maxFeedsPerClient)],
    read: (text) => count(text),
  },
  {
    flags: '--max-query-bytes <bytes>',
    env: 'LIVEFOLD_MAX_QUERY_BYTES',
    description: 'longer live queries are refused; other queries may have any length',
    fallback: [DEFAULTS.maxQueryBytes, '4M'],
    read: (text) => bytes(text),
  },
  {
    flags: '--max-memory <bytes>',
    env: 'LIVEFOLD_MAX_MEMORY',
    description:
      'what is kept for all clients together, estimated; beyond it the largest feed ends (default: half of Node’s heap)',
    read: (text) => bytes(text),
  },
  {
    flags: '--max-state-rows <count>',
    env: 'LIVEFOLD_MAX_STATE_ROWS',
    description: 'elements, groups and rows that the proxy keeps for one feed; the feed ends beyond it',
    fallback: [DEFAULT_LIMITS.maxStateRows, String(DEFAULT_LIMITS.maxStateRows)],
    read: (text) => count(text),
  },
  {
    flags: '--max-state-bytes <bytes>',
    env: 'LIVEFOLD_MAX_STATE_BYTES',
    description: 'the same in bytes, estimated',
    fallback: [DEFAULT_LIMITS.maxStateBytes, '2G'],
    read: (text) => bytes(text),
  },
  {
    flags: '--max-steps <count>',
    env: 'LIVEFOLD_MAX_STEPS',
    description: 'steps that the proxy takes at a time, to rewrite a query and to evaluate a change; refused beyond it',
    fallback: [DEFAULT_EVALUATION.maxSteps, String(DEFAULT_EVALUATION.maxSteps)],
    read: (text) => count(text),
  },
  {
    flags: '--max-array-limit <count>',
    env: 'LIVEFOLD_MAX_ARRAY_LIMIT',
    description: 'the most that the run option arrayLimit can allow for what the proxy evaluates',
    fallback: [DEFAULT_EVALUATION.maxArrayLimit, String(DEFAULT_EVALUATION.maxArrayLimit)],
    read: (text) => count(text),
  },
  {
    flags: '--connect-timeout <seconds>',
    env: 'LIVEFOLD_CONNECT_TIMEOUT',
    description: 'for each upstream server to accept a connection',
    fallback: [DEFAULTS.connectTimeoutMs / 1000, String(DEFAULTS.connectTimeoutMs / 1000)],
    read: (text) => seconds(text),
  },
  {
    flags: '--handshake-timeout <seconds>',
    env: 'LIVEFOLD_HANDSHAKE_TIMEOUT',
    description: 'from a client’s connection to the end of its handshake',
    fallback: [DEFAULTS.handshakeTimeoutMs / 1000, String(DEFAULTS.handshakeTimeoutMs / 1000)],
    read: (text) => seconds(text),
  },
  {
    flags: '--keepalive-seconds <seconds>',
    env: 'LIVEFOLD_KEEPALIVE_SECONDS',
    description: 'silence after which an end is asked whether it is there; 0: never',
    fallback: [DEFAULTS.keepaliveMs / 1000, String(DEFAULTS.keepaliveMs / 1000)],
    read: (text) => seconds(text),
  },
  {
    flags: '--drain-seconds <seconds>',
    env: 'LIVEFOLD_DRAIN_SECONDS',
    description: 'how long queries may go on after SIGTERM or Ctrl-C; feeds end at once, a second one ends all',
    fallback: [DEFAULTS.drainMs / 1000, String(DEFAULTS.drainMs / 1000)],
    read: (text) => seconds(text),
  },
];
