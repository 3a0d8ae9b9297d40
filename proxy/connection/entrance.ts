// The entrance that a connection passes before it is a client's: the header of the PROXY protocol, and TLS, where these are wanted.
// Connections that are on their way have no session yet. They count among the clients, and make room where there are too many.

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { Observer } from '../observer/observer.ts';
import { type ClientTlsFiles, problemOf, readClientTls } from '../tls.ts';
import { keepaliveOptions } from './keepalive.ts';
import type { Origin } from './proxy-header.ts';
import { readProxyHeader } from './read-proxy-header.ts';
import { Strangers } from './strangers.ts';

/** The way in which a client has come. */
export interface Arrival {
  /** When it was accepted, in milliseconds on a clock that does not go back. */
  readonly at: number;
  /** Where it is, by who connected for it; `undefined` where it has come by itself. */
  readonly origin: Origin | undefined;
  /** Bytes of its connection that were read and are not its own. */
  readonly headerBytes: number;
}

/** The options of an entrance. Times are milliseconds. */
export interface EntranceOptions {
  readonly clientTls?: ClientTlsFiles | undefined;
  readonly proxyProtocol: boolean;
  readonly handshakeTimeoutMs: number;
  readonly strangerPatienceMs: number;
  readonly keepaliveMs: number;
}

/** The host behind an entrance. */
export interface EntranceHost {
  readonly observer: Pick<Observer, 'headerRefused' | 'tlsFailed'>;
  /** A client is through. */
  accept(socket: Socket, arrival: Arrival): void;
  /** One more is on its way, of all who are. */
  crowded(onTheirWay: Strangers): void;
  /** One is on its way no more. */
  left(): void;
}

/** The way in. */
export interface Entrance {
  /** Where connections come; it listens nowhere yet. */
  readonly server: Server;
  /** How many are on their way. */
  readonly size: number;
  /** Sends away all who are on their way. */
  dismiss(): void;
  /** Reads certificates again. Throws what reading the files throws. */
  reloadTls(): void;
}

/** Makes an entrance. Throws where a certificate cannot be read. */
export function createEntrance(options: EntranceOptions, host: EntranceHost): Entrance {
  const { clientTls, handshakeTimeoutMs } = options;
  const sockets = { allowHalfOpen: true, noDelay: true, ...keepaliveOptions(options.keepaliveMs) };
  const onTheirWay = new Strangers(options.strangerPatienceMs);
  const arrivals = new Map<string, Arrival>();
  const leave = (peer: string): void => {
    onTheirWay.delete(peer);
    arrivals.delete(peer);
    host.left();
  };
  const enter = (socket: Socket): string => {
    const peer = peerOf(socket);
    onTheirWay.add(peer, () => socket.destroy());
    socket.once('close', () => leave(peer));
    host.crowded(onTheirWay);
    return peer;
  };
  const pass = (peer: string, socket: Socket, arrival: Arrival): void => {
    host.accept(socket, arrival);
    leave(peer);
  };

  const secure = clientTls === undefined ? undefined : secureServer(clientTls);
  const server = options.proxyProtocol ? serverOfBalancers() : (secure ?? createServer(sockets, acceptDirectly));
  if (server === secure) secure.on('connection', enter);
  return {
    server,
    get size() {
      return onTheirWay.size;
    },
    dismiss: () => onTheirWay.dismiss(),
    reloadTls() {
      if (clientTls !== undefined) secure?.setSecureContext(readClientTls(clientTls));
    },
  };

  function acceptDirectly(socket: Socket): void {
    host.accept(socket, directly());
  }

  function serverOfBalancers(): Server {
    return createServer(sockets, (socket) => {
      const at = performance.now();
      const peer = enter(socket);
      readProxyHeader(socket, handshakeTimeoutMs, (result) => {
        if (result.kind === 'wrong') {
          host.observer.headerRefused(socket.remoteAddress, result.problem, result.hasLeft);
          socket.destroy();
        } else if (secure === undefined) {
          pass(peer, socket, { at, origin: result.origin, headerBytes: result.bytes });
        } else {
          // The bytes within TLS are counted.
          arrivals.set(peer, { at, origin: result.origin, headerBytes: 0 });
          secure.emit('connection', socket);
        }
      });
    });
  }

  function secureServer(files: ClientTlsFiles): TlsServer {
    const tls = { ...sockets, ...readClientTls(files), handshakeTimeout: handshakeTimeoutMs };
    const made = createTlsServer(tls, (socket) => {
      const peer = peerOf(socket);
      pass(peer, socket, arrivals.get(peer) ?? directly());
    });
    made.on('tlsClientError', (error, socket) => {
      const hasLeft = 'code' in error && error.code === 'ECONNRESET';
      const client = arrivals.get(peerOf(socket))?.origin?.host ?? socket.remoteAddress;
      host.observer.tlsFailed(client, problemOf(error), hasLeft);
      // Node leaves a connection open whose handshake took too long (tls.createServer, `tlsClientError`).
      socket.destroy();
    });
    return made;
  }
}

function directly(): Arrival {
  return { at: performance.now(), origin: undefined, headerBytes: 0 };
}

/** The other end of a connection: `node:tls` gives no way from its socket to the one below. */
function peerOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
