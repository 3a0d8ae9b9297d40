// Refusals for size: long live queries, long answers to them, and queries while memory is short.

import { type ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';

/** A response to a feed is gathered whole. V8 makes no text of more than twice as many bytes. */
export const MOST_RESPONSE_BYTES = 256 * 1024 * 1024;
/** A live query of more bytes than the proxy takes. */
export function queryTooLong(bytes: number, limit: number): ReqlError {
  return resourceLimit(
    `This live query is ${bytes} bytes long, and Livefold takes ${limit} at most.  To raise the limit, set \`--max-query-bytes\` of the proxy.`,
  );
}

/** An answer of more bytes than the proxy gathers. */
export function responseTooLong(bytes: number): ReqlError {
  return resourceLimit(
    `The server answers a live query with ${bytes} bytes at once, and Livefold reads ${MOST_RESPONSE_BYTES} at most.  Watch fewer or smaller values.`,
  );
}

/** A live query that is not opened, since memory is short. */
export function shortOfMemory(bytes: number): ReqlError {
  return resourceLimit(
    `Livefold is too short of memory to take a live query of ${bytes} bytes apart.  To raise the limit, give Node a larger heap (\`NODE_OPTIONS=--max-old-space-size\`).`,
  );
}
