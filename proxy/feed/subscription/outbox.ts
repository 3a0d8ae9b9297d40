// The documents that one subscriber has still to be sent. What was there at first waits in order. Changes stand in the log,
// which all subscribers share, while they are few; they are composed where they would be too many, or gone from the log, or
// where the client wants them composed: they are never lost, and never more than there are things to tell of.
//
//   [ first: states, initial values ] [ composed: net changes ] [ log: changes as they came ]     taken from the left

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { QUEUE_SIZE } from '../../../rewrite/plan/upstream-options.ts';
import { taken } from '../revisions/history.ts';
import type { ToldDocuments } from '../revisions/told-documents.ts';
import { Composer } from './composer.ts';
import type { DocumentLog, LogCursor, LogReader } from './document-log.ts';
import type { DocumentView } from './document-view.ts';
import { type Change, type FeedDocument, isChange } from './documents.ts';
import { areLong, type FirstDocuments, firstDocuments, Openings } from './openings.ts';

/** The settings of an outbox, as the client asks. */
export interface OutboxSettings {
  /** How many changes may wait as they came; and whether they are composed when they are taken, however few wait. */
  readonly options: Pick<FeedOptions, 'queueSize' | 'squash'>;
  readonly view: Pick<DocumentView, 'parts'>;
}

/** Whose outbox it is. */
export interface OutboxHost {
  /** Says of documents how much is told with them; `undefined` where the client does not want to know. */
  readonly told: ToldDocuments | undefined;
  /** So many bytes wait beside those in the log. Told whenever that has changed. */
  weighed(bytes: number): void;
  /** A change is composed since the client was too slow for it. */
  tooSlow(): void;
}

/** The changes that wait for one subscriber. */
export class Outbox implements LogReader {
  readonly #settings: OutboxSettings;
  readonly #host: OutboxHost;
  /** Made when there is something to be said first, and gone when it has been. */
  #first: Openings | undefined;
  /** Made when there is something to compose. */
  #composed: Composer | undefined;
  /** The places in the history between which it is composed. */
  #from = 0;
  #to = 0;
  readonly #log: DocumentLog;
  /** The place in the log, once it is followed. */
  #cursor: LogCursor | undefined;

  constructor(settings: OutboxSettings, host: OutboxHost, log: DocumentLog) {
    this.#settings = settings;
    this.#host = host;
    this.#log = log;
  }

  /** Whether the log is followed. */
  get isFollowing(): boolean {
    return this.#cursor !== undefined;
  }

  /** Follows the log from here on. */
  follow(): void {
    this.#cursor ??= this.#log.open(this);
  }

