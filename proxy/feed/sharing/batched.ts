// A question that is asked once for all who ask at once. An answer is only of use to those who asked before the question was sent: who asks
// while one is out gets the answer of the next.

/** Sends a question; the answer comes at most once. */
export type Send<Answer> = (answer: (answer: Answer) => void) => void;

/** A question that many ask. */
export class Batched<Answer> {
  readonly #send: Send<Answer>;
  #out: ((answer: Answer) => void)[] = [];
  #next: ((answer: Answer) => void)[] = [];
  #isOut = false;

  constructor(send: Send<Answer>) {
    this.#send = send;
  }

  /** Whether nobody waits for an answer. */
  get isIdle(): boolean {
    return !this.#isOut && this.#next.length === 0;
  }

  ask(answer: (answer: Answer) => void): void {
    this.#next.push(answer);
    if (!this.#isOut) this.#ask();
  }

  #ask(): void {
    this.#isOut = true;
    this.#out = this.#next;
    this.#next = [];
    this.#send((answer) => {
      const asked = this.#out;
      this.#out = [];
      this.#isOut = false;
      if (this.#next.length > 0) this.#ask();
      for (const tell of asked) tell(answer);
    });
  }
}
