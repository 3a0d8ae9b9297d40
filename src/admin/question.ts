// The questions of the admin server to the processes that serve clients, and their answers: JSON both, since it goes from process to
// process.

import type { MetricObjects } from './metric-set.ts';
import type { ClientStatus, FeedDetail, FeedStatus, Totals, UpstreamStatus, WorkerStatus } from './status.ts';

/** The part of one process in the status. */
export interface ProcessStatus {
  readonly worker: Omit<WorkerStatus, 'isStopping'>;
  readonly totals: Totals;
  readonly clients: readonly ClientStatus[];
  readonly feeds: readonly FeedStatus[];
  readonly upstreams: readonly UpstreamStatus[];
}

/** The kinds of questions, with their answers. */
export interface AdminAnswers {
  readonly metrics: MetricObjects;
  readonly status: ProcessStatus;
  /** `null` where there is no such feed. */
  readonly feed: FeedDetail | null;
  /** Whether there was one to be ended. */
  readonly endFeed: boolean;
  readonly endClient: boolean;
}

/** A question. `id`: the second part of the id of a feed, or the number of a connection, where it is about one. */
export interface AdminQuestion<About extends keyof AdminAnswers = keyof AdminAnswers> {
  readonly about: About;
  readonly id?: string;
}

/** Asks this process, or another one. `undefined`: it did not in time. */
export type AskAdmin = <About extends keyof AdminAnswers>(
  question: AdminQuestion<About>,
) => Promise<AdminAnswers[About] | undefined>;
