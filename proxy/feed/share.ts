// A live query that is carried once for all who follow it. Who comes late is shown the state as it is, at a settled moment, and
// from then on what differs (`sharing/telling.ts`). Nobody waits for anybody: changes stand in a log, and each subscriber reads on
// when his client asks.
//
// The query runs on the connection of a subscriber, the carrier. Where that goes, it is sent anew on another's
// (`healing/lasting-source.ts`).

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { Origin } from '../../rewrite/reql/origin.ts';
import { after } from '../long-timer.ts';
import type { ObservedShare } from '../observer/observer.ts';
import { failureOf } from '../relay/feed-end.ts';
import type { FeedIo, UpstreamPort } from '../relay/feed-port.ts';
import { healingCause } from './healing/healing-cause.ts';
import { type LastingSettings, LastingSource } from './healing/lasting-source.ts';
import type { RowPairing } from './operator/row-pairing.ts';
import type { History } from './revisions/history.ts';
import { type RecordedShare, ShareRecord } from './share-record.ts';
import { CatchingUp, type CaughtUp } from './sharing/catching-up.ts';
import { Followers } from './sharing/followers.ts';
import { Pace } from './sharing/pace.ts';
import type { TableQuestions } from './sharing/table-identity.ts';
import { Telling } from './sharing/telling.ts';
import { QUESTION } from './source/quiet.ts';
import type { DocumentLog } from './subscription/document-log.ts';
import type { DocumentTexts } from './subscription/document-texts.ts';
import { type Followed, Subscription, type SubscriptionSettings } from './subscription/subscription.ts';
import type { WantedHistory } from './subscription/subscription-revisions.ts';

/** The settings of a share. */
export interface ShareSettings extends Omit<LastingSettings, 'work' | 'memory' | 'guard' | 'rests' | 'heard'> {
  /** Its number in the process. */
  readonly id: number;
  /** A name that no other share has, in any process. */
  readonly tag: string;
  /** The plan that its query has now. */
  readonly plan: () => ObservedShare['plan'];
  /** Changes that are kept for clients that take up their feeds. */
  readonly historyDocuments: number;
  /** What its rows are paired by. */
  readonly pairing: RowPairing;
  /** Whether the client who began it says how large answers of upstream are: a short one may be cut. */
  readonly cutsBatches: boolean;
  /** The CHANGES term of the query that began it: where its errors point. */
  readonly origin: Origin | undefined;
  /** How long the share goes on when nobody follows it any more, in milliseconds; not at all if absent. */
  readonly lingerMs?: number | undefined;
  /** Calls back once it is known which tables it reads, or that nobody is ever to join; absent where nobody can. */
  readonly whenKnown?: (then: () => void) => void;
  /** Upstream has accepted the query. Which tables it reads; `undefined` where the server does not say. */
  readonly accepted?: (identity: string | undefined) => void;
  /** The share is over: nobody follows it any more, or it has failed. */
  readonly over?: () => void;
}

/** A shared state. */
export class Share implements Followed, RecordedShare {
  readonly id: number;
  readonly #settings: ShareSettings;
  readonly #record: ShareRecord;
  readonly #followers = new Followers();
  readonly #telling: Telling;
  readonly #pace = new Pace();
  readonly #catchingUp: CatchingUp;
  readonly #source: LastingSource;
  /** Which tables it reads, once that is known. */
  #identity: string | undefined;
  #isOver = false;
  /** Cancels the end of a share that nobody follows. */
  #cancelLinger: (() => void) | undefined;

