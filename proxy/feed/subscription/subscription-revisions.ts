// The revisions that one client is told: how much of its feed each document tells, and what it missed when it takes its feed up.

import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { History } from '../revisions/history.ts';
import type { Since } from '../revisions/rev.ts';
import { type Revisions, valueSince } from '../revisions/rev-writer.ts';
import { ToldDocuments } from '../revisions/told-documents.ts';
import type { AnswerSettings } from './answers.ts';
import type { DocumentView } from './document-view.ts';
import { type FirstDocuments, firstDocuments } from './openings.ts';

/** What is to be kept of what has changed. */
export interface WantedHistory {
  /** Each revision holds the value that was told, so that no change has to be kept. */
  readonly isValue: boolean;
  readonly singles: DocumentView['singles'];
}

/** The part of what a subscription follows that revisions need. */
export interface WithHistory {
  /** Its history, which is kept from the first time on that it is asked for; absent where none can be. */
  readonly history?: (wanted: WantedHistory) => History;
  /** A name that no other has; absent where there is no history. */
  readonly tag?: string;
  /** Calls back once feeds that are told of can be taken up: before that it may be another table's. Absent where there is no history. */
  readonly whenKnown?: (then: () => void) => void;
}

/** For whom revisions are told. */
export interface RevisionSettings extends Pick<AnswerSettings, 'view' | 'note'> {
  /** What the client wants of revisions. */
  readonly revisions: Revisions;
}

/** The revisions of one subscription. */
export class SubscriptionRevisions {
  readonly #settings: RevisionSettings;
  /** Asked for by those alone who are told revisions, or take their feeds up by a history. */
  readonly #history: History | undefined;
  /** Says to the history that nothing more is told. */
  readonly #unfollow: (() => void) | undefined;
  /** How much the client has been told; `undefined` where it wants no revisions. */
  readonly told: ToldDocuments | undefined;
  #isKnown = true;

  /** `known` is called where something had to be known first, and now is. */
  constructor(settings: RevisionSettings, followed: WithHistory, known: () => void) {
    const { view, revisions } = settings;
    const { writer } = revisions;
    this.#settings = settings;
    if (writer !== undefined || (this.isTakenUp && !this.isSinceValue)) {
      this.#history = followed.history?.({ isValue: this.#isValue, singles: view.singles });
    }
    if (writer === undefined) return;
    writer.follow(followed.tag ?? '');
    this.told = new ToldDocuments(this.#isValue);
    this.#unfollow = this.#history?.follow(this.told);
    if (!this.#isValue) this.#waitUntilKnown(followed, known);
  }

  /**
   * Whether the feed can be taken up from what the client is told. Until it is known of which tables it is, nothing is told: a client
   * that is gone a moment later would come back in vain. Each revision of a value holds the value, so that nothing more is needed.
   */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  #waitUntilKnown(followed: WithHistory, known: () => void): void {
    let isLater = false;
    this.#isKnown = followed.whenKnown === undefined;
    followed.whenKnown?.(() => {
      this.#isKnown = true;
      if (isLater) known();
    });
    isLater = true;
  }

  /** Whether the client takes a feed up from a revision. */
  get isTakenUp(): boolean {
    return this.#settings.revisions.since !== undefined;
  }

  /** Whether each revision holds the value. */
  get holdTheValue(): boolean {
    return this.#isValue && this.told !== undefined;
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
   * @param isShown whether what there is is shown, and not only known
   */
  opening(first: FirstDocuments, isShown: boolean): FirstDocuments | undefined {
    const { since } = this.#settings.revisions;
    const [value] = first.documents;
    if (value?.kind === 'initial' && value.now !== undefined) this.told?.holds(value.now);
    if (since !== undefined) return this.#netSince(since, first);
    this.told?.begin(this.#history?.end ?? 0);
    return this.marked(isShown ? shownFirst(this.#settings, first) : firstDocuments([]), true);
  }

  /** Nothing more is told. */
  close(): void {
    this.#unfollow?.();
  }

  /** Documents that say how much is told with them. */
  marked(opening: FirstDocuments, isComplete: boolean): FirstDocuments {
    return this.told === undefined ? opening : firstDocuments(this.told.opened(opening.documents, isComplete));
  }

  /** The net change since a revision; `undefined` where it is not known any more. `first` has the value, of a feed of one. */
  #netSince(since: Since, first: FirstDocuments): FirstDocuments | undefined {
    const end = this.#history?.end ?? 0;
    const net = this.isSinceValue ? valueSince(since, first, end) : this.#history?.since(since.told);
    if (net === undefined) return undefined;
    const { parts } = this.#settings.view;
    const changes = parts === undefined ? net : net.flatMap(parts);
    this.told?.takenUp(since.told);
    const from = since.told.extent === 'all' ? since.told.at : undefined;
    const told = this.told?.composed(changes, from, end) ?? changes;
    this.told?.begin(end);
    return firstDocuments(told);
  }
}

/** What there is at first, as a client is told it. */
export function shownFirst({ view }: Pick<RevisionSettings, 'view'>, first: FirstDocuments): FirstDocuments {
  return view.opening === undefined ? first : firstDocuments(view.opening(first.documents));
}
