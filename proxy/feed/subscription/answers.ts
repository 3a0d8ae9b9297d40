// Makes the answers of a feed: as much of what waits as goes into one response, after the terms after `changes`, as JSON.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseNote, type ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { AfterChanges } from './after.ts';
import { BATCH_BYTES, BATCH_DOCUMENTS, type DocumentTexts, type SharedBatch } from './document-texts.ts';
import type { DocumentView } from './document-view.ts';
import { type FeedDocument, isChange } from './documents.ts';
import { feedBody } from './feed-body.ts';
import type { Outbox } from './outbox.ts';

/** The settings of a feed's answers. */
export interface AnswerSettings {
  readonly options: FeedOptions;
  /** How the documents are shown. */
  readonly view: DocumentView;
  /** SEQUENCE_FEED or ATOM_FEED. */
  readonly note: ResponseNote;
  /** The terms after `changes`; `undefined` where there are none. */
  readonly after: AfterChanges | undefined;
}

/** The content of one response. */
export interface AnswerTexts {
  readonly texts: readonly string[];
  /** Whether a change is among what it is made of. */
  readonly hasChanges: boolean;
  /** What a term after `changes` raised; the texts are of the documents before. */
  readonly error: ReqlError | undefined;
}

/** Documents that are turned to JSON before the bytes are counted, at most; fewer where one of them is large. */
const CHUNK_DOCUMENTS = 100;
const CHUNK_BYTES = 64 * 1024;

/** The answers of one feed. */
export class Answers {
  readonly #settings: AnswerSettings;
  readonly #outbox: Outbox;
  /** Documents as JSON, made once for all. */
  readonly #made: DocumentTexts;

  constructor(settings: AnswerSettings, outbox: Outbox, made: DocumentTexts) {
    this.#settings = settings;
    this.#outbox = outbox;
    this.#made = made;
  }

  /** Whether no document comes any more, since a term after `changes` has had its fill. */
  get areEnded(): boolean {
    return this.#settings.after?.ended === true;
  }

  /**
   * Takes what others get as well, as the same bytes; `undefined` where the client is not to get that, or nothing is there. It may be
   * that nothing has changed after all: then there is no answer.
   */
  takeShared(): SharedBatch | undefined {
    const from = this.#outbox.position;
    const { after, options, view } = this.#settings;
    // Where there is at most one answer in a while, somebody has to look at the clock.
    if (from === undefined || after !== undefined || typeof options.squash === 'number') return undefined;
    const shared = this.#made.batch(from, { view, notes: this.#notes, squash: options.squash });
    if (shared !== undefined) this.#outbox.skipTo(shared.next);
    return shared;
  }

  /** Takes what goes into the next response. */
  take(): AnswerTexts {
    const { after } = this.#settings;
    const texts: string[] = [];
    let bytes = 0;
    let largest = 1;
    let hasChanges = false;
    let error: ReqlError | undefined;
    // Where each document is evaluated, they come one by one, so that none is taken that has to wait.
    let chunk = 1;
    after?.begin();
    while (texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES && error === undefined && !this.#hasEnough) {
      const documents = this.#outbox.take(Math.min(chunk, BATCH_DOCUMENTS - texts.length));
      if (documents.length === 0) break;
      hasChanges ||= documents.some(isChange);
      const made = this.#texts(documents);
      error = made.error;
      for (const text of made.texts) {
        texts.push(text);
        bytes += text.length;
        largest = Math.max(largest, text.length);
      }
      if (after === undefined) chunk = Math.max(1, Math.min(CHUNK_DOCUMENTS, Math.floor(CHUNK_BYTES / largest)));
    }
    return { texts, hasChanges, error };
  }

  /** The response as JSON. `profile`: what upstream says of how the query ran. */
  body(
    texts: readonly string[],
    type: typeof ResponseType.SUCCESS_PARTIAL | typeof ResponseType.SUCCESS_SEQUENCE,
    profile: string | undefined,
  ): string {
    return feedBody(type, texts, this.#notes, profile);
  }

  /** Whether the terms after `changes` want no more documents, or none in this response. */
  get #hasEnough(): boolean {
    const { after } = this.#settings;
    return after !== undefined && (after.ended || after.isTired);
  }

  #texts(documents: readonly FeedDocument[]): ReturnType<AfterChanges['take']> {
    const { after, view } = this.#settings;
    if (after !== undefined) return after.take(documents);
    return { texts: documents.map((document) => this.#made.of(document, view)), error: undefined };
  }

  get #notes(): readonly number[] {
    return notesOf(this.#settings);
  }
}

/** The notes of each kind of feed, without and with states: the same lists for all who have the same notes. */
const NOTES: ReadonlyMap<ResponseNote, readonly [readonly number[], readonly number[]]> = new Map(
  Object.values(ResponseNote).map((note) => [note, [[note], [note, ResponseNote.INCLUDES_STATES]]]),
);

function notesOf({ options, note }: AnswerSettings): readonly number[] {
  const hasStates = options.includeStates || options.includeHealing || options.heartbeat !== undefined;
  return NOTES.get(note)?.[hasStates ? 1 : 0] ?? [];
}
