// Documents as JSON, and answers made of them, once for all subscribers that get the same: what goes out to many is one buffer.

import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { DocumentLog } from './document-log.ts';
import type { DocumentView } from './document-view.ts';
import type { Change, FeedDocument } from './documents.ts';
import { feedBody } from './feed-body.ts';

/** Documents, and bytes of JSON, after which a response is full. */
export const BATCH_DOCUMENTS = 2000;
export const BATCH_BYTES = 1024 * 1024;
/** So many answers are kept; who is at a place of his own gets one made for him. */
const MOST_BATCHES = 16;

/** An answer that carries changes of the log as they came. */
export interface SharedBatch {
  readonly body: Buffer;
  /** How many there are. */
  readonly count: number;
  /** The position after the last of them. */
  readonly next: number;
}

/** An answer, and whom it is for. */
interface KnownBatch {
  readonly from: number;
  readonly view: string;
  readonly notes: readonly number[];
  readonly batch: SharedBatch;
}

/** The texts of a log's documents. */
export class DocumentTexts {
  readonly #log: DocumentLog;
  /** Whether more than one subscriber may want a text. */
  readonly #areMany: () => boolean;
  /** The texts that are known, by the name of the view. */
  readonly #known = new Map<string, WeakMap<FeedDocument, string>>();
  /** The answers that end where the log ended when they were made: few, since most who follow are at the same place. */
  #batches: KnownBatch[] = [];
  #end = 0;

  constructor(log: DocumentLog, areMany: () => boolean) {
    this.#log = log;
    this.#areMany = areMany;
  }

  /** A document as JSON. */
  of(document: FeedDocument, view: DocumentView): string {
    return this.#once(document, view, () => view.text(document));
  }

  /** A change of the log as JSON: the documents that it is told as, with commas between. */
  #ofChange(change: Change, view: DocumentView): string {
    const { parts } = view;
    return this.#once(change, view, () => (parts?.(change) ?? [change]).map((part) => view.text(part)).join());
  }

  #once(document: FeedDocument, { name }: DocumentView, make: () => string): string {
    if (!this.#areMany()) return make();
    let known = this.#known.get(name);
    if (known === undefined) {
      known = new WeakMap();
      this.#known.set(name, known);
    }
    let text = known.get(document);
    if (text === undefined) {
      text = make();
      known.set(document, text);
    }
    return text;
  }

  /**
   * The answer with what stands in the log from a position on; `undefined` where nothing does, or nobody would share it. `notes`:
   * the same list for all who have the same notes.
   */
  batch(from: number, view: DocumentView, notes: readonly number[]): SharedBatch | undefined {
    const { end } = this.#log;
    if (from === end || !this.#areMany()) return undefined;
    if (end !== this.#end) this.#batches = [];
    this.#end = end;
    for (const known of this.#batches) {
      if (known.from === from && known.view === view.name && known.notes === notes) return known.batch;
    }
    const made = this.#make(from, view, notes);
    if (this.#batches.length < MOST_BATCHES) this.#batches.push({ from, view: view.name, notes, batch: made });
    return made;
  }

  #make(from: number, view: DocumentView, notes: readonly number[]): SharedBatch {
    const texts: string[] = [];
    let next = from;
    for (let bytes = 0; texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES; next++) {
      const change = this.#log.at(next);
      if (change === undefined) break;
      const text = this.#ofChange(change, view);
      texts.push(text);
      bytes += text.length;
    }
    return {
      body: Buffer.from(feedBody(ResponseType.SUCCESS_PARTIAL, texts, notes, undefined)),
      count: texts.length,
      next,
    };
  }
}
