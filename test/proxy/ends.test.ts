// How connections end: whatever end goes, and however, the other follows, and no half frame is passed as a whole.

import { expect, test } from 'vitest';
import { cutAt, frame } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import type { Peer } from '../support/servers/peer.ts';
import { onScene, V1_0 } from '../support/servers/scene.ts';

const QUERY = frame(1, '[1,[15,["t"]]]');

const ways: readonly (readonly [string, (peer: Peer) => void])[] = [
  ['ends', (peer) => peer.socket.end()],
  ['is destroyed', (peer) => peer.socket.destroy()],
  ['is reset', (peer) => peer.socket.resetAndDestroy()],
];

test.each(ways)('a client that %s takes its upstream connection along', async (_name, go) => {
  await onScene({}, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(QUERY);
    await upstream.frame();
    go(client);
    await upstream.ended();
    upstream.socket.end();
    await upstream.closed();
    await client.closed();
    await eventually('no client is left', () => proxy.clientCount === 0);
  });
});

test.each(ways)('an upstream that %s takes its client along, with a clean end', async (_name, go) => {
  await onScene({}, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    const errors: Error[] = [];
    client.socket.on('error', (error) => errors.push(error));
    client.write(QUERY);
    await upstream.frame();
    go(upstream);
    await client.ended();
    client.socket.end();
    await client.closed();
    expect(errors).toEqual([]);
    await eventually('no client is left', () => proxy.clientCount === 0);
  });
});

test.each(ways)('a client that %s in the middle of a query has not sent it', async (_name, go) => {
  await onScene({}, async ({ pair }) => {
    for (const cut of [3, 11, 12, 20]) {
      const { client, upstream } = await pair();
      client.write(QUERY);
      await upstream.frame();
      await client.writeApart([QUERY.subarray(0, cut)]);
      go(client);
      await upstream.ended();
      expect(upstream.waiting).toHaveLength(0);
      upstream.socket.end();
    }
  });
});

test('an upstream that dies in the middle of an answer leaves the client with a half frame and the end', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    const [first, second] = cutAt(frame(1, '{"t":1,"r":["long"]}'), [20]);
    client.write(QUERY);
    await upstream.frame();
    if (first !== undefined) upstream.write(first);
    expect(await client.read(20)).toEqual(first);
    upstream.socket.destroy();
    await client.ended();
    expect(client.waiting).toHaveLength(0);
    expect(second?.length).toBeGreaterThan(0);
  });
});

test('all that upstream said before it ended reaches the client', async () => {
  await onScene({}, async ({ pair }) => {
    const { client, upstream } = await pair();
    const answer = frame(1, `{"t":1,"r":["${'x'.repeat(3_000_000)}"]}`);
    client.write(QUERY);
    await upstream.frame();
    upstream.write(answer);
    upstream.socket.end();
    expect((await client.read(answer.length)).equals(answer)).toBe(true);
    await client.ended();
  });
});

test('an upstream that does not close after the client has is not waited for', async () => {
  await onScene({}, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.socket.end();
    await upstream.ended();
    await eventually('no client is left', () => proxy.clientCount === 0);
  });
});

test.each(ways)('a client that %s within its handshake is forgotten', async (_name, go) => {
  await onScene({}, async ({ connect, server, proxy }) => {
    const client = await connect();
    client.write(Buffer.concat([V1_0, Buffer.from('{"proto')]));
    const upstream = await server.accept();
    await upstream.read(4);
    go(client);
    await upstream.ended();
    expect(upstream.waiting).toHaveLength(0);
    upstream.socket.end();
    await upstream.closed();
    await client.closed();
    expect(client.waiting).toHaveLength(0);
    await eventually('no client is left', () => proxy.clientCount === 0);
  });
});

test('the end of one pair is nothing to the others', async () => {
  await onScene({}, async ({ pair }) => {
    const [one, two, three] = [await pair(), await pair(), await pair()];
    one.client.socket.resetAndDestroy();
    two.upstream.socket.destroy();
    await one.upstream.ended();
    await two.client.ended();
    three.client.write(QUERY);
    await three.upstream.frame();
    three.upstream.write(frame(1, '{"t":1,"r":[]}'));
    await three.client.frame();
  });
});
