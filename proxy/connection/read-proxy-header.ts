// Reads the header of the PROXY protocol from a fresh connection, and leaves what comes after it where it was.

import type { Socket } from 'node:net';
import { type HeaderVerdict, ProxyHeader } from './proxy-header.ts';

/** The result of reading a header. `hasLeft`: the other end went without a word, as whoever only looks whether somebody listens does. */
export type HeaderResult =
  | Extract<HeaderVerdict, { readonly kind: 'whole' }>
  | { readonly kind: 'wrong'; readonly problem: string; readonly hasLeft: boolean };

/** Reads one header. Calls back once, unless the connection is destroyed by the caller. */
export function readProxyHeader(socket: Socket, timeoutMs: number, settle: (result: HeaderResult) => void): void {
  const header = new ProxyHeader();
  const finish = (result: HeaderResult): void => {
    clearTimeout(timer);
    socket.off('readable', read);
    socket.off('end', ended);
    socket.off('error', failed);
    socket.off('close', closed);
    settle(result);
  };
  const fail = (problem: string): void => {
    finish({ kind: 'wrong', problem, hasLeft: socket.bytesRead === 0 && problem !== LATE });
  };
  const read = (): void => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    const verdict = header.push(chunk);
    if (verdict.kind === 'wrong') fail(verdict.problem);
    if (verdict.kind !== 'whole') return;
    if (verdict.rest.length > 0) socket.unshift(verdict.rest);
    finish(verdict);
  };
  const ended = (): void => fail('the connection ended in the middle of it');
  const failed = (error: Error): void => fail(error.message);
  const closed = (): void => clearTimeout(timer);
  const timer = setTimeout(() => fail(LATE), timeoutMs);
  socket.on('readable', read);
  socket.on('end', ended);
  socket.on('error', failed);
  socket.on('close', closed);
}

const LATE = 'it did not come in time';
