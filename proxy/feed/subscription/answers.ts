// Makes the answers of a feed: as much of what waits as goes into one response, after the terms after `changes`, as JSON. Where that may be
// long it is made in turns.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseNote, type ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { Turn } from '../../work/turn.ts';
import type { AfterChanges } from './after.ts';
import { BATCH_BYTES, BATCH_DOCUMENTS, type DocumentTexts, type SharedBatch } from './document-texts.ts';
import type { DocumentView } from './document-view.ts';
import { type FeedDocument, isChange } from './documents.ts';
import { feedBody } from './feed-body.ts';
import { LargeTexts } from './large-texts.ts';
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

/** An answer that is being made. */
interface Growing {
  readonly texts: string[];
  bytes: number;
  largest: number;
  /** How many documents are taken at once. */
  chunk: number;
  hasChanges: boolean;
  error: ReqlError | undefined;
  isMade: boolean;
}

/** The answers of one feed. */
export class Answers {
  readonly #settings: AnswerSettings;
  readonly #outbox: Outbox;
  /** Documents as JSON, made once for all. */
  readonly #made: DocumentTexts;
  /** Made when an answer is made in turns. Most never are. */
  #large: LargeTexts | undefined;
  /** The answer that is made in turns, and the documents that are taken for it and not in it yet. */
  #growing: Growing | undefined;
  #picked: readonly FeedDocument[] | undefined;

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

  /** Whether the next answer is to be made in turns. What is evaluated is so one answer after the other. */
  get isLong(): boolean {
    if (this.#settings.after !== undefined) return false;
    return this.#growing !== undefined || this.#outbox.isLong;
  }

  /** Whether it has been. */
  get isMade(): boolean {
    return this.#growing?.isMade === true;
  }

  /** Makes the next answer, where that is long; `isPlain`: it may be one for many. Says whether it is made. */
  make(turn: Turn, isPlain: boolean): boolean {
    if (!this.isLong || this.isMade) return true;
    const position = isPlain && this.#growing === undefined ? this.#outbox.position : undefined;
    if (position !== undefined && this.#made.areShared) return this.#made.prepare(position, turn);
    const answer = this.#growing ?? begun();
    this.#growing = answer;
    for (;;) {
      const documents = this.#picked ?? this.#pick(answer);
      this.#picked = documents;
      if (documents === undefined) break;
      this.#large ??= new LargeTexts();
      for (const document of documents) if (!this.#large.write(document, turn)) return false;
      this.#put(answer, documents);
      this.#picked = undefined;
      if (turn.isOver()) return false;
    }
    answer.isMade = true;
    return true;
  }

  /** Lets go of an answer that is being made. */
  clear(): void {
    this.#growing = undefined;
    this.#picked = undefined;
  }

  /** Takes what goes into the next response. */
  take(): AnswerTexts {
    this.#settings.after?.begin();
    const answer = this.#growing ?? begun();
    if (this.#picked !== undefined) this.#put(answer, this.#picked);
    if (!answer.isMade) {
      for (let some = this.#pick(answer); some !== undefined; some = this.#pick(answer)) this.#put(answer, some);
    }
    this.clear();
    return answer;
  }

  /** The documents that go into an answer next; `undefined` where it is full, or nothing waits. */
  #pick({ texts, bytes, chunk, error }: Growing): readonly FeedDocument[] | undefined {
    if (texts.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES || error !== undefined || this.#hasEnough)
      return undefined;
    const documents = this.#outbox.take(Math.min(chunk, BATCH_DOCUMENTS - texts.length));
    return documents.length === 0 ? undefined : documents;
  }

  #put(answer: Growing, documents: readonly FeedDocument[]): void {
    answer.hasChanges ||= documents.some(isChange);
    const made = this.#texts(documents);
    answer.error = made.error;
    for (const text of made.texts) {
      answer.texts.push(text);
      answer.bytes += text.length;
      answer.largest = Math.max(answer.largest, text.length);
    }
    // Where each document is evaluated, they come one by one, so that none is taken that has to wait.
    if (this.#settings.after !== undefined) return;
    answer.chunk = Math.max(1, Math.min(CHUNK_DOCUMENTS, Math.floor(CHUNK_BYTES / answer.largest)));
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

const begun = (): Growing => ({
  texts: [],
  bytes: 0,
  largest: 1,
  chunk: 1,
  hasChanges: false,
  error: undefined,
  isMade: false,
});

/** The notes of each kind of feed, without and with states: the same lists for all who have the same notes. */
const NOTES: ReadonlyMap<ResponseNote, readonly [readonly number[], readonly number[]]> = new Map(
  Object.values(ResponseNote).map((note) => [note, [[note], [note, ResponseNote.INCLUDES_STATES]]]),
);

function notesOf({ options, note }: AnswerSettings): readonly number[] {
  const hasStates = options.includeStates || options.includeHealing || options.heartbeat !== undefined;
  return NOTES.get(note)?.[hasStates ? 1 : 0] ?? [];
}
