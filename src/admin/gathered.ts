// The reports of all processes of a livefold, as one: sums for metrics, one status. What a process that is gone has counted stays
// counted. Many who ask at once, or one after the other, cost the processes one question in a while.

import { AggregatorRegistry, type Registry } from 'prom-client';
import { feedCosts } from './feed-cost.ts';
import { type MetricObjects, MetricSet } from './metric-set.ts';
import { PROGRAM_KEYS } from './proxy-metrics.ts';
import type { AskAdmin, ProcessStatus } from './question.ts';
import { Recent } from './recent.ts';
import type { FeedDetail, Moment, Readiness, Status, Totals, UpstreamStatus } from './status.ts';

/** A process that serves clients. */
export interface Member {
  /** Its number, which is the first part of ids. */
  readonly id: number;
  readonly isStopping: boolean;
  readonly ask: AskAdmin;
  /** Upstream servers as it last said that they are. */
  readonly upstreams: readonly UpstreamStatus[];
  /** The last that it said before it ended in good order. */
  readonly last?: Heard | undefined;
}

/** The program that the processes are of. */
export interface AdminProgram {
  readonly version: string;
  readonly hasToken: boolean;
  /** Whether it has been told to stop. */
  readonly isStopping: () => boolean;
  /** The processes that there are now. */
  readonly members: () => readonly Member[];
  /** Processes that ended though nobody had told them to. */
  readonly deaths: () => number;
}

/** So old may be what is told, in milliseconds. */
const FRESH_MS = 250;

/** The last report that was heard of a process. */
export interface Heard {
  readonly metrics?: MetricObjects;
  readonly status?: ProcessStatus;
}

/** Types of metrics that only grow. */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram']);

/** What a process that is gone has none of. */
const NOT_GROWING = {
  clients: 0,
  subscribers: 0,
  feeds: 0,
  healing: 0,
  stateRows: 0,
  stateBytes: 0,
  waitingBytes: 0,
  load: 0,
} as const satisfies Partial<Totals>;

const NO_TOTALS: Totals = {
  ...NOT_GROWING,
  queriesPassed: 0,
  changesRead: 0,
  documents: 0,
  workSeconds: 0,
  bytesFromClients: 0,
  bytesToClients: 0,
};

/** Asks all processes. */
export class Gathered {
  readonly #program: AdminProgram;
  readonly #own = new MetricSet(PROGRAM_KEYS);
  readonly #startedAt: Moment = new Date().toISOString();
  readonly #heard = new Map<Member, Heard>();
  /** What processes that are gone had counted. */
  #goneMetrics: MetricObjects[] = [];
  #goneTotals: Totals = NO_TOTALS;
  readonly #metrics = new Recent(FRESH_MS, () => this.#gatherMetrics());
  readonly #status = new Recent(FRESH_MS, () => this.#gatherStatus());

  constructor(program: AdminProgram) {
    this.#program = program;
    this.#own.set('info', 1, { version: program.version, node: process.version });
    this.#own.set('startTime', Date.parse(this.#startedAt) / 1000);
  }

  /** All metrics, in Prometheus' text format. */
  async metrics(): Promise<string> {
    return await this.#metrics.read();
  }

  async status(): Promise<Status> {
    return await this.#status.read();
  }

  /** Whether clients can be served, as far as it is known at this moment. */
  get readiness(): Readiness {
    const { isStopping, members } = this.#program;
    if (isStopping()) return { ready: false, reason: 'livefold is stopping' };
    const serving = members().filter((member) => !member.isStopping);
    if (serving.length === 0) return { ready: false, reason: 'no worker serves clients now' };
    const upstreams = together(serving.map(({ upstreams: known }) => known));
    if (upstreams.some(({ isUp }) => isUp === true)) return { ready: true };
    const problems = upstreams.map(({ address, problem }) => `${address}: ${problem ?? 'it has not been asked yet'}`);
    return { ready: false, reason: `no upstream server answers (${problems.join(', ')})` };
  }

