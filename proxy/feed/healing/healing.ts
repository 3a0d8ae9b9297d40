// A healing of a share: what upstream has ended or spoilt is read again, on the connection of whoever follows, until it
// works, until an error is final, or until the time is over. The server is asked first whether the tables are still the same.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import { readIdentity } from '../sharing/table-identity.ts';
import { readError } from '../source/upstream-response.ts';
import { isPassing, passesFor } from './passing.ts';
import { Pauses } from './pauses.ts';
import type { Refills } from './refills.ts';

/** The settings of healings. */
export interface HealingSettings {
  /** How long is tried, in milliseconds. */
  readonly healMs: number;
  /** The readings of the process. */
  readonly refills: Refills;
  /** How many times in a row it has been healed a moment ago: the more, the longer the first pause. */
  readonly relapses: number;
}

/** The part of its share that a healing needs. */
export interface HealingHost {
  /** The question which tables the query reads. */
  readonly question: string;
  /** Which tables it has read until now; `undefined` where nobody knows: then it goes by their names. */
  identity(): string | undefined;
  /** The connection of one who follows; `undefined` where nobody does any more: then nothing happens until `resume`. */
  port(): UpstreamPort | undefined;
  /** Reads again on a connection, in a try of its own. */
  refill(port: UpstreamPort, reading: ReadingAgain): void;
  /** It cannot be healed: what clients get, and what stood in the way last. */
  giveUp(error: ReqlError, last: string): void;
}

/** A try to read again. */
export interface ReadingAgain {
  readonly ofThisTry: OfThisTry;
  /** Which tables are read, as the server has said. */
  readonly identity: string;
}

/** Makes a function that does nothing once a try is over. */
export type OfThisTry = <Arguments extends readonly unknown[]>(
  act: (...args: Arguments) => void,
) => (...args: Arguments) => void;

const OTHER_TABLE = 'The name of the table means another one now.';

/** A healing that goes on. */
export class Healing {
  /** What has happened. */
  readonly error: ReqlError;
  #startedAt: number = performance.now();
  readonly #settings: HealingSettings;
  readonly #host: HealingHost;
  #pauses: Pauses;
  #isBegun = false;
  /** The connection that is asked, or read on, or whose timer runs. */
  #port: UpstreamPort | undefined;
  /** Counts the tries, so that what comes late from one that is over is nothing. */
  #try = 0;
  #leaveRefills: (() => void) | undefined;
  /** What has stood in the way last. */
  #last = 'nothing was tried';

  /** `begin` begins it. */
  constructor(settings: HealingSettings, host: HealingHost, error: ReqlError) {
    this.#settings = settings;
    this.#host = host;
    this.error = error;
    this.#pauses = new Pauses(settings.healMs, settings.relapses);
  }

  /** When it began, or went on after nobody had followed. */
  get startedAt(): number {
    return this.#startedAt;
  }

  begin(): void {
    this.#isBegun = true;
    this.#again();
  }

  /** Somebody comes, where nobody has followed: it goes on as one that begins. */
  resume(): void {
    if (!this.#isBegun || this.#port !== undefined) return;
    this.#startedAt = performance.now();
    this.#pauses = new Pauses(this.#settings.healMs);
    this.#again();
  }

  /** The reading has failed. */
  failed(error: ReqlError): void {
    this.#leaveRefills?.();
    const ms = performance.now() - this.#startedAt;
    const passes = isPassing(error, ms);
    // A final error may show data, and is told where the feed ends.
    this.#last = passes ? error.message : 'an error that is final';
    // What is final from some moment on is found out then, and not a pause later.
    if (passes) this.#again(passesFor(error) - ms);
    else this.#host.giveUp(error, this.#last);
  }

  /** A connection goes, or nobody follows over it any more. */
  lost(port: UpstreamPort): void {
    if (port !== this.#port) return;
    this.#leaveRefills?.();
    this.#again();
  }

  /** It has been read again, or nobody wants it any more. */
  end(): void {
    this.#try++;
    this.#port = undefined;
    this.#leaveRefills?.();
  }

  #again(longest?: number): void {
    this.#try++;
    const port = this.#host.port();
    this.#port = port;
    if (port === undefined) return;
    const pause = this.#pauses.next(longest);
    if (pause === undefined) this.#host.giveUp(this.error, this.#last);
    else if (pause === 0) this.#ask(port);
    else
      port.schedule(
        pause,
        this.#ofThisTry(() => this.#ask(port)),
      );
  }

  #ask(port: UpstreamPort): void {
    port.ask(
      this.#host.question,
      this.#ofThisTry((body: Buffer) => this.#answered(port, body)),
    );
  }

  #answered(port: UpstreamPort, body: Buffer): void {
    const identity = readIdentity(body);
    if (identity === undefined) {
      this.#unanswered(readError(body));
      return;
    }
    const known = this.#host.identity();
    if (known !== undefined && known !== identity) {
      this.#host.giveUp(this.error, OTHER_TABLE);
      return;
    }
    const ofThisTry: OfThisTry = (act) => this.#ofThisTry(act);
    this.#leaveRefills = this.#settings.refills.enter(
      identity,
      ofThisTry(() => this.#host.refill(port, { ofThisTry, identity })),
    );
  }

  /** The server does not say which tables they are. A right that was taken is told in its words. */
  #unanswered(error: ReqlError | undefined): void {
    this.#last = error?.message ?? 'The server does not say which tables the query reads.';
    if (error !== undefined && isPassing(error)) this.#again();
    else this.#host.giveUp(error?.errorType === ErrorType.PERMISSION_ERROR ? error : this.error, this.#last);
  }

  /** Answers that come when this try is over count for nothing. */
  #ofThisTry<Arguments extends readonly unknown[]>(act: (...args: Arguments) => void): (...args: Arguments) => void {
    const mine = this.#try;
    return (...args) => {
      if (mine === this.#try) act(...args);
    };
  }
}
