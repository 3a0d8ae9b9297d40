// Tells a reading that takes long from one that never ends. RethinkDB 2.4.4 loses count of a feed whose queue of changes runs over
// while its first rows are read: it then waits for a change that it has thrown away, and says nothing until the next write to each
// part of the table (changefeed.cc, splice_stream_t). Silence alone proves nothing, since a selection that few rows pass, and any
// fold, say nothing for as long as they read. So the same rows are counted, which takes RethinkDB a fraction of the time.
//
//   silent for SILENT_MS: the rows are counted     for many times as long as that took: is nothing on its way?     given up
//
// Each reading of a state that follows one that was given up is given twice as long.

import type { Live } from '../../../rewrite/live.ts';
import { builder } from '../../../rewrite/reql/build/build.ts';
import { freshVars } from '../../../rewrite/reql/build/fresh-vars.ts';
import { getField } from '../../../rewrite/reql/data/datum.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { FeedQuery } from '../../relay/feed-port.ts';
import { databaseOf } from '../index-watch/table-indexes.ts';
import type { SourcePort } from './feed-source.ts';
import { QUESTION } from './quiet.ts';
import { readResponseObject } from './response-json.ts';
import { SilentReading } from './silent-reading.ts';

/** How long a reading may say nothing before it is looked into, in milliseconds: four of RethinkDB's longest batches. */
const SILENT_MS = 2_000;
/** Where a state is folded, and how it grows there. */
export type FoldedIn = 'the proxy' | 'RethinkDB, constant' | 'RethinkDB, per row';
/**
 * A reading may say nothing for so many times as long as it takes to count its rows: of 100,000 rows a selection that none passes
 * took 1.1 times as long on 2.4.4, and folds took 14 to 50 times, those with a state that grows longer the more rows there are (133
 * times for 3,000).
 */
const TIMES: { readonly [In in FoldedIn]: (rows: number) => number } = {
  'the proxy': () => 10,
  'RethinkDB, constant': () => 200,
  'RethinkDB, per row': (rows) => 200 * (1 + rows / 1000),
};
/** When rows that could not be counted are counted again, in milliseconds. */
const AGAIN_MS = 10_000;

/** The settings of a watch. */
export interface ReadingWatchSettings {
  /** What is read. */
  readonly live: Pick<Live, 'sources' | 'globalOptargs' | 'changes'>;
  readonly foldedIn: FoldedIn;
  readonly protocol: FeedQuery['protocol'];
  /** The reading never ends. */
  readonly silent: (error: SilentReading) => void;
}

/** The watch over one reading: from when its query is sent until all that there is has been read. */
export class ReadingWatch {
  readonly #port: SourcePort;
  readonly #settings: ReadingWatchSettings;
  /** Counts what came, so that an answer knows whether something came meanwhile. */
  #turn = 0;
  #since = 0;
  #isCounting = false;
  /** For how many milliseconds it may say nothing, once its rows are counted. */
  #allowed: number | undefined;
  #cancel: (() => void) | undefined;
  #isOver: boolean;

  constructor(port: SourcePort, settings: ReadingWatchSettings) {
    this.#port = port;
    this.#settings = settings;
    // There a question would wait for the answer to the CONTINUE.
    this.#isOver = settings.protocol === 'V0_3';
  }

  /** Upstream owes an answer from now on. */
  waits(): void {
    if (this.#isOver) return;
    this.came();
    this.#since = performance.now();
    this.#in(SILENT_MS * this.#port.patience, () => this.#lookInto());
  }

  /** Upstream has answered. */
  came(): void {
    this.#turn++;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** All has been read, or nobody wants it any more. */
  stop(): void {
    this.#isOver = true;
    this.came();
  }

  #in(ms: number, act: () => void): void {
    this.#cancel = this.#port.schedule(ms, act);
  }

  #ask(question: string, answered: (body: Buffer) => void): void {
    const turn = this.#turn;
    this.#port.ask(question, (body) => {
      if (turn === this.#turn) answered(body);
    });
  }

  /** Silence is looked into: the rows are counted, once for a reading, however often it is silent. */
  #lookInto(): void {
    if (this.#allowed !== undefined) {
      this.#in(this.#allowed * this.#port.patience, () => this.#look());
      return;
    }
    this.#in(SILENT_MS, () => this.#lookInto());
    if (this.#isCounting) return;
    this.#isCounting = true;
    const turn = this.#turn;
    const asked = performance.now();
    this.#port.ask(countQuery(this.#settings.live), (body) => {
      this.#counted(rowsIn(body), performance.now() - asked);
      if (turn !== this.#turn || this.#allowed === undefined) return;
      this.#cancel?.();
      this.#lookInto();
    });
  }

  #counted(rows: number | undefined, ms: number): void {
    if (rows === undefined) {
      this.#port.schedule(AGAIN_MS, () => {
        this.#isCounting = false;
      });
    } else {
      this.#allowed = Math.max(SILENT_MS, ms * this.#times(rows));
    }
  }

  #times(rows: number): number {
    return TIMES[this.#settings.foldedIn](rows);
  }

  /** Changes that are on their way come before the answer. */
  #look(): void {
    this.#ask(QUESTION, () => {
      const { silent, live } = this.#settings;
      silent(new SilentReading(performance.now() - this.#since, live.changes.origin));
    });
  }
}

/** The query that counts the rows that a feed reads first. */
function countQuery({ sources, globalOptargs }: ReadingWatchSettings['live']): string {
  const terms = sources.map(({ term }) => term);
  const t = builder(undefined, freshVars(...terms));
  const term = t.expr(terms.map((rows) => t.count(rows)));
  return serializeQuery({ term, globalOptargs: databaseOf(globalOptargs) });
}

/** How many rows the answer says that there are; `undefined` where it is an error. */
function rowsIn(body: Buffer): number | undefined {
  const response = readResponseObject(body);
  if (response === undefined || getField(response, 't') !== ResponseType.SUCCESS_ATOM) return undefined;
  return [getField(response, 'r')].flat(2).reduce<number>((sum, count) => sum + Number(count), 0);
}
