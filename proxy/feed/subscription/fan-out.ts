// Tells subscribers that there is something to send. Many take many turns of the event loop: whoever has something else to do
// is not held up by a thousand of them. Only those are told whose clients wait, so that the others cost nothing. While changes
// come one after the other a round of telling many is followed by a rest: those who write need the machine as well, and the next
// answers hold more changes. What comes after a pause is told at once.

import { after } from '../../long-timer.ts';
import type { ClientWork } from '../../work/schedule.ts';
import { type Job, type Turn, WHOLE_TURN } from '../../work/turn.ts';

/** So many are told at once. */
const FEW = 8;
/** Changes that come within so large a part of the time that a round took, after it, come one after the other. */
const SOON = 0.5;
/** A rest takes so many times what the round before it took, and at most so many milliseconds. */
interface Rest {
  readonly times: number;
  readonly longestMs: number;
}

const REST: Rest = { times: 4, longestMs: 30 };
/** That of a round in which everybody was told who has asked for squashed changes: fewer documents will do. */
const SQUASHED_REST: Rest = { times: 12, longestMs: 60 };

/** One who is told that there is something to send. */
export interface Listener {
  /** Whether what is sent takes a turn to be made. */
  readonly isDear: boolean;
  /** Whether it wants changes squashed. */
  readonly squashes: boolean;
  readonly io: { run(work: () => void): void };
  /** Makes what is to be sent next, where that takes turns; says whether it is made. */
  prepare(turn: Turn): boolean;
  flush(profile: string | undefined): void;
}

/** When rounds rest. */
export interface FanOutClock {
  now(): number;
  after(ms: number, callback: () => void): void;
}

const SYSTEM: FanOutClock = { now: () => performance.now(), after };

/** Those who follow a share and whose clients wait. */
export class FanOut<Told extends Listener> {
  readonly #work: ClientWork;
  readonly #told: () => void;
  readonly #clock: FanOutClock;
  readonly #job: Job = { work: (turn) => this.#tell(turn) };
  #waiting = new Set<Told>();
  /** Those that are to be told in this round. */
  #due = new Set<Told>();
  /** Whether there is something to send that those of this round may have been told before. */
  #isAgain = false;
  /** When this round began, where many are told in it. */
  #beganAt: number | undefined;
  /** The rest after this round. */
  #rest = SQUASHED_REST;
  /** When the last such round was over, and how long it took. */
  #last = { at: 0, ms: 0 };
  #isResting = false;
  #profile: string | undefined;

  /** `told` is called when all who waited have been told. */
  constructor(work: ClientWork, told: () => void, clock: FanOutClock = SYSTEM) {
    this.#work = work;
    this.#told = told;
    this.#clock = clock;
  }

  add(subscription: Told): void {
    this.#waiting.add(subscription);
  }

  delete(subscription: Told): void {
    this.#waiting.delete(subscription);
    this.#due.delete(subscription);
  }

  /** Whether what there is to send waits for a moment. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** There is something to send. `profile` is what upstream says of how the query ran. */
  flush(profile: string | undefined): void {
    this.#profile = profile ?? this.#profile;
    this.#isAgain = true;
    if (this.#isResting || (this.#due.size === 0 && this.#rests())) return;
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
        this.#roundIsOver();
        if (this.#rests()) return true;
        this.#due = this.#waiting;
        this.#waiting = new Set();
        this.#isAgain = false;
        this.#rest = SQUASHED_REST;
        if (this.#due.size > FEW) this.#beganAt = this.#clock.now();
      }
      for (const subscription of this.#due) {
        if (!subscription.prepare(turn)) return false;
        this.#due.delete(subscription);
        if (!subscription.squashes) this.#rest = REST;
        subscription.io.run(() => subscription.flush(this.#profile));
        if (turn.isOver() && (this.#due.size > 0 || this.#isAgain)) return false;
      }
    }
    this.#roundIsOver();
    this.#told();
    return true;
  }

  #roundIsOver(): void {
    if (this.#beganAt === undefined) return;
    const at = this.#clock.now();
    this.#last = { at, ms: at - this.#beganAt };
    this.#beganAt = undefined;
  }

  /** Rests, where there is something new so soon after a round of many. */
  #rests(): boolean {
    const { at, ms } = this.#last;
    if (ms === 0) return false;
    const passed = this.#clock.now() - at;
    this.#last = { at, ms: 0 };
    if (passed >= SOON * ms) return false;
    const { times, longestMs } = this.#rest;
    this.#isResting = true;
    this.#clock.after(Math.min(times * ms, longestMs) - passed, () => {
      this.#isResting = false;
      this.#work.do(this.#job);
    });
    return true;
  }
}
