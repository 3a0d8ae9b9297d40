// Followers that wait until a state holds everything that had been written, and acknowledged, when they asked: every shard has
// answered behind the changes that it had sent, and upstream has had two chances to send them on (`quiet.ts`).

import type { UpstreamPort } from '../../relay/feed-port.ts';
import { QUESTION } from '../source/quiet.ts';
import { Batched } from './batched.ts';

/** Calls back when a state has caught up with what has been written. */
export class CatchingUp {
  /** A question that every shard of every table answers, behind the changes that it has sent before (`TableQuestions.barrier`). */
  readonly #question: string;
  /** Whether all that upstream has told is in the state. */
  readonly #isSettled: () => boolean;
  readonly #asked = new Set<() => void>();
  #settling: (() => void)[] = [];
  #barrier: Batched<undefined> | undefined;

  constructor(question: string, isSettled: () => boolean) {
    this.#question = question;
    this.#isSettled = isSettled;
  }

  /** Calls back in the end; `carrier`: `undefined` where all that was written before is in what is yet to be read. */
  ask(act: () => void, carrier: UpstreamPort | undefined): void {
    this.#asked.add(act);
    if (carrier === undefined) return;
    this.#barrier ??= new Batched<undefined>((answer) =>
      carrier.ask(this.#question, () => carrier.ask(QUESTION, () => answer(undefined))),
    );
    this.#barrier.ask(() => this.#caughtUp([act]));
  }

  /** The connection is another one from now on: what was asked on this one is not answered. */
  moved(): void {
    this.#barrier = undefined;
  }

  /** The state has been read again, or is over: it is later than all who asked. */
  all(): void {
    this.#caughtUp(this.#asked);
  }

  /** A moment at which what upstream has told is in the state, or nothing will ever be any more. */
  settled(): void {
    for (const act of this.#settling.splice(0)) act();
  }

  #caughtUp(acts: Iterable<() => void>): void {
    for (const act of [...acts]) {
      if (!this.#asked.delete(act)) continue;
      if (this.#isSettled()) act();
      else this.#settling.push(act);
    }
  }
}
