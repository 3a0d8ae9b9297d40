// The shares of a process, by the query that they are of. Who opens a query that is carried already joins its share, if he may
// read the tables and they are the same. He asks that on his own connection, and on the share's whether all that was written
// before has come: what he sees first holds every write that was acknowledged before he asked.
//
//   query -> no share of it        -> starts one; what tables it reads is known when it has opened (`healing/sure-port.ts`)
//         -> a share, same tables  -> joins
//         -> a share, other tables -> starts one: the name means another table now
//         -> no answer, no right   -> a feed of his own, so that RethinkDB answers in its own words

import { randomUUID } from 'node:crypto';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { Sharing } from '../../../rewrite/sharing.ts';
import type { Explain, FeedIo } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import { Refills } from '../healing/refills.ts';
import { AskingFeed } from '../opening/asking-feed.ts';
import type { Since } from '../revisions/rev.ts';
import { historyGone } from '../revisions/rev-writer.ts';
import { Share, type ShareSettings } from '../share.ts';
import type { Subscription, SubscriptionSettings } from '../subscription/subscription.ts';
import { Batched } from './batched.ts';
import { KnownTexts } from './known-texts.ts';
import { readIdentity, readProbe, type TableQuestions } from './table-identity.ts';

/** The plan of a query, as far as its share needs it. */
export type SharePlan = Pick<ShareSettings, 'plan' | 'openSource' | 'pairing' | 'cutsBatches' | 'watch' | 'replan'>;

/** A live query that is to become a feed. */
export interface SharedRequest {
  /** A key that is equal for queries of one user that show the same, or why the query is not shared. */
  readonly sharing: Sharing;
  readonly tables: TableQuestions;
  readonly io: FeedIo;
  readonly subscription: SubscriptionSettings;
  /** What it was sent as, and by whom, where others may send the same; absent where nothing can be known by that. */
  readonly text: string | undefined;
  /** Plans the query: what a share of it is made with. */
  plan(): { readonly share: SharePlan; readonly explain: Explain | undefined };
}

/** A share that others may join, once it is known which tables it reads. */
interface Entry {
  readonly share: Share;
  /** The tables it reads; `undefined` until it has opened. */
  identity: string | undefined;
  /** Who waits for that to be known, or for the share to turn out not to be joined. */
  readonly waiting: (() => void)[];
}

/** The settings of all shares. */
export interface SharingSettings {
  /** How long a share goes on when nobody follows it any more, in milliseconds. */
  readonly lingerMs: number;
  /** How long what upstream ends or spoils is read again, in milliseconds; 0: not at all. */
  readonly healMs: number;
  /** Changes that a share keeps for clients that take up their feeds. */
  readonly historyDocuments: number;
}

/** The shares of a process. */
export class SharedFeeds {
  readonly #settings: SharingSettings;
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #refills = new Refills();
  /** A text that no other process has. */
  readonly #process: string = randomUUID().slice(0, 13);
  /** How many shares there have been. */
  #made = 0;
  readonly #texts = new KnownTexts<Entry>();
  /** The questions of a connection, by their text. */
  readonly #questions = new WeakMap<FeedIo['shared'], Map<string, Batched<string | undefined>>>();

  constructor(settings: SharingSettings) {
    this.#settings = settings;
  }

