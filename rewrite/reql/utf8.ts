// Strings as the bytes the server sees. Callers owe well-formed UTF-16: data holds no lone surrogates.

/** The UTF-8 bytes of a string. */
export function utf8Bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The number of UTF-8 bytes of the code units before `end`. */
export function utf8Length(text: string, end = text.length): number {
  let bytes = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // A surrogate is half of a character of four bytes.
    else bytes += unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
  }
  return bytes;
}

/** The first `bytes` UTF-8 bytes of a string, less what would be half a character. */
export function utf8Prefix(text: string, bytes: number): string {
  return new TextDecoder().decode(utf8Bytes(text).subarray(0, bytes), { stream: true });
}
