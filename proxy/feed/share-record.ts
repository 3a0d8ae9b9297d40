// What others see of a share: who follows it, what it keeps, what is worked for it, and how far it is behind. Observers and the budget
// of memory are told of it here. What those who follow are shown is `share.ts`.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { Holder, Holding } from '../memory/holding.ts';
import type { HealingReport, ObservedShare } from '../observer/observer.ts';
import type { FeedIo, FollowedShare, ProcessResources } from '../relay/feed-port.ts';
import type { ClientWork } from '../work/schedule.ts';
import type { Stopwatch } from '../work/stopwatch.ts';
import { Progress } from './progress.ts';

/** What a share is asked for by those who see its record. */
export interface RecordedShare {
  /** Its number in the process, from 1 on. */
  readonly id: number;
  /** How many follow it. */
  readonly size: number;
  /** Whether anybody follows it, or is about to. */
  readonly isFollowed: boolean;
  /** Whether it is being read again for those who follow. */
  readonly isHealing: boolean;
  /** The plan that its query has now. */
  readonly plan: ObservedShare['plan'];
  /** Makes what is kept smaller, where nobody loses anything by it. */
  shrink(): void;
  /** Ends it: memory is short, or somebody wants it. */
  end(error: ReqlError): void;
}

/** The record of one share. It owes `close`. */
export class ShareRecord implements FollowedShare, Holder {
  readonly name: string = 'feed';
  readonly progress: Progress = new Progress();
  /** What it keeps. */
  readonly memory: Holding;
  /** What is worked for it. */
  readonly work: ClientWork;
  readonly #share: RecordedShare;
  readonly #process: ProcessResources;
  #documents = 0;

  /** The work is that of the connection of `io`. */
  constructor(share: RecordedShare, io: Pick<FeedIo, 'process' | 'shared'>) {
    this.#share = share;
    this.#process = io.process;
    this.memory = io.process.memory.open(this);
    this.work = io.process.work.open(io.shared);
  }

  get id(): number {
    return this.#share.id;
  }

  get plan(): ObservedShare['plan'] {
    return this.#share.plan;
  }

  get size(): number {
    return this.#share.size;
  }

  get ageMs(): number {
    return this.progress.ageMs;
  }

  get stateRows(): number {
    return this.memory.rows;
  }

  get stateBytes(): number {
    return this.memory.state;
  }

  get waitingBytes(): number {
    return this.memory.waiting;
  }

  get documents(): number {
    return this.#documents;
  }

  get changesRead(): number {
    return this.progress.changesRead;
  }

  get spent(): Stopwatch {
    return this.work.spent;
  }

  get workMs(): number {
    return this.spent.ms;
  }

  get load(): number {
    return this.spent.load;
  }

  get frontierAgeMs(): number {
    // A share that nobody follows is not behind.
    return this.#share.isFollowed ? this.progress.frontierAgeMs : 0;
  }

  get lastStepAgeMs(): number | undefined {
    return this.progress.lastStepAgeMs;
  }

  get isHealing(): boolean {
    return this.#share.isHealing;
  }

  get lastHealing(): ObservedShare['lastHealing'] {
    return this.progress.lastHealing;
  }

  shrink(): void {
    this.#share.shrink();
  }

  end(error: ReqlError): void {
    this.#share.end(error);
  }

  /** Upstream has told so many documents. */
  heard(documents: number): void {
    this.progress.heard(documents);
    this.#process.tally.changesRead += documents;
  }

  /** So many documents go to clients. */
  wrote(documents: number): void {
    this.#documents += documents;
  }

  /** All who wait have what stands in the log. */
  written(): void {
    this.progress.written(this.#process.observer);
  }

  /** More is kept: sees to it that the process has room, when none of the share's own code is running. */
  checkMemory(): void {
    queueMicrotask(() => this.#process.memory.check());
  }

  /** It has been read again; `io` is that of one who follows. */
  healed(report: HealingReport, io: FeedIo | undefined): void {
    this.progress.healed(report);
    io?.healed(this, report);
  }

  /** It could not be read again. */
  healingFailed(cause: HealingReport['cause']): void {
    this.#process.observer.healingFailed(this, cause);
  }

  /** It is there, for observers. */
  opened(): void {
    this.#process.observer.shareOpened(this);
  }

  /** It is over, for observers. */
  ended(): void {
    this.#process.observer.shareEnded(this);
  }

  /** Nothing is kept, and nothing worked, any more. */
  close(): void {
    this.memory.close();
    this.work.close();
  }
}
