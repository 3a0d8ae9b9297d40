// Upstream's answers to a feed's queries, read.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { internalError, permissionError, ReqlError } from '../../../rewrite/reql/error.ts';
import type { Frame, Origin } from '../../../rewrite/reql/origin.ts';
import { ErrorType, ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { originOf } from '../opening/backtrace.ts';
import { type ReadJson, readResponseInSteps, readResponseJson, UNREADABLE } from './response-json.ts';

/** A part of a feed, or its end. */
export interface Batch {
  readonly documents: readonly Datum[];
  /** Whether a CONTINUE brings more. */
  readonly more: boolean;
  readonly notes: readonly number[];
  /** What the response says under `p`, as JSON, where the query is profiled. */
  readonly profile: string | undefined;
}

interface Response {
  readonly t: number;
  readonly r: readonly Datum[];
  readonly n?: readonly number[];
  readonly e?: number;
  readonly b?: readonly Frame[];
  readonly p?: Datum;
}

const NO_NOTES: readonly number[] = [];

/** Reading a response of so many bytes takes long enough for upstream to be asked for more before. */
const LONG_BYTES = 4096;
/** How a response begins that has more behind it, as the server writes it (json.cc). */
const PARTIAL = Buffer.from(`{"t":${ResponseType.SUCCESS_PARTIAL},`);

/** Whether a long response says that a CONTINUE brings more. */
export function saysMore(body: Buffer): boolean {
  return body.length >= LONG_BYTES && body.compare(PARTIAL, 0, PARTIAL.length, 0, PARTIAL.length) === 0;
}

/** Reads a response to `sent`. An error's place is one in the client's query. */
export function readResponse(body: Buffer, sent: Term): Batch | ReqlError {
  return understood(readResponseJson(body), sent);
}

/** The same in steps, for a long response. */
export function* readLongResponse(body: Buffer, sent: Term): Generator<void, Batch | ReqlError> {
  return understood(yield* readResponseInSteps(body), sent);
}

function understood(read: ReadJson, sent: Term): Batch | ReqlError {
  if (read instanceof ReqlError) return read;
  const response = read.value;
  if (!isResponse(response)) return UNREADABLE;
  const { t, r, n = NO_NOTES, p } = response;
  const profile = p === undefined ? undefined : JSON.stringify(p);
  const more = t === ResponseType.SUCCESS_PARTIAL;
  if (more || t === ResponseType.SUCCESS_SEQUENCE) return { documents: r, more, notes: n, profile };
  const failure = failures.find((type) => type === t);
  if (failure === undefined) {
    return internalError(`Livefold got a response of type ${t} where it expected a feed.`);
  }
  return errorOf(failure, response, originOf(sent, response.b ?? []));
}

/** The error that the server answers a question with; `undefined` where it answers, or says nothing that can be read. */
export function readError(body: Buffer): ReqlError | undefined {
  const read = readResponseJson(body);
  if (read instanceof ReqlError || !isResponse(read.value)) return undefined;
  const { t } = read.value;
  const failure = failures.find((type) => type === t);
  if (failure === undefined) return undefined;
  return errorOf(failure, read.value, undefined);
}

/** RethinkDB takes it for a fault of its own that a feed is opened without the right to read; what is read once gets the error. */
const MISSING_RIGHT = /^Unexpected exception: (User `.*` does not have the required `.*` permission\.)$/s;

function errorOf(failure: (typeof failures)[number], response: Response, place: Origin | undefined): ReqlError {
  const text = String(response.r[0]);
  const [, missing] = MISSING_RIGHT.exec(text) ?? [];
  return missing === undefined
    ? new ReqlError(failure, errorTypeOf(response), text, place)
    : permissionError(missing, place);
}

const failures = [ResponseType.CLIENT_ERROR, ResponseType.COMPILE_ERROR, ResponseType.RUNTIME_ERROR] as const;

function errorTypeOf({ e }: Response): ErrorType | undefined {
  return Object.values(ErrorType).find((type) => type === e);
}

function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null || !('t' in value) || !('r' in value)) return false;
  // An optional field is of its type, or the server does not speak the protocol.
  const lists = ['n' in value ? value.n : [], 'b' in value ? value.b : []];
  return Array.isArray(value.r) && lists.every(Array.isArray);
}
