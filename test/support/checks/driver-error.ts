// Errors of the three drivers in RethinkDB's own terms, so that one expectation fits them all.

/** The kinds of errors, as in ql2.proto (enums ErrorType and ResponseType), and those that a driver raises by itself. */
export type ErrorKind =
  | 'CLIENT'
  | 'COMPILE'
  | 'DRIVER'
  | 'INTERNAL'
  | 'NON_EXISTENCE'
  | 'OP_FAILED'
  | 'OP_INDETERMINATE'
  | 'PERMISSION'
  | 'QUERY_LOGIC'
  | 'RESOURCE_LIMIT'
  | 'USER';

/** Names of error classes. Those that a driver uses for several kinds are not here. */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  ReqlServerCompileError: 'COMPILE',
  ReqlCompileError: 'COMPILE',
  ReqlDriverCompileError: 'DRIVER',
  ReqlDriverError: 'DRIVER',
  ReqlClientError: 'CLIENT',
  ReqlInternalError: 'INTERNAL',
  ReqlNonExistenceError: 'NON_EXISTENCE',
  ReqlNonExistanceError: 'NON_EXISTENCE',
  ReqlOpFailedError: 'OP_FAILED',
  ReqlOpIndeterminateError: 'OP_INDETERMINATE',
  ReqlPermissionError: 'PERMISSION',
  ReqlQueryLogicError: 'QUERY_LOGIC',
  ReqlLogicError: 'QUERY_LOGIC',
  ReqlResourceLimitError: 'RESOURCE_LIMIT',
  ReqlResourceError: 'RESOURCE_LIMIT',
  ReqlUserError: 'USER',
};

/** What a driver raised. */
export class DriverError extends Error {
  /** `undefined` where the driver's class does not tell: rethinkdb-ts on compile errors, rethinkdbdash on several. */
  readonly kind: ErrorKind | undefined;
  /** The server's text, without the query that drivers print below it. */
  readonly text: string;

  constructor(kind: ErrorKind | undefined, text: string, cause: unknown) {
    super(`${kind ?? 'unnamed kind'}: ${text}`, { cause });
    this.name = 'DriverError';
    this.kind = kind;
    this.text = text;
  }
}

/** Reads whatever a driver threw. */
export function driverError(thrown: unknown): DriverError {
  if (thrown instanceof DriverError) return thrown;
  if (!(thrown instanceof Error)) return new DriverError('DRIVER', String(thrown), thrown);
  // rethinkdbdash keeps the text of some errors only with the query below it, and the full stop lost.
  const text =
    'msg' in thrown && typeof thrown.msg === 'string' ? thrown.msg : thrown.message.replace(/ in:\n.*$/s, '.');
  return new DriverError(KINDS[thrown.name], text, thrown);
}

/** Whether a driver says that a cursor has no more rows. */
export function isEnd(error: DriverError): boolean {
  return /^No more rows in the /.test(error.text);
}
