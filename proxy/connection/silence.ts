// Tells an upstream that has nothing to say from one that is gone without a word: a network that swallows packets, a process
// that hangs. TCP's own probes find neither while bytes are unacknowledged or an intermediary acknowledges them. It knows
// no sockets and no clock; callers owe it looks at regular times, more often than the patience.

/** What a look sees of the connection to upstream. */
export interface Sight {
  /** Milliseconds on any clock that does not go back. */
  readonly now: number;
  /** Bytes that upstream has sent so far. */
  readonly received: number;
  /** Bytes that have left the process towards upstream so far, and whether others wait for them. */
  readonly sent: number;
  readonly backlog: boolean;
  /** Queries without an answer that upstream has been sent so far. */
  readonly noreply: number;
  /** Whether upstream owes an answer, may send it, and would answer a question at once. */
  readonly answerable: boolean;
}

/** What follows: nothing; a question that a living upstream answers at once; or that it is gone. */
export type SilenceVerdict = 'fine' | 'ask' | 'gone';

/** So many queries without an answer may be in the way before a question behind them tells nothing. */
const MOST_NOREPLY = 100;

/** The silence of one upstream connection. */
export class Silence {
  readonly #patienceMs: number;
  #received = -1;
  #sent = -1;
  #noreply = 0;
  #since = 0;
  #asked = false;

  /** After so many milliseconds of silence upstream is asked, after as many more it is gone. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  look({ now, received, sent, backlog, noreply, answerable }: Sight): SilenceVerdict {
    // With a backlog the system's buffer is full: what leaves it has been acknowledged.
    const moves = received !== this.#received || (backlog && sent !== this.#sent);
    this.#received = received;
    this.#sent = sent;
    if (moves || !answerable || noreply - this.#noreply > MOST_NOREPLY) {
      if (moves) this.#noreply = noreply;
      this.#since = now;
      this.#asked = false;
      return 'fine';
    }
    if (now - this.#since < this.#patienceMs) return 'fine';
    this.#since = now;
    if (this.#asked) return 'gone';
    this.#asked = true;
    return 'ask';
  }
}
