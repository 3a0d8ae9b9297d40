// Followers that wait until a state holds everything that had been written, and acknowledged, when they asked: each shard has
// handed on what it had to, and upstream has told it.

import type { UpstreamPort } from '../../relay/feed-port.ts';
import { Barrier, type BarrierSettings } from './barrier.ts';

/** Called back when a state has caught up with what has been written; `isSure`: that is so. */
export type CaughtUp = (isSure: boolean) => void;

/** Calls back when a state has caught up with what has been written. */
export class CatchingUp {
  readonly #settings: BarrierSettings;
  /** Whether all that upstream has told is in the state. */
  readonly #isSettled: () => boolean;
  readonly #asked = new Set<CaughtUp>();
  #settling: (() => void)[] = [];
  #barrier: Barrier | undefined;

  constructor(settings: BarrierSettings, isSettled: () => boolean) {
    this.#settings = settings;
    this.#isSettled = isSettled;
  }

  /** Calls back in the end; `carrier`: `undefined` where all that was written before is in what is yet to be read. */
  ask(act: CaughtUp, carrier: UpstreamPort | undefined): void {
    this.#asked.add(act);
    if (carrier === undefined) return;
    this.#barrier ??= new Barrier(carrier, this.#settings);
    this.#barrier.ask((isPassed) => this.#caughtUp([act], isPassed));
  }

  /** The connection is another one from now on: what was asked on this one is not answered. */
  moved(): void {
    this.#barrier = undefined;
  }

  /** The state has been read again, or is over: it is later than all who asked. */
  all(): void {
    this.#caughtUp(this.#asked, true);
  }

  /** A moment at which what upstream has told is in the state, or nothing will ever be any more. */
  settled(): void {
    for (const act of this.#settling.splice(0)) act();
  }

  #caughtUp(acts: Iterable<CaughtUp>, isSure: boolean): void {
    for (const act of [...acts]) {
      if (!this.#asked.delete(act)) continue;
      if (this.#isSettled()) act(isSure);
      else this.#settling.push(() => act(isSure));
    }
  }
}
