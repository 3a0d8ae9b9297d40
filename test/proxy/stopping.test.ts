import { expect, test } from 'vitest';
import { frame } from '../support/bytes.ts';
import { connectPeer } from '../support/peer.ts';
import { onScene } from '../support/scene.ts';

const QUERY = '[1,[15,["t"]]]';

test('a stop lets idle clients go at once and running queries finish', async () => {
  await onScene({}, async ({ pair, proxy }) => {
    const idle = await pair();
    const busy = await pair();
    busy.client.write(Buffer.concat([frame(1, QUERY), frame(2, QUERY)]));
    await busy.upstream.frame();
    await busy.upstream.frame();
    busy.upstream.write(frame(1, '{"t":1,"r":[1]}'));
    await busy.client.frame();
    const drained = proxy.drain();
    await idle.client.ended();
    await idle.upstream.ended();
    await expect(connectPeer(proxy.address)).rejects.toThrow('ECONNREFUSED');
    busy.upstream.write(frame(2, '{"t":1,"r":[2]}'));
    expect((await busy.client.frame()).body).toBe('{"t":1,"r":[2]}');
    await busy.client.ended();
    for (const { client, upstream } of [idle, busy]) {
      client.socket.end();
      upstream.socket.end();
    }
    await drained;
  });
});

test('a stop waits for writes that wanted no reply', async () => {
  await onScene({}, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, '[1,[56,[[15,["t"]],{}]],{"noreply":true}]'));
    await upstream.frame();
    const drained = proxy.drain();
    const wait = await upstream.frame();
    expect(wait.body).toBe('[4]');
    upstream.write(frame(wait.token, '{"t":4,"r":[]}'));
    await client.ended();
    expect(client.waiting).toHaveLength(0);
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('what still runs after the drain time is cut off', async () => {
  await onScene({ drainMs: 30 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, QUERY));
    await upstream.frame();
    const drained = proxy.drain();
    await client.ended();
    await upstream.ended();
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('a stop at once ends everything', async () => {
  await onScene({}, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, QUERY));
    await upstream.frame();
    await proxy.destroy();
    await client.ended();
    await upstream.ended();
  });
});
