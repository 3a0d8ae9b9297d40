// The status document: what `/api/status` answers, and what the event stream of `/api/events` keeps up to date. Everything in it
// is JSON. Queries are printed as in logs: a value is shown only under `--log-queries`.

import type { HealingCause } from '../../proxy/observer/outcomes.ts';
import type { FeedPlan, FeedQuery } from '../../proxy/relay/feed-port.ts';

/** A moment, as ISO 8601 in UTC. */
export type Moment = string;

/** A whole livefold, with all of its workers. */
export interface Status {
  /** The version of livefold. */
  readonly version: string;
  readonly node: string;
  /** When the program was started. */
  readonly startedAt: Moment;
  /** When this document was made. */
  readonly at: Moment;
  readonly readiness: Readiness;
  /** Whether feeds and clients can be ended here: `--admin-token` is set. */
  readonly canEnd: boolean;
  /** Processes that serve clients, those that are stopping included. */
  readonly workers: readonly WorkerStatus[];
  readonly totals: Totals;
  /** Those for whom most waits first, and then those with most feeds; at most 1,000 of each worker, `totals` counts all. */
  readonly clients: readonly ClientStatus[];
  /** Those first that cost most: their part of what all keep and their part of what is worked for all. As many. */
  readonly feeds: readonly FeedStatus[];
  readonly upstreams: readonly UpstreamStatus[];
}

/** Whether clients can be served, and why not: what `/readyz` says. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** A process that serves clients. */
export interface WorkerStatus {
  /** Its number in the log; 0 where there is no supervisor. */
  readonly id: number;
  readonly pid: number;
  readonly startedAt: Moment;
  /** Whether it takes new clients, or ends when its last client has gone. */
  readonly isStopping: boolean;
  readonly clients: number;
  /** Feeds that carry the live queries of its clients. */
  readonly feeds: number;
  /** Bytes: of the process, and of the heap of Node that is in use, and at most. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly heapLimitBytes: number;
  /** What all clients together may keep there (`--max-memory`), and what they keep, estimated. */
  readonly maxMemoryBytes: number;
  readonly keptBytes: number;
}

/** Sums over all workers. Those that only grow begin at 0 with the program, whatever becomes of workers. */
export interface Totals {
  /** Clients that RethinkDB has let in. */
  readonly clients: number;
  /** Live queries of clients. */
  readonly subscribers: number;
  /** Feeds that carry them: equal queries of one user share one. */
  readonly feeds: number;
  /** Feeds that are being read again now. */
  readonly healing: number;
  /** The sum over all feeds, and of queries that are being opened. */
  readonly stateRows: number;
  readonly stateBytes: number;
  readonly waitingBytes: number;
  /** Queries that passed untouched; grows. */
  readonly queriesPassed: number;
  /** Changes that RethinkDB has told live queries of; grows. */
  readonly changesRead: number;
  /** Documents of live queries written to clients; grows. */
  readonly documents: number;
  /** Seconds that livefold has worked for live queries, opening them aside; grows. */
  readonly workSeconds: number;
  /** Seconds a second of that, over the last ten seconds: 1 is a core. */
  readonly load: number;
  /** Bytes from and to clients; grow. */
  readonly bytesFromClients: number;
  readonly bytesToClients: number;
}

/** A client's connection. */
export interface ClientStatus {
  /** `WORKER-CONNECTION`; the log has the two as `worker` and `connection`. */
  readonly id: string;
  /** `HOST:PORT` of the client. */
  readonly address: string;
  /** `null` while it has not said, and in protocols that have no users. */
  readonly user: string | null;
  /** `null` while it has not been let in. */
  readonly protocol: FeedQuery['protocol'] | null;
  /** The server it is connected to, `HOST:PORT`; `null` while there is none. */
  readonly upstream: string | null;
  readonly connectedAt: Moment;
  readonly ageSeconds: number;
  /** Its live queries. */
  readonly feeds: number;
  /** Bytes that wait for it: what it was sent and does not read, and documents of its live queries that it does not ask for. */
  readonly waitingBytes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** A feed: what one query upstream shows, and all who follow it. */
export interface FeedStatus {
  /** `WORKER-NUMBER`. */
  readonly id: string;
  /** The query of the client that opened it, in one line. */
  readonly query: string;
  /** `null` in protocols that have no users. */
  readonly user: string | null;
  /** Where it is folded now: `native` is folded nowhere, and RethinkDB's own. */
  readonly plan: FeedPlan;
  readonly openedAt: Moment;
  readonly ageSeconds: number;
  /** Live queries of clients that follow it now. */
  readonly subscribers: number;
  /** Why no other client joins it, in words; `null` where others do. */
  readonly privateBecause: string | null;
  /** What the proxy keeps for it, the queries of its subscribers included. */
  readonly stateRows: number;
  readonly stateBytes: number;
  /** Documents that wait for clients to ask for them, in bytes. */
  readonly waitingBytes: number;
  /** Documents written to all clients that ever followed it; `null` where they pass unread. */
  readonly documents: number | null;
  /** Changes that RethinkDB has told it of; `null` where they pass unread. */
  readonly changesRead: number | null;
  /**
   * Seconds that livefold has worked for it and all its subscribers: reading, folding, writing documents. By the clock, so that it is
   * CPU time where no core is wanted by others. What RethinkDB works is not in it.
   */
  readonly workSeconds: number;
  /** Seconds a second of that, over the last ten seconds: 1 is a core. */
  readonly load: number;
  /**
   * How far what it shows is behind what RethinkDB has told: 0 where all of that is shown, else seconds since the oldest that is
   * not. While it heals: seconds since that began.
   */
  readonly frontierAgeSeconds: number;
  /** When documents of a change were last written to subscribers; `null` where there was none since it was opened. */
  readonly lastChangeAt: Moment | null;
  readonly isHealing: boolean;
  readonly lastHealing: HealingStatus | null;
}

/** A healing that has come to its end. */
export interface HealingStatus {
  readonly at: Moment;
  readonly cause: HealingCause;
  /** RethinkDB's own words. */
  readonly reason: string;
  readonly ms: number;
}

/** A server behind the proxy, by all workers together. */
export interface UpstreamStatus {
  /** `HOST:PORT`. */
  readonly address: string;
  /** Whether it answered when it was last asked; `null` where it has not been asked yet. */
  readonly isUp: boolean | null;
  /** What the server calls itself; `null` where it has not said. */
  readonly version: string | null;
  /** Why it could not be reached; `null` where it could. */
  readonly problem: string | null;
  /** Times in a row that it could not be reached. */
  readonly failures: number;
  /** Since when it is up, or down. */
  readonly since: Moment | null;
  /** Clients connected to it. */
  readonly clients: number;
}

/** A feed and what is known of it beyond the list: what `/api/feeds/ID` answers. */
export interface FeedDetail {
  readonly feed: FeedStatus;
  /**
   * What `livefold explain` says of its query: plan, what is read and kept, what RethinkDB is asked. A line each, masked as the
   * query is.
   */
  readonly explanation: readonly string[];
  readonly subscribers: readonly SubscriberStatus[];
}

/** A live query of one client, which follows a feed. */
export interface SubscriberStatus {
  /** The id of the client. */
  readonly client: string;
  readonly address: string;
  /** The client's token for it, a whole number of 64 bits as text. */
  readonly token: string;
  readonly openedAt: Moment;
  /** Bytes of documents that wait for the client to ask: those for it alone, and its part of those that wait for several. */
  readonly waitingBytes: number;
  readonly documents: number | null;
}
