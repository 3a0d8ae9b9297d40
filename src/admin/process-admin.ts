// The admin's end of one process that serves clients: it answers what is asked of the process, and ends what an operator ends.

import type { MemoryReading } from '../../proxy/memory/memory-budget.ts';
import type { Observer } from '../../proxy/observer/observer.ts';
import { Tally } from '../../proxy/observer/tally.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { opFailed } from '../../rewrite/reql/error.ts';
import { ProcessReport } from './process-report.ts';
import { ProxyMetrics } from './proxy-metrics.ts';
import type { AdminAnswers, AdminQuestion } from './question.ts';
import { Roster } from './roster.ts';
import type { UpstreamStatus } from './status.ts';
import { UpstreamWatch } from './upstream-watch.ts';

/** The parts of the process that are looked at. */
export interface Watched {
  readonly memory: MemoryReading;
  askUpstreams(tell: (upstream: Address, version: string) => void): void;
}

/** What clients of a feed are told that somebody has ended here. */
const ENDED = opFailed('The feed was ended by an operator of Livefold: open it again.');
const NO_MEMORY: MemoryReading = { maxMemory: 1, heap: 0, state: 0, buffers: 0, rows: 0 };

/** The admin's end of one process. */
export class ProcessAdmin {
  /** Where the proxy of the process counts. */
  readonly tally: Tally = new Tally();
  readonly #roster = new Roster();
  readonly #report: ProcessReport;
  readonly #metrics: ProxyMetrics;
  readonly #upstreams: UpstreamWatch;
  #watched: Watched | undefined;

  /**
   * @param id the number of the worker; 0 where there is no supervisor
   * @param changed is called when an upstream server is not as it was
   */
  constructor(id: number, upstreams: readonly Address[], changed: () => void) {
    this.#metrics = new ProxyMetrics(upstreams);
    this.#upstreams = new UpstreamWatch(upstreams, changed);
    this.#report = new ProcessReport(id, {
      roster: this.#roster,
      tally: this.tally,
      memory: () => this.#memory,
      upstreams: () => this.upstreams,
    });
  }

  /** Who the proxy of the process has to tell what happens. */
  get observers(): readonly Observer[] {
    return [this.#roster, this.#metrics, this.#upstreams];
  }

  /** Begins to watch; the proxy is there. Returns what ends it. */
  watch(watched: Watched): () => void {
    this.#watched = watched;
    return this.#upstreams.begin((tell) => watched.askUpstreams(tell));
  }

  /** Upstream servers as they are. */
  get upstreams(): readonly UpstreamStatus[] {
    const clients = new Map<string, number>();
    for (const { upstream } of this.#roster.sessions.values()) {
      if (upstream === undefined) continue;
      const address = printAddress(upstream);
      clients.set(address, (clients.get(address) ?? 0) + 1);
    }
    return this.#upstreams.states.map((state) => ({ ...state, clients: clients.get(state.address) ?? 0 }));
  }

  async answer<About extends keyof AdminAnswers>(question: AdminQuestion<About>): Promise<AdminAnswers[About]> {
    return await this.#answers[question.about](question.id ?? '');
  }

  readonly #answers: {
    readonly [About in keyof AdminAnswers]: (id: string) => AdminAnswers[About] | Promise<AdminAnswers[About]>;
  } = {
    metrics: () =>
      this.#metrics.objects({
        roster: this.#roster,
        tally: this.tally,
        upstreams: this.#upstreams,
        memory: () => this.#memory,
      }),
    status: () => this.#report.status(),
    feed: (id) => this.#report.detail(id),
    endFeed: (id) => {
      const feed = this.#roster.shares.get(Number(id)) ?? this.#report.passingOf(id);
      feed?.end(ENDED);
      return feed !== undefined;
    },
    endClient: (id) => {
      const session = this.#roster.sessions.get(Number(id));
      session?.destroy('an operator ended it');
      return session !== undefined;
    },
  };

  get #memory(): MemoryReading {
    return this.#watched?.memory ?? NO_MEMORY;
  }
}
