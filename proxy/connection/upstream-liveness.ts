// Tells an upstream that has nothing to say from one that is gone without a word: a network that swallows packets, a process
// that hangs. TCP's own probes find neither while bytes are unacknowledged or an intermediary acknowledges them. It knows
// no sockets and no clock; callers owe it looks at regular times, more often than the patience.
//
//   silent for one patience: it is asked     for two: is anybody there?     for ten: gone
//
// A server that does not answer a question may be busy: RethinkDB answers nothing on any connection while one query holds its
// threads, and its own clients wait. One that still accepts connections is waited for; one that does not is gone.

/** The activity of a connection to upstream at one moment. */
export interface UpstreamActivity {
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

/**
 * What follows: nothing; a question that a living upstream answers at once; that somebody should look whether it accepts
 * connections (`reached` takes the answer); or that it is gone.
 */
export type LivenessVerdict = 'fine' | 'ask' | 'look' | 'gone';

/** Whether a server accepts connections; `unanswered`: nothing came in time, as from one whose queue of connections is full. */
export type Reachable = 'accepts' | 'refuses' | 'unanswered';

/** So many times the patience a server may be busy. */
const MOST_PATIENCES = 10;
/** So many looks in a row that nobody answers, and it is gone. */
const MOST_UNANSWERED = 2;

/** So many queries without an answer may be in the way before a question behind them tells nothing. */
const MOST_NOREPLY = 100;

/** The liveness of one upstream connection, as its activity tells. */
export class UpstreamLiveness {
  readonly #patienceMs: number;
  #received = -1;
  #sent = -1;
  #noreply = 0;
  #since = 0;
  /** How many times the patience has been over since it last said anything. */
  #patiences = 0;
  #unanswered = 0;
  #isGone = false;

  /** After so many milliseconds of silence upstream is asked. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  look({ now, received, sent, backlog, noreply, answerable }: UpstreamActivity): LivenessVerdict {
    // With a backlog the system's buffer is full: bytes that leave it have been acknowledged.
    const moves = received !== this.#received || (backlog && sent !== this.#sent);
    this.#received = received;
    this.#sent = sent;
    if (moves || !answerable || noreply - this.#noreply > MOST_NOREPLY) {
      if (moves) this.#noreply = noreply;
      this.#since = now;
      this.#patiences = 0;
      this.#unanswered = 0;
      this.#isGone = false;
      return 'fine';
    }
    if (this.#isGone) return 'gone';
    if (now - this.#since < this.#patienceMs) return 'fine';
    this.#since = now;
    this.#patiences++;
    if (this.#patiences === 1) return 'ask';
    return this.#patiences < MOST_PATIENCES ? 'look' : 'gone';
  }

  /** What a look has found; what follows from it the next verdict says. */
  reached(reachable: Reachable): void {
    this.#unanswered = reachable === 'unanswered' ? this.#unanswered + 1 : 0;
    // It may have said something meanwhile.
    if (this.#patiences < 2) return;
    this.#isGone = reachable === 'refuses' || this.#unanswered >= MOST_UNANSWERED;
  }
}