  /** Begins to fill the state from the connection of `io`. */
  constructor(settings: ShareSettings, io: FeedIo) {
    this.#settings = settings;
    this.id = settings.id;
    this.#record = new ShareRecord(this, io);
    this.#telling = new Telling({
      record: this.#record,
      followers: this.#followers,
      state: () => this.#source,
      // Nothing has changed meanwhile that would be shown.
      held: () => this.#guard(() => this.#tellSettled()),
      historyDocuments: settings.historyDocuments,
    });
    this.#catchingUp = new CatchingUp(
      {
        tables: settings.tables,
        identity: () => this.#identity,
        pace: this.#pace,
        cutsBatches: settings.cutsBatches,
        isFold: () => this.plan === 'server',
      },
      () => this.#isOver || this.#source.isSettled,
    );
    try {
      this.#source = this.#open(io.shared);
    } catch (error) {
      this.#isOver = true;
      this.#release();
      throw error;
    }
    this.#record.opened();
  }

  /** How many follow the state. */
  get size(): number {
    return this.#followers.size;
  }

  get log(): DocumentLog {
    return this.#telling.log;
  }

  get texts(): DocumentTexts {
    return this.#telling.texts;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isFollowed(): boolean {
    return this.#followers.areThere;
  }

  get plan(): ObservedShare['plan'] {
    return this.#settings.plan();
  }

  get isHealing(): boolean {
    return !this.#isOver && this.#source.isHealing && this.isFollowed;
  }

  /** A new subscriber. Callers owe a settled moment, or one before the state is there. */
  subscribe(settings: SubscriptionSettings, io: FeedIo): Subscription {
    const subscription = new Subscription(settings, io, this);
    io.follows(this.#record);
    this.#followers.add(subscription);
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    if (settings.view.rowPaths !== undefined) this.#settings.pairing.by(settings.view.rowPaths);
    const { isAccepted, isReady } = this.#source;
    if (isAccepted) subscription.accepted();
    if (isReady) this.#telling.begin(subscription);
    if (!isAccepted) this.waits(subscription);
    else if (!this.#telling.isToBegin(subscription)) subscription.flush(undefined);
    return subscription;
  }

  /** A name that no other share has, in any process. */
  get tag(): string {
    return this.#settings.tag;
  }

  history(wanted: WantedHistory): History {
    return this.#telling.history(wanted);
  }

  leave(subscription: Subscription): void {
    this.#telling.leave(subscription);
    if (!this.#followers.delete(subscription)) return;
    if (this.#isOver) return;
    if (this.#followers.size > 0) {
      this.#left(subscription.io.shared);
      return;
    }
    const { lingerMs = 0 } = this.#settings;
    if (lingerMs === 0 || (this.#source.isHealing && !this.#mayRest)) {
      this.#end();
      return;
    }
    this.#cancelLinger = after(lingerMs, () => this.#guard(() => this.#end()), false);
    this.#source.left(subscription.io.shared);
  }

  wrote(documents: number): void {
    this.#record.wrote(documents);
  }

  whenKnown(then: () => void): void {
    if (this.#settings.whenKnown === undefined) then();
    else this.#settings.whenKnown(then);
  }

  get isResting(): boolean {
    return this.#telling.isResting;
  }

  waits(subscription: Subscription): void {
    this.#telling.waits(subscription);
  }

  waitsForTurn(subscription: Subscription): void {
    this.#telling.waitsForTurn(subscription);
  }

  /**
   * Calls back at a settled moment at which the state holds everything that had been written, and acknowledged, before this
   * call. Where the share ends first it calls back as well, and where the server does not let that be known: then it is not sure.
   * @param io of whoever is to follow: where nobody does, what has to be read again is so over his connection
   */
  catchUp(act: CaughtUp, io: FeedIo): void {
    if (this.#isOver) {
      act(true);
      return;
    }
    // The new reading is later than all that.
    this.#catchingUp.ask(act, this.#source.isHealing ? undefined : this.#source.port);
    if (this.#source.isHealing && this.#followers.size === 0) this.#comes(io);
  }

  #comes(io: FeedIo): void {
    this.#followers.comes(io, () => this.#left(io.shared));
    this.#source.resume();
  }

  /** One of those who had this connection has left. */
  #left(port: UpstreamPort): void {
    if (!this.#isOver && !this.#followers.areOver(port)) this.#source.left(port);
  }

  askForLife(alive: () => void): void {
    this.#source.port.ask(QUESTION, () => {
      if (!this.#source.isHealing && !this.#isOver) alive();
    });
  }

  /** Lets those who are slow take into the net change what stands in the log for them. */
  shrink(): void {
    this.#telling.shrink();
  }

  /** Ends all feeds because the memory of the process is short. */
  end(error: ReqlError): void {
    this.#fail(error);
  }

  #open(port: UpstreamPort): LastingSource {
    const settings = {
      ...this.#settings,
      work: this.#record.work,
      memory: this.#record.memory,
      guard: (run: () => void) => this.#guard(run),
      rests: (by: 1 | -1) => this.#pace.rests(by),
      heard: (documents: number, bytes: number) => {
        this.#pace.heard(documents, bytes);
        this.#record.heard(documents);
      },
    };
    return new LastingSource(settings, port, {
      accepted: (identity) => {
        this.#identity = identity;
        this.#settings.accepted?.(identity);
        this.#followers.each((subscription) => subscription.accepted());
      },
      ready: () => {
        this.#record.progress.ready();
        return this.#telling.ready();
      },
      tell: (change) => this.#telling.tell(change),
      shown: (profile) => this.#shown(profile),
      warn: (law, counterexample) => this.#warn(law, counterexample),
      healing: () => {
        this.#record.progress.healing();
        this.#catchingUp.moved();
        this.#telling.healing();
      },
      healed: (reason, ms) => this.#healed(reason, ms),
      gaveUp: (reason, last, ms) => this.#gaveUp(reason, last, ms),
      port: () => this.#next(),
      failed: (error) => this.#fail(error),
      complete: () => this.#complete(),
    });
  }

  #shown(profile: string | undefined): void {
    this.#telling.shown(profile);
    this.#tellSettled();
  }

  #tellSettled(): void {
    if (!this.#source.isSettled) return;
    this.#record.progress.settled();
    this.#catchingUp.settled();
  }

  #healed(reason: ReqlError, ms: number): void {
    this.#telling.healed();
    const report = { cause: healingCause(reason), reason: reason.message, ms };
    this.#record.healed(report, this.#followers.first?.io);
    this.#telling.again();
    this.#catchingUp.all();
  }

  /**
   * Whether the state may stay as it is when nobody follows and no connection carries it: for as long as the share lingers, for those
   * who take their feeds up. It is read again over the connection of whoever comes.
   */
  get #mayRest(): boolean {
    const { lingerMs = 0 } = this.#settings;
    return lingerMs > 0 && this.#telling.keepsHistory && this.#source.isReady;
  }

  #gaveUp(reason: ReqlError, last: string, ms: number): void {
    this.#record.healingFailed(healingCause(reason));
    this.#followers.first?.io.warn('feed not healed', { reason: reason.message, last, ms: Math.round(ms) }, {});
  }

  /** What the server is asked of the tables that it reads. */
  get tables(): TableQuestions {
    return this.#settings.tables;
  }

  /** Whether the connection that carries the query and another one are of the same server. Where that is not known, it is asked. */
  isOnServerOf({ server }: UpstreamPort): boolean {
    const own = this.#source.port.server;
    return server !== undefined && server === own;
  }

  /** The connection of one who follows; there is none where the last has gone, and with him the share, unless it rests. */
  #next(): UpstreamPort | undefined {
    const next = this.#followers.carrier;
    if (next === undefined && !this.#mayRest) this.#end();
    return next;
  }

  #warn(law: string, counterexample: string): void {
    this.#followers.first?.io.warn('a reverse is wrong; the feed stays right, but slower', { law }, { counterexample });
  }

  #fail(error: ReqlError): void {
    if (this.#isOver) return;
    this.#end();
    this.#followers.each((subscription) => subscription.fail(error, this.#settings.origin));
  }

  #complete(): void {
    this.#end();
    this.#followers.each((subscription) => subscription.complete());
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.stop();
    this.#record.ended();
    this.#release();
    this.#settings.over?.();
    this.#catchingUp.all();
    this.#catchingUp.settled();
  }

  #release(): void {
    this.#cancelLinger?.();
    this.#telling.end();
    this.#record.close();
  }

  /** Runs shared code. A mistake in it ends all who follow. */
  #guard(work: () => void): void {
    try {
      this.#record.spent.time(work);
    } catch (error) {
      this.#followers.first?.io.mistake(error);
      this.#fail(failureOf(error));
    }
  }
}
