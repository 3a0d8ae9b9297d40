// A feed of RethinkDB's own whose documents the client gets as merges. It is read as it comes, whatever the client does: what the client
// does not ask for in time is composed. Only of what is there at first upstream waits until the client has taken it.

import type { MergedQuery } from '../../../rewrite/merged-feed.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Holder, Holding } from '../../memory/holding.ts';
import type { FeedIo } from '../../relay/feed-port.ts';
import type { ClientWork } from '../../work/schedule.ts';
import { Rest, type Steps } from '../operator/steps.ts';
import { overflowOf } from '../overflow.ts';
import type { SourcePort } from '../source/feed-source.ts';
import { QUESTION } from '../source/quiet.ts';
import type { Batch } from '../source/upstream-response.ts';
import { DocumentLog } from '../subscription/document-log.ts';
import { DocumentTexts } from '../subscription/document-texts.ts';
import { type FeedDocument, isChange } from '../subscription/documents.ts';
import { FanOut } from '../subscription/fan-out.ts';
import { firstDocuments } from '../subscription/openings.ts';
import { type Followed, Subscription, type SubscriptionSettings } from '../subscription/subscription.ts';
import { type Arrival, Upstream } from '../upstream.ts';
import { readMerged } from './merged-documents.ts';

/** The settings of such a feed. */
export interface NativeMergesSettings {
  readonly io: FeedIo;
  readonly merged: MergedQuery;
  /** What the client is told; the note is upstream's. */
  readonly subscription: Omit<SubscriptionSettings, 'note'>;
  /** The key of the one row that is watched, where it is written out. */
  readonly point: Datum | undefined;
}

/** Bytes of what was there at first that may wait for the client. */
const MOST_BYTES = 1024 * 1024;

/** The kinds of feeds that notes tell. */
const FEEDS: ReadonlySet<number> = new Set([
  ResponseNote.SEQUENCE_FEED,
  ResponseNote.ATOM_FEED,
  ResponseNote.ORDER_BY_LIMIT_FEED,
  ResponseNote.UNIONED_FEED,
]);

/** The upstream side of such a feed. */
export class NativeMerges implements Followed, Holder {
  readonly name: string = 'feed';
  readonly log: DocumentLog;
  readonly texts: DocumentTexts;
  readonly feed: Subscription;
  readonly #settings: NativeMergesSettings;
  readonly #holding: Holding;
  readonly #work: ClientWork;
  readonly #fanOut: FanOut<Subscription>;
  readonly #upstream: Upstream;
  #note: ResponseNote = ResponseNote.SEQUENCE_FEED;
  #isAccepted = false;
  #isReady = false;
  /** Bytes of what was there at first that the client has not been seen to take. */
  #unread = 0;
  /** Batches that are done when it has. */
  #held = 0;

  constructor(settings: NativeMergesSettings) {
    const { io, subscription, merged } = settings;
    this.#settings = settings;
    this.#holding = io.process.memory.open(this);
    this.#work = io.process.work.open(io.shared);
    this.#fanOut = new FanOut(this.#work, () => {});
    this.log = new DocumentLog((bytes) => this.#holding.setWaiting(bytes));
    this.texts = new DocumentTexts(this.log, () => false);
    const noteOf = (): ResponseNote => this.#note;
    this.feed = new Subscription(
      {
        ...subscription,
        get note() {
          return noteOf();
        },
      },
      io,
      this,
    );
    this.feed.follow();
    const port: Pick<SourcePort, 'feed' | 'rests' | 'heard'> = {
      feed: ({ term, globalOptargs }, sink) => io.query(serializeQuery({ term, globalOptargs }), sink),
      rests: () => {},
      heard: () => {},
    };
    this.#upstream = new Upstream(port, merged.query, {
      response: (body) => this.#response(body),
      failed: (error) => this.#fail(error, undefined),
      lost: () => {},
    });
    this.waits(this.feed);
  }

  readonly isResting: boolean = false;

  wrote(): void {}

  leave(): void {
    this.#fanOut.delete(this.feed);
    this.#upstream.stop();
    this.#holding.close();
    this.#work.close();
  }

  waits(subscription: Subscription): void {
    this.#fanOut.add(subscription);
    this.#unread = 0;
    for (; this.#held > 0; this.#held--) this.#upstream.done();
  }

  waitsForTurn(subscription: Subscription): void {
    this.#fanOut.add(subscription);
    this.#fanOut.flush(undefined);
  }

  askForLife(alive: () => void): void {
    this.#settings.io.ask(QUESTION, () => alive());
  }

  shrink(): void {
    this.log.empty();
  }

  end(error: ReqlError): void {
    this.#fail(error, undefined);
  }

  #response(body: Buffer): void {
    const arrival = this.#upstream.take(body);
    if (arrival === undefined) return;
    if (arrival.response !== undefined) {
      this.#takeBatch(arrival.response);
      return;
    }
    const rest = new Rest();
    this.#work.do({
      work: (turn) => {
        let isDone = true;
        this.#settings.io.run(() => {
          isDone = rest.go(turn, () => this.#read(arrival));
        });
        return isDone;
      },
    });
  }

  *#read(arrival: Arrival): Steps {
    this.#takeBatch(yield* this.#upstream.read(arrival));
  }

  #takeBatch(response: Batch | ReqlError): void {
    const { origin } = this.#settings.subscription;
    if (response instanceof ReqlError) {
      this.#fail(response, origin);
      return;
    }
    if (!this.#isAccepted) this.#accept(response.notes);
    for (const document of response.documents) {
      const overflow = isObject(document) ? overflowOf(document, origin) : undefined;
      if (overflow !== undefined) {
        this.#fail(overflow, origin);
        return;
      }
      this.#take(document);
    }
    if (this.#unread > MOST_BYTES) this.#held++;
    else this.#upstream.done();
    this.#fanOut.flush(response.profile);
    if (!response.more) this.feed.complete();
  }

  #accept(notes: readonly number[]): void {
    this.#isAccepted = true;
    const kind = Object.values(ResponseNote).find((note) => FEEDS.has(note) && notes.includes(note));
    this.#note = kind ?? this.#note;
    this.feed.accepted();
  }

  #take(document: Datum): void {
    if (!isObject(document)) return;
    const state = getField(document, 'state');
    if (state === 'ready' && !this.#isReady) {
      this.#isReady = true;
      this.feed.begin(NOTHING);
    }
    if (state !== undefined) return;
    for (const read of readMerged(document, this.#settings.merged.carried, this.#settings.point)) this.#tell(read);
  }

  #tell(document: FeedDocument): void {
    if (isChange(document)) {
      this.log.append(document);
      if (this.feed.isShort) this.feed.grown();
    } else {
      const opening = firstDocuments([document]);
      this.#unread += opening.bytes;
      this.feed.tell(opening);
    }
  }

  #fail(error: ReqlError, from: Origin | undefined): void {
    this.#upstream.stop();
    this.feed.fail(error, from);
  }
}

const NOTHING = firstDocuments([]);
