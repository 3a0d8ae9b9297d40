// The metrics of one process that serves clients. What happens seldom is counted as it is told; what happens often is read from the
// tally, the sockets and the memory when somebody asks.

import { collectDefaultMetrics } from 'prom-client';
import type { MemoryReading } from '../../proxy/memory/memory-budget.ts';
import type {
  DroppedQuery,
  FeedEnding,
  HandshakeEnd,
  HealingReport,
  ObservedFeed,
  ObservedSession,
  ObservedShare,
  SessionEnd,
} from '../../proxy/observer/observer.ts';
import type { EndReason, HandshakeOutcome, HealingCause, JoinOutcome } from '../../proxy/observer/outcomes.ts';
import { QuietObserver } from '../../proxy/observer/quiet-observer.ts';
import type { Tally } from '../../proxy/observer/tally.ts';
import { errorKind } from '../../proxy/relay/feed-end.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { Refusal } from '../../rewrite/refusal.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { type MetricKey, type MetricObjects, MetricSet } from './metric-set.ts';
import { METRICS } from './metric-table.ts';
import type { Roster } from './roster.ts';
import type { UpstreamWatch } from './upstream-watch.ts';

/** The sources that the metrics are read from. */
export interface MetricSources {
  readonly roster: Roster;
  readonly tally: Tally;
  readonly upstreams: UpstreamWatch;
  /** What is held for all clients. */
  readonly memory: () => MemoryReading;
}

/** The metrics of the program as a whole, whichever its processes are. */
export const PROGRAM_KEYS = ['info', 'ready', 'startTime', 'workers', 'workerDeaths'] as const satisfies MetricKey[];

const MS_PER_SECOND = 1000;
/**
 * Metrics of prom-client that are left out: those that walk all sockets each time, and delays of the event loop that count the time
 * between two looks as well, and begin anew with each scrape.
 */
const LEFT_OUT = /^nodejs_(?:active_|eventloop_lag_)/;
/** How often prom-client looks at the event loop, which nobody reads: seldom, in milliseconds. */
const SELDOM_MS = 1000;

/** Counts for one process. */
export class ProxyMetrics extends QuietObserver {
  readonly #set = new MetricSet(proxyKeys());
  /** Those whose handshakes have come to their end. */
  readonly #shaken = new WeakSet<ObservedSession>();
  readonly #letIn = new WeakSet<ObservedSession>();

