// Transparency and flow: bytes pass unchanged, and upstream is not read for a client that does not read.

import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEADER_BYTES } from '../../proxy/wire/frame.ts';
import { frame } from '../support/checks/bytes.ts';
import { onScene } from '../support/servers/scene.ts';

const MEBIBYTE = 1024 * 1024;
/** Random bytes of a short answer, which writes two digits for each. */
const ANSWER_BYTES = 3000;

const token = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const body = fc.oneof(
  fc.constantFrom('[2]', '[3]', '[4]', '[5]', '', 'rubbish', '[1,[15,["t"]],{"noreply":true}]'),
  fc.constantFrom('[1,[152,[[15,["t"]]]]]', '[1,"[152,"]', '[1,[56,[[15,["t"]],{"a":152}]]]'),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

test('random frames pass unchanged in both directions, whatever they hold', async () => {
  await onScene({}, async ({ pair }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(token, body), { minLength: 1, maxLength: 20 }),
        fc.nat({ max: 40 }),
        async (frames, size) => {
          const { client, upstream } = await pair();
          const bytes = Buffer.concat(frames.map(([value, content]) => frame(value, content)));
          const pieces: Buffer[] = [];
          const step = Math.max(1, Math.ceil(bytes.length / (size + 1)));
          for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));
          await client.writeApart(pieces);
          expect(await upstream.read(bytes.length)).toEqual(bytes);
          await upstream.writeApart(pieces);
          expect(await client.read(bytes.length)).toEqual(bytes);
          client.socket.destroy();
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('a query as large as the server takes streams through before it is whole', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    const length = 128 * MEBIBYTE - 1;
    const head = Buffer.alloc(12 + MEBIBYTE, 'x');
    head.writeUInt32LE(length, 8);
    head.write('[1,[56,[[15,["t"]],"', 12);
    client.write(head);
    expect((await upstream.read(head.length)).equals(head)).toBe(true);
  });
});

test('an answer that the client does not read stays with upstream, and arrives as it was sent', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    const other = await pair();
    client.socket.pause();
    const size = 64 * MEBIBYTE;
    // No part is like another: memory that is read into too early shows.
    const answer = Buffer.concat([Buffer.alloc(12), randomBytes(size)]);
    answer.writeUInt32LE(size, 8);
    for (let at = 0; at < answer.length; at += MEBIBYTE) upstream.write(answer.subarray(at, at + MEBIBYTE));
    // Others are served meanwhile; each turn would carry more of the answer if anyone took it.
    for (let turn = 0; turn < 200; turn++) {
      other.client.write(frame(turn, '[5]'));
      await other.upstream.frame();
      other.upstream.write(frame(turn, '{"t":5,"r":[]}'));
      await other.client.frame();
    }
    expect(upstream.socket.writableLength).toBeGreaterThan(size - 16 * MEBIBYTE);
    const received = createHash('sha256');
    client.socket.on('data', (chunk: Buffer) => received.update(chunk));
    const whole = new Promise<void>((resolve) => upstream.socket.on('drain', resolve));
    client.socket.resume();
    await whole;
    upstream.socket.end();
    await client.ended();
    expect(received.digest('hex')).toBe(createHash('sha256').update(answer).digest('hex'));
  });
});

test('short answers that wait for a slow client arrive as they were sent', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    const other = await pair();
    client.socket.pause();
    const sent = createHash('sha256');
    let frames = 0;
    // One after the other, until the proxy reads no more of them: each is a read of its own, and the last wait in the proxy.
    while (upstream.socket.writableLength === 0) {
      const answer = frame(frames++, randomBytes(ANSWER_BYTES).toString('hex'));
      sent.update(answer);
      upstream.write(answer);
      other.client.write(frame(1, '[5]'));
      await other.upstream.frame();
      other.upstream.write(frame(1, '{"t":5,"r":[]}'));
      await other.client.frame();
    }
    client.socket.resume();
    const received = createHash('sha256');
    received.update(await client.read(frames * (HEADER_BYTES + 2 * ANSWER_BYTES)));
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });
});

test('a query that upstream does not read stays with the client', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    upstream.socket.pause();
    const size = 64 * MEBIBYTE;
    const head = Buffer.alloc(32, ' ');
    head.writeUInt32LE(20 + size, 8);
    head.write('[1,[56,[[15,["t"]],"', 12);
    client.write(head);
    const chunk = Buffer.alloc(MEBIBYTE, 'q');
    for (let sent = 0; sent < size; sent += MEBIBYTE) client.write(chunk);
    const other = await pair();
    for (let turn = 0; turn < 200; turn++) {
      other.client.write(frame(turn, '[5]'));
      await other.upstream.frame();
      other.upstream.write(frame(turn, '{"t":5,"r":[]}'));
      await other.client.frame();
    }
    expect(client.socket.writableLength).toBeGreaterThan(size - 16 * MEBIBYTE);
    let received = 0;
    upstream.socket.on('data', (piece: Buffer) => {
      received += piece.length;
    });
    const whole = new Promise<void>((resolve) => client.socket.on('drain', resolve));
    upstream.socket.resume();
    await whole;
    client.socket.end();
    await upstream.ended();
    expect(received).toBe(head.length + size);
  });
});

test.each([128 * MEBIBYTE, 0xffff_ffff])(
  'a length of %d, which the server does not take, is the server’s to refuse',
  async (length) => {
    await onScene({ maxQueryBytes: Number.MAX_SAFE_INTEGER }, async ({ pair }) => {
      const { client, upstream } = await pair();
      const head = Buffer.alloc(13, '[');
      head.writeUInt32LE(length, 8);
      client.write(head);
      expect(await upstream.read(head.length)).toEqual(head);
    });
  },
);