  /** Documents that wait; composed outputs of a reducer count as one. Some may be composed to nothing. */
  get length(): number {
    return (this.#first?.length ?? 0) + this.#composedSize + this.#waiting;
  }

  /** Bytes of all that waits, what stands in the log for others as well included. */
  get bytes(): number {
    return this.#ownBytes + (this.#cursor?.waitingBytes ?? 0);
  }

  /** Whether what waits may take long to be written. */
  get isLong(): boolean {
    return areLong(this.bytes) || this.#first?.areLong === true;
  }

  /** Whether what is next is a change. */
  get isChangeNext(): boolean {
    const first = this.#first?.peek();
    return first === undefined ? this.#composedSize + this.#waiting > 0 : isChange(first);
  }

  /**
   * The position in the log, where nothing waits but what is in the log; `undefined` otherwise, and where what is composed of it is
   * told as of this client alone.
   */
  get position(): number | undefined {
    const isPlain = this.#first === undefined && this.#composedSize === 0;
    return isPlain && !(this.#squashes && this.#host.told !== undefined) ? this.#cursor?.position : undefined;
  }

  /** What was in the log up to a position has been sent. */
  skipTo(position: number): void {
    this.#cursor?.skipTo(position);
    const { told } = this.#host;
    const last = told === undefined ? undefined : this.#log.at(position - 1);
    if (last !== undefined) for (const part of this.#parts(last)) told?.came(part);
  }

  /** A state, or what was there at first: it keeps its place behind the changes that came before it. */
  push(opening: FirstDocuments): void {
    this.compose();
    this.#settle();
    this.#sayFirst(opening);
    this.#weigh();
  }

  #sayFirst(opening: FirstDocuments): void {
    if (opening.documents.length === 0) return;
    this.#first ??= new Openings(() => this.#weigh());
    this.#first.push(opening);
  }

  /** The composed changes are told next: later ones are composed apart. */
  #settle(): void {
    const composed = this.#composed;
    const { told } = this.#host;
    this.#composed = undefined;
    if (composed === undefined) return;
    const changes = taken(composed);
    this.#sayFirst(firstDocuments(told?.composed(changes, this.#from, this.#to) ?? changes));
    told?.begin(this.#to);
  }

  /** About `count` documents, first to last: more where one thing takes several to be told of. */
  take(count: number): readonly FeedDocument[] {
    if (this.#squashes || this.#isOver) this.compose();
    if (this.#host.told !== undefined && this.#first === undefined) this.#settle();
    const batch: FeedDocument[] = [];
    while (batch.length < count && this.#takeInto(batch));
    this.#weigh();
    return batch;
  }

  /** Composes all changes. */
  compose(): void {
    for (let change = this.#next(); change !== undefined; change = this.#next()) this.#compose(change);
    this.#weigh();
  }

  /** The log has grown: more may wait than the queue takes. */
  grown(): void {
    while (this.#isOver) this.#composeNext();
    this.#weigh();
  }

  missed(change: Change): void {
    this.#host.tooSlow();
    this.#compose(change);
    this.#weigh();
  }

  /** Lets go of everything. */
  close(): void {
    this.#letGo();
    this.#cursor?.close();
    this.#weigh();
  }

  /** Lets go of what waits. */
  clear(): void {
    this.#letGo();
    this.#cursor?.skipTo(this.#cursor.position + this.#cursor.waiting);
    this.#weigh();
  }

  #letGo(): void {
    const first = this.#first;
    this.#first = undefined;
    this.#composed = undefined;
    first?.close();
  }

  /** Changes that wait in the log. */
  get #waiting(): number {
    return this.#cursor?.waiting ?? 0;
  }

  #next(): Change | undefined {
    return this.#cursor?.next();
  }

  get #composedSize(): number {
    return this.#composed?.size ?? 0;
  }

  get #squashes(): boolean {
    return this.#settings.options.squash !== false;
  }

  /** Whether more changes wait than may. */
  get #isOver(): boolean {
    return this.#waiting > 0 && this.#composedSize + this.#waiting > (this.#settings.options.queueSize ?? QUEUE_SIZE);
  }

  #composeNext(): void {
    const change = this.#next();
    if (change === undefined) return;
    this.#host.tooSlow();
    this.#compose(change);
  }

  #compose(change: Change): void {
    if (this.#composed === undefined) this.#from = this.#host.told?.at ?? 0;
    this.#to = change.at ?? 0;
    this.#composed ??= new Composer();
    for (const part of this.#parts(change)) this.#composed.add(part);
  }

  /** Takes what is next. False where there is nothing. */
  #takeInto(batch: FeedDocument[]): boolean {
    const first = this.#first?.shift();
    if (first !== undefined) {
      if (this.#first?.length === 0) this.#first = undefined;
      batch.push(first);
      return true;
    }
    if (this.#composed !== undefined && this.#composed.size > 0) {
      for (const change of this.#composed.take()) batch.push(change);
      if (this.#composed.size === 0) this.#composed = undefined;
      return true;
    }
    const next = this.#next();
    const { told } = this.#host;
    if (next !== undefined) for (const part of this.#parts(next)) batch.push(told?.came(part) ?? part);
    return next !== undefined;
  }

  #parts(change: Change): readonly Change[] {
    return this.#settings.view.parts?.(change) ?? [change];
  }

  get #ownBytes(): number {
    return (this.#first?.bytes ?? 0) + (this.#composed?.bytes ?? 0);
  }

  #weigh(): void {
    this.#host.weighed(this.#ownBytes);
  }
}
