// Cuts a stream of bytes into frames, however the stream was cut on its way. It holds nothing but what it was asked to
// collect: bytes of frames that pass leave as the slices they came in, as few and as long as possible.
// Callers owe: no bytes kept from `pass` or `frame` are written to, and `push` is not called from inside a sink.

import { HEADER_BYTES, readLength } from './frame.ts';

/** The verdict on a frame: let it through as it comes, gather it whole, show more of it first, or let go of its bytes. */
export const Verdict = { PASS: 0, COLLECT: 1, MORE: 2, DROP: 3 } as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/** Of a frame that came in pieces and was not kept, so many of its last bytes are shown, at the most. */
const TAIL_BYTES = 1024;

/** The sink that a splitter asks, and to which it delivers. */
export interface FrameSink {
  /**
   * Decides about the frame whose header is at `bytes[start]`; its bytes up to `end` are at hand. `length` is the body
   * length it claims. MORE is allowed while the frame is not wholly at hand and fewer than `headBytes` of it are.
   */
  look(bytes: Buffer, start: number, end: number, length: number): Verdict;
  /**
   * More of the frame that is being collected has come: `bytes[start..end)`. COLLECT to go on, PASS to let what was
   * collected and the rest through after all, DROP to let go of it. All frames are collected to their end if absent.
   */
  more?(bytes: Buffer, start: number, end: number): Verdict;
  /** Takes bytes that go on unchanged: any run of whole frames and of parts of a passing frame. */
  pass(bytes: Buffer): void;
  /** A part of a frame that passes in pieces, `bytes[start..end)`, passes; all parts of it are shown. */
  passing?(bytes: Buffer, start: number, end: number): void;
  /** A frame that passed in pieces has passed: its last bytes, 1 KiB at the most. */
  passedOn?(tail: Buffer): void;
  /** A frame that was dropped is over: its header, and its last bytes as of `passedOn`. */
  dropped?(header: Buffer, tail: Buffer): void;
  /** Takes a collected frame, header included. `false`: not wanted after all, so the splitter passes it. */
  frame(frame: Buffer): boolean;
}

type State = 'head' | 'passing' | 'collecting' | 'dropping';

/** A splitter of one direction of one connection. */
export class Splitter {
  readonly #sink: FrameSink;
  readonly #headBytes: number;
  #state: State = 'head';
  /** Bytes of the current frame not yet here; in every state but `head`. */
  #missing = 0;
  /** In `head`: the start of a frame, not yet decided about. In `collecting`: all pieces of the frame so far. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #passed = 0;
  #waiting: (() => void)[] = [];
  /** The header of the frame that is dropped. */
  #header: Buffer = Buffer.alloc(0);
  /** The last bytes so far of a frame that passes or is dropped in pieces; `undefined` for one that came in one. */
  #tail: Buffer | undefined;

  /** `headBytes`: how many bytes of a frame, header included, the sink needs at most to decide. */
  constructor(sink: FrameSink, headBytes: number = HEADER_BYTES) {
    this.#sink = sink;
    this.#headBytes = Math.max(headBytes, HEADER_BYTES);
  }

  /** Whether part of a frame has been passed on and the rest is still to come: nothing may be put in between. */
  get passing(): boolean {
    return this.#state === 'passing';
  }

  /** Frames passed on so far, the one that is passing included. */
  get passed(): number {
    return this.#passed;
  }

  /**
   * Runs an action where a frame of one's own may be put into the stream that `pass` sees: at once, or when the frame
   * that is passing has passed. Not to be called from inside `look`.
   */
  betweenFrames(action: () => void): void {
    if (this.#state === 'passing' || this.#waiting.length > 0) this.#waiting.push(action);
    else action();
  }

  /** Bytes that were received but neither passed nor delivered. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): void {
    let at = 0;
    if (this.#heldBytes > 0) at = this.#resume(chunk);
    let from = at;
    // Where the frame that `at` is in begins in this chunk.
    let first = at;
    const end = chunk.length;
    while (at < end) {
      if (this.#state === 'passing' || this.#state === 'dropping') {
        const step = Math.min(this.#missing, end - at);
        at += step;
        this.#missing -= step;
        if (this.#state === 'dropping') from = at;
        else if (this.#missing > 0 || this.#tail !== undefined) this.#sink.passing?.(chunk, at - step, at);
        if (this.#missing > 0) {
          if (this.#wantsTail) this.#tail = lastBytes(this.#tail, chunk.subarray(first, at));
          continue;
        }
        const dropped = this.#state === 'dropping';
        this.#state = 'head';
        if (dropped || this.#tail !== undefined) this.#tellEnd(dropped, chunk.subarray(first, at));
        if (this.#waiting.length > 0) {
          if (from < at) this.#sink.pass(chunk.subarray(from, at));
          from = at;
          this.#runWaiting();
        }
        continue;
      }
      const size = end - at < HEADER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES + readLength(chunk, at);
      const verdict = this.#look(chunk, at, end, size);
      first = at;
      if (verdict === Verdict.PASS) {
        this.#passed++;
        this.#missing = size;
        this.#state = 'passing';
        continue;
      }
      if (from < at) this.#sink.pass(chunk.subarray(from, at));
      from = at;
      if (verdict === Verdict.DROP) {
        this.#missing = size;
        this.#beginDrop(chunk.subarray(at, at + HEADER_BYTES));
        continue;
      }
      if (verdict === Verdict.MORE) {
        this.#hold(chunk.subarray(at));
        return;
      }
      const next = Math.min(end, at + size);
      this.#collect(chunk.subarray(at, next), size);
      at = next;
      from = at;
    }
    if (from < end) this.#sink.pass(from === 0 ? chunk : chunk.subarray(from));
  }

  /** The header of the frame that is being collected; `undefined` where none is. */
  get collecting(): Buffer | undefined {
    return this.#state === 'collecting' ? Buffer.concat(this.#held, HEADER_BYTES) : undefined;
  }

  /** Lets go of the frame that is being collected, and of the rest of it as it comes. False where none is. */
  drop(): boolean {
    if (this.#state !== 'collecting') return false;
    this.#dropHeld();
    return true;
  }

  get #wantsTail(): boolean {
    return this.#state === 'dropping' || this.#sink.passedOn !== undefined;
  }

  #beginDrop(header: Buffer): void {
    this.#state = 'dropping';
    this.#header = Buffer.from(header);
  }

