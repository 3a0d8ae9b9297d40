// The client's side of a feed: one response for each START, CONTINUE and STOP, made of the documents that wait. It knows
// nothing of where they come from.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { FeedEnd } from '../../relay/feed-end.ts';
import type { Feed, FeedIo, FeedQuery } from '../../relay/feed-port.ts';
import { errorBody, sequenceBody } from '../../wire/response.ts';
import { atPlace } from '../opening/error-place.ts';
import type { AfterChanges } from './after.ts';
import type { DocumentLog } from './document-log.ts';
import { BATCH_BYTES, BATCH_DOCUMENTS, type DocumentTexts } from './document-texts.ts';
import { type FeedDocument, isChange } from './documents.ts';
import { feedBody } from './feed-body.ts';
import { type Opening, Outbox, openingOf } from './outbox.ts';

/** What a subscription is told. */
export interface SubscriptionSettings {
  readonly io: FeedIo;
  readonly protocol: FeedQuery['protocol'];
  readonly options: FeedOptions;
  /** SEQUENCE_FEED or ATOM_FEED. */
  readonly note: ResponseNote;
  /** The terms after `changes`; `undefined` where there are none. */
  readonly after: AfterChanges | undefined;
  /** The client's CHANGES term, where errors of what is shared point. */
  readonly origin: Origin | undefined;
}

/** What a subscription needs of what it follows. */
export interface Followed {
  readonly log: DocumentLog;
  /** Documents as JSON, made once for all. */
  readonly texts: DocumentTexts;
  /** The subscription is over. */
  leave(subscription: Subscription): void;
  /** Calls back when upstream is known to answer, and nothing is being read again. */
  askForLife(alive: () => void): void;
  /** The client waits for documents: it is to be told when there are some. */
  waits(subscription: Subscription): void;
  /** The client waits, and there is something for it that takes a turn to be made. */
  waitsForTurn(subscription: Subscription): void;
}

/** The server's default for `changefeed_queue_size` (configured_limits.hpp). */
const QUEUE_SIZE = 100_000;
/** Documents that are turned to JSON before the bytes are counted. */
const CHUNK_DOCUMENTS = 100;
/** What V0_3 waits for changes before it answers with none (batching.cc: half a second). */
const EMPTY_BATCH_MS = 500;
const MS_PER_SECOND = 1000;

/** How a feed is to end when its documents have been sent. */
type Ending = { readonly error: ReqlError } | 'complete';

type Phase = 'opening' | 'open' | 'over';

/** One client's view of a live query. Exactly one response for each of its queries, until the feed is over. */
export class Subscription implements Feed {
  readonly #settings: SubscriptionSettings;
  readonly #followed: Followed;
  /** Cancels the timer of the next sign of life. */
  #cancelBeat: (() => void) | undefined;
  readonly #outbox: Outbox;
  #phase: Phase = 'opening';
  #isAccepted = false;
  /** Queries of the client's that wait for their answer. The START is the first. */
  #asked = 1;
  #ending: Ending | undefined;
  #profile: string | undefined;
  /** Cancels the timer of an empty batch. */
  #cancelEmpty: (() => void) | undefined;
  /** Cancels the timer before whose end no more changes are sent, under `squash` with a number. */
  #cancelHold: (() => void) | undefined;

