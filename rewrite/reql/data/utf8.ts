// Strings as the bytes the server sees. It keeps a surrogate that stands alone, as `"\udc00"` in a query writes it, as three
// bytes of its own, where UTF-8 has no place for one.

/** A surrogate that is no half of a character. */
const LONE = /\p{Surrogate}/u;
const LONES = /\p{Surrogate}/gu;
/** With this byte begin the three of a surrogate, whose second is above those of other characters. */
const SURROGATE_LEAD = 0xed;
const SURROGATE_SECOND = 0xa0;

/** The bytes of a string. */
export function utf8Bytes(text: string): Uint8Array {
  if (!LONE.test(text)) return new TextEncoder().encode(text);
  const bytes: number[] = [];
  for (const character of text) {
    if (LONE.test(character)) bytes.push(...surrogateBytes(character.charCodeAt(0)));
    else bytes.push(...new TextEncoder().encode(character));
  }
  return Uint8Array.from(bytes);
}

function surrogateBytes(unit: number): readonly number[] {
  return [SURROGATE_LEAD, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
}

/**
 * The string that bytes are, surrogates that stand alone included. `undefined` where they are no string, and for two halves of a
 * character in three bytes each, which the server keeps apart from the character, and no string of JavaScript does.
 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return decoded(bytes);
  } catch {
    return textWithSurrogates(bytes);
  }
}

/** @throws TypeError for what is no UTF-8 */
function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

function textWithSurrogates(bytes: Uint8Array): string | undefined {
  const pieces: string[] = [];
  let from = 0;
  let before: number | undefined;
  try {
    for (let at = bytes.indexOf(SURROGATE_LEAD); at >= 0; at = bytes.indexOf(SURROGATE_LEAD, at + 1)) {
      const [, second = 0, third = 0] = bytes.subarray(at, at + 3);
      if (second < SURROGATE_SECOND) continue;
      if (second > 0xbf || third < 0x80 || third > 0xbf) return undefined;
      const unit = 0xd000 | ((second & 0x3f) << 6) | (third & 0x3f);
      if (at > from) before = undefined;
      if (before !== undefined && before < 0xdc00 && unit >= 0xdc00) return undefined;
      pieces.push(decoded(bytes.subarray(from, at)), String.fromCharCode(unit));
      from = at + 3;
      before = unit;
    }
    pieces.push(decoded(bytes.subarray(from)));
    return pieces.join('');
  } catch {
    return undefined;
  }
}

/** JSON in which surrogates that stand alone are written as escapes: the same JSON, and UTF-8. */
export function escapedSurrogates(json: string): string {
  return json.replace(LONES, (surrogate) => `\\u${surrogate.charCodeAt(0).toString(16)}`);
}

/** The number of bytes of the code units before `end`. */
export function utf8Length(text: string, end = text.length): number {
  let bytes = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // A surrogate is half of a character of four bytes, unless it stands alone.
    else bytes += unit >= 0xd800 && unit < 0xe000 && isPaired(text, i, unit) ? 2 : 3;
  }
  return bytes;
}

function isPaired(text: string, at: number, unit: number): boolean {
  const other = text.charCodeAt(unit < 0xdc00 ? at + 1 : at - 1);
  return unit < 0xdc00 ? other >= 0xdc00 && other < 0xe000 : other >= 0xd800 && other < 0xdc00;
}

/** The first `bytes` bytes of a string, less what would be half a character. */
export function utf8Prefix(text: string, bytes: number): string {
  return new TextDecoder().decode(utf8Bytes(text).subarray(0, bytes), { stream: true });
}
