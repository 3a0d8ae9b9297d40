// The one class of error that reaches a client, and a factory for each kind.

import { type Frame, framesOf, type Origin } from './origin.ts';
import { ErrorType, ResponseType } from './protocol.ts';

/** An error in RethinkDB's terms: it becomes a response of type 16, 17 or 18 (ql2.proto, enum ResponseType). */
export class ReqlError extends Error {
  readonly responseType: ResponseType;
  /** Present on runtime errors only (ql2.proto, enum ErrorType). */
  readonly errorType: ErrorType | undefined;
  /** The term at fault, as a place in the client's query. */
  readonly origin: Origin | undefined;
  /** The key of the row for which it was raised, as JSON, where that is known: for those who look for the row. */
  readonly row: string | undefined;

  constructor(
    responseType: ResponseType,
    errorType: ErrorType | undefined,
    message: string,
    origin?: Origin,
    row?: string,
  ) {
    super(message);
    this.name = 'ReqlError';
    this.responseType = responseType;
    this.errorType = errorType;
    this.origin = origin;
    this.row = row;
  }

  /** The same error at a place. */
  at(origin: Origin): ReqlError {
    return new ReqlError(this.responseType, this.errorType, this.message, origin, this.row);
  }

  /** The same error as one that was raised for a row. */
  inRow(row: string): ReqlError {
    return new ReqlError(this.responseType, this.errorType, this.message, this.origin, row);
  }

  /** The backtrace as the wire carries it. */
  get frames(): readonly Frame[] {
    return framesOf(this.origin);
  }
}

type Factory = (message: string, origin?: Origin) => ReqlError;

const runtime =
  (errorType: ErrorType): Factory =>
  (message, origin) =>
    new ReqlError(ResponseType.RUNTIME_ERROR, errorType, message, origin);

export const logicError = runtime(ErrorType.QUERY_LOGIC);
export const nonExistence = runtime(ErrorType.NON_EXISTENCE);
export const resourceLimit = runtime(ErrorType.RESOURCE_LIMIT);
export const userError = runtime(ErrorType.USER);
export const internalError = runtime(ErrorType.INTERNAL);
export const opFailed = runtime(ErrorType.OP_FAILED);
export const permissionError = runtime(ErrorType.PERMISSION_ERROR);
export const compileError: Factory = (message, origin) =>
  new ReqlError(ResponseType.COMPILE_ERROR, undefined, message, origin);
export const clientError: Factory = (message, origin) =>
  new ReqlError(ResponseType.CLIENT_ERROR, undefined, message, origin);
