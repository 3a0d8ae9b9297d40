// The contents of handshake messages: the fields the proxy reads, and the errors it says itself.

import { Version } from '../../rewrite/reql/protocol.ts';

/** The fields of a V1_0 message that are strings or booleans; anything else, and text that is no object, is left out. */
export function readFields(text: string): ReadonlyMap<string, string | boolean> {
  const fields = new Map<string, string | boolean>();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return fields;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'string' || typeof field === 'boolean') fields.set(name, field);
    }
  } catch {
    // Not JSON: the end it was meant for will say so.
  }
  return fields;
}

/** How protocols before V1_0 begin a refusal, and servers that do not know V1_0 (server.cc, handle_conn). */
export const OLD_REFUSAL = 'ERROR: ';
const OLD_SUCCESS = 'SUCCESS';

/** Whether a message is one that the driver port of a RethinkDB sends in a handshake. */
export function isOfDriverPort(version: Version | undefined, text: string): boolean {
  if (text.startsWith(OLD_REFUSAL)) return true;
  return version === Version.V1_0 ? readFields(text).has('success') : text === OLD_SUCCESS;
}

/** Whether bytes can be the beginning of such a message: what never ends is known by its first byte, like the answer of a web server. */
export function mayBeOfDriverPort(version: Version | undefined, bytes: Buffer): boolean {
  const beginnings = [OLD_REFUSAL, version === Version.V1_0 ? '{' : OLD_SUCCESS];
  return beginnings.some((each) => each.startsWith(bytes.toString('latin1', 0, each.length)));
}

/** Whether a text is JSON, and no object. */
export function isOtherJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value !== 'object' || value === null || Array.isArray(value);
  } catch {
    return false;
  }
}

/** The user name in a SCRAM client-first message `n,,n=USER,r=NONCE` (RFC 5802: `=2C` is a comma, `=3D` an equals sign). */
export function userOf(authentication: string): string | undefined {
  const name = /^[ny],[^,]*,(?:.*,)?n=([^,]*),/.exec(authentication)?.[1];
  return name?.replace(/=2C|=3D/g, (written) => (written === '=2C' ? ',' : '='));
}

/**
 * A refusal in the form that the client's protocol has for it (server.cc, handle_conn): JSON for V1_0, text for all
 * else. `code` is V1_0's `error_code`: 10 to 20 mean authentication to every driver.
 */
export function handshakeError(version: Version | undefined, message: string, code = 0): Buffer {
  return version === Version.V1_0
    ? Buffer.from(`${JSON.stringify({ success: false, error: message, error_code: code })}\0`)
    : Buffer.from(`ERROR: ${message}\n\0`);
}
