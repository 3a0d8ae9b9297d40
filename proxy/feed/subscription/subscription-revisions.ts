// What one client is told of revisions: how much of its feed each document tells, and what it missed when it takes its feed up.

import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { History } from '../revisions/history.ts';
import type { Since } from '../revisions/rev.ts';
import { type Revisions, valueSince } from '../revisions/rev-writer.ts';
import { ToldDocuments } from '../revisions/told-documents.ts';
import type { AnswerSettings } from './answers.ts';
import type { Change } from './documents.ts';
import { type Opening, openingOf } from './outbox.ts';

/** What revisions need of what a subscription follows. */
export interface WithHistory {
  /** Its history, which is kept from the first time on that it is asked for; absent where none can be. */
  readonly history?: () => History;
  /** A name that no other has; absent where there is no history. */
  readonly tag?: string;
}

/** For whom revisions are told. */
export interface RevisionSettings extends Pick<AnswerSettings, 'view' | 'note'> {
  /** What the client wants of revisions. */
  readonly revisions: Revisions;
}

/** The revisions of one subscription. */
export class SubscriptionRevisions {
  readonly #settings: RevisionSettings;
  readonly #followed: WithHistory;
  /** How much the client has been told; `undefined` where it wants no revisions. */
  readonly told: ToldDocuments | undefined;

  constructor(settings: RevisionSettings, followed: WithHistory) {
    const { writer } = settings.revisions;
    this.#settings = settings;
    this.#followed = followed;
    if (writer === undefined) return;
    this.told = new ToldDocuments(this.#isValue);
    writer.follow(followed.tag ?? '');
    followed.history?.();
  }

  /** Whether the client takes a feed up from a revision. */
  get isTakenUp(): boolean {
    return this.#settings.revisions.since !== undefined;
  }

  /** Whether the feed is of one value. */
  get #isValue(): boolean {
    return this.#settings.note === ResponseNote.ATOM_FEED;
  }

  /** Whether the feed is taken up from a value, so that no history has to be kept. */
  get isSinceValue(): boolean {
    return this.#isValue && this.#settings.revisions.since?.value !== undefined;
  }

  /**
   * What is shown at first of what there is, or what differs from it since the client's revision; `undefined` where that is not
   * known any more.
   */
  opening(first: Opening): Opening | undefined {
    const { since } = this.#settings.revisions;
    if (since !== undefined) return this.#netSince(since, first);
    // Asking for the history begins it: it is kept for those alone who are told revisions.
    if (this.told !== undefined) this.told.begin(this.#followed.history?.().end ?? 0);
    return this.marked(shownFirst(this.#settings, first), true);
  }

  /** Documents that say how much is told with them. */
  marked(opening: Opening, isComplete: boolean): Opening {
    return this.told === undefined ? opening : openingOf(this.told.opened(opening.documents, isComplete));
  }

  /** The net change since a revision; `undefined` where it is not known any more. `first` has the value, of a feed of one. */
  #netSince(since: Since, first: Opening): Opening | undefined {
    const history = this.#followed.history?.();
    if (history === undefined) return undefined;
    const { parts = (change: Change) => [change] } = this.#settings.view;
    const changes = this.isSinceValue ? valueSince(since, first, history.end) : history.since(since.told, parts);
    if (changes === undefined) return undefined;
    const from = since.told.extent === 'all' ? since.told.at : undefined;
    const told = this.told?.composed(changes, from, history.end) ?? changes;
    this.told?.begin(history.end);
    return openingOf(told);
  }
}

/** What there is at first, as a client is told it. */
export function shownFirst({ view }: Pick<RevisionSettings, 'view'>, first: Opening): Opening {
  return view.opening === undefined ? first : openingOf(view.opening(first.documents));
}
