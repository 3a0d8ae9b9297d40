// A query on its way to become a feed: read in turns, recognized, and asked about where the server knows more.

import { recognize } from '../../../rewrite/recognize.ts';
import type { Recognized } from '../../../rewrite/recognized.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { StartQuery, Term } from '../../../rewrite/reql/term/term.ts';
import { containsTerm } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { explainedRewriting } from '../../../rewrite/rewriting-steps.ts';
import type { IndexQuestion } from '../../../rewrite/sources/known-index.ts';
import type { Feed, FeedIo, UpstreamPort } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import type { ClientWork } from '../../work/schedule.ts';
import type { Job, Turn } from '../../work/turn.ts';
import type { IndexWatches } from '../index-watch/index-watches.ts';
import { keyToAsk } from '../native/open-merged.ts';
import type { SharedFeeds } from '../sharing/shared-feeds.ts';
import { AskingFeed } from './asking-feed.ts';
import { type Becoming, type Beginning, beginFeed } from './begin-feed.ts';
import { IndexAnswers } from './index-answers.ts';
import { askIndex, indexFault, passingFault, readIndexAnswer } from './index-status.ts';
import type { TimedSettings } from './open-feed-settings.ts';
import { PassFeed } from './pass-feed.ts';
import { knowledgeOf } from './plan-feed.ts';
import { Reading } from './reading.ts';
import { PrimaryKeys, tableToAsk } from './rows-named.ts';
import type { SentQuery } from './sent-query.ts';
import { tooOld } from './server-version.ts';

/** What is decided of a query that RethinkDB does not get as it is. */
type Decided = Becoming | Extract<Recognized, { readonly kind: 'refused' }>;
type Asks = Extract<Recognized, { readonly kind: 'asks' }>;

/** The parts of the proxy that an opening works with. */
export interface OpeningPorts {
  /** The shares of the process. */
  readonly shared: SharedFeeds;
  readonly io: FeedIo;
  /** The openings of the client, which take turns with those of others. */
  readonly work: ClientWork;
  readonly watches: (port: UpstreamPort) => IndexWatches;
}

/** What became of a query. */
interface Opened {
  readonly feed: Feed | 'native' | undefined;
}

/** A query on its way to become a feed: a job, so that one that is long, or one of many, holds nobody up. */
export class Opening {
  readonly #settings: TimedSettings;
  readonly #query: SentQuery;
  readonly #io: FeedIo;
  readonly #indexes = new IndexAnswers();
  readonly #primaryKeys = new PrimaryKeys();
  readonly #work: ClientWork;
  readonly #job: Job = { work: (turn) => this.#goOn(turn) };
  readonly #beginning: Beginning;
  readonly #reading: Reading;
  #isParsed = false;
  /** What is to become of it. */
  #recognized: Recognized | undefined;
  #opened: Opened | undefined;
  #isRefused = false;
  /** Stands for the feed where it is not there at once. */
  #later: AskingFeed | undefined;

  constructor(settings: TimedSettings, query: SentQuery, { io, shared, work, watches }: OpeningPorts) {
    this.#work = work;
    this.#settings = settings;
    this.#query = query;
    this.#io = io;
    const [indexes, primaryKeys, now] = [this.#indexes, this.#primaryKeys, timeOf(settings.now())];
    this.#beginning = { settings, query, io, shared, watches, indexes, primaryKeys, now };
    this.#reading = new Reading(query.text);
  }

  open(): Feed | 'native' | undefined {
    this.#work.do(this.#job);
    if (this.#opened !== undefined) return this.#opened.feed;
    const refused = this.#io.admit();
    if (refused !== undefined) return this.#refuse(refused);
    this.#later ??= new AskingFeed(this.#io);
    return this.#later;
  }

  /** Opens the query in the place of a feed that stands for it. */
  openLater(asking: AskingFeed): void {
    this.#later = asking;
    this.#work.do(this.#job);
  }

  /** A turn; says whether there is nothing more to do for now. */
  #goOn(turn: Turn): boolean {
    let isDone = true;
    if (this.#later?.isOver !== true) {
      this.#io.run(() => {
        isDone = this.#open(turn);
      });
    }
    // Where the query is opened at once, the relay checks the memory.
    if (this.#later !== undefined) this.#io.process.memory.check();
    return isDone;
  }

