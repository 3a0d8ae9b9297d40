// A feed on a raw connection, drained as fast as it comes.

import { QueryType, ResponseType } from '../rewrite/reql/protocol.ts';
import { frameOf, type RawConnection, responseType } from './raw-connection.ts';

const READY = Buffer.from('"state":"ready"');

/** Settings of a feed that is read. */
export interface FeedTarget {
  /** The feed has said that it is ready. */
  ready?(): void;
  /** A batch has come: after the feed is ready, or any where the feed tells no states. */
  batch?(body: Buffer): void;
  failed(error: Error): void;
}

/** Opens a feed; returns what ends it. */
export function openFeed(connection: RawConnection, query: string, target: FeedTarget): () => void {
  const token = connection.nextToken();
  const more = frameOf(token, `[${QueryType.CONTINUE}]`);
  let ready = target.ready === undefined;
  connection.listen(token, (body) => {
    const type = responseType(body, 0);
    if (type === ResponseType.SUCCESS_PARTIAL) connection.socket.write(more);
    else if (type >= ResponseType.CLIENT_ERROR) target.failed(new Error(`${body} for ${query}`));
    if (ready) target.batch?.(body);
    else if (body.includes(READY)) {
      ready = true;
      target.ready?.();
    }
  });
  connection.socket.write(frameOf(token, query));
  return () => connection.socket.write(frameOf(token, `[${QueryType.STOP}]`));
}

/** Opens a feed that has `includeStates`, and resolves when it is ready, with the milliseconds that took. */
export function untilReady(connection: RawConnection, query: string, batch?: (body: Buffer) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    openFeed(connection, query, {
      ready: () => resolve(performance.now() - start),
      failed: reject,
      ...(batch === undefined ? {} : { batch }),
    });
  });
}
