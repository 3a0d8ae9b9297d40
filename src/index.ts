// Livefold as a library: the proxy, the rewriting, and the in-memory server.

export * from '../proxy/index.ts';
export * from '../rewrite/index.ts';
export type { AdminError, ListChanges, StatusChanges, StatusEvents } from './admin/routes.ts';
export type {
  ClientStatus,
  FeedDetail,
  FeedStatus,
  HealingStatus,
  Moment,
  Readiness,
  Status,
  SubscriberStatus,
  Totals,
  UpstreamStatus,
  WorkerStatus,
} from './admin/status.ts';
export {
  createEmbeddedServer,
  type EmbeddedAddress,
  type EmbeddedOptions,
  type EmbeddedServer,
} from './embedded/index.ts';
