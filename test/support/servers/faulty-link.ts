// A link between two ends of TCP that does to the bytes what networks do.

import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../proxy/upstream/address.ts';

/** What a link does. Bytes are counted over both directions together. */
export type Fault =
  | { readonly kind: 'none' }
  /** Each chunk comes so many milliseconds late. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Chunks of at most so many bytes, each in a turn of its own. */
  | { readonly kind: 'recut'; readonly size: number }
  /** After so many bytes both ends see an orderly end. */
  | { readonly kind: 'end'; readonly after: number }
  /** After so many bytes both ends see a reset. */
  | { readonly kind: 'reset'; readonly after: number }
  /** After so many bytes the end that dialed is gone, and the other one sees an orderly end. */
  | { readonly kind: 'half'; readonly after: number };

export interface FaultyLink {
  readonly address: Address;
  /** Sockets, on both sides, that are not closed. */
  readonly open: number;
  /** From now on nothing comes through, and neither end is told. */
  swallow(): void;
  close(): Promise<void>;
}

/**
 * Starts a link that leads to `target`, on any free port or the one that is given. A function is asked for the fault of each
 * connection.
 */
export async function faultyLink(target: Address, fault: Fault | (() => Fault), port = 0): Promise<FaultyLink> {
  const sockets = new Set<Socket>();
  let swallows = false;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true, noDelay: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    }
    join(near, far, typeof fault === 'function' ? fault() : fault, () => swallows);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no address');
  return {
    address: { host: '127.0.0.1', port: bound.port },
    get open() {
      return sockets.size;
    },
    swallow() {
      swallows = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(near: Socket, far: Socket, fault: Fault, swallows: () => boolean): void {
  let count = 0;
  let broken = false;
  const limit = 'after' in fault ? fault.after : Number.POSITIVE_INFINITY;
  const breakDown = (): void => {
    broken = true;
    if (fault.kind === 'reset') {
      near.resetAndDestroy();
      far.resetAndDestroy();
    } else {
      far.end();
      if (fault.kind === 'half') near.destroy();
      else near.end();
    }
  };
  const carry = (from: Socket, to: Socket): void => {
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      last = last.then(async () => {
        if (broken || swallows()) return;
        const allowed = chunk.subarray(0, Math.max(0, limit - count));
        count += allowed.length;
        await send(to, allowed, fault);
        if (count >= limit) breakDown();
      });
    });
    from.on('end', () => {
      last = last.then(() => {
        if (!broken && !swallows()) to.end();
      });
    });
    from.on('close', () => {
      last = last.then(() => {
        if (!broken && !swallows() && !to.writableEnded) to.destroy();
      });
    });
  };
  carry(near, far);
  carry(far, near);
}

async function send(to: Socket, chunk: Buffer, fault: Fault): Promise<void> {
  if (fault.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  const size = fault.kind === 'recut' ? fault.size : chunk.length;
  for (let at = 0; at < chunk.length; at += size) {
    if (to.destroyed) return;
    to.write(chunk.subarray(at, at + size));
    if (size < chunk.length) await new Promise((resolve) => setImmediate(resolve));
  }
}
