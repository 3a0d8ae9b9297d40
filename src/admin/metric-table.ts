// The metrics as a table: one row gives the name, the type, the help text and the labels with every value that they can have, so
// that no label grows without bound. The metrics themselves, their documentation, and the tests that hold dashboards and alerts
// to names that exist, are made of it.

import type {
  EndReason,
  ErrorKind,
  HandshakeOutcome,
  HealingCause,
  JoinOutcome,
  Party,
  RefusalReason,
} from '../../proxy/observer/outcomes.ts';
import type { Carried, FeedPlan } from '../../proxy/relay/feed-port.ts';

/** The type of a metric for Prometheus. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

/** The values of a label, with their meaning: each by itself, or in words where the operator has set how many there are. */
export type LabelValues = Readonly<Record<string, string>> | string;

/** A metric. */
export interface MetricRow {
  readonly name: `livefold_${string}`;
  readonly type: MetricType;
  /** What it tells, with its unit. */
  readonly help: string;
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
  /** What workers' values of a gauge become together; the sum if absent. */
  readonly together?: 'max' | 'min';
}

type Meanings<Words extends string> = { readonly [Word in Words]: string };

const PLANS: Meanings<FeedPlan> = {
  server: 'folded inside RethinkDB',
  proxy: 'folded in the proxy',
  native: "RethinkDB's own, which the proxy had to ask about",
};

const CARRIERS: Meanings<Carried> = {
  shared: 'opened a feed upstream that others may join',
  joined: 'joined one that others have opened',
  alone: 'has one of its own',
};

const JOINS: Meanings<JoinOutcome> = {
  joined: 'follows the feed',
  denied: 'RethinkDB does not let it read the tables now: it has a feed of its own, and gets the error',
  renamed: 'the name means another table than for the feed: it has another one',
  over: 'the feed had ended meanwhile: it has another one',
};

const HEALINGS: Meanings<HealingCause> = {
  carrier: 'the connection that carried the feed went',
  overflow: 'the queue of RethinkDB ran over',
  index: 'an index that the query reads was made anew',
  silence: 'RethinkDB stopped telling what there is while it was read',
  outgrown: 'a fold inside RethinkDB had more rows to copy than it is to: it is folded in the proxy now',
  cluster: 'tables were cut into other shards, moved, or lost a server',
};

const HANDSHAKES: Meanings<HandshakeOutcome> = {
  accepted: 'RethinkDB let the client in',
  refused: 'RethinkDB refused it: a wrong password, say',
  unknown: "what it sent is no driver's handshake",
  late: 'it took longer than `--handshake-timeout`',
  evicted: 'it stood still while others waited',
  unreachable: 'no upstream server could be connected to',
  full: 'there were `--max-clients` already',
  header: 'with `--proxy-protocol`: what came first was no header of it',
  tls: 'TLS did not come about',
  left: 'the client went in the middle of it',
};

const PARTIES: Meanings<Party> = {
  client: 'the client',
  upstream: 'RethinkDB, or the way to it',
  proxy: 'livefold: it stops, or the client broke a limit',
};

const ERRORS: Meanings<ErrorKind> = {
  INTERNAL: 'a mistake of RethinkDB or of livefold',
  RESOURCE_LIMIT: 'a limit: of livefold, as `--max-state-rows`, or of RethinkDB',
  QUERY_LOGIC: 'a value of the wrong type, an index that is gone, an option that does not exist',
  NON_EXISTENCE: 'a field or a row that is not there',
  OP_FAILED: 'the cluster could not do it, a table is gone, or the proxy stops',
  OP_INDETERMINATE: 'it is not known whether the cluster did it',
  USER: 'the query raised it by itself',
  PERMISSION_ERROR: 'the user has no right to it',
  CLIENT_ERROR: 'the client broke the protocol',
  COMPILE_ERROR: 'the query is not well formed',
  RUNTIME_ERROR: 'an error without a kind',
};

const ENDS: Meanings<EndReason> = {
  stopped: 'the client closed it',
  complete: 'it came to its end, by a `limit` say',
  closed: "the client's connection ended",
  upstream_lost: 'RethinkDB, or the way to it, went, and with it the connection of the client',
  stopping: 'livefold stops',
  ...ERRORS,
};

