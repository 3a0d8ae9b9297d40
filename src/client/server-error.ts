// A server's answer where it is an error.

import type { Datum } from '../../rewrite/reql/data/datum.ts';
import type { Frame } from '../../rewrite/reql/origin.ts';
import { ErrorType, ResponseType } from '../../rewrite/reql/protocol.ts';

/** A response as it stands on the wire. */
export interface Response {
  readonly t: number;
  readonly e?: number;
  readonly r: readonly Datum[];
  readonly b?: readonly Frame[];
  readonly n?: readonly number[];
}

/** The server's answer where it is an error. */
export class ServerError extends Error {
  /** One of `ErrorType`; `undefined` for a query that does not compile. */
  readonly type: number | undefined;
  /** Where in the query it was raised, outermost first. */
  readonly frames: readonly Frame[];

  constructor({ t, e, r, b }: Response) {
    super(String(r[0]));
    this.name = nameOf(t, e);
    this.type = e;
    this.frames = b ?? [];
  }
}

/** The names that RethinkDB's drivers give their errors. */
const NAMES: Readonly<Record<number, string>> = {
  [ErrorType.INTERNAL]: 'ReqlInternalError',
  [ErrorType.RESOURCE_LIMIT]: 'ReqlResourceLimitError',
  [ErrorType.QUERY_LOGIC]: 'ReqlQueryLogicError',
  [ErrorType.NON_EXISTENCE]: 'ReqlNonExistenceError',
  [ErrorType.OP_FAILED]: 'ReqlOpFailedError',
  [ErrorType.OP_INDETERMINATE]: 'ReqlOpIndeterminateError',
  [ErrorType.USER]: 'ReqlUserError',
  [ErrorType.PERMISSION_ERROR]: 'ReqlPermissionError',
};

function nameOf(response: number, error: number | undefined): string {
  if (response === ResponseType.CLIENT_ERROR) return 'ReqlDriverError';
  if (response === ResponseType.COMPILE_ERROR) return 'ReqlServerCompileError';
  return NAMES[error ?? ErrorType.INTERNAL] ?? 'ReqlRuntimeError';
}
