import { expect, test } from 'vitest';
import { ReadBuffer } from '../../proxy/relay/read-buffer.ts';

/** Reads as a socket does: into what `buffer` gives, then `callback`. Returns the memory that was read into. */
function read(reads: ReadBuffer, bytes: Buffer): Buffer {
  const memory = reads.buffer();
  const count = bytes.copy(memory);
  expect(reads.callback(count)).toBe(true);
  return memory;
}

test('what was read is taken as it came', () => {
  const taken: string[] = [];
  const reads = new ReadBuffer(
    (bytes) => {
      taken.push(bytes.toString());
      return false;
    },
    () => true,
  );
  read(reads, Buffer.from('one'));
  read(reads, Buffer.from('three'));
  expect(taken).toEqual(['one', 'three']);
});

test('memory is read into again when nobody uses its bytes any more, and never before', () => {
  let inUse = true;
  const reads = new ReadBuffer(
    () => inUse,
    () => true,
  );
  const first = read(reads, Buffer.from('held'));
  inUse = false;
  const second = read(reads, Buffer.from('gone'));
  const third = read(reads, Buffer.from('gone'));
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  expect(first.toString('latin1', 0, 4)).toBe('held');
});

test('a short answer that is held costs no more than it is long, and a connection always has room for a read', () => {
  const held: Buffer[] = [];
  const reads = new ReadBuffer(
    (bytes) => held.push(bytes) > 0,
    () => true,
  );
  const answers = Array.from({ length: 200 }, (_, at) => `answer ${at} `.padEnd(100, '.'));
  for (const answer of answers) {
    expect(reads.buffer().length).toBeGreaterThanOrEqual(4 * 1024);
    read(reads, Buffer.from(answer));
  }
  expect(held.map(String)).toEqual(answers);
  expect(new Set(held.map(({ buffer }) => buffer)).size).toBe(5);
});

test('a long answer gets more memory, and an idle connection gives it back', () => {
  let small = true;
  const reads = new ReadBuffer(
    () => false,
    () => small,
  );
  const idle = reads.buffer().length;
  small = false;
  read(reads, Buffer.from('the head of a long answer'));
  const long = reads.buffer().length;
  small = true;
  read(reads, Buffer.from('its end'));
  expect([idle, long, reads.buffer().length]).toEqual([8 * 1024, 64 * 1024, 8 * 1024]);
});
