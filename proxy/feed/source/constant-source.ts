// A state that never changes: nothing upstream fills it.

import type { Difference } from '../operator/difference.ts';
import type { Steps } from '../operator/steps.ts';
import type { FeedSource, SourcePort, SourceSink } from './feed-source.ts';
import { InHand } from './in-hand.ts';

/** A source whose state is there once and for all. */
export class ConstantSource implements FeedSource {
  readonly isSettled: boolean = true;
  readonly #state: readonly Difference[];
  readonly #inHand: InHand<undefined>;

  /** `state`: all that is there, as what differs from nothing. */
  constructor(port: SourcePort, sink: SourceSink, state: readonly Difference[]) {
    this.#state = state;
    this.#inHand = new InHand(port, {
      *work(): Steps {
        sink.accepted();
        for (const _ of sink.ready()) yield;
      },
      left: () => undefined,
      done: () => sink.shown(undefined),
      failed: (error) => sink.failed(error),
    });
    this.#inHand.push(undefined);
  }

  snapshot(): Iterable<Difference> {
    return this.#state;
  }

  hold(steps: () => Iterable<void>): void {
    this.#inHand.hold(steps);
  }

  finish(then: () => void): void {
    this.#inHand.finish(then);
  }

  stop(): void {
    this.#inHand.clear();
  }
}
