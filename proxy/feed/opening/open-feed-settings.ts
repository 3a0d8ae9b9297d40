// The settings with which feeds are opened, as options of the proxy say.

import type { AggregateDefinition } from '../../../rewrite/analyze/define-aggregate.ts';
import type { Plan } from '../../../rewrite/plan/choose-plan.ts';
import type { EvaluationLimits } from '../../../rewrite/reql/eval/core/evaluation-limits.ts';
import type { StateLimits } from '../operator/gauge.ts';

/** The settings with which feeds are opened. */
export interface OpenFeedSettings {
  readonly plan: Plan;
  readonly limits: StateLimits;
  /** How much is evaluated for a client; `DEFAULT_EVALUATION` if absent. */
  readonly evaluation?: EvaluationLimits | undefined;
  /** What `changes({aggregate: name})` may name. */
  readonly aggregates?: readonly AggregateDefinition[] | undefined;
  /** Whether equal queries of a user are carried by one feed upstream; they are if absent. */
  readonly share?: boolean | undefined;
  /** Milliseconds for which what RethinkDB ends or spoils is read again; 0: not at all; a minute if absent. */
  readonly healMs?: number | undefined;
  /** Changes that a share keeps for clients that take up their feeds; `HISTORY_DOCUMENTS` if absent. */
  readonly historyDocuments?: number | undefined;
  /** Milliseconds for which a feed upstream goes on when nobody follows it any more; 0 if absent. */
  readonly lingerMs?: number | undefined;
  /** Changes that RethinkDB keeps for a feed while they are not fetched; what clients ask for beyond its default if absent. */
  readonly upstreamQueueSize?: number | undefined;
  /** Milliseconds from one look at the indexes that a client's feeds read to the next; `CHECK_INDEXES_MS` if absent. */
  readonly checkIndexesEvery?: number | undefined;
  /** Milliseconds since 1970. `r.now()` in what the proxy evaluates is the time when the query came. */
  readonly now: () => number;
}

/** The settings with all limits of evaluation and their clock, and what the errors of folds begin with: a client must not know it. */
export type TimedSettings = OpenFeedSettings & { readonly evaluation: EvaluationLimits; readonly mark: string };
