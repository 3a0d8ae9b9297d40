// The base64 of BINARY pseudo-types, with the server's line breaks (CRLF after every 76 characters) and error texts.

import { logicError } from '../error.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LINE = 76;
const WHITESPACE = '\r\n \t';
const CODES: ReadonlyMap<string, number> = new Map([...ALPHABET].map((char, code) => [char, code]));

/** Bytes as base64 text. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += ALPHABET.charAt(word >> 18) + ALPHABET.charAt((word >> 12) & 63);
    text += left > 1 ? ALPHABET.charAt((word >> 6) & 63) : '=';
    text += left > 2 ? ALPHABET.charAt(word & 63) : '=';
    if (left > 3 && text.length % (LINE + 2) === LINE) text += '\r\n';
  }
  return text;
}

/** Base64 text as bytes. White space is skipped. Raises QUERY_LOGIC without an origin for text that is no base64. */
export function decodeBase64(text: string): Uint8Array {
  const bytes: number[] = [];
  let word = 0;
  let filled = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '=') break;
    if (WHITESPACE.includes(char)) continue;
    const code = CODES.get(char);
    if (code === undefined) throw logicError(`Invalid base64 character found: '${char}'.`);
    word = (word << 6) | code;
    filled += 1;
    if (filled === 4) {
      bytes.push(word >> 16, (word >> 8) & 255, word & 255);
      word = 0;
      filled = 0;
    }
  }
  if (filled === 1) {
    throw logicError('Invalid base64 length: 1 character remaining, cannot decode a full byte.');
  }
  if (filled === 2) bytes.push((word >> 4) & 255);
  if (filled === 3) bytes.push((word >> 10) & 255, (word >> 2) & 255);
  for (const char of text.slice(at)) {
    if (char !== '=' && !WHITESPACE.includes(char)) {
      throw logicError("Invalid base64 format, data found after padding character '='.");
    }
  }
  return Uint8Array.from(bytes);
}
