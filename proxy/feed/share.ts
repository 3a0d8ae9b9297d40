// One query upstream, the state that it fills, and all who follow that state. Who comes late is shown the state as it is, at a
// settled moment, and from then on what differs. Nobody waits for anybody: changes stand in a log, and each subscriber reads
// on when his client asks.
//
// The query runs on the connection of a subscriber, the carrier. Where that goes, the query is sent anew on another's: the old
// state stands until the new one is read, and what differs between them is one net change for each thing.

import { opFailed, type ReqlError } from '../../rewrite/reql/error.ts';
import type { Origin } from '../../rewrite/reql/origin.ts';
import type { Holder, Holding } from '../memory/holding.ts';
import { failureOf } from '../relay/feed-end.ts';
import type { FeedIo, UpstreamPort } from '../relay/feed-port.ts';
import type { ClientWork } from '../work/schedule.ts';
import type { Job } from '../work/turn.ts';
import { Healing, type HealingSettings } from './healing/healing.ts';
import { isPassing } from './healing/passing.ts';
import type { Difference } from './operator/difference.ts';
import { Batched } from './sharing/batched.ts';
import { differences } from './snapshot-differences.ts';
import type { FeedSource, SourcePort, SourceSink } from './source/feed-source.ts';
import { QUESTION } from './source/quiet.ts';
import { SourceMemory } from './source/source-memory.ts';
import { Composer } from './subscription/composer.ts';
import { DocumentLog } from './subscription/document-log.ts';
import { DocumentTexts } from './subscription/document-texts.ts';
import { changeDocuments, documentBytes, type FeedDocument, initialDocuments } from './subscription/documents.ts';
import { FanOut } from './subscription/fan-out.ts';
import { type Opening, openingOf } from './subscription/outbox.ts';
import { type Followed, Subscription, type SubscriptionSettings } from './subscription/subscription.ts';

/** What a share is made with. */
export interface ShareSettings {
  /** Begins to fill the state from a connection; `memory` takes what that keeps. */
  readonly openSource: (port: SourcePort, sink: SourceSink, memory: SourceMemory) => FeedSource;
  /** The CHANGES term of the query that began it: where its errors point. */
  readonly origin: Origin | undefined;
  /** A question that every shard of every table answers, behind the changes that it has sent before. */
  readonly identity: string;
  /** How what upstream ends or spoils is read again. */
  readonly healing: Pick<HealingSettings, 'healMs' | 'refills'>;
  /** Which tables the query reads, once that is known. */
  readonly tables?: () => string | undefined;
  /** How long the share goes on when nobody follows it any more, in milliseconds; not at all if absent. */
  readonly lingerMs?: number | undefined;
  /** Upstream has accepted the query. */
  readonly accepted?: () => void;
  /** The connection that carried the query has gone. */
  readonly moved?: () => void;
  /** The share is over: nobody follows it any more, or it has failed. */
  readonly over?: () => void;
}

/** Why a feed is read again whose connection has gone; nobody is told, unless there is no other connection. */
const CARRIER_GONE: ReqlError = opFailed(
  'The connection that carried the feed is gone, and no other could take it over.',
);
/** What has to be read again so soon after it was, in milliseconds, is read again with a pause. */
const SOON_MS = 5_000;
/** How long another connection is tried where feeds are not healed otherwise, in milliseconds. */
const CARRIER_MS = 10_000;

/** A source of the share's, and what it keeps. */
interface Filling {
  readonly source: FeedSource;
  readonly port: UpstreamPort;
  readonly memory: SourceMemory;
  isReady: boolean;
}

