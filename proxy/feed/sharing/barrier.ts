// Says when the feed that a connection carries has been told all that had been written, and acknowledged, when somebody asked. The
// server has handed it to the feed when a feed beside it is ready (`table-identity.ts`). It has told it
//
//   - when it answers a question and has told nothing since that was asked: it has been asked for more, and would have told it before
//     (`source/quiet.ts`), or, of a fold, has been silent for long (`pace.ts`);
//   - or with the second response from then on, where that is short: it was asked for when all had been handed on, and not cut.

import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { UpstreamPort, UpstreamQuery } from '../../relay/feed-port.ts';
import { readResponseHead } from '../../wire/response.ts';
import { QUESTION } from '../source/quiet.ts';
import { Batched } from './batched.ts';
import type { Pace } from './pace.ts';
import { type BarrierQuery, readPrimaryKeys, type TableQuestions } from './table-identity.ts';

/** When it is looked at again whether upstream is asked for more, in milliseconds. */
const RESTING_MS = 2;
/** For how long a fold that is never silent is given to take what it was handed, in milliseconds. */
const BEHIND_MS = 500;
/** What no number of responses is: upstream was not asked for more when it was asked this. */
const NOT_ASKED = -1;
/** A feed that is not ready after so many milliseconds is given up. */
const SILENT_MS = 1_000;

/** What a barrier is of. */
export interface BarrierSettings {
  readonly tables: TableQuestions;
  /** Which tables they are, once that is known. */
  readonly identity: () => string | undefined;
  /** How the feed is told what it is told. */
  readonly pace: Pick<Pace, 'responses' | 'isResting' | 'isShort' | 'silenceLeft' | 'patience'>;
  /** Whether a client says how large answers are: a short one tells nothing. */
  readonly cutsBatches: boolean;
  /** Whether it is folded inside RethinkDB. */
  readonly isFold: () => boolean;
}

/** The moment at which all had been handed on. */
interface HandedOn {
  /** How many responses the feed had been told. */
  readonly responses: number;
  /** The same, where upstream was asked for more then. */
  readonly asked: number;
  /** When that was, and how long it took until then, in milliseconds. */
  readonly at: number;
  readonly ms: number;
}

/** The barrier of a feed on one connection. */
export class Barrier {
  readonly #port: UpstreamPort;
  readonly #settings: BarrierSettings;
  readonly #batched: Batched<boolean>;
  #primaryKeys: readonly string[] | undefined;
  /** The queries that tell of the tables that had this identity. */
  #queries: { readonly identity: string | undefined; readonly all: readonly BarrierQuery[] } | undefined;

  constructor(port: UpstreamPort, settings: BarrierSettings) {
    this.#port = port;
    this.#settings = settings;
    this.#batched = new Batched((answer) => this.#ask(answer));
  }

  /**
   * Calls back once it has been passed, or cannot be: where a table is another one than it was, or cannot be read. Never where the
   * connection goes first.
   */
  ask(passed: (isPassed: boolean) => void): void {
    this.#batched.ask(passed);
  }

