// A frame: what queries and responses alike travel in once the handshake is over.
//
//   0               8           12
//   | token         | length    | body (JSON) ...
//     8 bytes, opaque  LE uint32
//
// Callers owe: a token is only ever compared, echoed and printed, never counted with.

/** The 8 bytes that tie a response to its query, read as an unsigned number. Any of the 2^64 values may come. */
export type Token = bigint & { readonly Token: unique symbol };

/** Bytes before the body of a frame: the token and the length. */
export const HEADER_BYTES = 12;

/** The most bytes a query's body may have; a server refuses longer ones and closes (protocols.cc, TOO_LARGE_QUERY_SIZE). */
export const MAX_QUERY_BYTES = 128 * 1024 * 1024 - 1;

/** A number as a token: its low 64 bits. */
export function tokenOf(value: bigint): Token {
  return BigInt.asUintN(64, value) as Token;
}

/** The token of the frame that starts at `at`. */
export function readToken(bytes: Buffer, at = 0): Token {
  return bytes.readBigUInt64LE(at) as Token;
}

/** The body length that the frame at `at` claims, in bytes. */
export function readLength(bytes: Buffer, at = 0): number {
  return bytes.readUInt32LE(at + 8);
}

/** The token as the server prints it: signed (query_cache.cc prints with PRIi64). */
export function printToken(token: Token): string {
  return BigInt.asIntN(64, token).toString();
}

/** A whole frame. A string body is sent as UTF-8; the length counts bytes, not characters. */
export function buildFrame(token: Token, body: string | Buffer): Buffer {
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  writeHeader(frame, token, length);
  if (typeof body === 'string') frame.write(body, HEADER_BYTES);
  else body.copy(frame, HEADER_BYTES);
  return frame;
}

/** Bodies from this length on are not copied into their frames. */
const LONG_BODY_BYTES = 16 * 1024;

/** A frame in pieces: a long body that may go out to many stays the bytes that it is. */
export function buildFramePieces(token: Token, body: string | Buffer): readonly Buffer[] {
  if (typeof body === 'string' || body.length < LONG_BODY_BYTES) return [buildFrame(token, body)];
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  writeHeader(header, token, body.length);
  return [header, body];
}

function writeHeader(bytes: Buffer, token: Token, length: number): void {
  bytes.writeBigUInt64LE(token, 0);
  bytes.writeUInt32LE(length, 8);
}
