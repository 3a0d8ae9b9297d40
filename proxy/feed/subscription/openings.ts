// What a client is told before changes, or between them: states, and what there was at first. Each opening is made at once and read in
// order.

import { documentBytes, type FeedDocument } from './documents.ts';

/** Documents in a row that many may read, and the bytes that they take for one reader more. */
export interface FirstDocuments {
  readonly documents: readonly FeedDocument[];
  readonly bytes: number;
  /** Whether they are long, though they take none. */
  readonly areLong?: boolean;
  /** Says that they are to be sent to somebody; absent where nobody else is sent them. */
  readonly keep?: (keeper: Keeper) => void;
  /** Says that they have been, or never will be. */
  readonly release?: (keeper: Keeper) => void;
}

/** One who has still to be sent documents. */
export interface Keeper {
  /** So many bytes of what is kept for many count for this one, or less than before. */
  bears(bytes: number): void;
}

/** Where so many bytes wait there may be a document among them that is long. */
const LONG_BYTES = 128 * 1024;

/** Whether documents of so many bytes are long. */
export function areLong(bytes: number): boolean {
  return bytes >= LONG_BYTES;
}

/** Some documents, weighed. */
export function firstDocuments(documents: readonly FeedDocument[]): FirstDocuments {
  let bytes = 0;
  for (const document of documents) bytes += documentBytes(document);
  return { documents, bytes };
}

/** Openings one after the other, of which the first may have been read in part. */
export class Openings implements Keeper {
  readonly #weigh: () => void;
  #openings: FirstDocuments[] = [];
  /** Documents of the first that have been taken. */
  #taken = 0;
  bytes = 0;
  length = 0;

  /** `weigh` is called whenever they take more or less, though none has come or gone. */
  constructor(weigh: () => void) {
    this.#weigh = weigh;
  }

  bears(bytes: number): void {
    this.bytes += bytes;
    this.#weigh();
  }

  /** Lets go of all that is left. */
  close(): void {
    for (const opening of this.#openings) opening.release?.(this);
  }

  push(opening: FirstDocuments): void {
    opening.keep?.(this);
    this.#openings.push(opening);
    this.bytes += opening.bytes;
    this.length += opening.documents.length;
  }

  get areLong(): boolean {
    return this.#openings.some((opening) => opening.areLong === true);
  }

  peek(): FeedDocument | undefined {
    return this.#openings[0]?.documents[this.#taken];
  }

  shift(): FeedDocument | undefined {
    const [opening] = this.#openings;
    const document = opening?.documents[this.#taken];
    if (opening === undefined || document === undefined) return undefined;
    this.#taken++;
    this.length--;
    if (this.#taken === opening.documents.length) {
      this.bytes -= opening.bytes;
      opening.release?.(this);
      this.#openings.shift();
      this.#taken = 0;
    }
    return document;
  }
}
