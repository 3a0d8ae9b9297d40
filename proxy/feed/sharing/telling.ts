// What all who follow a state are told of it: what is there when they come, and from then on each change, out of one log.

import { History } from '../revisions/history.ts';
import type { ShareRecord } from '../share-record.ts';
import { DocumentLog } from '../subscription/document-log.ts';
import { DocumentTexts } from '../subscription/document-texts.ts';
import type { Change } from '../subscription/documents.ts';
import { FanOut } from '../subscription/fan-out.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { WantedHistory } from '../subscription/subscription-revisions.ts';
import { FirstValues, type ShownState } from './first-values.ts';
import type { Followers } from './followers.ts';

/** Of what is told, and to whom. */
export interface TellingSettings {
  readonly record: Pick<ShareRecord, 'memory' | 'work' | 'progress' | 'written' | 'checkMemory'>;
  readonly followers: Followers;
  readonly state: () => ShownState;
  /** The state is let go of that was held for those who have come. */
  readonly held: () => void;
  /** Changes that are kept for clients that take up their feeds. */
  readonly historyDocuments: number;
}

/** The telling of one state. */
export class Telling {
  readonly log: DocumentLog;
  readonly texts: DocumentTexts;
  readonly #settings: TellingSettings;
  readonly #fanOut: FanOut<Subscription>;
  readonly #firstValues: FirstValues;
  /** What has been told, once somebody wants to be able to take up the feed. */
  #history: History | undefined;

  constructor(settings: TellingSettings) {
    const { record, followers, state, held } = settings;
    this.#settings = settings;
    this.#fanOut = new FanOut(record.work, () => record.written());
    this.log = new DocumentLog((bytes) => record.memory.setWaiting(bytes));
    this.texts = new DocumentTexts(this.log, () => followers.size > 1);
    this.#firstValues = new FirstValues({ state, memory: record.memory, grown: () => record.checkMemory(), held });
  }

  /** Whether changes are kept for clients that take up their feeds. */
  get keepsHistory(): boolean {
    return this.#history?.isKept === true;
  }

  /** What has been told, from the first time on that somebody asks. */
  history({ isValue, singles }: WantedHistory): History {
    const { historyDocuments, record } = this.#settings;
    // Each revision of a value holds the value, so that no change has to be kept.
    const most = isValue ? 0 : historyDocuments;
    this.#history ??= new History({ most, singles, memory: record.memory });
    return this.#history;
  }

  /** The state has been read for the first time, and stands still while the steps are taken: all who follow it are shown it. */
  ready(): Iterable<void> {
    return this.#firstValues.beginAll(this.#settings.followers.all);
  }

  /** Shows the state to one who has come, now or in some turns. Callers owe a settled moment. */
  begin(subscription: Subscription): void {
    this.#firstValues.begin(subscription);
  }

  /** Whether one who has come is still to be shown the state. */
  isToBegin(subscription: Subscription): boolean {
    return this.#firstValues.waits(subscription);
  }

  /** One who has come is told no more. */
  leave(subscription: Subscription): void {
    this.#firstValues.leave(subscription);
    this.#fanOut.delete(subscription);
  }

  /** Whether those who wait are told of changes in a moment, and all at once. */
  get isResting(): boolean {
    return this.#fanOut.isResting;
  }

  /** The client of one who follows waits for documents. */
  waits(subscription: Subscription): void {
    if (this.#settings.followers.has(subscription)) this.#fanOut.add(subscription);
  }

  /** It waits, and there is something for it that takes a turn to be made. */
  waitsForTurn(subscription: Subscription): void {
    this.waits(subscription);
    this.#fanOut.flush(undefined);
  }

  /** The state has changed. */
  tell(change: Change): void {
    this.#settings.record.progress.told();
    this.#firstValues.forget();
    const numbered = this.#firstValues.numbered(change);
    this.log.append(this.#history?.placed(numbered) ?? numbered);
  }

  /** What was told up to here can be shown. */
  shown(profile: string | undefined): void {
    this.#settings.followers.grown();
    this.#fanOut.flush(profile);
    this.log.trim();
  }

  /** The state is being read again. */
  healing(): void {
    this.#firstValues.interrupted();
    this.#settings.followers.each((subscription) => subscription.healing());
  }

  /** It has been read again, and what differs has been told. */
  healed(): void {
    this.#firstValues.forget();
    this.#settings.followers.each((subscription) => subscription.healed());
  }

  /** Those who came meanwhile are shown it. */
  again(): void {
    this.#firstValues.again();
  }

  /** Nothing more is told. What somebody has still to be sent counts for him. */
  end(): void {
    this.#firstValues.forget();
  }

  /** Lets those who are slow take into the net change what stands in the log for them. */
  shrink(): void {
    this.#firstValues.forget();
    this.#history?.clear();
    this.log.empty();
  }
}
