// The way out of the proxy at one of its two ends, and the brake on the other: while the reader is slow, the source of
// the bytes is not read. So what waits in memory is one read and one high-water mark, whatever the size of an answer.

import type { Socket } from 'node:net';

/** Bytes of the proxy's own that may wait before the other end is not read for their sake. */
const MOST_OWN_BYTES = 8 * 1024 * 1024;
/** Writes in one go that are together no longer are copied into one: for the kernel many small pieces are dear. */
const MOST_JOINED_BYTES = 64 * 1024;

/** Bytes go out through here. Callers owe: nothing else writes to `to` while the outlet is in use. */
export class Outlet {
  readonly #to: Socket;
  readonly #source: Brake;
  #full = false;
  #gathering = false;
  /** Writes since `gather` that are to leave as one. What they are too long for corks the socket. */
  #joined: Buffer[] = [];
  #joinedBytes = 0;
  #joinedAreOwn = false;
  #corked = false;
  #drained: (() => void)[] = [];

  constructor(to: Socket, source: Brake) {
    this.#to = to;
    this.#source = source;
    to.on('drain', () => this.#onDrain());
  }

  /** Writes bytes that came from the other end. */
  write(bytes: Buffer): void {
    this.#put(bytes, false);
  }

  /**
   * Writes bytes of the proxy's own; what is added in one go leaves in one system call. Callers owe: where much waits already,
   * they wait as well.
   */
  add(bytes: Buffer): void {
    if (!this.#gathering) {
      this.gather();
      queueMicrotask(() => this.flush());
    }
    this.#put(bytes, true);
  }

  /** Gathers writes until `flush`, so that they leave in one system call. Most often there is one, and it costs nothing. */
  gather(): void {
    this.#gathering = true;
  }

  flush(): void {
    this.#gathering = false;
    this.#sendJoined();
    if (!this.#corked) return;
    this.#corked = false;
    this.#to.uncork();
  }

  /** Bytes written that have not left the process. */
  get backlog(): number {
    return this.#to.writableLength;
  }

  /** Calls back once when nothing waits any more; in a later tick if nothing does now. */
  onDrain(callback: () => void): void {
    if (this.backlog === 0) {
      process.nextTick(callback);
      return;
    }
    this.#drained.push(callback);
    // A socket that was never full emits no `drain`, but it tells when an empty write after all others has left.
    if (!this.#full && this.#drained.length === 1) this.#to.write('', () => this.#onDrain());
  }

  #put(bytes: Buffer, isOwn: boolean): void {
    if (!this.#gathering) {
      this.#send(bytes, isOwn);
      return;
    }
    const isFirst = this.#joined.length === 0;
    if (!isFirst && (isOwn !== this.#joinedAreOwn || this.#joinedBytes + bytes.length > MOST_JOINED_BYTES)) {
      this.#cork();
      this.#sendJoined();
    }
    this.#joined.push(bytes);
    this.#joinedBytes += bytes.length;
    this.#joinedAreOwn = isOwn;
  }

  #send(bytes: Buffer, isOwn: boolean): void {
    if (this.#to.write(bytes) || this.#full) return;
    if (isOwn && this.backlog < MOST_OWN_BYTES) return;
    this.#full = true;
    this.#source.hold();
  }

  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#to.cork();
  }

  #sendJoined(): void {
    const [first] = this.#joined;
    if (first === undefined) return;
    const bytes = this.#joined.length === 1 ? first : Buffer.concat(this.#joined, this.#joinedBytes);
    this.#joined = [];
    this.#joinedBytes = 0;
    this.#send(bytes, this.#joinedAreOwn);
  }

  #onDrain(): void {
    if (this.#full) {
      this.#full = false;
      this.#source.release();
    }
    const drained = this.#drained;
    this.#drained = [];
    for (const callback of drained) callback();
  }
}

/** Stops reading from a socket for as long as anyone holds it. */
export class Brake {
  readonly #socket: Socket;
  #holders = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  hold(): void {
    this.#holders++;
    if (this.#holders === 1) this.#socket.pause();
  }

  release(): void {
    this.#holders--;
    if (this.#holders === 0) this.#socket.resume();
  }
}

/** A holder of a brake: however often it holds, one release is enough. */
export class Hold {
  readonly #brake: Brake;
  #holding = false;

  constructor(brake: Brake) {
    this.#brake = brake;
  }

  hold(): void {
    if (this.#holding) return;
    this.#holding = true;
    this.#brake.hold();
  }

  release(): void {
    if (!this.#holding) return;
    this.#holding = false;
    this.#brake.release();
  }
}
