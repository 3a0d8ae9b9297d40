// The words for how things in a proxy come out: closed lists, so that whoever counts by them counts a few things only. What each
// word means stands in the table of metrics (`src/admin/metric-table.ts`).

import type { ErrorType, ResponseType } from '../../rewrite/reql/protocol.ts';

/** A party that can end a connection. */
export type Party = 'client' | 'upstream' | 'proxy';

/** The outcome of a handshake. */
export type HandshakeOutcome =
  | 'accepted'
  | 'refused'
  | 'unknown'
  | 'late'
  | 'evicted'
  | 'unreachable'
  | 'full'
  | 'header'
  | 'tls'
  | 'left';

/** The outcome of a query that might have joined a feed of others. */
export type JoinOutcome = 'joined' | 'denied' | 'renamed' | 'over';

/** The cause for which a feed is read again. */
export type HealingCause = 'carrier' | 'overflow' | 'index' | 'silence' | 'outgrown' | 'cluster';

/** Kinds of errors, in RethinkDB's names; those of whole responses come last. */
export const ERROR_KINDS = [
  'INTERNAL',
  'RESOURCE_LIMIT',
  'QUERY_LOGIC',
  'NON_EXISTENCE',
  'OP_FAILED',
  'OP_INDETERMINATE',
  'USER',
  'PERMISSION_ERROR',
  'CLIENT_ERROR',
  'COMPILE_ERROR',
  'RUNTIME_ERROR',
] as const satisfies readonly (keyof typeof ErrorType | keyof typeof ResponseType)[];
export type ErrorKind = (typeof ERROR_KINDS)[number];

/**
 * The reason of a feed's end: by its client, by itself, with its connection, with upstream's end of that, since the proxy stops, or with
 * an error of a kind.
 */
export type EndReason = 'stopped' | 'complete' | 'closed' | 'upstream_lost' | 'stopping' | ErrorKind;

/** The reason of a refusal: the query cannot be watched, it is too long, memory is short, or an error of a kind. */
export type RefusalReason = 'unsupported' | 'too_long' | 'memory' | ErrorKind;
