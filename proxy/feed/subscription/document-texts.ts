// Documents as JSON, and answers made of them, once for all subscribers that get the same: what goes out to many is one buffer.

import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { Turn } from '../../work/turn.ts';
import { Composer } from './composer.ts';
import type { DocumentLog } from './document-log.ts';
import type { DocumentView } from './document-view.ts';
import type { Change, FeedDocument } from './documents.ts';
import { feedBody } from './feed-body.ts';
import { LargeTexts } from './large-texts.ts';

/** Documents, and bytes of JSON, after which a response is full. */
export const BATCH_DOCUMENTS = 2000;
export const BATCH_BYTES = 1024 * 1024;
/** So many answers are kept; who is at a place of his own gets one made for him. */
const MOST_BATCHES = 16;

/** An answer that carries changes of the log, as they came or composed. */
export interface SharedBatch {
  readonly body: Buffer;
  /** How many documents it has. */
  readonly count: number;
  /** The position after the last change of them. */
  readonly next: number;
}

/** How an answer is written. */
export interface BatchForm {
  readonly view: DocumentView;
  /** The same list for all who have the same notes. */
  readonly notes: readonly number[];
  /** Whether changes are composed. */
  readonly squash: boolean;
}

/** An answer, and whom it is for; `undefined`: what there is does not go into one. */
interface KnownBatch {
  readonly from: number;
  readonly form: BatchForm;
  readonly batch: SharedBatch | undefined;
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
  readonly #large = new LargeTexts();
  /** The positions between which what is large has been written. */
  #prepared = { from: 0, to: 0 };

  constructor(log: DocumentLog, areMany: () => boolean) {
    this.#log = log;
    this.#areMany = areMany;
  }

  /** Whether answers are made for many. */
  get areShared(): boolean {
    return this.#areMany();
  }

  /** Writes what is large in the changes from a position on, in turns; says whether that is done. */
  prepare(from: number, turn: Turn): boolean {
    const known = this.#prepared;
    if (from < known.from || from > known.to) this.#prepared = { from, to: from };
    const { end } = this.#log;
    while (this.#prepared.to < end) {
      const change = this.#log.at(this.#prepared.to);
      if (change !== undefined && !this.#large.write(change, turn)) return false;
      this.#prepared.to++;
    }
    return true;
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

  /** The answer with what stands in the log from a position on; `undefined` where nothing does, or nobody would share it. */
  batch(from: number, form: BatchForm): SharedBatch | undefined {
    const { end } = this.#log;
    if (from === end || !this.#areMany()) return undefined;
    if (end !== this.#end) this.#batches = [];
    this.#end = end;
    for (const known of this.#batches) if (known.from === from && isSameForm(known.form, form)) return known.batch;
    const made = form.squash ? this.#makeComposed(from, form) : this.#make(from, form);
    if (this.#batches.length < MOST_BATCHES) this.#batches.push({ from, form, batch: made });
    return made;
  }

  /** The net change of all that stands in the log from a position on; `undefined` where that is too much for one answer. */
  #makeComposed(from: number, { view, notes }: BatchForm): SharedBatch | undefined {
    const composer = new Composer();
    let next = from;
    for (let change = this.#log.at(next); change !== undefined; change = this.#log.at(next)) {
      for (const part of view.parts?.(change) ?? [change]) composer.add(part);
      next++;
    }
    if (composer.size > BATCH_DOCUMENTS || composer.bytes > BATCH_BYTES) return undefined;
    const texts: string[] = [];
    while (composer.size > 0) texts.push(...composer.take().map((change) => view.text(change)));
    return { body: bodyOf(texts, notes), count: texts.length, next };
  }

  #make(from: number, { view, notes }: BatchForm): SharedBatch {
    const texts: string[] = [];
    let next = from;
    for (let bytes = 0; texts.length < BATCH_DOCUMENTS && bytes < BATCH_BYTES; next++) {
      const change = this.#log.at(next);
      if (change === undefined) break;
      const text = this.#ofChange(change, view);
      texts.push(text);
      bytes += text.length;
    }
    return { body: bodyOf(texts, notes), count: texts.length, next };
  }
}

function isSameForm(a: BatchForm, b: BatchForm): boolean {
  return a.view.name === b.view.name && a.notes === b.notes && a.squash === b.squash;
}

function bodyOf(texts: readonly string[], notes: readonly number[]): Buffer {
  return Buffer.from(feedBody(ResponseType.SUCCESS_PARTIAL, texts, notes, undefined));
}