/** A shared state. */
export class Share implements Followed, Holder {
  readonly name: string = 'feed';
  readonly log: DocumentLog;
  readonly texts: DocumentTexts;
  readonly #settings: ShareSettings;
  readonly #holding: Holding;
  readonly #subscribers = new Set<Subscription>();
  /** Those for whom the log may be too long. */
  readonly #short = new Set<Subscription>();
  readonly #work: ClientWork;
  readonly #fanOut: FanOut;
  #filling: Filling | undefined;
  /** The source that is to take the place of one that has gone. */
  #refill: Filling | undefined;
  /** What has not been told yet while the source is being replaced. */
  #debt: Composer | undefined;
  #isAccepted = false;
  #isReady = false;
  #isOver = false;
  /** The state as it is shown to those who come, as long as nothing changes. */
  #snapshot: Opening | undefined;
  #whenSettled: (() => void)[] = [];
  /** Who waits until the state holds what had been written when they asked. */
  readonly #catchingUp = new Set<() => void>();
  #barrier: Batched<undefined> | undefined;
  #healing: Healing | undefined;
  /** When the state was last healed, and how many times in a row soon after another. */
  #healedAt = Number.NEGATIVE_INFINITY;
  #relapses = 0;
  /** Cancels the end of a share that nobody follows. */
  #cancelLinger: (() => void) | undefined;