  /** A feed; `undefined` where there is none of this id. */
  async feed(id: string): Promise<FeedDetail | undefined> {
    return (await this.#of(id, (member, part) => member.ask({ about: 'feed', id: part }))) ?? undefined;
  }

  /** Ends a feed for all who follow it; says whether there was one. */
  async endFeed(id: string): Promise<boolean> {
    return (await this.#of(id, (member, part) => member.ask({ about: 'endFeed', id: part }))) ?? false;
  }

  /** Ends a client's connection; says whether there was one. */
  async endClient(id: string): Promise<boolean> {
    return (await this.#of(id, (member, part) => member.ask({ about: 'endClient', id: part }))) ?? false;
  }

  /** A process is gone. What it has counted is kept, and nothing else of it. */
  left(member: Member): void {
    const { metrics, status } = { ...this.#heard.get(member), ...member.last };
    this.#heard.delete(member);
    if (metrics !== undefined) this.#goneMetrics.push(metrics.filter(({ type }) => GROWING.has(String(type))));
    if (status !== undefined) this.#goneTotals = plus(this.#goneTotals, { ...status.totals, ...NOT_GROWING });
  }

  async #of<Answer>(
    id: string,
    ask: (member: Member, part: string) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const [, worker, part = ''] = /^(\d+)-(\d+(?:-\d+)?)$/.exec(id) ?? [];
    const member = this.#program.members().find((each) => String(each.id) === worker);
    return member === undefined ? undefined : await ask(member, part);
  }

  async #gatherMetrics(): Promise<string> {
    const members = this.#program.members();
    await Promise.all(
      members.map(async (member) => {
        const metrics = await member.ask({ about: 'metrics' });
        if (metrics !== undefined) this.#note(member, { metrics });
      }),
    );
    this.#own.set('ready', this.readiness.ready ? 1 : 0);
    this.#own.set('workers', members.length);
    this.#own.reach('workerDeaths', this.#program.deaths());
    const all = [...this.#heard.values()].flatMap(({ metrics }) => (metrics === undefined ? [] : [metrics]));
    const gone = await summed(this.#goneMetrics.splice(0)).getMetricsAsJSON();
    this.#goneMetrics.push(gone);
    return await summed([await this.#own.objects(), ...all, gone]).metrics();
  }

  async #gatherStatus(): Promise<Status> {
    const members = this.#program.members();
    await Promise.all(
      members.map(async (member) => {
        const status = await member.ask({ about: 'status' });
        if (status !== undefined) this.#note(member, { status });
      }),
    );
    const known = members.flatMap((member) => {
      const status = this.#heard.get(member)?.status;
      return status === undefined ? [] : [{ member, status }];
    });
    const feeds = known.flatMap(({ status }) => status.feeds);
    const costOf = feedCosts(feeds);
    const totals = known.reduce((sum, { status }) => plus(sum, status.totals), NO_TOTALS);
    return {
      version: this.#program.version,
      node: process.version,
      startedAt: this.#startedAt,
      at: new Date().toISOString(),
      readiness: this.readiness,
      canEnd: this.#program.hasToken,
      workers: known.map(({ member, status }) => ({ ...status.worker, isStopping: member.isStopping })),
      totals: plus(totals, this.#goneTotals),
      clients: known.flatMap(({ status }) => status.clients),
      feeds: feeds.sort((a, b) => costOf(b) - costOf(a)),
      upstreams: together(known.map(({ status }) => status.upstreams)),
    };
  }

  #note(member: Member, heard: Heard): void {
    this.#heard.set(member, { ...this.#heard.get(member), ...heard });
  }
}

function summed(all: readonly MetricObjects[]): Registry {
  return AggregatorRegistry.aggregate([...all]);
}

function plus(one: Totals, other: Totals): Totals {
  return {
    clients: one.clients + other.clients,
    subscribers: one.subscribers + other.subscribers,
    feeds: one.feeds + other.feeds,
    healing: one.healing + other.healing,
    stateRows: one.stateRows + other.stateRows,
    stateBytes: one.stateBytes + other.stateBytes,
    waitingBytes: one.waitingBytes + other.waitingBytes,
    queriesPassed: one.queriesPassed + other.queriesPassed,
    changesRead: one.changesRead + other.changesRead,
    documents: one.documents + other.documents,
    workSeconds: one.workSeconds + other.workSeconds,
    load: one.load + other.load,
    bytesFromClients: one.bytesFromClients + other.bytesFromClients,
    bytesToClients: one.bytesToClients + other.bytesToClients,
  };
}

/** Upstream servers by all processes together: one is up where anybody reaches it. */
function together(all: readonly (readonly UpstreamStatus[])[]): readonly UpstreamStatus[] {
  const byAddress = new Map<string, UpstreamStatus>();
  for (const status of all.flat()) {
    const known = byAddress.get(status.address);
    byAddress.set(status.address, known === undefined ? status : ofBoth(known, status));
  }
  return [...byAddress.values()];
}

function ofBoth(one: UpstreamStatus, other: UpstreamStatus): UpstreamStatus {
  const better = one.isUp === true || other.isUp === null ? one : other;
  return { ...better, clients: one.clients + other.clients };
}
