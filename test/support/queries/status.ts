// A status document, for those who show one.

import type { ClientStatus, FeedStatus, Status } from '../../../src/admin/status.ts';

const MOMENT = '2026-11-01T00:00:00.000Z';

/** A client that has just come, but for what is said. */
export function clientStatus(said: Partial<ClientStatus> & Pick<ClientStatus, 'id'>): ClientStatus {
  return {
    address: '10.0.0.1:50000',
    user: 'admin',
    protocol: 'V1_0',
    upstream: 'db:28015',
    connectedAt: MOMENT,
    ageSeconds: 0,
    feeds: 0,
    waitingBytes: 0,
    bytesRead: 0,
    bytesWritten: 0,
    ...said,
  };
}

/** A feed that has just been opened, but for what is said. */
export function feedStatus(said: Partial<FeedStatus> & Pick<FeedStatus, 'id'>): FeedStatus {
  return {
    query: "r.table('t').sum('x').changes()",
    user: 'admin',
    plan: 'server',
    openedAt: MOMENT,
    ageSeconds: 0,
    subscribers: 1,
    privateBecause: null,
    stateRows: 0,
    stateBytes: 0,
    waitingBytes: 0,
    documents: 0,
    changesRead: 0,
    workSeconds: 0,
    load: 0,
    frontierAgeSeconds: 0,
    lastChangeAt: null,
    isHealing: false,
    lastHealing: null,
    ...said,
  };
}

/** A livefold that has just been started, but for what is said. */
export function statusOf(said: Partial<Status> = {}): Status {
  return {
    version: '1.2.3',
    node: 'v20.0.0',
    startedAt: MOMENT,
    at: MOMENT,
    readiness: { ready: true },
    canEnd: false,
    workers: [],
    totals: {
      clients: 0,
      subscribers: 0,
      feeds: 0,
      healing: 0,
      stateRows: 0,
      stateBytes: 0,
      waitingBytes: 0,
      queriesPassed: 0,
      workSeconds: 0,
      load: 0,
      changesRead: 0,
      documents: 0,
      bytesFromClients: 0,
      bytesToClients: 0,
    },
    clients: [],
    feeds: [],
    upstreams: [],
    ...said,
  };
}
