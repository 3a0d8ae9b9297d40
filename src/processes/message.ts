// The messages between the processes of the program: one supervisor, which listens and evaluates nothing, and its children,
// which are workers or the in-memory database.

import type { Address } from '../../proxy/upstream/address.ts';
import type { MetricObjects } from '../admin/metric-set.ts';
import type { AdminAnswers, AdminQuestion, ProcessStatus } from '../admin/question.ts';
import type { UpstreamStatus } from '../admin/status.ts';

/** The assignment of a child. It has the arguments and the environment of the supervisor besides. */
export type Assignment =
  | {
      readonly role: 'worker';
      /** The worker's number, for the log. */
      readonly id: number;
      /** The in-memory database, where that is upstream. */
      readonly database?: Address;
    }
  | { readonly role: 'database' };

/** From the supervisor to a child. */
export type Order =
  /** A client for a worker; its socket comes with it. */
  | { readonly kind: 'client' }
  /** Stop in good order. */
  | { readonly kind: 'stop' }
  /** Read certificates again. */
  | { readonly kind: 'reload' }
  /** Answer a question of the admin server. */
  | { readonly kind: 'ask'; readonly id: number; readonly question: AdminQuestion };

/** From a child to the supervisor. */
export type Report =
  /** The database listens here. */
  | { readonly kind: 'listening'; readonly address: Address }
  /** The worker can take clients. */
  | { readonly kind: 'ready' }
  /** The worker has taken the client that it was given. */
  | { readonly kind: 'taken' }
  /** What is wrong, as a line for a person: the child ends. */
  | { readonly kind: 'complaint'; readonly line: string }
  /** The answer to a question. */
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AdminAnswers[keyof AdminAnswers] }
  /** Upstream servers as the worker sees them from now on. */
  | { readonly kind: 'upstreams'; readonly upstreams: readonly UpstreamStatus[] }
  /** What the worker has counted, and will count no more. */
  | { readonly kind: 'counted'; readonly metrics: MetricObjects; readonly status: ProcessStatus }
  /** The last report of a child that ends. */
  | { readonly kind: 'leaving' };