  /** Callers owe `accepted` and `begin`. */
  constructor(settings: SubscriptionSettings, followed: Followed) {
    const { options } = settings;
    this.#settings = settings;
    this.#followed = followed;
    this.#outbox = new Outbox(
      {
        queueSize: options.queueSize ?? QUEUE_SIZE,
        squash: options.squash !== false,
        weighed: (bytes) => settings.io.memory.setWaiting(bytes),
      },
      followed.log,
    );
  }

  get io(): FeedIo {
    return this.#settings.io;
  }

  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Whether fewer changes may wait than the log keeps for everybody: it is to be told when the log has grown. */
  get isShort(): boolean {
    return this.#settings.options.queueSize !== undefined;
  }

  /** Whether what is sent is evaluated first, which takes a turn. */
  get isDear(): boolean {
    return this.#settings.after !== undefined;
  }

  /** Whether the client wants to see what is there at first. */
  get showsInitial(): boolean {
    return this.#settings.options.includeInitial;
  }

  /** Upstream has accepted the query: the START can be answered. */
  accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    const { includeInitial, includeStates } = this.#settings.options;
    if (includeInitial && includeStates) this.#push(INITIALIZING);
  }

  /** What there is has been read: it is shown, and then what differs from this moment on. */
  begin(first: Opening): void {
    this.#outbox.follow();
    this.#push(first);
    if (this.#settings.options.includeStates) this.#push(READY);
  }

  /** What is shown is being read again. */
  healing(): void {
    if (!this.#settings.options.includeHealing) return;
    this.#push(HEALING);
    this.flush(undefined);
  }

  /** What is shown has been read again; what differs stands in the log. */
  healed(): void {
    if (!this.#settings.options.includeHealing) return;
    this.#push(HEALED);
    this.flush(undefined);
  }

  /** The log has grown. */
  grown(): void {
    this.#outbox.grown();
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

  #push(opening: Opening): void {
    if (this.#phase !== 'over' && this.#ending === undefined) this.#outbox.push(opening);
  }

  continue(): void {
    if (this.#phase === 'over') return;
    this.#asked++;
    // The START comes first, and its answer is not known before upstream's.
    if (this.#phase === 'opening') return;
    if (this.isDear && this.#ending === undefined) this.#followed.waitsForTurn(this);
    else this.#send();
    if (this.#settings.protocol === 'V0_3' && this.#asked > 0 && !this.isOver) {
      this.#cancelEmpty ??= this.#settings.io.schedule(EMPTY_BATCH_MS, () => {
        this.#cancelEmpty = undefined;
        if (this.#asked > 0) this.#answer(this.#body([], ResponseType.SUCCESS_PARTIAL));
      });
    }
  }

  stop(): void {
    if (this.#phase === 'over') return;
    const { io } = this.#settings;
    // The CONTINUE that is still out is answered before the STOP (query_cache.cc).
    for (let answers = this.#asked + 1; answers > 0; answers--) {
      io.toClient(sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
    }
    this.#over('stopped');
  }

  /** The client has read all that it was sent. */
  resume(): void {
    if (this.#phase === 'open' || this.#ending !== undefined) this.#send();
  }

  /** Makes what waits as little as it can be. */
  shrink(): void {
    this.#outbox.compose();
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
    this.#leave();
    // Nothing has been shown yet, and nothing need be: the query itself is answered with the error.
    if (this.#phase === 'opening' && ending !== 'complete') this.#outbox.clear();
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
    if (this.#asked === 0 || this.#phase === 'over' || this.#settings.io.isUnread) return;
    if (this.#sendShared()) return;
    const texts = this.#isHeld() ? [] : this.#batch();
    if (this.isOver) return;
    const afterEnded = this.#settings.after?.ended === true;
    const done = this.#outbox.length === 0 ? this.#ending : undefined;
    if (afterEnded || done === 'complete') {
      this.#answer(this.#body(texts, ResponseType.SUCCESS_SEQUENCE));
      this.#over('complete');
    } else if (texts.length > 0 || (this.#phase === 'opening' && this.#isAccepted && done === undefined)) {
      this.#phase = 'open';
      this.#answer(this.#body(texts, ResponseType.SUCCESS_PARTIAL));
    } else if (done !== undefined) {
      this.#settings.io.toClient(errorBody(done.error));
      this.#over(done.error);
    }
  }

  /** Sends what others get as well, as the same bytes. False where the client is not to get that, or nothing is there. */
  #sendShared(): boolean {
    const { after, options } = this.#settings;
    const from = this.#outbox.position;
    const isPlain = after === undefined && this.#profile === undefined && this.#ending === undefined;
    if (from === undefined || !isPlain || this.#phase !== 'open') return false;
    const shared = this.#followed.texts.batch(from, options.includeTypes, this.#notes);
    if (shared === undefined) return false;
    this.#outbox.skipTo(shared.next);
    this.#answer(shared.body);
    return true;
  }

  /** As much of what waits as goes into one response, after the terms after `changes`. */
  #batch(): readonly string[] {
    const { options, after } = this.#settings;
    const texts: string[] = [];
    let bytes = 0;
    let changes = false;
    // Where each document is evaluated, they come one by one, so that none is taken that has to wait.
    const chunk = after === undefined ? CHUNK_DOCUMENTS : 1;
    after?.begin();
    while (texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES && after?.ended !== true && after?.isTired !== true) {
      const documents = this.#outbox.take(Math.min(chunk, BATCH_DOCUMENTS - texts.length));
      if (documents.length === 0) break;
      changes ||= documents.some(isChange);
      for (const text of this.#texts(documents)) {
        texts.push(text);
        bytes += text.length;
      }
    }
    if (changes && typeof options.squash === 'number' && options.squash > 0) this.#hold(options.squash);
    return texts;
  }

  #texts(documents: readonly FeedDocument[]): readonly string[] {
    const { after, options } = this.#settings;
    const { texts } = this.#followed;
    if (after === undefined) return documents.map((document) => texts.of(document, options.includeTypes));
    const result = after.take(documents);
    if (result.error !== undefined) {
      this.#outbox.clear();
      this.#ending = { error: result.error };
      this.#leave();
    }
    return result.texts;
  }

  /** Whether there is something that may be sent now. */
  get #hasMore(): boolean {
    return this.#outbox.length > 0 && !this.#isHeld() && !this.#settings.io.isUnread && this.#ending === undefined;
  }

  #isHeld(): boolean {
    return this.#cancelHold !== undefined && this.#outbox.isChangeNext && this.#ending === undefined;
  }

  #hold(seconds: number): void {
    this.#cancelHold?.();
    this.#cancelHold = this.#settings.io.schedule(seconds * MS_PER_SECOND, () => {
      this.#cancelHold = undefined;
      this.#send();
    });
  }

  get #notes(): readonly number[] {
    const { options, note } = this.#settings;
    const hasStates = options.includeStates || options.includeHealing || options.heartbeat !== undefined;
    return hasStates ? [note, ResponseNote.INCLUDES_STATES] : [note];
  }

  #body(
    texts: readonly string[],
    type: typeof ResponseType.SUCCESS_PARTIAL | typeof ResponseType.SUCCESS_SEQUENCE,
  ): string {
    return feedBody(type, texts, this.#notes, this.#profile);
  }

  #answer(body: string | Buffer): void {
    this.#cancelEmpty?.();
    this.#cancelEmpty = undefined;
    this.#asked--;
    this.#settings.io.toClient(body);
    this.#beat();
  }

  /** A document has been sent: the next sign of life is due when nothing has been for so long again. */
  #beat(): void {
    const { heartbeat } = this.#settings.options;
    if (heartbeat === undefined) return;
    this.#cancelBeat?.();
    this.#cancelBeat = this.#settings.io.schedule(heartbeat * MS_PER_SECOND, () => {
      // Of a client that has not asked there is something to send at once when it does.
      if (this.#asked === 0) this.#beat();
      else this.#followed.askForLife(() => this.#settings.io.run(() => this.#sayAlive()));
    });
  }

  #sayAlive(): void {
    if (this.#phase !== 'open' || this.#ending !== undefined) return;
    this.#push(ALIVE);
    this.flush(undefined);
    this.#beat();
  }

  #leave(): void {
    this.#followed.leave(this);
  }

  #over(end: FeedEnd): void {
    this.#phase = 'over';
    this.#letGo();
    this.#settings.io.ended(end);
  }

  #letGo(): void {
    this.#cancelEmpty?.();
    this.#cancelHold?.();
    this.#cancelBeat?.();
    this.#outbox.close();
    this.#leave();
  }
}

/** The states, as what is said first. */
const INITIALIZING: Opening = openingOf([{ kind: 'state', state: 'initializing' }]);
const HEALING: Opening = openingOf([{ kind: 'state', state: 'healing' }]);
const HEALED: Opening = openingOf([{ kind: 'state', state: 'healed' }]);
const ALIVE: Opening = openingOf([{ kind: 'state', state: 'alive' }]);
const READY: Opening = openingOf([{ kind: 'state', state: 'ready' }]);