  /** Goes on until the query has become something, or waits for an answer; false where the turn is over before. */
  #open(turn: Turn): boolean {
    const parsed = this.#reading.go(turn);
    if (parsed === undefined) return false;
    if (parsed === 'other') {
      this.#become(undefined);
      return true;
    }
    if (!this.#isParsed) {
      this.#isParsed = true;
      this.#io.parsed(parsed.term);
      if (this.#isEnough(turn)) return false;
    }
    const isNew = this.#recognized === undefined;
    this.#recognized ??= this.#recognize(parsed);
    if (isNew && (isLong(this.#recognized) || this.#isEnough(turn))) return false;
    const recognized = this.#recognized;
    // Where the server has to be asked, the answer may say something else.
    this.#recognized = undefined;
    this.#takeUp(parsed, recognized);
    return true;
  }

  /** Whether another turn is taken: a query that took turns to be read is long, and so is one that has taken its turn by now. */
  #isEnough(turn: Turn): boolean {
    return this.#later !== undefined || turn.isOver();
  }

  #recognize(parsed: StartQuery): Recognized {
    return recognize(parsed, { ...knowledgeOf(this.#settings), indexes: this.#indexes.known, asks: true });
  }

  #takeUp(parsed: StartQuery, recognized: Recognized): void {
    if (recognized.kind === 'untouched') {
      this.#become(containsTerm(parsed.term, TermType.CHANGES) ? 'native' : undefined);
      return;
    }
    const refused = recognized.kind === 'refused' || this.#later !== undefined ? undefined : this.#io.admit();
    if (refused !== undefined) this.#become(this.#refuse(refused));
    else if (recognized.kind === 'asks') this.#ask(parsed, recognized);
    else this.#name(parsed, recognized);
  }

  /** This is what the query has become. What is the server's own takes the way of a feed where it could not pass at once. */
  #become(feed: Feed | 'native' | undefined): void {
    this.#opened = { feed };
    if (this.#later === undefined) return;
    const isOurs = feed !== 'native' && (feed !== undefined || this.#isRefused);
    this.#later.become(isOurs ? feed : this.#native());
  }

  #ask(parsed: StartQuery, { question, needed }: Asks): void {
    this.#later ??= new AskingFeed(this.#io);
    askIndex(this.#io, question, parsed.globalOptargs, (body) => {
      const fields = readIndexAnswer(body, question);
      const fault = indexFault(body, question);
      if (needed && fault !== undefined) {
        this.#become(this.#refuse(fault));
        return;
      }
      if (needed && fields === undefined) {
        this.#become('native');
        return;
      }
      // Where there is no such index the server says so when the feed is opened.
      this.#indexes.set(question, fields);
      this.#work.do(this.#job);
    });
  }

  /** Goes on when it is known what names the rows of the documents. */
  #name(parsed: StartQuery, recognized: Decided): void {
    const table = this.#tableToAsk(recognized);
    if (table === undefined) {
      this.#become(this.#begin(parsed, recognized));
      return;
    }
    this.#later ??= new AskingFeed(this.#io);
    const question: IndexQuestion = { table, index: undefined };
    askIndex(this.#io, question, parsed.globalOptargs, (body) => {
      const fault = passingFault(body);
      if (fault !== undefined) {
        this.#become(this.#refuse(fault));
        return;
      }
      // Where there is no such table the server says so when the feed is opened.
      this.#primaryKeys.set(table, readIndexAnswer(body, question)?.primaryKey);
      this.#work.do(this.#job);
    });
  }

  #tableToAsk(recognized: Decided): Term | undefined {
    if (recognized.kind === 'merged') return keyToAsk(recognized.feed, this.#primaryKeys);
    return recognized.kind === 'live' ? tableToAsk(recognized.live, this.#primaryKeys) : undefined;
  }

  #native(): Feed {
    this.#io.opened('native', 'alone');
    return new PassFeed(this.#io, this.#query.body);
  }

  #begin({ term }: StartQuery, recognized: Decided): Feed | undefined {
    if (recognized.kind === 'refused') return this.#refuse(recognized.error);
    const { changes } = recognized.kind === 'live' ? recognized.live : recognized.feed;
    const old = tooOld(this.#query.serverVersion, changes.origin);
    if (old !== undefined) return this.#refuse(old);
    try {
      return beginFeed(recognized, this.#beginning);
    } catch (error) {
      const explained = explainedRewriting(error, term);
      if (explained instanceof ReqlError) return this.#refuse(explained);
      throw explained;
    }
  }

  #refuse(error: ReqlError): undefined {
    this.#isRefused = true;
    this.#io.toClient(errorBody(error));
    this.#io.ended(error);
  }
}

/** Steps of recognizing, after which the query is written in another turn. */
const LONG_STEPS = 50_000;

function isLong(recognized: Recognized): boolean {
  const isFeed = recognized.kind === 'live' || recognized.kind === 'merged';
  return isFeed && (recognized.fresh.meter?.spent ?? 0) > LONG_STEPS;
}

function timeOf(ms: number): DatumObject {
  return { $reql_type$: 'TIME', epoch_time: ms / 1000, timezone: '+00:00' };
}
