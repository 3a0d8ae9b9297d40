import { expect, test } from 'vitest';
import { readToken } from '../../../proxy/wire/frame.ts';
import { FrameReader } from '../../../proxy/wire/frame-reader.ts';
import { type FrameSink, Splitter, Verdict } from '../../../proxy/wire/splitter.ts';
import { cutAt, frame, oneByOne } from '../../support/checks/bytes.ts';

/** A sink that collects the frames whose token is listed, and notes what it is given, in order. */
function recorder(
  collected: readonly bigint[],
  wanted = true,
): { sink: FrameSink; events: string[]; passed: Buffer[] } {
  const events: string[] = [];
  const passed: Buffer[] = [];
  const sink: FrameSink = {
    look: (bytes, start) => (collected.includes(readToken(bytes, start)) ? Verdict.COLLECT : Verdict.PASS),
    pass(bytes) {
      passed.push(bytes);
      events.push(`pass ${bytes.length}`);
    },
    frame(bytes) {
      events.push(`frame ${readToken(bytes)}`);
      return wanted;
    },
  };
  return { sink, events, passed };
}

test('a chunk in which everything passes leaves as the very same buffer', () => {
  const { sink, passed } = recorder([]);
  const chunk = Buffer.concat([frame(1, '[1,2]'), frame(2, '[2]'), frame(3, '[1,"x"]').subarray(0, 14)]);
  new Splitter(sink).push(chunk);
  expect(passed).toHaveLength(1);
  expect(passed[0]).toBe(chunk);
});

test('a collected frame is cut out, and what is before and after it passes in one piece each', () => {
  const { sink, events, passed } = recorder([2n]);
  const before = Buffer.concat([frame(1, '[1,2]'), frame(5, '[1,2]')]);
  const after = Buffer.concat([frame(3, '[1,3]'), frame(4, '[1,4]')]);
  new Splitter(sink).push(Buffer.concat([before, frame(2, '[2]'), after]));
  expect(events).toEqual([`pass ${before.length}`, 'frame 2', `pass ${after.length}`]);
  expect(Buffer.concat(passed)).toEqual(Buffer.concat([before, after]));
});

test('a collected frame that is not wanted after all passes', () => {
  const { sink, passed } = recorder([1n], false);
  const splitter = new Splitter(sink);
  for (const byte of oneByOne(frame(1, '[1,2]'))) splitter.push(byte);
  expect(passed).toEqual([frame(1, '[1,2]')]);
  expect(splitter.passed).toBe(1);
});

test('a frame that passes is let through as its bytes come, before it is whole', () => {
  const { sink, passed } = recorder([]);
  const splitter = new Splitter(sink);
  const whole = frame(1, 'x'.repeat(1000));
  splitter.push(whole.subarray(0, 500));
  expect(Buffer.concat(passed)).toEqual(whole.subarray(0, 500));
  expect(splitter.passing).toBe(true);
  splitter.push(whole.subarray(500));
  expect(Buffer.concat(passed)).toEqual(whole);
  expect(splitter.passing).toBe(false);
});

test('nothing is put between the parts of a frame that passes', () => {
  const { sink, events } = recorder([]);
  const splitter = new Splitter(sink);
  const whole = frame(1, 'x'.repeat(100));
  splitter.push(whole.subarray(0, 50));
  splitter.betweenFrames(() => events.push('mine'));
  splitter.betweenFrames(() => events.push('mine too'));
  splitter.push(Buffer.concat([whole.subarray(50), frame(2, '[2]')]));
  splitter.betweenFrames(() => events.push('at once'));
  expect(events).toEqual(['pass 50', 'pass 62', 'mine', 'mine too', 'pass 15', 'at once']);
});

test('a frame of length zero is a frame', () => {
  const { sink, events } = recorder([7n]);
  new Splitter(sink).push(Buffer.concat([frame(1, ''), frame(7, ''), frame(2, '')]));
  expect(events).toEqual(['pass 12', 'frame 7', 'pass 12']);
});

test('a claimed length holds no more than the bytes that came', () => {
  const { sink } = recorder([1n]);
  const splitter = new Splitter(sink);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]);
  splitter.push(Buffer.concat([header, Buffer.from('abc')]));
  expect(splitter.heldBytes).toBe(15);
});

test('a sink may ask for more of a frame, up to its head or its end', () => {
  const looks: number[] = [];
  const frames: string[] = [];
  const splitter = new Splitter(
    {
      look(_bytes, start, end) {
        looks.push(end - start);
        return Verdict.MORE;
      },
      pass() {},
      frame(bytes) {
        frames.push(bytes.toString('latin1', 12));
        return true;
      },
    },
    20,
  );
  for (const byte of oneByOne(Buffer.concat([frame(1, 'short'), frame(2, 'much too long a body')])))
    splitter.push(byte);
  expect(frames).toEqual(['short', 'much too long a body']);
  expect(Math.max(...looks)).toBe(20);
});

test('a reader gives every frame, whatever the cut, and knows whether it stands between two', () => {
  const parts = [frame(1n << 63n, '[1,"é😀"]'), frame(-1n, ''), frame(3, '[2]')];
  const all = Buffer.concat(parts);
  const boundaries = parts.map((_part, count) => Buffer.concat(parts.slice(0, count)).length);
  for (let cut = 0; cut <= all.length; cut++) {
    const seen: string[] = [];
    const reader = new FrameReader({ frame: (token, body) => seen.push(`${token} ${body}`) });
    const [first, second] = cutAt(all, [cut]);
    if (first !== undefined) reader.push(first);
    expect(reader.whole).toBe(cut === all.length || boundaries.includes(cut));
    if (second !== undefined) reader.push(second);
    expect(seen).toEqual(['9223372036854775808 [1,"é😀"]', '18446744073709551615 ', '3 [2]']);
    expect(reader.whole).toBe(true);
  }
});

test('a reader with a limit names frames above it and drops their bytes', () => {
  const seen: string[] = [];
  const reader = new FrameReader(
    {
      frame: (token, body) => seen.push(`${token} ${body}`),
      oversized: (token, length) => seen.push(`${token} is ${length} long`),
    },
    5,
  );
  for (const byte of oneByOne(Buffer.concat([frame(1, 'abcdef'), frame(2, 'abcde')]))) reader.push(byte);
  expect(seen).toEqual(['1 is 6 long', '2 abcde']);
});
