// The first values of those who come: the state as it is, made once for all who come before it changes, in steps, since a state
// may be large.

import type { FeedMemory } from '../../relay/feed-port.ts';
import type { Difference } from '../operator/difference.ts';
import { type Change, documentBytes, type FeedDocument, initialDocuments } from '../subscription/documents.ts';
import type { FirstDocuments } from '../subscription/openings.ts';
import { RowCopies } from '../subscription/row-copies.ts';
import { SharedDocuments } from '../subscription/shared-documents.ts';
import type { Subscription } from '../subscription/subscription.ts';

/** The state that is shown. */
export interface ShownState {
  readonly isHealing: boolean;
  /** All that is there, as what differs from nothing. */
  snapshot(): Iterable<Difference>;
  /** Takes steps between which nothing changes; they are left where the state has to be read again. */
  hold(steps: () => Iterable<void>): void;
}

/** The settings of first values. */
export interface FirstValuesSettings {
  readonly state: () => ShownState;
  /** Takes what is kept for as long as the state is, and what is made as long as nothing changes. */
  readonly memory: Pick<FeedMemory, 'addState'>;
  /** More has been kept, while nothing may have come that memory is looked at for. */
  readonly grown: () => void;
  /** The state is let go of that was held for those who come. */
  readonly held: () => void;
}

/** So many bytes are told at once. */
const TOLD_BYTES = 1024 * 1024;

/** The first values of those who follow a state. */
export class FirstValues {
  readonly #state: () => ShownState;
  /** Those who wait for them to be made. */
  readonly #waiting = new Set<Subscription>();
  #isMaking = false;
  /** As long as nothing changes. */
  #made: SharedDocuments | undefined;

  /** Counts equal rows, once somebody who follows tells them apart. */
  #copies: RowCopies | undefined;
  readonly #memory: Pick<FeedMemory, 'addState'>;
  /** Bytes that `#memory` has been told of what is made. */
  #counted = 0;
  readonly #settings: FirstValuesSettings;

  constructor(settings: FirstValuesSettings) {
    this.#state = settings.state;
    this.#memory = settings.memory;
    this.#settings = settings;
  }

  /** Begins what a subscriber is shown, now or when it has been made. Callers owe a settled moment. */
  begin(subscription: Subscription): void {
    if (!this.#readsState(subscription)) {
      subscription.begin(NOTHING);
    } else if (this.#made !== undefined) {
      const made = this.#made;
      if (subscription.countsCopies) this.#copies ??= new RowCopies(made.documents, this.#memory);
      subscription.begin(subscription.readsInitial ? made : NOTHING);
    } else {
      this.#waiting.add(subscription);
      this.#make();
    }
  }

  /** Whether a subscriber waits for what it is shown first. */
  waits(subscription: Subscription): boolean {
    return this.#waiting.has(subscription);
  }

  /** The state has been read for the first time: all who have come until then begin, in the last of the steps. */
  *beginAll(subscriptions: ReadonlySet<Subscription>): Iterable<void> {
    if ([...subscriptions].some((subscription) => this.#readsState(subscription))) yield* this.#steps();
    for (const subscription of [...subscriptions]) subscription.io.run(() => this.begin(subscription));
  }

  leave(subscription: Subscription): void {
    this.#waiting.delete(subscription);
  }

  /** A change, with the places of its rows among equal ones where somebody wants them. */
  numbered(change: Change): Change {
    return this.#copies?.numbered(change) ?? change;
  }

  /** The state has changed, memory is short, or nobody comes any more. Those who have still to be sent what was made keep it. */
  forget(): void {
    if (this.#made === undefined) return;
    const made = this.#made;
    this.#made = undefined;
    this.#count(0);
    made.letGo();
  }

  /** The state is being read again: who waits is shown what it is then. */
  interrupted(): void {
    this.#isMaking = false;
    if (this.#made === undefined) this.#count(0);
  }

  /** The state has been read again. */
  again(): void {
    if (this.#waiting.size > 0) this.#make();
  }

  /** Whether the state has to be read for a subscriber: to be shown, or to be counted for the first time. */
  #readsState({ readsInitial, countsCopies }: Subscription): boolean {
    return readsInitial || (countsCopies && this.#copies === undefined);
  }

  #make(): void {
    if (this.#isMaking || this.#state().isHealing) return;
    this.#isMaking = true;
    this.#state().hold(() => this.#makeForAll());
  }

  *#makeForAll(): Iterable<void> {
    if (!this.#isMaking) return;
    yield* this.#steps();
    // The last of the steps is done when the generator has returned.
    queueMicrotask(this.#settings.held);
    if (!this.#isMaking) return;
    this.#isMaking = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const subscription of waiting) {
      subscription.io.run(() => {
        this.begin(subscription);
        subscription.flush(undefined);
      });
    }
  }

  *#steps(): Iterable<void> {
    const documents: FeedDocument[] = [];
    let bytes = 0;
    this.forget();
    for (const part of this.#state().snapshot()) {
      for (const document of initialDocuments(part)) {
        documents.push(document);
        bytes += documentBytes(document);
      }
      if (bytes - this.#counted >= TOLD_BYTES) this.#grown(bytes);
      yield;
    }
    this.#made = new SharedDocuments(documents, bytes);
    this.#grown(bytes);
  }

  #grown(bytes: number): void {
    this.#count(bytes);
    this.#settings.grown();
  }

  /** So much is made now, or being made. */
  #count(bytes: number): void {
    this.#memory.addState(0, bytes - this.#counted);
    this.#counted = bytes;
  }
}

const NOTHING: FirstDocuments = { documents: [], bytes: 0 };
