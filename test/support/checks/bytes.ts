// A second, simpler builder of the bytes on the wire, so that the first is not tested against itself.

/** A frame, byte by byte. `token` is taken modulo 2^64. */
export function frame(token: bigint | number, body: string | Buffer): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(token));
  for (let at = 0; at < 8; at++) {
    bytes.push(Number(rest & 255n));
    rest >>= 8n;
  }
  const content = Buffer.from(body);
  for (let at = 0; at < 4; at++) bytes.push(Math.floor(content.length / 256 ** at) % 256);
  return Buffer.concat([Buffer.from(bytes), content]);
}

/** A number as four bytes, little end first. */
export function word(value: number): Buffer {
  return Buffer.from([value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255]);
}

/** A text and its NUL. */
export function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

/** Cuts bytes after each of these positions. */
export function cutAt(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const cuts = [0, ...[...new Set(positions)].sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

/** Bytes one by one. */
export function oneByOne(bytes: Buffer): Buffer[] {
  return [...bytes].map((byte) => Buffer.from([byte]));
}
