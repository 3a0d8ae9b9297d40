// Finds the moments when upstream has told all that it has to tell. One write may come as changes of several sources, in
// several answers. RethinkDB queues them all before it sends the first (changefeed.cc), so that the next of them answers a
// CONTINUE at once. When the CONTINUE is out, QUIET_MS have passed, and two questions sent one after the other are answered
// before it, nothing was left to send: the first answer says that the CONTINUE was read, the second that it found nothing.

import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { FeedIo, FeedQuery } from '../feed-port.ts';

/** How long nothing may come, in milliseconds. */
export const QUIET_MS = 5;
/** How long what has come waits at most, in milliseconds, while more keeps coming. */
export const LONGEST_WAIT_MS = 1000;

/** A question that any server answers at once. */
const QUESTION = `[${QueryType.START},null]`;
const QUESTIONS = 2;

/** Calls back when upstream is quiet. */
export class Quiet {
  readonly #io: FeedIo;
  readonly #serial: boolean;
  readonly #act: () => void;
  /** Counts what came, so that an answer knows whether something came meanwhile. */
  #turn = 0;
  #cancelWait: (() => void) | undefined;
  #cancelLongest: (() => void) | undefined;

  constructor(io: FeedIo, protocol: FeedQuery['protocol'], act: () => void) {
    this.#io = io;
    // There a question would wait for the answer to the CONTINUE.
    this.#serial = protocol === 'V0_3';
    this.#act = act;
  }

  /** Something has come: calls back once upstream is quiet, or after `LONGEST_WAIT_MS`. */
  wait(): void {
    this.#turn++;
    this.#cancelWait?.();
    this.#cancelWait = this.#io.schedule(QUIET_MS, () => this.#asks());
    this.#cancelLongest ??= this.#io.schedule(LONGEST_WAIT_MS, () => this.#over());
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
    if (questions === 0) this.#over();
    else this.#io.ask(QUESTION, () => this.#ask(questions - 1, turn));
  }

  #over(): void {
    this.stop();
    this.#act();
  }
}
