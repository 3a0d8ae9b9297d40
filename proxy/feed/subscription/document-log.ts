// The changes of a live query, once for all who follow it. Each of them is a position in the log, so that who has not asked
// costs no more than that. What all have read goes. What somebody has not read for too long goes as well: whoever is still
// there takes it into the net change of what he missed, before it does.
//
//   [ gone ] [ start ........ position of a slow reader ........ end: where readers are that have read all ]

import { type Change, documentBytes } from './documents.ts';

/** A reader of a log. */
export interface LogReader {
  /** The change that the reader would read next leaves the log. */
  missed(change: Change): void;
}

/** Bytes of changes that the log keeps for slow readers. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Changes that may stand in the log though all have read them, before somebody looks. */
const FEW = 64;

/** The log of a live query. */
export class DocumentLog {
  readonly #weighed: (bytes: number) => void;
  readonly #cursors = new Set<LogCursor>();
  #changes: (Change | undefined)[] = [];
  /** Of each change the bytes of all that were ever appended, up to it and with it. */
  #sums: number[] = [];
  #appended = 0;
  /** How many at the front are gone. */
  #gone = 0;
  /** The position of the first that is not. */
  #start = 0;
  #bytes = 0;

  /** `weighed` takes how many bytes the log holds, whenever that has changed. */
  constructor(weighed: (bytes: number) => void) {
    this.#weighed = weighed;
  }

  /** Where the next change will stand. */
  get end(): number {
    return this.#start + this.#length;
  }

  /** Follows the log from here on. */
  open(reader: LogReader): LogCursor {
    const cursor = new LogCursor(this, reader, this.end);
    this.#cursors.add(cursor);
    return cursor;
  }

  append(change: Change): void {
    const bytes = documentBytes(change);
    this.#changes.push(change);
    this.#appended += bytes;
    this.#sums.push(this.#appended);
    this.#bytes += bytes;
    if (this.#length > FEW || this.#bytes > MOST_BYTES) this.trim();
    while (this.#bytes > MOST_BYTES) this.#dropOldest();
    this.#weighed(this.#bytes);
  }

  /** The change at a position that is not gone; `undefined` where none has been appended yet. */
  at(position: number): Change | undefined {
    return this.#changes[position - this.#start + this.#gone];
  }

  /** Bytes of the changes from a position on that are not gone. */
  bytesFrom(position: number): number {
    const before = position - this.#start + this.#gone - 1;
    return before < this.#gone ? this.#bytes : this.#appended - (this.#sums[before] ?? this.#appended);
  }

  /** Lets all who have not read to the end take what they missed. */
  empty(): void {
    while (this.#length > 0) this.#dropOldest();
    this.#weighed(0);
  }

  /** Lets go of what all have read. */
  trim(): void {
    let least = this.end;
    for (const cursor of this.#cursors) {
      if (cursor.position === this.#start) return;
      least = Math.min(least, cursor.position);
    }
    this.#drop(least - this.#start);
    this.#weighed(this.#bytes);
  }

  close(cursor: LogCursor): void {
    this.#cursors.delete(cursor);
  }

  get #length(): number {
    return this.#changes.length - this.#gone;
  }

  #dropOldest(): void {
    const oldest = this.at(this.#start);
    if (oldest === undefined) return;
    for (const cursor of this.#cursors) if (cursor.position === this.#start) cursor.miss(oldest);
    this.#drop(1);
  }

  #drop(count: number): void {
    for (let i = 0; i < count; i++) this.#changes[this.#gone++] = undefined;
    this.#start += count;
    this.#bytes = count === 0 ? this.#bytes : this.#appended - (this.#sums[this.#gone - 1] ?? 0);
    if (this.#length === 0) {
      this.#changes = [];
      this.#sums = [];
      this.#gone = 0;
    } else if (this.#gone > this.#changes.length / 2) {
      // What is gone is let go of now and then.
      this.#changes = this.#changes.slice(this.#gone);
      this.#sums = this.#sums.slice(this.#gone);
      this.#gone = 0;
    }
  }
}

/** A reader's place in a log. */
export class LogCursor {
  readonly #log: DocumentLog;
  readonly #reader: LogReader;
  #position: number;

  constructor(log: DocumentLog, reader: LogReader, position: number) {
    this.#log = log;
    this.#reader = reader;
    this.#position = position;
  }

  /** The position of the change that is next. */
  get position(): number {
    return this.#position;
  }

  /** How many changes wait. */
  get waiting(): number {
    return this.#log.end - this.#position;
  }

  /** Bytes of the changes that wait. */
  get waitingBytes(): number {
    return this.#log.bytesFrom(this.#position);
  }

  /** Reads the next change; `undefined` where there is none. */
  next(): Change | undefined {
    const change = this.#log.at(this.#position);
    if (change !== undefined) this.#position++;
    return change;
  }

  /** Reads on to a position, up to which somebody else has read for the reader. */
  skipTo(position: number): void {
    this.#position = position;
  }

  /** The next change leaves the log. */
  miss(change: Change): void {
    this.#position++;
    this.#reader.missed(change);
  }

  /** Reads no more. */
  close(): void {
    this.#log.close(this);
  }
}
