// Tells subscribers that there is something to send. Many take many turns of the event loop: whoever has something else to do
// is not held up by a thousand of them. Only those are told whose clients wait, so that the others cost nothing.

import type { ClientWork } from '../../work/schedule.ts';
import { type Job, type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { Subscription } from './subscription.ts';

/** So many are told at once. */
const FEW = 8;

/** The subscribers of a share whose clients wait. */
export class FanOut {
  readonly #work: ClientWork;
  readonly #told: () => void;
  readonly #job: Job = { work: (turn) => this.#tell(turn) };
  #waiting = new Set<Subscription>();
  /** Those that are to be told in this round. */
  #due = new Set<Subscription>();
  /** Whether there is something to send that those of this round may have been told before. */
  #isAgain = false;
  #profile: string | undefined;

  /** `told` is called when all who waited have been told. */
  constructor(work: ClientWork, told: () => void) {
    this.#work = work;
    this.#told = told;
  }

  add(subscription: Subscription): void {
    this.#waiting.add(subscription);
  }

  delete(subscription: Subscription): void {
    this.#waiting.delete(subscription);
    this.#due.delete(subscription);
  }

  /** There is something to send. `profile` is what upstream says of how the query ran. */
  flush(profile: string | undefined): void {
    this.#profile = profile ?? this.#profile;
    this.#isAgain = true;
    if (this.#due.size === 0 && this.#isLittle) this.#tell(WHOLE_TURN);
    else this.#work.do(this.#job);
  }

  get #isLittle(): boolean {
    if (this.#waiting.size > FEW) return false;
    for (const { isDear } of this.#waiting) if (isDear) return false;
    return true;
  }

  #tell(turn: Turn): boolean {
    while (this.#due.size > 0 || this.#isAgain) {
      if (this.#due.size === 0) {
        this.#due = this.#waiting;
        this.#waiting = new Set();
        this.#isAgain = false;
      }
      for (const subscription of this.#due) {
        this.#due.delete(subscription);
        subscription.io.run(() => subscription.flush(this.#profile));
        if (turn.isOver() && (this.#due.size > 0 || this.#isAgain)) return false;
      }
    }
    this.#told();
    return true;
  }
}