  /** Begins to fill the state from the connection of `io`. */
  constructor(settings: ShareSettings, io: FeedIo) {
    this.#settings = settings;
    this.#holding = io.process.memory.open(this);
    this.#work = io.process.work.open();
    this.#fanOut = new FanOut(this.#work);
    this.log = new DocumentLog((bytes) => this.#holding.setWaiting(bytes));
    this.texts = new DocumentTexts(this.log, () => this.#subscribers.size > 1);
    try {
      this.#filling = this.#fill(io.shared);
    } catch (error) {
      this.#isOver = true;
      this.#release();
      throw error;
    }
  }

  /** How many follow the state. */
  get size(): number {
    return this.#subscribers.size;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The connection that carries the query; `undefined` between two. */
  get carrier(): UpstreamPort | undefined {
    return this.#filling?.port;
  }

  /** A new subscriber. Callers owe a settled moment, or one before the state is there. */
  subscribe(settings: SubscriptionSettings): Subscription {
    const subscription = new Subscription(settings, this);
    this.#subscribers.add(subscription);
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    if (subscription.isShort) this.#short.add(subscription);
    if (this.#isAccepted) subscription.accepted();
    if (this.#isReady) subscription.begin(() => this.#opening());
    if (this.#isAccepted) subscription.flush(undefined);
    else this.waits(subscription);
    return subscription;
  }

  leave(subscription: Subscription): void {
    this.#short.delete(subscription);
    this.#fanOut.delete(subscription);
    if (!this.#subscribers.delete(subscription)) return;
    if (this.#isOver) return;
    if (this.#subscribers.size > 0) {
      if (!this.#isFollowedOver(subscription.io.shared)) this.#healing?.lost(subscription.io.shared);
      return;
    }
    const { lingerMs = 0 } = this.#settings;
    if (lingerMs === 0 || this.#filling === undefined || this.#healing !== undefined) this.#end();
    else this.#cancelLinger = this.#filling.port.schedule(lingerMs, () => this.#end());
  }

  waits(subscription: Subscription): void {
    if (this.#subscribers.has(subscription)) this.#fanOut.add(subscription);
  }

  waitsForTurn(subscription: Subscription): void {
    this.waits(subscription);
    this.#fanOut.flush(undefined);
  }

  /**
   * Calls back at a settled moment at which the state holds everything that had been written, and acknowledged, before this
   * call: every shard has answered behind the changes that it had sent, and upstream has had two chances to send them on
   * (`quiet.ts`). Where the share ends first it calls back as well.
   */
  catchUp(act: () => void): void {
    this.#catchingUp.add(act);
    // What is read anew on another connection is later than all that.
    if (this.#isOver) this.#caughtUp([act]);
    else if (this.#healing === undefined && this.#filling !== undefined) this.#askBarrier(this.#filling.port, act);
  }

  askForLife(alive: () => void): void {
    this.#filling?.port.ask(QUESTION, () => {
      if (this.#healing === undefined && !this.#isOver) alive();
    });
  }

  /** Lets those who are slow take into the net change what stands in the log for them. */
  shrink(): void {
    this.log.empty();
  }

  /** Ends all feeds because the memory of the process is short. */
  end(error: ReqlError): void {
    this.#fail(error);
  }

  get #isSettled(): boolean {
    if (this.#isOver) return true;
    return this.#healing === undefined && (!this.#isReady || this.#filling?.source.isSettled === true);
  }

  #askBarrier(port: UpstreamPort, act: () => void): void {
    this.#barrier ??= new Batched<undefined>((answer) =>
      port.ask(this.#settings.identity, () => port.ask(QUESTION, () => answer(undefined))),
    );
    this.#barrier.ask(() => this.#caughtUp([act]));
  }

  #caughtUp(acts: Iterable<() => void>): void {
    for (const act of [...acts]) {
      if (!this.#catchingUp.delete(act)) continue;
      if (this.#isSettled) act();
      else this.#whenSettled.push(act);
    }
  }

  #fill(port: UpstreamPort): Filling {
    const memory = new SourceMemory(this.#holding);
    const sink: SourceSink = {
      accepted: () => this.#accepted(),
      ready: () => this.#ready(filling),
      tell: (difference) => this.#tell(difference),
      shown: (profile) => this.#shown(profile),
      warn: (law, counterexample) => this.#warn(law, counterexample),
      failed: (error) => this.#failed(filling, error),
      complete: () => this.#complete(),
      lost: () => this.#lost(filling),
    };
    const guarded = sourcePort(port, this.#work, (work) => this.#guard(work));
    const filling: Filling = {
      source: this.#settings.openSource(guarded, sink, memory),
      port,
      memory,
      isReady: false,
    };
    return filling;
  }

  #accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.#settings.accepted?.();
    for (const subscription of [...this.#subscribers]) subscription.io.run(() => subscription.accepted());
  }

  *#ready(filling: Filling): Iterable<void> {
    filling.isReady = true;
    if (filling === this.#refill) {
      this.#replace(filling);
      if (this.#isReady) return;
    }
    if ([...this.#subscribers].some(({ showsInitial }) => showsInitial)) {
      const documents: FeedDocument[] = [];
      let bytes = 0;
      for (const part of filling.source.snapshot()) {
        for (const document of initialDocuments(part)) {
          documents.push(document);
          bytes += documentBytes(document);
        }
        yield;
      }
      this.#snapshot = { documents, bytes };
    }
    this.#isReady = true;
    for (const subscription of [...this.#subscribers]) {
      subscription.io.run(() => subscription.begin(() => this.#opening()));
    }
  }

  #tell(difference: Difference): void {
    this.#snapshot = undefined;
    for (const change of changeDocuments(difference)) {
      if (this.#debt === undefined) this.log.append(change);
      else this.#debt.add(change);
    }
  }

  #shown(profile: string | undefined): void {
    if (this.#isOver) return;
    for (const subscription of [...this.#short]) subscription.io.run(() => subscription.grown());
    this.#fanOut.flush(profile);
    this.log.trim();
    if (this.#isSettled) for (const act of this.#whenSettled.splice(0)) act();
  }

  /** What a client is shown that comes now. Many that come at once share it. */
  #opening(): Opening {
    if (this.#snapshot !== undefined) return { documents: this.#snapshot.documents, bytes: 0 };
    const documents = [...(this.#filling?.source.snapshot() ?? [])].flatMap((part) => initialDocuments(part));
    this.#snapshot = openingOf(documents);
    return this.#snapshot;
  }

  /** The connection of a source goes: the state is read again on another. */
  #lost(filling: Filling): void {
    if (this.#isOver) return;
    this.#settings.moved?.();
    if (filling === this.#refill) this.#healing?.lost(filling.port);
    else if (this.#healing === undefined)
      this.#heal(filling, CARRIER_GONE, this.#settings.healing.healMs || CARRIER_MS);
  }

  /** A source cannot go on. */
  #failed(filling: Filling, error: ReqlError): void {
    const { healMs } = this.#settings.healing;
    if (this.#isOver) return;
    if (filling === this.#refill) this.#healing?.failed(error);
    // What is still wrong with the old state is found by reading again.
    else if (this.#healing !== undefined) return;
    else if (healMs > 0 && isPassing(error) && this.#isAccepted) this.#heal(filling, error, healMs);
    else this.#fail(error);
  }

  /** The state stands as it is shown until it has been read again. */
  #heal(filling: Filling, error: ReqlError, healMs: number): void {
    this.#barrier = undefined;
    this.#relapses = performance.now() - this.#healedAt < SOON_MS ? this.#relapses + 1 : 0;
    const healing = new Healing(
      { ...this.#settings.healing, healMs, relapses: this.#relapses },
      {
        question: this.#settings.identity,
        identity: this.#settings.tables?.(),
        port: () => this.#port(),
        refill: (port) => {
          // One that has failed keeps nothing.
          this.#refill?.source.stop();
          this.#refill?.memory.clear();
          this.#refill = this.#fill(port);
        },
        giveUp: (final) => this.#fail(final),
      },
      error,
    );
    this.#healing = healing;
    this.#debt = new Composer();
    // What upstream has told counts as shown, so that the difference to the new state is from there.
    if (this.#isReady) filling.source.settle();
    filling.source.stop();
    for (const subscription of [...this.#subscribers]) subscription.io.run(() => subscription.healing());
    healing.begin();
  }

  /** The connection of one who follows. */
  #port(): UpstreamPort | undefined {
    const [next] = this.#subscribers;
    if (next === undefined) this.#end();
    return next?.io.shared;
  }

  #isFollowedOver(port: UpstreamPort): boolean {
    for (const { io } of this.#subscribers) if (io.shared === port) return true;
    return false;
  }

  /** The state has been read again: what differs is shown, and from here on what the new source tells. */
  #replace(filling: Filling): void {
    const before = this.#filling;
    const debt = this.#debt ?? new Composer();
    if (before !== undefined && this.#isReady) {
      for (const difference of differences(before.source.snapshot(), filling.source.snapshot())) {
        for (const change of changeDocuments(difference)) debt.add(change);
      }
    }
    before?.memory.clear();
    this.#filling = filling;
    this.#refill = undefined;
    this.#debt = undefined;
    this.#snapshot = undefined;
    while (debt.size > 0) for (const change of debt.take()) this.log.append(change);
    this.#healed();
  }

  #healed(): void {
    const healing = this.#healing;
    this.#healing = undefined;
    this.#healedAt = performance.now();
    healing?.end();
    for (const subscription of [...this.#subscribers]) subscription.io.run(() => subscription.healed());
    const [first] = this.#subscribers;
    if (healing !== undefined) {
      const ms = Math.round(performance.now() - healing.startedAt);
      first?.io.warn('feed healed', { reason: healing.error.message, ms: String(ms) }, {});
    }
    this.#caughtUp(this.#catchingUp);
  }

  #warn(law: string, counterexample: string): void {
    const [first] = this.#subscribers;
    first?.io.warn('a reverse is wrong; the feed stays right, but slower', { law }, { counterexample });
  }

  #fail(error: ReqlError): void {
    if (this.#isOver) return;
    const subscribers = [...this.#subscribers];
    this.#end();
    for (const subscription of subscribers) {
      subscription.io.run(() => subscription.fail(error, this.#settings.origin));
    }
  }

  #complete(): void {
    const subscribers = [...this.#subscribers];
    this.#end();
    for (const subscription of subscribers) subscription.io.run(() => subscription.complete());
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#healing?.end();
    this.#filling?.source.stop();
    this.#refill?.source.stop();
    this.#release();
    this.#settings.over?.();
    this.#caughtUp(this.#catchingUp);
    for (const act of this.#whenSettled.splice(0)) act();
  }

  #release(): void {
    this.#cancelLinger?.();
    this.#holding.close();
    this.#work.close();
  }

  /** Runs shared code. A mistake in it ends all who follow. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      const [first] = this.#subscribers;
      first?.io.mistake(error);
      this.#fail(failureOf(error));
    }
  }
}

/** A connection as a source sees it. */
function sourcePort(port: UpstreamPort, work: ClientWork, guard: (run: () => void) => void): SourcePort {
  return {
    query: (start, sink) =>
      port.query(start, {
        response: (body) => guard(() => sink.response(body)),
        failed: (error) => guard(() => sink.failed(error)),
        lost: () => guard(() => sink.lost()),
      }),
    ask: (query, answer) => port.ask(query, (body) => guard(() => answer(body))),
    schedule: (ms, callback) => port.schedule(ms, () => guard(callback)),
    job(run) {
      const job: Job = {
        work(turn) {
          let isDone = true;
          guard(() => {
            isDone = run(turn);
          });
          return isDone;
        },
      };
      return () => work.do(job);
    },
  };
}
