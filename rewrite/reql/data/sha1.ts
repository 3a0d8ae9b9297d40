// SHA-1 (FIPS 180-4), for the UUIDs that `uuid(name)` makes of names.

const BLOCK = 64;

/** The 20 bytes of the SHA-1 digest. */
export function sha1(message: Uint8Array): Uint8Array {
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const padded = pad(message);
  for (let start = 0; start < padded.byteLength; start += BLOCK) absorb(state, padded, start);
  const digest = new DataView(new ArrayBuffer(20));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function pad(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(message.length) * 8n);
  return view;
}

function absorb(state: number[], block: DataView, start: number): void {
  const schedule: number[] = [];
  for (let i = 0; i < 80; i++) {
    const word =
      i < 16
        ? block.getUint32(start + i * 4)
        : rotate(at(schedule, i - 3) ^ at(schedule, i - 8) ^ at(schedule, i - 14) ^ at(schedule, i - 16), 1);
    schedule.push(word);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (const [i, word] of schedule.entries()) {
    const mixed = (rotate(a, 5) + round(i, b, c, d) + e + word) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = mixed;
  }
  for (const [index, word] of [a, b, c, d, e].entries()) state[index] = (at(state, index) + word) >>> 0;
}

function round(i: number, b: number, c: number, d: number): number {
  if (i < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (i < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (i < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function at(words: readonly number[], index: number): number {
  return words[index] ?? 0;
}
