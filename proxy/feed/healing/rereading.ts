// A state that is read again beside the old one, from what has ended the old source to the net change: the tries, the source that
// is to take the place of the old one, and what that told when it was over already.

import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import type { Replanned } from '../opening/replanning.ts';
import type { Difference } from '../operator/difference.ts';
import type { TableQuestions } from '../sharing/table-identity.ts';
import type { FeedSource, OpenSource, SourcePort } from '../source/feed-source.ts';
import { Composer } from '../subscription/composer.ts';
import { type Change, changeDocuments } from '../subscription/documents.ts';
import type { Filling } from './filling.ts';
import { Healing, type HealingSettings, type ReadingAgain } from './healing.ts';
import { snapshotDifferences } from './snapshot-differences.ts';

/** The settings of readings again. */
export interface RereadingSettings {
  /** Begins to fill the state from a connection. */
  readonly openSource: OpenSource;
  /** Plans the query anew before it is read again; absent where nothing that it was planned with can be another. */
  readonly replan?: ((port: SourcePort, then: (plan: Replanned) => void) => void) | undefined;
  /** The tables that the query reads. */
  readonly tables: TableQuestions;
}

/** The part of its source that a reading again needs. */
export interface RereadingHost {
  /** The connection of one who follows; see `LastingSink`. */
  port(): UpstreamPort | undefined;
  /** That connection as a source sees it. */
  sourcePort(port: UpstreamPort): SourcePort;
  /** Which tables the query has read until now; `undefined` where nobody knows. */
  identity(): string | undefined;
  /** Begins to fill the state from a connection, of these tables. */
  fill(port: UpstreamPort, openSource: OpenSource, identity: string): Filling;
  /** It cannot be read again: what clients get, and what stood in the way last. */
  gaveUp(error: ReqlError, last: string): void;
  /** The query is no live query any more. */
  failed(error: ReqlError): void;
}

/** A reading again that goes on. */
export class Rereading {
  readonly #settings: RereadingSettings;
  readonly #host: RereadingHost;
  readonly #healing: Healing;
  /** The source that is to take the place of the one that has gone. */
  #refill: Filling | undefined;
  /** Told by the old source when it was over already: part of the net change. */
  readonly #late: Change[] = [];

  /** `begin` begins it; `reason` is what has happened. */
  constructor(settings: RereadingSettings, healing: HealingSettings, host: RereadingHost, reason: ReqlError) {
    this.#settings = settings;
    this.#host = host;
    this.#healing = new Healing(
      healing,
      {
        question: settings.tables.question,
        identity: () => host.identity(),
        port: () => host.port(),
        refill: (port, reading) => this.#read(port, reading),
        giveUp: (error, last) => host.gaveUp(error, last),
      },
      reason,
    );
  }

  get reason(): ReqlError {
    return this.#healing.error;
  }

  /** For how many milliseconds it has gone on. */
  get ms(): number {
    return Math.round(performance.now() - this.#healing.startedAt);
  }

  begin(): void {
    this.#healing.begin();
  }

  /** Somebody comes who can carry it, since nobody had a connection for it. */
  resume(): void {
    this.#healing.resume();
  }

  /** Whether it is this source that is to take the place of the old one. */
  isBy(filling: Filling): boolean {
    return filling === this.#refill;
  }

  /** Something is told while nobody can be: it is part of the net change. */
  add(change: Change): void {
    this.#late.push(change);
  }

  /** The source that reads has failed. */
  failed(error: ReqlError): void {
    this.#drop();
    this.#healing.failed(error);
  }

  /** The connection goes over which it is read. */
  lost({ port }: Filling): void {
    this.#drop();
    this.#healing.lost(port);
  }

  /** Nobody follows over a connection any more: what is read again over it is so over another one. */
  left(port: UpstreamPort): void {
    this.#healing.lost(port);
  }

  /** What leads from what was told of the old source to the new one, in steps. */
  *netChange(old: FeedSource, now: FeedSource): Generator<void, Composer> {
    const net = new Composer();
    for (const change of this.#late) {
      net.add(change);
      yield;
    }
    const add = (difference: Difference): void => {
      for (const change of changeDocuments(difference)) net.add(change);
    };
    yield* snapshotDifferences(old.snapshot(), now.snapshot(), add);
    return net;
  }

  /** The new source has taken the place of the old one. */
  end(): void {
    this.#healing.end();
    this.#refill = undefined;
  }

  /** Nobody wants it any more. */
  stop(): void {
    this.#healing.end();
    this.#drop();
  }

  #read(port: UpstreamPort, reading: ReadingAgain): void {
    const { replan, openSource } = this.#settings;
    this.#drop();
    if (replan === undefined) this.#fill(port, openSource, reading);
    else
      replan(
        this.#host.sourcePort(port),
        reading.ofThisTry((plan) => this.#replanned(port, plan, reading)),
      );
  }

  /** Reads by the new plan of a query; a query that is no live one any more ends with what has happened. */
  #replanned(port: UpstreamPort, plan: Replanned, reading: ReadingAgain): void {
    if (plan === undefined) this.#host.failed(this.reason);
    else if (plan instanceof ReqlError) this.#healing.failed(plan);
    else this.#fill(port, plan, reading);
  }

  #fill(port: UpstreamPort, openSource: OpenSource, { identity }: ReadingAgain): void {
    this.#refill = this.#host.fill(port, openSource, identity);
  }

  /** A source that has failed, or gone, keeps nothing, and takes nobody's place. */
  #drop(): void {
    this.#refill?.stop();
    this.#refill?.forget();
    this.#refill = undefined;
  }
}