const REFUSALS: Meanings<RefusalReason> = {
  unsupported: 'livefold cannot watch it',
  too_long: 'it is longer than `--max-query-bytes`',
  memory: 'memory is too short to take it apart',
  ...ERRORS,
};

const UPSTREAM = 'each `--upstream`, as HOST:PORT';

/** Seconds: from a change that is folded at once to one that somebody notices. */
const DELAYS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** All metrics of livefold. Those that begin with `process_` and `nodejs_` are prom-client's. */
export const METRICS = {
  info: {
    name: 'livefold_info',
    type: 'gauge',
    help: 'Always 1, with the versions of livefold and of Node.',
    labels: { version: 'of livefold', node: 'of Node' },
    together: 'max',
  },
  ready: {
    name: 'livefold_ready',
    type: 'gauge',
    help: '1 while an upstream server answers and livefold is not stopping, else 0: as /readyz says.',
    together: 'max',
  },
  startTime: {
    name: 'livefold_start_time_seconds',
    type: 'gauge',
    help: 'When the program was started, in seconds since 1970.',
    together: 'min',
  },
  workers: {
    name: 'livefold_workers',
    type: 'gauge',
    help: 'Processes that serve clients, those that are stopping included.',
  },
  workerDeaths: {
    name: 'livefold_worker_deaths_total',
    type: 'counter',
    help: 'Workers that ended though nobody had told them to, and were replaced.',
  },
  connections: {
    name: 'livefold_connections',
    type: 'gauge',
    help: 'Connections of clients, those included that have said nothing yet.',
  },
  clients: {
    name: 'livefold_clients',
    type: 'gauge',
    help: 'Clients that RethinkDB has let in.',
  },
  handshakes: {
    name: 'livefold_handshakes_total',
    type: 'counter',
    help: 'Handshakes of clients, by how they came out.',
    labels: { outcome: HANDSHAKES },
  },
  disconnects: {
    name: 'livefold_disconnects_total',
    type: 'counter',
    help: 'Clients that had been let in and are gone, by who ended the connection.',
    labels: { by: PARTIES },
  },
  clientRead: {
    name: 'livefold_client_read_bytes_total',
    type: 'counter',
    help: 'Bytes read from clients.',
  },
  clientWritten: {
    name: 'livefold_client_written_bytes_total',
    type: 'counter',
    help: 'Bytes written to clients.',
  },
  upstreamRead: {
    name: 'livefold_upstream_read_bytes_total',
    type: 'counter',
    help: 'Bytes read from RethinkDB.',
  },
  upstreamWritten: {
    name: 'livefold_upstream_written_bytes_total',
    type: 'counter',
    help: 'Bytes written to RethinkDB.',
  },
  queriesPassed: {
    name: 'livefold_queries_passed_total',
    type: 'counter',
    help: "Messages of clients that went on to RethinkDB untouched: queries, and what asks for more of RethinkDB's own feeds.",
  },
  upstreamUp: {
    name: 'livefold_upstream_up',
    type: 'gauge',
    help: '1 while the server answers, 0 while it does not; absent until it has been asked.',
    labels: { upstream: UPSTREAM },
    together: 'min',
  },
  upstreamFailures: {
    name: 'livefold_upstream_failures_total',
    type: 'counter',
    help: 'Times that a server could not be reached.',
    labels: { upstream: UPSTREAM },
  },
  upstreamLost: {
    name: 'livefold_upstream_lost_total',
    type: 'counter',
    help: 'Clients whose connection to RethinkDB went though they had not ended it.',
  },
  feeds: {
    name: 'livefold_feeds',
    type: 'gauge',
    help: 'Live queries of clients that are open, by where they are folded.',
    labels: { plan: PLANS },
  },
  opened: {
    name: 'livefold_feeds_opened_total',
    type: 'counter',
    help: 'Live queries that became feeds, by where they are folded and how they are carried.',
    labels: { plan: PLANS, carried: CARRIERS },
  },
  ended: {
    name: 'livefold_feeds_ended_total',
    type: 'counter',
    help: 'Live queries that were feeds and are over, by why.',
    labels: { reason: ENDS },
  },
  refused: {
    name: 'livefold_feeds_refused_total',
    type: 'counter',
    help: 'Live queries that did not become feeds, by why.',
    labels: { reason: REFUSALS },
  },
  shares: {
    name: 'livefold_shares',
    type: 'gauge',
    help: 'Feeds upstream that carry live queries: equal ones of a user share one.',
  },
  subscribers: {
    name: 'livefold_subscribers',
    type: 'gauge',
    help: 'Live queries that follow them.',
  },
  joins: {
    name: 'livefold_joins_total',
    type: 'counter',
    help: 'Live queries that found a feed to join, by what became of that.',
    labels: { outcome: JOINS },
  },
  healing: {
    name: 'livefold_feeds_healing',
    type: 'gauge',
    help: 'Feeds upstream that are being read again; their clients see the last value meanwhile.',
  },
  healings: {
    name: 'livefold_healings_total',
    type: 'counter',
    help: 'Feeds that were read again, by what had spoilt them.',
    labels: { cause: HEALINGS },
  },
  healingsFailed: {
    name: 'livefold_healings_failed_total',
    type: 'counter',
    help: 'Feeds that could not be read again and ended with the error, by what had spoilt them.',
    labels: { cause: HEALINGS },
  },
  changesRead: {
    name: 'livefold_changes_read_total',
    type: 'counter',
    help: 'Documents that RethinkDB has sent for live queries, those of first readings included.',
  },
  documents: {
    name: 'livefold_documents_total',
    type: 'counter',
    help: 'Documents of live queries written to clients.',
  },
  netChanges: {
    name: 'livefold_net_changes_total',
    type: 'counter',
    help: 'Changes that a client was too slow for, and that were taken into a net change.',
  },
  work: {
    name: 'livefold_feed_work_seconds_total',
    type: 'counter',
    help: 'Seconds that livefold has worked for live queries that are open: reading, folding, writing documents. /api/status has them for each.',
  },
  delay: {
    name: 'livefold_change_delay_seconds',
    type: 'histogram',
    help: 'From a change that is read from RethinkDB to its document written to the last of the clients that wait for it.',
    buckets: DELAYS,
  },
  frontierAge: {
    name: 'livefold_frontier_age_seconds',
    type: 'gauge',
    help: 'How far the feed that is furthest behind is behind what RethinkDB has told; 0 where all is shown.',
    together: 'max',
  },
  stateRows: {
    name: 'livefold_state_rows',
    type: 'gauge',
    help: 'Elements, groups and rows that are kept for live queries.',
  },
  stateBytes: {
    name: 'livefold_state_bytes',
    type: 'gauge',
    help: 'Bytes of the heap that they take, estimated.',
  },
  waitingBytes: {
    name: 'livefold_waiting_bytes',
    type: 'gauge',
    help: 'Bytes of the heap in documents that wait for clients to ask for them, estimated.',
  },
  bufferBytes: {
    name: 'livefold_buffer_bytes',
    type: 'gauge',
    help: 'Bytes outside of the heap: queries that are arriving, and answers that clients have not read.',
  },
  memoryLimit: {
    name: 'livefold_memory_limit_bytes',
    type: 'gauge',
    help: 'What state and waiting documents may take together (--max-memory), of all workers together.',
  },
  memoryUsed: {
    name: 'livefold_memory_used_ratio',
    type: 'gauge',
    help: 'Which part of that is taken in the worker where it is most, from 0 to 1.',
    together: 'max',
  },
  memoryShort: {
    name: 'livefold_memory_short_total',
    type: 'counter',
    help: 'Feeds and connections that were ended since memory was short.',
  },
  loopDelay: {
    name: 'livefold_event_loop_delay_seconds',
    type: 'histogram',
    help: 'How late a worker comes to what it was to do at a certain time, looked at ten times a second.',
    buckets: DELAYS,
  },
  mistakes: {
    name: 'livefold_mistakes_total',
    type: 'counter',
    help: 'Mistakes of livefold itself that cost a feed or a client; the log has each.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