  #ask(answer: (isPassed: boolean) => void): void {
    if (this.#primaryKeys !== undefined) {
      this.#pass(this.#primaryKeys, answer);
      return;
    }
    this.#port.ask(this.#settings.tables.primaryKeys, (body) => {
      this.#primaryKeys = readPrimaryKeys(body);
      if (this.#primaryKeys === undefined) answer(false);
      else this.#pass(this.#primaryKeys, answer);
    });
  }

  #pass(primaryKeys: readonly string[], answer: (isPassed: boolean) => void): void {
    const { pace } = this.#settings;
    const queries = this.#queriesWith(primaryKeys);
    let left = queries.length;
    let arePassed = true;
    const start = performance.now();
    /** How many responses the feed had been told when the last of the others was ready, and how long that took. */
    let handed: HandedOn = { responses: pace.responses, asked: this.#asking, at: start, ms: 0 };
    const ready = (): void => {
      const at = performance.now();
      handed = { responses: pace.responses, asked: this.#asking, at, ms: at - start };
    };
    for (const query of queries) {
      this.#send(query, ready, (isPassed) => {
        arePassed &&= isPassed;
        left--;
        if (left > 0) return;
        if (arePassed) this.#told(handed, handed.asked, () => answer(true));
        else answer(false);
      });
    }
  }

  #queriesWith(primaryKeys: readonly string[]): readonly BarrierQuery[] {
    const { tables } = this.#settings;
    const identity = this.#settings.identity();
    if (this.#queries === undefined || this.#queries.identity !== identity) {
      this.#queries = { identity, all: tables.barriers(primaryKeys, identity) };
    }
    return this.#queries.all;
  }

  /** Calls back when all has been handed on, and then when the server has answered what it is asked after that: to stop. */
  #send({ text, isFeed }: BarrierQuery, ready: () => void, passed: (isPassed: boolean) => void): void {
    if (!isFeed) {
      this.#port.ask(text, (body) => {
        ready();
        const isRead = readResponseHead(body).type === ResponseType.SUCCESS_ATOM;
        this.#port.ask(QUESTION, () => passed(isRead));
      });
      return;
    }
    let owed = 2;
    let isStopped = false;
    const over = (isPassed: boolean): void => {
      cancel();
      feed.drop();
      passed(isPassed);
    };
    const stop = (): void => {
      isStopped = true;
      owed++;
      feed.stop();
    };
    const feed: UpstreamQuery = this.#port.query(text, {
      response(body) {
        owed--;
        if (isStopped) {
          if (owed === 0) over(true);
        } else if (isReady(body)) {
          ready();
          stop();
        } else if (readResponseHead(body).type !== ResponseType.SUCCESS_PARTIAL) {
          over(false);
        } else if (owed === 0) {
          owed++;
          feed.more();
        }
      },
      failed: () => giveUp(),
      lost() {},
    });
    const giveUp = (): void => {
      feed.stop();
      over(false);
    };
    const cancel = this.#port.schedule(SILENT_MS, giveUp);
    // The START may be answered before the feed is ready.
    feed.more();
  }

  /**
   * Calls back when the feed has been told all that it had been handed; `asked`: how many responses there had been when upstream was
   * asked what it has answered now.
   */
  #told(handed: HandedOn, asked: number, told: () => void): void {
    const { pace, isFold } = this.#settings;
    // Upstream tells nothing while it is not asked for more.
    const left = pace.isResting ? RESTING_MS : isFold() ? pace.silenceLeft(handed.ms) : 0;
    if (this.#isPast(handed) || (pace.responses === asked && left <= 0)) told();
    else if (left > 0) this.#port.schedule(left, () => this.#askAgain(handed, told));
    else this.#askAgain(handed, told);
  }

  /** Whether the last response was asked for when all had been handed on, and has all that there was then. */
  #isPast({ responses, at, ms }: HandedOn): boolean {
    const { pace, cutsBatches, isFold } = this.#settings;
    if (cutsBatches || !pace.isShort || pace.responses <= responses + 1) return false;
    // What a fold tells is short whatever it has taken, and it may be behind by several times that: a guess.
    return !isFold() || performance.now() - at >= Math.max(BEHIND_MS, pace.patience(ms));
  }

  /** How many responses the feed has been told, where it is asked for more. */
  get #asking(): number {
    const { responses, isResting } = this.#settings.pace;
    return isResting ? NOT_ASKED : responses;
  }

  #askAgain(handed: HandedOn, told: () => void): void {
    const asked = this.#asking;
    this.#port.ask(QUESTION, () => this.#told(handed, asked, told));
  }
}

/** The first document of a feed that is ready: before that it says nothing. */
const READY = /^\s*\{\s*"t"\s*:\s*3\s*,\s*"r"\s*:\s*\[\s*\{\s*"state"\s*:\s*"ready"\s*\}/;
const READY_BYTES = 64;

function isReady(body: Buffer): boolean {
  return READY.test(body.toString('latin1', 0, READY_BYTES));
}
