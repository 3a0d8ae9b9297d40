// An attempt to connect to one upstream server, TLS included.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { keepaliveOptions } from '../connection/keepalive.ts';
import type { ReadBuffer } from '../relay/read-buffer.ts';
import { problemOf, type UpstreamTls } from '../tls.ts';
import type { Address } from './address.ts';

/** The problem where nobody answers. */
export const TIMED_OUT = 'connection timed out';

/** The settings of connecting to upstream servers. Times are milliseconds. */
export interface DialOptions {
  /** What one address gets to accept a connection, TLS included. */
  readonly connectTimeoutMs: number;
  readonly keepaliveMs: number;
  readonly tls?: UpstreamTls | undefined;
  /** Takes what comes in; if absent, the socket tells it as any does. */
  readonly reads?: ReadBuffer;
}

/**
 * Connects to an address; a host name with several addresses is tried at all of them. Calls back once, with the socket or
 * with what went wrong. Returns a function that gives the attempt up: nothing is called back after it.
 */
export function dial(
  { host, port }: Address,
  options: DialOptions,
  settle: (result: Socket | string) => void,
): () => void {
  const { tls, reads } = options;
  const keepalive = keepaliveOptions(options.keepaliveMs);
  const read = reads === undefined ? {} : { onread: reads };
  const where = { host, port, allowHalfOpen: true, noDelay: true, ...keepalive, ...read };
  const socket = tls === undefined ? connect(where) : connectTls({ ...where, ...tls.connectOptions(host) });
  let settled = false;
  const finish = (problem: string | undefined): void => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    socket.off('error', onError);
    socket.off('close', onClose);
    if (problem === undefined) {
      settle(socket);
      return;
    }
    abandon(socket);
    settle(problem);
  };
  const onError = (error: Error): void => finish(problemOf(error));
  const onClose = (): void => finish('connection closed');
  const timer = setTimeout(() => finish(TIMED_OUT), options.connectTimeoutMs);
  socket.on('error', onError);
  socket.on('close', onClose);
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    if (tls !== undefined) {
      // Unlike node:net, node:tls does not look at these options.
      socket.setNoDelay(true);
      socket.setKeepAlive(keepalive.keepAlive, keepalive.keepAliveInitialDelay);
    }
    finish(undefined);
  });
  return () => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    abandon(socket);
  };
}

function abandon(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroy();
}
