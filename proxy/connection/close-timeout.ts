// The time that two ends get to close by themselves once one of them has.

import type { Socket } from 'node:net';

const CLOSE_TIMEOUT_MS = 1000;

/**
 * Calls back when a socket has had its time; one that still reads what is waiting for it gets as much again. Returns a function
 * that cancels it.
 */
export function afterCloseTimeout(reader: Socket, over: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const written = reader.bytesWritten - reader.writableLength;
    timer = setTimeout(() => {
      const waiting = reader.writableLength;
      if (waiting > 0 && reader.bytesWritten - waiting > written) wait();
      else over();
    }, CLOSE_TIMEOUT_MS);
  };
  wait();
  return () => clearTimeout(timer);
}
