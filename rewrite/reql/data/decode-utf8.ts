// Bytes as strings, refused where they are not UTF-8, with the server's reasons. Errors have no origin.

import { logicError } from '../error.ts';
import { utf8Text } from './utf8.ts';

const SHOWN = 20;

interface Fault {
  readonly explanation: string;
  readonly position: number;
}

/**
 * The string that bytes are. Raises QUERY_LOGIC where they are not UTF-8; and, unlike the server, for the two halves of a
 * character as two, which are another string to it than the character.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const fault = findFault(bytes);
  if (fault === undefined) {
    const text = utf8Text(bytes);
    if (text === undefined) throw logicError('Livefold cannot read a string that holds half characters side by side.');
    return text;
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const [shown = ''] = decoder.decode(bytes.subarray(0, Math.min(fault.position, SHOWN))).split('\0');
  throw logicError(
    `String \`${shown}\` (truncated) is not a UTF-8 string; ${fault.explanation} at position ${fault.position}.`,
  );
}

function findFault(bytes: Uint8Array): Fault | undefined {
  let start = 0;
  while (start < bytes.length) {
    const length = lengthOf(bytes[start] ?? 0);
    if (length === 0) return { explanation: 'Invalid initial byte seen', position: start };
    let code = length === 1 ? (bytes[start] ?? 0) : (bytes[start] ?? 0) & (0x7f >> length);
    for (let i = 1; i < length; i++) {
      const byte = bytes[start + i];
      const position = start + i - 1;
      if (byte === undefined) return { explanation: 'Expected continuation byte, saw end of string', position };
      if ((byte & 0xc0) !== 0x80) return { explanation: 'Expected continuation byte, saw something else', position };
      code = (code << 6) | (byte & 0x3f);
    }
    const last = start + length - 1;
    if (code < smallest(length)) return { explanation: 'Overlong encoding seen', position: last };
    if (code > 0x10ffff) {
      return { explanation: 'Non-Unicode character encoded (beyond U+10FFFF)', position: last };
    }
    start += length;
  }
  return undefined;
}

function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first >> 5 === 0b110) return 2;
  if (first >> 4 === 0b1110) return 3;
  return first >> 3 === 0b11110 ? 4 : 0;
}

function smallest(length: number): number {
  return [0, 0, 0x80, 0x800, 0x10000][length] ?? 0;
}