  /** How many shares there are that others may join. */
  get size(): number {
    let size = 0;
    for (const entries of this.#entries.values()) size += entries.size;
    return size;
  }

  /**
   * Opens a live query.
   * @throws ReqlError where it cannot be planned
   */
  open(request: SharedRequest): Subscription | AskingFeed {
    const { sharing } = request;
    const taken = takenFrom(request);
    if (taken !== undefined) {
      const entry = 'why' in sharing ? undefined : find(this.#shares(sharing.key), taken.share);
      if (entry === undefined || 'why' in sharing) throw historyGone();
      return this.#join(request, sharing.key, entry);
    }
    if ('why' in sharing) return this.#openAlone(request, sharing.why);
    const [candidate] = this.#shares(sharing.key);
    return candidate === undefined ? this.#start(request, sharing.key) : this.#join(request, sharing.key, candidate);
  }

  /**
   * Joins by what a query was sent as; `undefined` where no share of it is known. `anew` opens the query as if it were not known,
   * in the place of the feed that is given.
   */
  joinKnown(text: string, io: FeedIo, anew: (asking: AskingFeed) => void): AskingFeed | undefined {
    const known = this.#texts.get(text);
    if (known === undefined) return undefined;
    const { carrier, subscription } = known;
    const asking = new AskingFeed(io);
    const decide = (identity: string | undefined): void => {
      if (asking.isOver) return;
      const isCarried = this.#texts.get(text) === known && !carrier.share.isOver;
      if (isCarried && identity !== undefined && carrier.identity === undefined) {
        carrier.waiting.push(() => io.run(() => decide(identity)));
      } else if (isCarried && identity !== undefined && carrier.identity === identity) {
        io.sameTextAs(known.text);
        asking.become(subscribed(carrier, subscription, io));
      } else {
        anew(asking);
      }
    };
    this.#ask(io, carrier, decide);
    return asking;
  }

  #shares(key: string): ReadonlySet<Entry> {
    return this.#entries.get(key) ?? NO_ENTRIES;
  }

  #openAlone(request: SharedRequest, why: string): Subscription {
    const { share, explain } = request.plan();
    request.io.opened(share.plan(), 'alone', why, explain);
    return this.#make(request, share, {}).subscribe(request.subscription, request.io);
  }

