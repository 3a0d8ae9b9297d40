// The client's side of a feed: one response for each START, CONTINUE and STOP, made of the documents that wait. It knows
// nothing of where they come from.

import type { FeedOptions } from '../../rewrite/feed-options.ts';
import type { ReqlError } from '../../rewrite/reql/error.ts';
import { ResponseNote, ResponseType } from '../../rewrite/reql/protocol.ts';
import type { FeedEnd } from '../feed-end.ts';
import type { FeedIo, FeedQuery } from '../feed-port.ts';
import { errorBody, sequenceBody } from '../wire/response.ts';
import type { AfterChanges } from './after.ts';
import { documentText, type FeedDocument, isChange } from './documents.ts';
import { feedBody } from './feed-body.ts';
import { Outbox } from './outbox.ts';

/** What a delivery is told. */
export interface DeliverySettings {
  readonly io: FeedIo;
  readonly protocol: FeedQuery['protocol'];
  readonly options: FeedOptions;
  /** SEQUENCE_FEED or ATOM_FEED. */
  readonly note: ResponseNote;
  /** The terms after `changes`; `undefined` where there are none, or where upstream sees to them. */
  readonly after: AfterChanges | undefined;
  /** Stops what makes the documents; called once, when the feed ends. */
  readonly stopUpstream: () => void;
}

/** The server's default for `changefeed_queue_size` (configured_limits.hpp). */
const QUEUE_SIZE = 100_000;
/** Documents, and bytes of JSON, after which a response is full. */
const BATCH_DOCUMENTS = 2000;
const BATCH_BYTES = 1024 * 1024;
/** Documents that are turned to JSON before the bytes are counted. */
const CHUNK_DOCUMENTS = 100;
/** What V0_3 waits for changes before it answers with none (batching.cc: half a second). */
const EMPTY_BATCH_MS = 500;
const MS_PER_SECOND = 1000;

/** How a feed is to end when its documents have been sent. */
type Ending = { readonly error: ReqlError } | 'complete';

type Phase = 'opening' | 'open' | 'over';

/** Answers the client. Exactly one response for each of its queries, until the feed is over. */
export class Delivery {
  readonly #settings: DeliverySettings;
  readonly #outbox: Outbox;
  readonly #notes: readonly number[];
  #phase: Phase = 'opening';
  /** Queries of the client's that wait for their answer. The START is the first. */
  #asked = 1;
  #ending: Ending | undefined;
  #profile: string | undefined;
  /** Cancels the timer of an empty batch. */
  #cancelEmpty: (() => void) | undefined;
  /** Cancels the timer before whose end no more changes are sent, under `squash` with a number. */
  #cancelHold: (() => void) | undefined;

  constructor(settings: DeliverySettings) {
    const { options, note } = settings;
    this.#settings = settings;
    this.#outbox = new Outbox({
      queueSize: options.queueSize ?? QUEUE_SIZE,
      squash: options.squash !== false,
      weighed: (bytes) => settings.io.memory.setWaiting(bytes),
    });
    this.#notes = options.includeStates ? [note, ResponseNote.INCLUDES_STATES] : [note];
  }

  get isOver(): boolean {
    return this.#phase === 'over';
  }

  push(document: FeedDocument): void {
    if (this.#phase !== 'over' && this.#ending === undefined) this.#outbox.push(document);
  }

  /** The feed has been accepted upstream: the START can be answered. Sends what waits if the client asks. */
  flush(profile: string | undefined): void {
    if (this.#phase === 'over') return;
    this.#profile = profile ?? this.#profile;
    this.#send();
  }

  /** Ends the feed with an error once the documents before it are sent. Upstream is stopped at once. */
  fail(error: ReqlError): void {
    this.#end({ error });
  }

  /** Ends the feed in good order once the documents are sent. */
  complete(): void {
    this.#end('complete');
  }

  continue(): void {
    if (this.#phase === 'over') return;
    this.#asked++;
    // The START comes first, and its answer is not known before upstream's.
    if (this.#phase === 'opening') return;
    this.#send();
    if (this.#settings.protocol === 'V0_3' && this.#asked > 0 && !this.isOver) {
      this.#cancelEmpty ??= this.#settings.io.schedule(EMPTY_BATCH_MS, () => {
        this.#cancelEmpty = undefined;
        if (this.#asked > 0) this.#answer([], ResponseType.SUCCESS_PARTIAL);
      });
    }
  }

  stop(): void {
    if (this.#phase === 'over') return;
    const { io } = this.#settings;
    this.#stopUpstream();
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
    this.#stopUpstream();
    // Nothing has been shown yet, and nothing need be: the query itself is answered with the error.
    if (this.#phase === 'opening' && ending !== 'complete') this.#outbox.clear();
    this.#send();
  }

  /** Answers what the client has asked as far as there is something to say. */
  #send(): void {
    for (let asked = 0; asked !== this.#asked; ) {
      asked = this.#asked;
      this.#sendOne();
    }
  }

  #sendOne(): void {
    if (this.#asked === 0 || this.#phase === 'over' || this.#settings.io.isUnread) return;
    const texts = this.#isHeld() ? [] : this.#batch();
    if (this.isOver) return;
    const afterEnded = this.#settings.after?.ended === true;
    const done = this.#outbox.length === 0 ? this.#ending : undefined;
    if (afterEnded || done === 'complete') {
      this.#answer(texts, ResponseType.SUCCESS_SEQUENCE);
      this.#stopUpstream();
      this.#over('complete');
    } else if (texts.length > 0 || (this.#phase === 'opening' && done === undefined)) {
      this.#phase = 'open';
      this.#answer(texts, ResponseType.SUCCESS_PARTIAL);
    } else if (done !== undefined) {
      this.#settings.io.toClient(errorBody(done.error));
      this.#over(done.error);
    }
  }

  /** As much of what waits as goes into one response, after the terms after `changes`. */
  #batch(): readonly string[] {
    const { options, after } = this.#settings;
    const texts: string[] = [];
    let bytes = 0;
    let changes = false;
    while (texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES && after?.ended !== true) {
      const documents = this.#outbox.take(Math.min(CHUNK_DOCUMENTS, BATCH_DOCUMENTS - texts.length));
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
    if (after === undefined) return documents.map((document) => documentText(document, options.includeTypes));
    const result = after.take(documents);
    if (result.error !== undefined) {
      this.#outbox.clear();
      this.#ending = { error: result.error };
      this.#stopUpstream();
    }
    return result.texts;
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

  #answer(
    texts: readonly string[],
    type: typeof ResponseType.SUCCESS_PARTIAL | typeof ResponseType.SUCCESS_SEQUENCE,
  ): void {
    this.#cancelEmpty?.();
    this.#cancelEmpty = undefined;
    this.#asked--;
    this.#settings.io.toClient(feedBody(type, texts, this.#notes, this.#profile));
  }

  #stopUpstream(): void {
    this.#settings.stopUpstream();
  }

  #over(end: FeedEnd): void {
    this.#phase = 'over';
    this.#letGo();
    this.#settings.io.ended(end);
  }

  #letGo(): void {
    this.#cancelEmpty?.();
    this.#cancelHold?.();
    this.#outbox.clear();
  }
}
