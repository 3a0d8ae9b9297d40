// The client's side of a feed: one response for each START, CONTINUE and STOP, made of the documents that wait. It knows
// nothing of where they come from. What the client is told, and in which order, is said by `client-documents.ts`.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { FeedEnd } from '../../relay/feed-end.ts';
import type { Feed, FeedIo, FeedQuery } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import type { Turn } from '../../work/turn.ts';
import { answerStop } from '../answer-stop.ts';
import { atPlace } from '../opening/error-place.ts';
import { historyGone } from '../revisions/rev-writer.ts';
import { Answers } from './answers.ts';
import { ClientDocuments, type DocumentSettings, type DocumentSource } from './client-documents.ts';
import type { DocumentTexts } from './document-texts.ts';
import { Heartbeat } from './heartbeat.ts';
import type { FirstDocuments } from './openings.ts';
import { SendTimers } from './send-timers.ts';

/** What a subscription is told: the same for all whose queries have the same text. */
export interface SubscriptionSettings extends DocumentSettings {
  readonly protocol: FeedQuery['protocol'];
  /** The client's CHANGES term, where errors of what is shared point. */
  readonly origin: Origin | undefined;
}

/** The part of what it follows that a subscription needs. */
export interface Followed extends DocumentSource {
  /** Documents as JSON, made once for all. */
  readonly texts: DocumentTexts;
  /** So many documents go to the client. */
  wrote(documents: number): void;
  /** The subscription is over. */
  leave(subscription: Subscription): void;
  /** Calls back when upstream is known to answer, and nothing is being read again. */
  askForLife(alive: () => void): void;
  /** Whether those who wait are told of changes in a moment, and all at once. */
  readonly isResting: boolean;
  /** The client waits for documents: it is to be told when there are some. */
  waits(subscription: Subscription): void;
  /** The client waits, and there is something for it that takes a turn to be made. */
  waitsForTurn(subscription: Subscription): void;
}

/** How a feed is to end when its documents have been sent. */
type Ending = { readonly error: ReqlError } | 'complete';

type Phase = 'opening' | 'open' | 'over';

/** A client's view of a live query. Exactly one response for each of its queries, until the feed is over. */
export class Subscription implements Feed {
  readonly io: FeedIo;
  readonly #settings: SubscriptionSettings;
  readonly #followed: Followed;
  readonly #documents: ClientDocuments;
  readonly #answers: Answers;
  /** Absent where the client asks for none. */
  readonly #heartbeat: Heartbeat | undefined;
  /** Absent where nothing is sent by the clock. */
  readonly #timers: SendTimers | undefined;
  #phase: Phase = 'opening';
  /** Queries of the client's that wait for their answer. The START is the first. */
  #asked = 1;
  #ending: Ending | undefined;
  #profile: string | undefined;
  /** Whether an answer waits for the client to read what it was sent. */
  #isHeldUp = false;

  /** Callers owe `accepted` and `begin`. */
  constructor(settings: SubscriptionSettings, io: FeedIo, followed: Followed) {
    const { options, protocol } = settings;
    this.io = io;
    this.#settings = settings;
    this.#followed = followed;
    this.#documents = new ClientDocuments(settings, io, followed, () => io.run(() => this.flush(undefined)));
    if (protocol === 'V0_3' || typeof options.squash === 'number') this.#timers = new SendTimers(io);
    this.#answers = new Answers(settings, this.#documents.outbox, followed.texts);
    this.#heartbeat = options.heartbeat === undefined ? undefined : this.#heartbeatEvery(options.heartbeat);
  }

  get isOver(): boolean {
    return this.#phase === 'over';
  }

  get waitingBytes(): number {
    return this.#documents.outbox.bytes;
  }

  /** Whether fewer changes may wait than the log keeps for everybody: it is to be told when the log has grown. */
  get isShort(): boolean {
    return this.#documents.isShort;
  }

  /** Whether what is sent is evaluated first, or long, which takes a turn. */
  get isDear(): boolean {
    return this.#settings.after !== undefined || this.#answers.isLong;
  }

  get squashes(): boolean {
    return this.#settings.options.squash !== false;
  }

