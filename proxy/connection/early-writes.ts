// Messages of a handshake on their way to upstream, from before there is an upstream.

import type { Socket } from 'node:net';

/** Keeps what is written until it is opened to a socket. */
export class EarlyWrites {
  #waiting: Buffer[] = [];
  #socket: Socket | undefined;

  write(bytes: Buffer): void {
    if (this.#socket === undefined) this.#waiting.push(bytes);
    else this.#socket.write(bytes);
  }

  /** Writes what waited, and from here on writes through. */
  openTo(socket: Socket): void {
    this.#socket = socket;
    for (const bytes of this.#waiting) socket.write(bytes);
    this.#waiting = [];
  }
}
