// Documents as JSON, and answers made of them, once for all subscribers that get the same: what goes out to many is one buffer.

import { ResponseType } from '../../rewrite/reql/protocol.ts';
import type { DocumentLog } from './document-log.ts';
import { documentText, type FeedDocument } from './documents.ts';
import { feedBody } from './feed-body.ts';

/** Documents, and bytes of JSON, after which a response is full. */
export const BATCH_DOCUMENTS = 2000;
export const BATCH_BYTES = 1024 * 1024;

/** An answer that carries changes of the log as they came. */
export interface SharedBatch {
  readonly body: Buffer;
  /** The position after the last of them. */
  readonly next: number;
}

/** The texts of a log's documents. */
export class DocumentTexts {
  readonly #log: DocumentLog;
  /** Whether more than one subscriber may want a text. */
  readonly #areMany: () => boolean;
  readonly #plain = new WeakMap<FeedDocument, string>();
  readonly #typed = new WeakMap<FeedDocument, string>();
  /** The answers that end where the log ended when they were made. */
  #batches = new Map<string, SharedBatch>();
  #end = 0;

  constructor(log: DocumentLog, areMany: () => boolean) {
    this.#log = log;
    this.#areMany = areMany;
  }

  /** A document as JSON. */
  of(document: FeedDocument, includeTypes: boolean): string {
    if (!this.#areMany()) return documentText(document, includeTypes);
    const known = includeTypes ? this.#typed : this.#plain;
    let text = known.get(document);
    if (text === undefined) {
      text = documentText(document, includeTypes);
      known.set(document, text);
    }
    return text;
  }

  /** The answer with what stands in the log from a position on; `undefined` where nothing does, or nobody would share it. */
  batch(from: number, includeTypes: boolean, notes: readonly number[]): SharedBatch | undefined {
    const { end } = this.#log;
    if (from === end || !this.#areMany()) return undefined;
    if (end !== this.#end) this.#batches.clear();
    this.#end = end;
    const key = `${from} ${includeTypes} ${notes}`;
    const known = this.#batches.get(key);
    if (known !== undefined) return known;
    const made = this.#make(from, includeTypes, notes);
    this.#batches.set(key, made);
    return made;
  }

  #make(from: number, includeTypes: boolean, notes: readonly number[]): SharedBatch {
    const texts: string[] = [];
    let next = from;
    for (let bytes = 0; texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES; next++) {
      const change = this.#log.at(next);
      if (change === undefined) break;
      const text = this.of(change, includeTypes);
      texts.push(text);
      bytes += text.length;
    }
    return { body: Buffer.from(feedBody(ResponseType.SUCCESS_PARTIAL, texts, notes, undefined)), next };
  }
}
