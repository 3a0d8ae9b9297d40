// Whether upstream servers answer: they are asked now and then, with or without clients, and at once when a client has lost one.

import type { ObservedSession } from '../../proxy/observer/observer.ts';
import { QuietObserver } from '../../proxy/observer/quiet-observer.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import type { UpstreamStatus } from './status.ts';

/** How often they are asked, and how soon after a client has lost one, in milliseconds. */
const EVERY_MS = 5000;
const SOON_MS = 100;

/** The state of one server, without what only connections tell. */
export type UpstreamState = Omit<UpstreamStatus, 'clients'>;

/** What was found when a server was asked. */
interface Found extends Pick<UpstreamStatus, 'problem'> {
  readonly isUp: boolean;
  readonly version: string | undefined;
}

/** Watches the servers of one process. */
export class UpstreamWatch extends QuietObserver {
  readonly #states: Map<string, UpstreamState>;
  readonly #changed: () => void;
  #ask: () => void = () => {};
  #soon: NodeJS.Timeout | undefined;

  /** `changed` is called when a server is not as it was. */
  constructor(upstreams: readonly Address[], changed: () => void) {
    super();
    this.#changed = changed;
    this.#states = new Map(upstreams.map(printAddress).map((address) => [address, unknown(address)]));
  }

  get states(): readonly UpstreamState[] {
    return [...this.#states.values()];
  }

  /** Begins to ask: `ask` tells of servers that answer, and observers are told of those that do not. Returns what ends it. */
  begin(ask: (tell: (upstream: Address, version: string) => void) => void): () => void {
    this.#ask = () => ask((upstream, version) => this.upstreamReached(upstream, version));
    this.#ask();
    const timer = setInterval(() => this.#ask(), EVERY_MS).unref();
    return () => {
      clearInterval(timer);
      clearTimeout(this.#soon);
      this.#ask = () => {};
    };
  }

  override upstreamLost(_session: ObservedSession, _reason: string): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#ask();
    }, SOON_MS).unref();
  }

  override upstreamReached(upstream: Address, version: string): void {
    this.#told(upstream, { isUp: true, version, problem: null });
  }

  override upstreamFailed(upstream: Address, _failures: number, problem: string): void {
    this.#told(upstream, { isUp: false, version: undefined, problem });
  }

  /** `version`: `undefined` where it has not said. */
  #told(upstream: Address, { isUp, version: said, problem }: Found): void {
    const address = printAddress(upstream);
    const old = this.#states.get(address) ?? unknown(address);
    const since = isUp === old.isUp ? old.since : new Date().toISOString();
    const failures = isUp ? 0 : old.failures + 1;
    const version = said ?? old.version;
    this.#states.set(address, { address, isUp, version, problem, failures, since });
    if (isUp !== old.isUp || problem !== old.problem) this.#changed();
  }
}

function unknown(address: string): UpstreamState {
  return { address, isUp: null, version: null, problem: null, failures: 0, since: null };
}
