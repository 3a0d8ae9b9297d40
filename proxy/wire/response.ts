// Responses: their head read without parsing them, and those that are not the server's built in the server's own form.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { ResponseType } from '../../rewrite/reql/protocol.ts';
import { printToken, type Token } from './frame.ts';

/** The part of a response that its two ends tell. */
export interface ResponseHead {
  /** The response's type (ql2.proto, enum ResponseType), or 0 where the body does not begin as a server's does. */
  readonly type: number;
  /** Notes, in the server's order; empty where there are none. */
  readonly notes: readonly number[];
}

const TYPE = /^\s*\{\s*"t"\s*:\s*(\d+)/;
const NOTES = /"n"\s*:\s*\[([\d,\s]*)\]\s*\}\s*$/;

/** The type and the notes of a response. The server writes `t` first and, on sequences only, `n` last (json.cc). */
export function readResponseHead(body: Buffer): ResponseHead {
  const type = Number(TYPE.exec(body.toString('latin1', 0, 32))?.[1] ?? 0);
  if (type !== ResponseType.SUCCESS_PARTIAL && type !== ResponseType.SUCCESS_SEQUENCE) return { type, notes: [] };
  const tail = body.toString('latin1', Math.max(0, body.length - 64));
  const list = NOTES.exec(tail)?.[1] ?? '';
  return { type, notes: list === '' ? [] : list.split(',').map(Number) };
}

const SERVER_ID = /"id"\s*:\s*"([^"]+)"/;

/** The id of the server, of its answer to SERVER_INFO; `undefined` where it does not say. */
export function readServerId(body: Buffer): string | undefined {
  return readResponseHead(body).type === ResponseType.SERVER_INFO ? SERVER_ID.exec(body.toString())?.[1] : undefined;
}

/** The body of a response that carries an error: `t`, `e` (runtime errors only), `r` and `b`, as the server orders them. */
export function errorBody(error: ReqlError): string {
  const kind = error.errorType === undefined ? '' : `,"e":${error.errorType}`;
  return `{"t":${error.responseType}${kind},"r":[${JSON.stringify(error.message)}],"b":${JSON.stringify(error.frames)}}`;
}

/** A sequence or a part of one, out of items that are JSON already. Drivers crash where `n` is missing. */
export function sequenceBody(
  type: typeof ResponseType.SUCCESS_PARTIAL | typeof ResponseType.SUCCESS_SEQUENCE,
  items: readonly string[],
  notes: readonly number[] = [],
): string {
  return `{"t":${type},"r":[${items.join(',')}],"n":[${notes.join(',')}]}`;
}

/** The body of a response with one value that is JSON already. */
export function atomBody(item: string): string {
  return `{"t":${ResponseType.SUCCESS_ATOM},"r":[${item}]}`;
}

/** The answer to NOREPLY_WAIT. */
export const WAIT_COMPLETE_BODY = `{"t":${ResponseType.WAIT_COMPLETE},"r":[]}`;

/** The text for a START or NOREPLY_WAIT under a token still in use (query_cache.cc, create and noreply_wait). */
export function duplicateToken(token: Token): string {
  return `ERROR: duplicate token ${printToken(token)}`;
}

/** The text for a CONTINUE or STOP under a token not in use (query_cache.cc, get). */
export function tokenNotInCache(token: Token): string {
  return `Token ${printToken(token)} not in stream cache.`;
}