  /** Whether copies of equal rows have to be counted for it. */
  get countsCopies(): boolean {
    return this.#documents.countsCopies;
  }

  /** Whether what is there at first has to be read for it: to be shown, or since each revision holds it. */
  get readsInitial(): boolean {
    return this.#documents.readsInitial;
  }

  /** Upstream has accepted the query: the START can be answered. */
  accepted(): void {
    this.#documents.accepted();
  }

  /** The state has been read: it is shown, and then all that differs from this moment on. */
  begin(first: FirstDocuments): void {
    if (!this.#documents.begin(first)) this.abort(historyGone());
  }

  /** Follows from here on, though what there is has not been read: changes may come before. */
  follow(): void {
    this.#documents.outbox.follow();
  }

  /** Something that was there at first, behind all that came before it. */
  tell(opening: FirstDocuments): void {
    this.#documents.tell(opening);
  }

  /** What is shown is being read again. */
  healing(): void {
    if (this.#documents.healing()) this.flush(undefined);
  }

  /** What is shown has been read again; what differs stands in the log. */
  healed(): void {
    if (this.#documents.healed()) this.flush(undefined);
  }

  /** The log has grown. */
  grown(): void {
    this.#documents.outbox.grown();
  }

  /** Makes the next answer, where the client asks and that is long; says whether it is made. */
  prepare(turn: Turn): boolean {
    return !this.#canSend || this.#isHeld() || this.#ending !== undefined || this.#answers.make(turn, this.#isPlain);
  }

  /** Sends what waits, if the client asks. `profile`: what upstream says of how the query ran. */
  flush(profile: string | undefined): void {
    if (this.#phase === 'over') return;
    this.#profile = profile ?? this.#profile;
    this.#send();
  }

  /** Ends the feed with an error of what is followed, once the documents before it are sent. */
  fail(error: ReqlError, from: Origin | undefined): void {
    this.#end({ error: atPlace(error, from, this.#settings.origin) });
  }

  /** Ends the feed in good order once the documents are sent. */
  complete(): void {
    this.#end('complete');
  }

  abort(error: ReqlError): void {
    this.#end({ error });
  }

  continue(): void {
    if (this.#phase === 'over') return;
    this.#asked++;
    // The START comes first, and its answer is not known before upstream's.
    if (this.#phase === 'opening') return;
    if (this.isDear && this.#ending === undefined) this.#followed.waitsForTurn(this);
    else if (this.#followed.isResting && this.#isPlain && this.#documents.outbox.position !== undefined)
      this.#followed.waits(this);
    else this.#send();
    if (this.#settings.protocol === 'V0_3' && this.#asked > 0 && !this.isOver) {
      this.#timers?.awaitEmpty(() => {
        if (this.#asked > 0) this.#answer(this.#answers.body([], ResponseType.SUCCESS_PARTIAL, this.#profile), 0);
      });
    }
  }

  stop(): void {
    if (this.#phase === 'over') return;
    answerStop(this.io, this.#asked);
    this.#over('stopped');
  }

  /** The client has read all that it was sent. */
  resume(): void {
    if (!this.#isHeldUp) return;
    this.#isHeldUp = false;
    this.#send();
  }

  /** Makes what waits as little as it can be. */
  shrink(): void {
    this.#documents.outbox.compose();
  }

  /** The connection is gone. */
  close(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#letGo();
  }

  #end(ending: Ending): void {
    if (this.#phase === 'over' || this.#ending !== undefined) return;
    this.#ending = ending;
    this.#followed.leave(this);
    // Nothing has been shown yet, and nothing need be: the query itself is answered with the error.
    const isShown = this.#phase !== 'opening' || ending === 'complete';
    this.#documents.complete(isShown);
    if (!isShown) this.#answers.clear();
    this.#send();
  }

  /** Answers what the client has asked as far as there is something to say. */
  #send(): void {
    for (let asked = 0; asked !== this.#asked; ) {
      asked = this.#asked;
      this.#sendOne();
      if (this.isDear && this.#ending === undefined) break;
    }
    if (this.isDear && this.#asked > 0 && this.#phase === 'open' && this.#hasMore) {
      this.#followed.waitsForTurn(this);
      return;
    }
    if (this.#asked > 0 && this.#phase !== 'over' && this.#ending === undefined) this.#followed.waits(this);
  }

  #sendOne(): void {
    if (this.io.isUnread && this.#asked > 0 && !this.isOver) this.#isHeldUp = true;
    if (!this.#canSend) return;
    const shared = this.#isPlain ? this.#answers.takeShared() : undefined;
    if (shared !== undefined) {
      if (shared.count > 0) this.#answer(shared.body, shared.count);
      return;
    }
    const isHeld = this.#isHeld();
    if (!isHeld && this.#ending === undefined && this.#answers.isLong && !this.#answers.isMade) {
      this.#followed.waitsForTurn(this);
      return;
    }
    const texts = isHeld ? [] : this.#take();
    if (this.isOver) return;
    const done = this.#documents.outbox.length === 0 ? this.#ending : undefined;
    if (this.#answers.areEnded || done === 'complete') {
      this.#answer(this.#answers.body(texts, ResponseType.SUCCESS_SEQUENCE, this.#profile), texts.length);
      this.#over('complete');
    } else if (texts.length > 0 || (this.#canOpen && done === undefined)) {
      this.#phase = 'open';
      this.#answer(this.#answers.body(texts, ResponseType.SUCCESS_PARTIAL, this.#profile), texts.length);
    } else if (done !== undefined) {
      this.io.toClient(errorBody(done.error));
      this.#over(done.error);
    }
  }

  /** Whether the client waits for an answer that can be sent now. */
  get #canSend(): boolean {
    if (this.#asked === 0 || this.#phase === 'over' || this.io.isUnread) return false;
    return this.#documents.mayBeSent || this.#ending !== undefined;
  }

  /** Whether the START can be answered, though there is nothing to say yet. */
  get #canOpen(): boolean {
    return this.#phase === 'opening' && this.#documents.canOpen;
  }

  /** Whether the client may get the same bytes as others. */
  get #isPlain(): boolean {
    return this.#profile === undefined && this.#ending === undefined && this.#phase === 'open';
  }

  #take(): readonly string[] {
    const { squash } = this.#settings.options;
    const { texts, hasChanges, error } = this.#answers.take();
    if (error !== undefined) {
      this.#documents.complete(false);
      this.#ending = { error };
      this.#followed.leave(this);
    }
    if (hasChanges && typeof squash === 'number' && squash > 0) this.#timers?.hold(squash, () => this.#send());
    return texts;
  }

  /** Whether there is something that may be sent now. */
  get #hasMore(): boolean {
    const waits = this.#documents.outbox.length > 0 || this.#answers.isMade;
    return waits && !this.#isHeld() && !this.io.isUnread && this.#ending === undefined;
  }

  #isHeld(): boolean {
    return this.#timers?.isHolding === true && this.#documents.outbox.isChangeNext && this.#ending === undefined;
  }

  #answer(body: string | Buffer, documents: number): void {
    this.#timers?.answered();
    this.#asked--;
    this.#documents.answered();
    this.io.wrote(documents);
    this.#followed.wrote(documents);
    this.io.toClient(body);
    this.#heartbeat?.sent();
  }

  #heartbeatEvery(seconds: number): Heartbeat {
    const subscription = this;
    const { io } = this;
    return new Heartbeat(seconds, {
      schedule: (ms, callback) => io.schedule(ms, callback),
      get isAsked() {
        return subscription.#asked > 0;
      },
      askForLife: (alive) => this.#followed.askForLife(() => io.run(alive)),
      sayAlive: () => this.#sayAlive(),
    });
  }

  #sayAlive(): void {
    if (this.#phase !== 'open' || this.#ending !== undefined) return;
    this.#documents.alive();
    this.flush(undefined);
  }

  #over(end: FeedEnd): void {
    this.#phase = 'over';
    this.#letGo();
    this.io.ended(end);
  }

  #letGo(): void {
    this.#timers?.stop();
    this.#heartbeat?.stop();
    this.#documents.close();
    this.#followed.leave(this);
  }
}
