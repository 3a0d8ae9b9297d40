// The ends of feeds, and what a log may say of them. Texts of errors can quote what is in queries and rows: they are shown where
// logs may show data, or where their kind speaks of the server and of names only.

import { Refusal } from '../../rewrite/refusal.ts';
import { internalError, ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';
import { ErrorType, ResponseType } from '../../rewrite/reql/protocol.ts';
import { ERROR_KINDS, type ErrorKind } from '../observer/outcomes.ts';

/** The end that a feed tells of: the client stopped it, it came to its end in good order, or it failed. */
export type FeedEnd = 'stopped' | 'complete' | ReqlError;

/** Kinds whose texts name databases, tables, users and limits, and quote no value. */
const WITHOUT_DATA: ReadonlySet<ErrorType | undefined> = new Set([
  ErrorType.RESOURCE_LIMIT,
  ErrorType.OP_FAILED,
  ErrorType.OP_INDETERMINATE,
  ErrorType.PERMISSION_ERROR,
]);

const NUMBERS: { readonly [Kind in ErrorKind]: number } = {
  ...ErrorType,
  CLIENT_ERROR: ResponseType.CLIENT_ERROR,
  COMPILE_ERROR: ResponseType.COMPILE_ERROR,
  RUNTIME_ERROR: ResponseType.RUNTIME_ERROR,
};

/** The error that a client is told of a mistake of ours: the error itself where it is one in ReQL's terms. */
export function failureOf(thrown: unknown): ReqlError {
  if (thrown instanceof ReqlError) return thrown;
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message)) {
    return resourceLimit('A query, or a value, is nested too deeply for Livefold.');
  }
  return internalError(`Livefold failed: ${String(thrown)}`);
}

/** The kind of an error, in RethinkDB's name for it. */
export function errorKind({ errorType, responseType }: ReqlError): ErrorKind {
  return ERROR_KINDS.find((kind) => NUMBERS[kind] === (errorType ?? responseType)) ?? 'RUNTIME_ERROR';
}

/** The fields of a log line about an error in ReQL's terms: its kind, and its text and row where they may be shown. */
export function errorFields(error: ReqlError, showsData: boolean): Readonly<Record<string, string>> {
  const kind = errorKind(error);
  const shown = showsData || error instanceof Refusal || WITHOUT_DATA.has(error.errorType);
  const row = showsData && error.row !== undefined ? { row: error.row } : {};
  return shown ? { error: kind, text: error.message, ...row } : { error: kind };
}

/** The field of a log line about a mistake of ours: where it was made, and its message only where data may be shown. */
export function mistakeFields(thrown: unknown, showsData: boolean): Readonly<Record<string, unknown>> {
  if (thrown instanceof ReqlError) return { ...errorFields(thrown, showsData), stack: placesOf(thrown) };
  if (showsData || !(thrown instanceof Error)) return { err: thrown };
  return { error: thrown.name, stack: placesOf(thrown) };
}

/** The stack without the message that stands above it. */
function placesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
