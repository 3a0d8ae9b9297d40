// The answers to a client that ends its feed.

import { ResponseType } from '../../rewrite/reql/protocol.ts';
import type { FeedIo } from '../relay/feed-port.ts';
import { sequenceBody } from '../wire/response.ts';

/**
 * Answers a STOP as RethinkDB does (query_cache.cc): first the query under its token that it interrupts, then those that waited
 * behind that one, which find nothing, then the STOP itself.
 * @param waiting queries under the token that the client has no answer to yet, besides the STOP
 */
export function answerStop(io: FeedIo, waiting: number): void {
  const empty = sequenceBody(ResponseType.SUCCESS_SEQUENCE, []);
  if (waiting > 0) io.toClient(empty);
  for (let behind = waiting - 1; behind > 0; behind--) io.refuseDuplicate();
  io.toClient(empty);
}
