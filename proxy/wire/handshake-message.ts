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
