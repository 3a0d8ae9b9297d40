// The documents of one client, in the order in which it is told them: states, what is there at first, and all that differs from
// there on. When they are sent is said by `subscription.ts`.

import type { FeedIo } from '../../relay/feed-port.ts';
import type { ToldDocuments } from '../revisions/told-documents.ts';
import type { AnswerSettings } from './answers.ts';
import type { DocumentLog } from './document-log.ts';
import type { FirstDocuments } from './openings.ts';
import { Outbox, type OutboxHost } from './outbox.ts';
import { ALIVE, ShownStates } from './shown-states.ts';
import {
  type RevisionSettings,
  SubscriptionRevisions,
  shownFirst,
  type WithHistory,
} from './subscription-revisions.ts';

/** What a client wants to be told. */
export type DocumentSettings = AnswerSettings & RevisionSettings;

/** What is followed, as far as its documents go. */
export interface DocumentSource extends WithHistory {
  readonly log: DocumentLog;
}

/** The documents of one client. */
export class ClientDocuments implements OutboxHost {
  /** Those that wait to be sent. */
  readonly outbox: Outbox;
  readonly #settings: DocumentSettings;
  readonly #io: Pick<FeedIo, 'memory' | 'process'>;
  /** Absent where the client asks for none. */
  readonly #revisions: SubscriptionRevisions | undefined;
  /** Absent where the client asks for none. */
  readonly #states: ShownStates | undefined;
  #isAccepted = false;
  /** Whether what there is at first, which may be all that the client wants, is still to be told. */
  #awaitsFirst: boolean;
  /** Whether nothing is added any more. */
  #isComplete = false;

  /** `known` is called where nothing was to be sent until something was known, and now it is. */
  constructor(
    settings: DocumentSettings,
    io: Pick<FeedIo, 'memory' | 'process'>,
    source: DocumentSource,
    known: () => void,
  ) {
    const { options, revisions, after } = settings;
    this.#settings = settings;
    this.#io = io;
    if (revisions.writer !== undefined || revisions.since !== undefined) {
      this.#revisions = new SubscriptionRevisions(settings, source, known);
    }
    this.outbox = new Outbox(settings, this, source.log);
    this.#states = ShownStates.of(options);
    this.#awaitsFirst = after?.mayEnd === true && this.showsInitial;
  }

  get told(): ToldDocuments | undefined {
    return this.#revisions?.told;
  }

  weighed(bytes: number): void {
    this.#io.memory.setWaiting(bytes);
  }

  tooSlow(): void {
    this.#io.process.tally.netChanges++;
  }

  /** Whether fewer changes may wait than the log keeps for everybody: it is to be told when the log has grown. */
  get isShort(): boolean {
    return this.#settings.options.queueSize !== undefined;
  }

  /** Whether copies of equal rows have to be counted. */
  get countsCopies(): boolean {
    return this.#settings.view.countsCopies;
  }

  /** Whether the client wants to see what is there at first. */
  get showsInitial(): boolean {
    return this.#revisions?.isTakenUp ? this.#revisions.isSinceValue : this.#settings.options.includeInitial;
  }

  /** Whether what is there at first has to be read: to be shown, or since each revision holds it. */
  get readsInitial(): boolean {
    return this.showsInitial || this.#revisions?.holdTheValue === true;
  }

  /** Whether documents may be sent: until it is known of which tables they are, a revision would be of no use. */
  get mayBeSent(): boolean {
    return this.#revisions?.isKnown !== false;
  }

  /** Whether the query itself can be answered, though there may be nothing to say yet. */
  get canOpen(): boolean {
    return this.#isAccepted && !this.#awaitsFirst;
  }

  /** Upstream has accepted the query. */
  accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.#show(this.#states?.accepted(), false);
  }

  /**
   * The state has been read: it is told, and then all that differs from this moment on. False where the feed is taken up from a
   * moment of which nobody knows any more what differs.
   */
  begin(first: FirstDocuments): boolean {
    this.#awaitsFirst = false;
    this.outbox.follow();
    const opening =
      this.#revisions === undefined
        ? shownFirst(this.#settings, first)
        : this.#revisions.opening(first, this.showsInitial);
    if (opening === undefined) return false;
    this.#push(opening);
    this.#show(this.#states?.ready(), true);
    return true;
  }

  /** Something that was there at first, behind all that came before it. */
  tell(opening: FirstDocuments): void {
    this.#awaitsFirst = false;
    this.#push(opening);
  }

  /** What is shown is being read again; says whether the client is told. Where nothing has been shown, it is not. */
  healing(): boolean {
    return this.outbox.isFollowing && this.#show(this.#states?.healing(), true);
  }

  /** What is shown has been read again, and what differs stands in the log; says whether the client is told. */
  healed(): boolean {
    return this.#show(this.#states?.healed(), true);
  }

  /** A sign of life. */
  alive(): void {
    this.#show(ALIVE, true);
  }

  /** Nothing is added any more; `isWanted`: what waits is still to be sent. */
  complete(isWanted: boolean): void {
    this.#isComplete = true;
    if (!isWanted) this.outbox.clear();
  }

  /** What was sent last has reached the client. */
  answered(): void {
    this.#revisions?.told?.answered();
  }

  close(): void {
    this.#isComplete = true;
    this.outbox.close();
    this.#revisions?.close();
  }

  /** Shows a state behind what was told before, and says whether there was one; `isComplete`: what there is at first has been told. */
  #show(state: FirstDocuments | undefined, isComplete: boolean): boolean {
    if (state !== undefined) this.#push(this.#revisions?.marked(state, isComplete) ?? state);
    return state !== undefined;
  }

  #push(opening: FirstDocuments): void {
    if (!this.#isComplete) this.outbox.push(opening);
  }
}
