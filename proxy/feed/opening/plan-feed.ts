// The plan of a live query, and the source that fills its state.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { Live, Source } from '../../../rewrite/live.ts';
import { choosePlan, type Planned } from '../../../rewrite/plan/choose-plan.ts';
import { readOneTable } from '../../../rewrite/plan/settling.ts';
import { upstreamOptions, upstreamQueueSize } from '../../../rewrite/plan/upstream-options.ts';
import { recognizeAt } from '../../../rewrite/recognize-at.ts';
import type { Knowledge } from '../../../rewrite/recognized.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { FreshVars } from '../../../rewrite/reql/term/vars.ts';
import { proxyMeter } from '../../../rewrite/rewriting-steps.ts';
import type { KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import { subjectOf } from '../../../rewrite/subject.ts';
import type { FeedQuery } from '../../relay/feed-port.ts';
import type { RowPairing } from '../operator/row-pairing.ts';
import { ConstantSource } from '../source/constant-source.ts';
import type { OpenSource } from '../source/feed-source.ts';
import { type FollowingSettings, FollowingSource } from '../source/following-source.ts';
import { withFoldedBatches, withOwnBatches } from '../source/own-batches.ts';
import { ProxyPlanSource } from '../source/proxy-plan-source.ts';
import { ServerPlanSource } from '../source/server-plan-source.ts';
import { constantState } from './constant-state.ts';
import type { TimedSettings } from './open-feed-settings.ts';

/** The settings of a live query. */
export interface Planning extends TimedSettings {
  readonly protocol: FeedQuery['protocol'];
  readonly options: FeedOptions;
  readonly context: EvalContext;
  readonly indexes: KnownIndexes;
  /** What rows are paired by, in all sources that are opened for one share. */
  readonly pairing: RowPairing;
  /** Whether the query has outgrown the server plan: from then on the proxy folds. */
  readonly outgrown: Outgrown;
}

/** Set where a fold inside RethinkDB has had more elements than it is to keep. */
export interface Outgrown {
  is: boolean;
}

/** Where a live query is folded, and how it is opened. */
export interface Plans {
  /** The plan that it has now: a query that has outgrown the server plan has the other one. */
  readonly plan: () => Planned['plan'];
  readonly openSource: OpenSource;
}

/** Plans a live query. */
export function planOf(planning: Planning, live: Live, fresh: FreshVars): Plans {
  const { follows } = live;
  if (follows === undefined) return planWritten(planning, live, fresh);
  const { context, indexes, protocol } = planning;
  const openAt = (followed: Datum): OpenSource => {
    const boxes = Array.isArray(followed) ? followed : [];
    const at = recognizeAt(live, boxes, fresh, { ...knowledgeOf(planning), indexes, asks: true });
    if (at.kind === 'refused') throw at.error;
    if (at.kind === 'live') return planOf(planning, at.live, at.fresh).openSource;
    const state = constantState(subjectOf(live.watched), at.term, context);
    return (port, sink) => new ConstantSource(port, sink, state);
  };
  const settings: FollowingSettings = {
    openFollowed: planOf(planning, follows.of.live, follows.of.fresh).openSource,
    openAt,
    isOneTable: readOneTable(sourcesOf(follows.of.live), live.sources),
    protocol,
    origin: live.changes.origin,
  };
  return {
    plan: () => 'proxy',
    openSource: (port, sink, memory) => new FollowingSource(port, sink, memory, settings),
  };
}

/** The sources that a live query reads, those of what it follows included. */
export function sourcesOf({ sources, follows }: Live): readonly Source[] {
  return follows === undefined ? sources : [...sources, ...sourcesOf(follows.of.live)];
}

/** Plans a live query whose selections are written out. */
function planWritten(planning: Planning, live: Live, fresh: FreshVars): Plans {
  const { plan, limits, protocol, options, context, pairing, outgrown, mark } = planning;
  const { upstreamQueueSize: queueSize = upstreamQueueSize(options) } = planning;
  const planned = choosePlan(live, upstreamOptions(live, queueSize), fresh, plan, mark);
  const query = withOwnBatches(planned.query, context);
  if (planned.plan === 'server') {
    const { watched, growth } = planned;
    const hasOutgrown = (): void => {
      outgrown.is = true;
    };
    const settings = { live, watched, query, growth, protocol, mark, outgrown: hasOutgrown };
    const openSource: OpenSource = (port, sink, memory) =>
      outgrown.is
        ? planWritten({ ...planning, plan: 'proxy' }, live, fresh).openSource(port, sink, memory)
        : new ServerPlanSource(port, sink, { ...settings, memory });
    return { plan: () => (outgrown.is ? 'proxy' : 'server'), openSource };
  }
  const { readies } = planned.feed;
  const folded = withFoldedBatches(query);
  const openSource: OpenSource = (port, sink, memory) =>
    new ProxyPlanSource(port, sink, { live, query: folded, readies, context, limits, protocol, pairing, memory });
  return { plan: () => 'proxy', openSource };
}

/** The knowledge that is the same for all queries. */
export function knowledgeOf({ aggregates, evaluation }: TimedSettings): Omit<Knowledge, 'indexes' | 'asks'> {
  return { aggregates, meter: proxyMeter(evaluation.maxSteps) };
}
