// The routes of the admin server, as a table: each path with its methods and what it is for. `/api/events` is a stream of
// server-sent events: the first is `status`, with a whole `Status`; each `changes` after it, one a second at the most, says what is
// not as it was. A client that applies them to its status has the status of that moment.

import type {
  ClientStatus,
  FeedStatus,
  Moment,
  Readiness,
  Status,
  Totals,
  UpstreamStatus,
  WorkerStatus,
} from './status.ts';

/** A kind of request. `ID` in a path stands for an id of the status document. */
export interface Route {
  readonly path: string;
  readonly methods: readonly Method[];
  readonly what: string;
  /** Whether it is answered without `--admin-token` where one is set: it shows nothing of clients. */
  readonly isOpen?: boolean;
  /** Whether it is refused where no `--admin-token` is set: it changes something. */
  readonly needsToken?: boolean;
}

export type Method = 'GET' | 'HEAD' | 'DELETE';

/** All routes. */
export const ROUTES = {
  page: { path: '/', methods: ['GET', 'HEAD'], what: 'a page that shows all this live' },
  metrics: { path: '/metrics', methods: ['GET', 'HEAD'], what: "metrics, in Prometheus' text format" },
  healthz: { path: '/healthz', methods: ['GET', 'HEAD'], what: '200: the process serves', isOpen: true },
  readyz: {
    path: '/readyz',
    methods: ['GET', 'HEAD'],
    what: '200 while an upstream server answers; 503, and why, where none does or livefold stops',
    isOpen: true,
  },
  status: { path: '/api/status', methods: ['GET', 'HEAD'], what: 'clients, feeds and upstream servers, as JSON' },
  events: { path: '/api/events', methods: ['GET'], what: 'the same as it changes, as server-sent events' },
  feed: {
    path: '/api/feeds/ID',
    methods: ['GET', 'HEAD'],
    what: 'one feed with its subscribers, and what `livefold explain` says of it, as JSON',
  },
  endFeed: {
    path: '/api/feeds/ID',
    methods: ['DELETE'],
    what: 'ends a feed, for all who follow it, with an error that says so',
    needsToken: true,
  },
  endClient: {
    path: '/api/clients/ID',
    methods: ['DELETE'],
    what: "ends a client's connection",
    needsToken: true,
  },
} as const satisfies Readonly<Record<string, Route>>;

/** The `data` of a `changes` event. Its `at` is that of the new status. */
export interface StatusChanges {
  readonly at: Moment;
  /** Absent where they are as they were. */
  readonly readiness?: Readiness;
  readonly totals?: Totals;
  readonly workers?: readonly WorkerStatus[];
  readonly upstreams?: readonly UpstreamStatus[];
  readonly clients?: ListChanges<ClientStatus>;
  readonly feeds?: ListChanges<FeedStatus>;
}

/** The changes of a list. Rows whose ages alone differ are not in it: `connectedAt` and `openedAt` tell those. */
export interface ListChanges<Row> {
  /** Rows that are new, or not as they were, whole. */
  readonly put: readonly Row[];
  /** Ids of rows that are not there any more. */
  readonly gone: readonly string[];
}

/** The events of the stream by their names, with what their `data` is as JSON. */
export interface StatusEvents {
  readonly status: Status;
  readonly changes: StatusChanges;
}

/** The body of an answer that is an error, as JSON, where the path begins with `/api/`; elsewhere it is the text alone. */
export interface AdminError {
  readonly error: string;
}
