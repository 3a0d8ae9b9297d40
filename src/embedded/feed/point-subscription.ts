// A feed on one key of a table, whether or not a row has it (changefeed.cc, point_sub_t).

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import { changeDocument, initialDocument, stateDocument } from './change-document.ts';
import { type ChangeQueue, PlainQueue, SquashingQueue } from './change-queue.ts';
import type { ChangeView } from './change-view.ts';
import type { FeedOptions } from './feed-options.ts';
import { Subscription } from './subscription.ts';

export class PointSubscription extends Subscription {
  readonly note = ResponseNote.ATOM_FEED;
  /** The primary key as stored. */
  readonly key: string;
  readonly #queue: ChangeQueue;
  /** States and the initial value; this is the one feed that shows `{new_val: null}`. */
  readonly #opening: Datum[];

  constructor(options: FeedOptions, key: string, initial: Datum) {
    super(options);
    const { includeInitial, includeStates, includeTypes } = options;
    this.key = key;
    this.#queue = options.squash ? new SquashingQueue() : new PlainQueue();
    this.#opening = [
      ...(includeInitial && includeStates ? [stateDocument('initializing', includeTypes)] : []),
      ...(includeInitial ? [initialDocument(initial, includeTypes)] : []),
      ...(includeStates ? [stateDocument('ready', includeTypes)] : []),
    ];
  }

  changed(view: ChangeView): void {
    if (this.ended) return;
    const { squash, includeTypes } = this.options;
    const document = squash ? undefined : view.project(undefined).document(includeTypes);
    this.enqueue(this.#queue, { key: this.key, old: view.old, now: view.now, document });
  }

  protected override hasDocument(): boolean {
    return this.#opening.length > 0 || this.#queue.size > 0;
  }

  protected override nextDocument(): Datum | undefined {
    const opening = this.#opening.shift();
    if (opening !== undefined) return opening;
    const change = this.#queue.take();
    if (change === undefined) return undefined;
    return change.document ?? changeDocument(change.old ?? null, change.now ?? null, this.options.includeTypes);
  }
}