  /** Starts a share. It is joined only when it is known which tables it reads. */
  #start(request: SharedRequest, key: string): Subscription {
    const { share: settings, explain } = request.plan();
    const { io } = request;
    io.opened(settings.plan(), 'shared', undefined, explain);
    let entry: Entry | undefined;
    const told = (): void => {
      for (const tell of entry?.waiting.splice(0) ?? []) tell();
    };
    const share: Share = this.#make(request, settings, {
      lingerMs: this.#settings.lingerMs,
      whenKnown: (then) => {
        if (entry === undefined || entry.identity !== undefined) then();
        else entry.waiting.push(then);
      },
      accepted: (identity) => {
        if (identity === undefined) this.#remove(key, entry);
        else if (entry !== undefined) entry.identity = identity;
        told();
      },
      over: () => {
        this.#remove(key, entry);
        told();
      },
    });
    entry = { share, identity: undefined, waiting: [] };
    const entries = this.#entries.get(key) ?? new Set();
    entries.add(entry);
    this.#entries.set(key, entries);
    this.#know(request, entry);
    return share.subscribe(request.subscription, request.io);
  }

  #make(
    request: SharedRequest,
    share: SharePlan,
    more: Pick<ShareSettings, 'lingerMs' | 'whenKnown' | 'accepted' | 'over'>,
  ): Share {
    const { subscription, tables, io } = request;
    const healing = { healMs: this.#settings.healMs, refills: this.#refills };
    this.#made++;
    const tag = `${this.#process}${this.#made}`;
    const { historyDocuments } = this.#settings;
    return new Share(
      { id: this.#made, tag, historyDocuments, ...share, ...more, origin: subscription.origin, tables, healing },
      io,
    );
  }

  #join(request: SharedRequest, key: string, candidate: Entry): AskingFeed {
    const { io } = request;
    const asking = new AskingFeed(io);
    this.#ask(io, candidate, (identity) => this.#decide(request, key, candidate, identity, asking));
    return asking;
  }

  /**
   * Asks which tables a query reads, and lets the candidate catch up with what had been written before: `undefined` where the server
   * does not say. Where both connections are of one server, a name means the same to both, and the candidate asks what it means.
   */
  #ask(io: FeedIo, candidate: Entry, then: (identity: string | undefined) => void): void {
    const { share, identity: known } = candidate;
    const { question, probe } = share.tables;
    const isKnown = share.isOnServerOf(io.shared) && known !== undefined;
    let identity: string | undefined;
    let isSure = false;
    let left = 2;
    const answered = (): void => {
      left--;
      if (left > 0) return;
      if (isSure || identity === undefined) io.run(() => then(identity));
      else this.#question(io, question, readIdentity).ask((answer) => io.run(() => then(other(answer))));
    };
    // The candidate cannot tell whether it holds what had been written.
    const other = (answer: string | undefined): string | undefined =>
      answer === (candidate.identity ?? answer) ? undefined : answer;
    const asked = isKnown
      ? this.#question(io, probe, (body) => (readProbe(body) ? READABLE : undefined))
      : this.#question(io, question, readIdentity);
    asked.ask((answer) => {
      identity = isKnown && answer !== undefined ? known : answer;
      answered();
    });
    share.catchUp((isCaughtUp) => {
      isSure = isCaughtUp;
      answered();
    }, io);
  }

  #question(
    { shared }: FeedIo,
    question: string,
    read: (body: Buffer) => string | undefined,
  ): Batched<string | undefined> {
    const questions = this.#questions.get(shared) ?? new Map<string, Batched<string | undefined>>();
    this.#questions.set(shared, questions);
    const known = questions.get(question);
    if (known !== undefined) return known;
    const made = new Batched<string | undefined>((answer) =>
      shared.ask(question, (body) => {
        answer(read(body));
        if (made.isIdle) questions.delete(question);
      }),
    );
    questions.set(question, made);
    return made;
  }

  /** The server has answered, and the candidate holds all that had been written when it was asked. */
  #decide(
    request: SharedRequest,
    key: string,
    candidate: Entry,
    identity: string | undefined,
    asking: AskingFeed,
  ): void {
    if (asking.isOver) return;
    const { io } = request;
    const { observer } = io.process;
    if (identity === undefined) {
      observer.joinTried('denied');
      asking.become(this.#openAlone(request, 'the server does not let it read its tables now'));
    } else if (candidate.share.isOver || !this.#shares(key).has(candidate)) {
      observer.joinTried('over');
      this.#again(request, asking);
    } else if (candidate.identity === undefined) {
      candidate.waiting.push(() => io.run(() => this.#decide(request, key, candidate, identity, asking)));
    } else if (candidate.identity === identity) {
      this.#know(request, candidate);
      asking.become(subscribed(candidate, request.subscription, io));
    } else {
      this.#joinOther(request, key, identity, asking);
    }
  }

  #again(request: SharedRequest, asking: AskingFeed): void {
    try {
      asking.become(this.open(request));
    } catch (error) {
      if (!(error instanceof ReqlError)) throw error;
      refuse(request.io, error, asking);
    }
  }

  /** The name means another table than for the candidate. */
  #joinOther(request: SharedRequest, key: string, identity: string, asking: AskingFeed): void {
    if (takenFrom(request) !== undefined) {
      refuse(request.io, historyGone(), asking);
      return;
    }
    for (const entry of this.#shares(key)) {
      if (entry.identity !== identity) continue;
      const decide = (isSure: boolean): void =>
        this.#decide(request, key, entry, isSure ? identity : undefined, asking);
      entry.share.catchUp((isSure) => request.io.run(() => decide(isSure)), request.io);
      return;
    }
    request.io.process.observer.joinTried('renamed');
    asking.become(this.#start(request, key));
  }

  #know({ text, subscription, io }: SharedRequest, carrier: Entry): void {
    if (text !== undefined) this.#texts.add(text, { carrier, subscription, text: io.text });
  }

  #remove(key: string, entry: Entry | undefined): void {
    if (entry === undefined) return;
    this.#texts.remove(entry);
    const entries = this.#entries.get(key);
    entries?.delete(entry);
    if (entries?.size === 0) this.#entries.delete(key);
  }
}

/** From where a feed is taken up whose history has to be known; `undefined` where none has. */
function takenFrom({ subscription: { revisions, note } }: SharedRequest): Since | undefined {
  const { since } = revisions;
  return note === ResponseNote.ATOM_FEED && since?.value !== undefined ? undefined : since;
}

function subscribed({ share }: Entry, subscription: SubscriptionSettings, io: FeedIo): Subscription {
  io.process.observer.joinTried('joined');
  io.opened(share.plan, 'joined');
  return share.subscribe(subscription, io);
}

/** The query is answered with an error in the place of a feed. */
function refuse(io: FeedIo, error: ReqlError, asking: AskingFeed): void {
  io.toClient(errorBody(error));
  io.ended(error);
  asking.become(undefined);
}

function find(entries: ReadonlySet<Entry>, tag: string): Entry | undefined {
  return [...entries].find(({ share }) => share.tag === tag);
}

/** The answer that tables may be read. */
const READABLE = 'readable';

const NO_ENTRIES: ReadonlySet<Entry> = new Set();
