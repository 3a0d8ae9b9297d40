// Finds the moments when upstream has told all that it has to tell. One write may come as changes of several sources, in
// several answers. RethinkDB queues them all before it sends the first (changefeed.cc), so that the next of them answers a
// CONTINUE at once. When the CONTINUE is out, QUIET_MS have passed, and two questions sent one after the other are answered
// before it, nothing was left to send: the first answer says that the CONTINUE was read, the second that it found nothing.

import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { QueryType } from '../../../rewrite/reql/protocol.ts';
import type { FeedQuery, UpstreamPort } from '../../relay/feed-port.ts';

/** The length of a silence after which a moment is quiet, in milliseconds. */
export const QUIET_MS = 5;
/** The longest time that a change waits, in milliseconds, while more keeps coming. */
export const LONGEST_WAIT_MS = 1000;
/** The longest time that it waits where it may only be shown at a quiet moment. */
export const LONGEST_UNREST_MS = 30_000;

/** The error of a feed that may only be shown when upstream is quiet, which it never is. */
export function neverQuiet(origin: Origin | undefined): ReqlError {
  return opFailed(
    `Cannot show a moment of the query: changes have come without a pause for ${LONGEST_UNREST_MS / 1000} seconds, and one write is several of them. Read the table by its primary key and by indexes of plain fields, or watch its selections by themselves.`,
    origin,
  );
}

/** A question that any server answers at once. */
export const QUESTION = `[${QueryType.START},null]`;
const QUESTIONS = 2;

/** What is waited for, and what is done while it does not come. */
interface QuietSettings {
  readonly protocol: FeedQuery['protocol'];
  /** Upstream is quiet. */
  readonly act: () => void;
  /** It has not been for `ms`. */
  readonly late: { readonly ms: number; readonly act: () => void };
}

/** Calls back when upstream is quiet, or has not been for long. */
export class Quiet {
  readonly #port: UpstreamPort;
  readonly #serial: boolean;
  readonly #act: () => void;
  readonly #late: QuietSettings['late'];
  /** Counts what came, so that an answer knows whether something came meanwhile. */
  #turn = 0;
  #cancelWait: (() => void) | undefined;
  #cancelLongest: (() => void) | undefined;

  constructor(port: UpstreamPort, { protocol, act, late }: QuietSettings) {
    this.#port = port;
    // There a question would wait for the answer to the CONTINUE.
    this.#serial = protocol === 'V0_3';
    this.#act = act;
    this.#late = late;
  }

  /** Whether something has come that waits for upstream to be quiet. */
  get isWaiting(): boolean {
    return this.#cancelLongest !== undefined;
  }

  /** Something has come, and upstream has been asked for more. */
  wait(): void {
    this.came();
    this.#cancelWait = this.#port.schedule(QUIET_MS, () => this.#asks());
  }

  /** Something has come that is to be worked on before upstream can be found to be quiet. */
  came(): void {
    this.#turn++;
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#cancelLongest ??= this.#port.schedule(this.#late.ms, () => this.#over(this.#late.act));
  }

  /** Calls back no more. */
  stop(): void {
    this.#turn++;
    this.#cancelWait?.();
    this.#cancelLongest?.();
    this.#cancelWait = undefined;
    this.#cancelLongest = undefined;
  }

  #asks(): void {
    this.#cancelWait = undefined;
    this.#ask(this.#serial ? 0 : QUESTIONS, this.#turn);
  }

  #ask(questions: number, turn: number): void {
    if (turn !== this.#turn) return;
    if (questions === 0) this.#over(this.#act);
    else this.#port.ask(QUESTION, () => this.#ask(questions - 1, turn));
  }

  #over(act: () => void): void {
    this.stop();
    act();
  }
}