  constructor(upstreams: readonly Address[]) {
    super();
    for (const upstream of upstreams) this.#set.count('upstreamFailures', { upstream: printAddress(upstream) }, 0);
    const { registry } = this.#set;
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SELDOM_MS });
    for (const { name } of registry.getMetricsAsArray()) if (LEFT_OUT.test(name)) registry.removeSingleMetric(name);
    watchLoopDelay((seconds) => this.#set.observe('loopDelay', seconds));
  }

  /** All of them, as they are now. */
  async objects({ roster, tally, upstreams, memory }: MetricSources): Promise<MetricObjects> {
    this.#read(roster);
    for (const key of ['queriesPassed', 'changesRead', 'documents', 'netChanges'] as const) {
      this.#set.reach(key, tally[key]);
    }
    const { maxMemory, heap, state, buffers, rows } = memory();
    this.#set.set('stateRows', rows);
    this.#set.set('stateBytes', state);
    this.#set.set('waitingBytes', heap - state);
    this.#set.set('bufferBytes', buffers);
    this.#set.set('memoryLimit', maxMemory);
    this.#set.set('memoryUsed', heap / maxMemory);
    for (const { address, isUp } of upstreams.states) {
      if (isUp !== null) this.#set.set('upstreamUp', isUp ? 1 : 0, { upstream: address });
    }
    return await this.#set.objects();
  }

  #read(roster: Roster): void {
    const { clientRead, clientWritten, upstreamRead, upstreamWritten } = roster.bytes;
    this.#set.reach('clientRead', clientRead);
    this.#set.reach('clientWritten', clientWritten);
    this.#set.reach('upstreamRead', upstreamRead);
    this.#set.reach('upstreamWritten', upstreamWritten);
    this.#set.reach('work', roster.workMs / MS_PER_SECOND);
    const sessions = [...roster.sessions.values()];
    this.#set.set('connections', sessions.length);
    this.#set.set('clients', sessions.filter(({ protocol }) => protocol !== undefined).length);
    const { feedsByPlan } = roster;
    for (const plan of ['server', 'proxy', 'native'] as const) {
      this.#set.set('feeds', feedsByPlan[plan], { plan });
    }
    const shares = [...roster.shares.values()];
    this.#set.set('shares', shares.length);
    this.#set.set(
      'subscribers',
      shares.reduce((sum, { size }) => sum + size, 0),
    );
    this.#set.set('healing', shares.filter(({ isHealing }) => isHealing).length);
    const oldest = shares.reduce((most, { frontierAgeMs }) => Math.max(most, frontierAgeMs), 0);
    this.#set.set('frontierAge', oldest / MS_PER_SECOND);
  }

  override handshakeEnded(session: ObservedSession, { outcome }: HandshakeEnd): void {
    this.#shaken.add(session);
    if (outcome === 'accepted') this.#letIn.add(session);
    this.#handshake(outcome);
  }

  override clientRefused(): void {
    this.#handshake('full');
  }

  override headerRefused(_peer: string | undefined, _reason: string, hasLeft: boolean): void {
    if (!hasLeft) this.#handshake('header');
  }

  override tlsFailed(_client: string | undefined, _reason: string, hasLeft: boolean): void {
    if (!hasLeft) this.#handshake('tls');
  }

  override sessionClosed(session: ObservedSession, { by, hasSpoken }: SessionEnd): void {
    if (this.#letIn.has(session)) this.#set.count('disconnects', { by: by ?? 'client' });
    // A port scan shakes no hands, and a client that is not served is counted already.
    else if (hasSpoken && by !== 'proxy' && !this.#shaken.has(session)) this.#handshake('left');
  }

  override upstreamLost(): void {
    this.#set.count('upstreamLost');
  }

  override sessionFailed(): void {
    this.#set.count('mistakes');
  }

  override feedFailed(): void {
    this.#set.count('mistakes');
  }

  override connectionFailed(): void {
    this.#set.count('mistakes');
  }

  override feedOpened({ opening }: ObservedFeed): void {
    if (opening !== undefined) this.#set.count('opened', { plan: opening.plan, carried: opening.carried });
  }

  override feedEnded(_feed: ObservedFeed, end: FeedEnding): void {
    this.#set.count('ended', { reason: endReason(end) });
  }

  override feedRefused(_feed: ObservedFeed, end: FeedEnding): void {
    if (end.kind !== 'failed') return;
    this.#set.count('refused', { reason: end.error instanceof Refusal ? 'unsupported' : errorKind(end.error) });
  }

  override queryDropped({ limit }: DroppedQuery): void {
    this.#set.count('refused', { reason: limit === undefined ? 'memory' : 'too_long' });
  }

  override shareHealed(_share: ObservedShare, _feed: ObservedFeed, { cause }: HealingReport): void {
    this.#set.count('healings', { cause });
  }

  override healingFailed(_share: ObservedShare, cause: HealingCause): void {
    this.#set.count('healingsFailed', { cause });
  }

  override joinTried(outcome: JoinOutcome): void {
    this.#set.count('joins', { outcome });
  }

  override changeWritten(ms: number): void {
    this.#set.observe('delay', ms / MS_PER_SECOND);
  }

  override upstreamFailed(upstream: Address): void {
    this.#set.count('upstreamFailures', { upstream: printAddress(upstream) });
  }

  override memoryShort(): void {
    this.#set.count('memoryShort');
  }

  #handshake(outcome: HandshakeOutcome): void {
    this.#set.count('handshakes', { outcome });
  }
}

function proxyKeys(): readonly MetricKey[] {
  const program: readonly string[] = PROGRAM_KEYS;
  return Object.keys(METRICS).filter((key): key is MetricKey => !program.includes(key));
}

function endReason(end: FeedEnding): EndReason {
  switch (end.kind) {
    case 'stopped':
    case 'complete':
      return end.kind;
    case 'closed':
      return end.by === 'upstream' ? 'upstream_lost' : 'closed';
    case 'aborted':
      return 'stopping';
    case 'failed':
      return errorKind(end.error);
  }
}
