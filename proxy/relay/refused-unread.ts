// The server's refusals of queries that were too long to be looked into. Where a live feed is beside others in it, the server refuses it
// in words that do not tell of the proxy, and of what would help.

import { ReqlError } from '../../rewrite/reql/error.ts';
import { ErrorType, ResponseType } from '../../rewrite/reql/protocol.ts';
import { errorBody } from '../wire/response.ts';

/** Longer answers are no errors. */
const MOST_BYTES = 64 * 1024;

/**
 * The answer with both reasons, where the server refuses a query that calls CHANGES for what it is; `undefined` for any other.
 * @param why what the proxy has to say of such a query
 */
export function refusedUnread(answer: Buffer, why: ReqlError): string | undefined {
  const theirs = answer.length <= MOST_BYTES ? messageOf(answer.toString()) : undefined;
  if (theirs === undefined) return undefined;
  const both = `${why.message}  The server, which got it as it is, says: ${theirs}`;
  return errorBody(new ReqlError(why.responseType, why.errorType, both));
}

function messageOf(answer: string): string | undefined {
  try {
    const { t: type, e: error, r: result }: Answer = JSON.parse(answer);
    const isLogic = type === ResponseType.RUNTIME_ERROR && error === ErrorType.QUERY_LOGIC;
    const message = Array.isArray(result) ? result[0] : undefined;
    return isLogic && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a response. */
interface Answer {
  readonly t?: unknown;
  readonly e?: unknown;
  readonly r?: unknown;
}