  #dropHeld(): void {
    const held = this.#release();
    this.#beginDrop(Buffer.concat(held, HEADER_BYTES));
    for (const piece of held) this.#tail = lastBytes(this.#tail, piece);
  }

  #passHeld(): void {
    this.#state = 'passing';
    this.#passed++;
    for (const piece of this.#release()) {
      this.#sink.pass(piece);
      this.#sink.passing?.(piece, 0, piece.length);
      if (this.#wantsTail) this.#tail = lastBytes(this.#tail, piece);
    }
  }

  #tellEnd(dropped: boolean, piece: Buffer): void {
    const tail = lastBytes(this.#tail, piece);
    this.#tail = undefined;
    if (dropped) this.#sink.dropped?.(this.#header, tail);
    else this.#sink.passedOn?.(tail);
  }

  /** `size`: the frame's, header included; infinity while the header is not wholly at hand. */
  #look(bytes: Buffer, at: number, end: number, size: number): Verdict {
    const here = end - at;
    if (here < HEADER_BYTES) return Verdict.MORE;
    const verdict = this.#sink.look(bytes, at, size < here ? at + size : end, size - HEADER_BYTES);
    if (verdict === Verdict.MORE && (here >= this.#headBytes || here >= size)) return Verdict.COLLECT;
    return verdict;
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  /** Goes on with a frame whose first bytes came in earlier chunks. Returns how much of `chunk` that took. */
  #resume(chunk: Buffer): number {
    let seen = 0;
    if (this.#state === 'head') {
      // The bytes held here are few (fewer than headBytes), so joining them anew with each arrival costs little.
      const head = Buffer.concat([...this.#held, chunk.subarray(0, this.#headBytes - this.#heldBytes)]);
      const size = head.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES + readLength(head);
      const verdict = this.#look(head, 0, head.length, size);
      if (verdict === Verdict.MORE) {
        this.#hold(chunk);
        return chunk.length;
      }
      seen = head.length - this.#heldBytes;
      this.#missing = size - this.#heldBytes;
      this.#state = 'collecting';
      if (verdict !== Verdict.COLLECT) return this.#turn(verdict);
    }
    const step = Math.min(this.#missing, chunk.length);
    if (this.#sink.more !== undefined && seen < step) {
      const verdict = this.#sink.more(chunk, seen, step);
      if (verdict === Verdict.PASS || verdict === Verdict.DROP) return this.#turn(verdict);
    }
    this.#missing -= step;
    this.#hold(chunk.subarray(0, step));
    if (this.#missing === 0) this.#deliver();
    return step;
  }

  /** What is held is not to be collected. None of the chunk at hand is taken by that. */
  #turn(verdict: typeof Verdict.PASS | typeof Verdict.DROP): number {
    if (verdict === Verdict.PASS) this.#passHeld();
    else this.#dropHeld();
    return 0;
  }

  #collect(piece: Buffer, size: number): void {
    this.#hold(piece);
    this.#state = 'collecting';
    this.#missing = size - piece.length;
    if (this.#missing === 0) this.#deliver();
  }

  #deliver(): void {
    const held = this.#release();
    this.#state = 'head';
    const [first] = held;
    const frame = held.length === 1 && first !== undefined ? first : Buffer.concat(held);
    if (this.#sink.frame(frame)) return;
    this.#passed++;
    this.#sink.pass(frame);
  }

  #runWaiting(): void {
    const actions = this.#waiting;
    this.#waiting = [];
    for (const action of actions) action();
  }

  #release(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }
}

/** The last bytes of a frame of which `before` is the end so far. A copy, which keeps no chunk alive. */
function lastBytes(before: Buffer | undefined, piece: Buffer): Buffer {
  if (before === undefined || piece.length >= TAIL_BYTES) return Buffer.from(piece.subarray(-TAIL_BYTES));
  return Buffer.concat([before, piece]).subarray(-TAIL_BYTES);
}
