// Load: pipelined queries for a while, or one after the other.

import { ResponseType } from '../rewrite/reql/protocol.ts';
import { frameOf, type RawConnection, responseType } from './raw-connection.ts';

/** Queries of one length, ready to be sent in runs. */
export class QueryRing {
  readonly #bytes: Buffer;
  readonly #count: number;
  readonly #size: number;
  #next = 0;

  private constructor(bytes: Buffer, count: number) {
    this.#bytes = bytes;
    this.#count = count;
    this.#size = bytes.length / count;
    if (!Number.isInteger(this.#size)) throw new RangeError('queries of different lengths');
  }

  /** All queries have to be equally long. Their tokens are their places, so that no more may be under way than there are. */
  static of(queries: readonly string[]): QueryRing {
    return new QueryRing(Buffer.concat(queries.map((query, index) => frameOf(index + 1, query))), queries.length);
  }

  /** The same queries for another connection. */
  another(): QueryRing {
    return new QueryRing(this.#bytes, this.#count);
  }

  /** The next `count` queries, in one or two runs of bytes. */
  send(connection: RawConnection, count: number): void {
    let left = count;
    while (left > 0) {
      const run = Math.min(left, this.#count - this.#next);
      const start = this.#next * this.#size;
      connection.socket.write(this.#bytes.subarray(start, start + run * this.#size));
      this.#next = (this.#next + run) % this.#count;
      left -= run;
    }
  }
}

/** Keeps `depth` queries under way on each connection for `ms` milliseconds. Gives how many were answered a second. */
export async function pipelined(
  loads: readonly { readonly connection: RawConnection; readonly ring: QueryRing }[],
  depth: number,
  ms: number,
): Promise<number> {
  const start = performance.now();
  const counts = await Promise.all(
    loads.map(({ connection, ring }) => oneConnection(connection, ring, depth, start + ms)),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - start);
}

function oneConnection(connection: RawConnection, ring: QueryRing, depth: number, until: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let done = 0;
    let sent = depth;
    let answered = 0;
    connection.receive = (_token, bytes, start) => {
      answered++;
      if (responseType(bytes, start) >= ResponseType.CLIENT_ERROR) reject(new Error(bytes.toString('utf8', start)));
    };
    connection.afterRead = () => {
      const more = performance.now() < until ? answered : 0;
      done += answered;
      answered = 0;
      if (more > 0) ring.send(connection, more);
      sent += more;
      if (done < sent) return;
      connection.receive = () => {};
      connection.afterRead = () => {};
      resolve(done);
    };
    ring.send(connection, depth);
  });
}

/** Runs one query after the other for `ms` milliseconds; the time that each takes, in microseconds. */
export function roundTrips(connection: RawConnection, ring: QueryRing, ms: number): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const times: number[] = [];
    let begun = performance.now();
    const until = begun + ms;
    connection.receive = () => {
      const now = performance.now();
      times.push((now - begun) * 1000);
      if (now >= until) {
        connection.receive = () => {};
        resolve(times);
        return;
      }
      begun = performance.now();
      ring.send(connection, 1);
    };
    ring.send(connection, 1);
  });
}
