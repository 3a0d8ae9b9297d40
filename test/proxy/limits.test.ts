import { expect, test } from 'vitest';
import { frame, text } from '../support/bytes.ts';
import { eventually } from '../support/eventually.ts';
import { connectPeer, scriptedServer } from '../support/peer.ts';
import { onScene, SHAKE, shakeOld, V0_4, V1_0 } from '../support/scene.ts';

test('a client too many is refused in its own protocol, and let in when another has gone', async () => {
  await onScene({ maxClients: 1 }, async ({ connect, pair, server, proxy }) => {
    const first = await pair();
    const second = await connect();
    second.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    expect(JSON.parse(await second.text())).toMatchObject({
      success: false,
      error: 'Too many clients: at most 1 at once.',
    });
    await second.ended();
    const third = await connect();
    third.write(V0_4);
    expect(await third.text()).toBe('ERROR: Too many clients: at most 1 at once.\n');
    expect(server.accepted).toBe(1);
    first.client.socket.destroy();
    await first.upstream.ended();
    first.upstream.socket.end();
    second.socket.end();
    third.socket.end();
    await eventually('no client is left', () => proxy.clientCount === 0);
    await pair();
  });
});

test('several upstream servers take turns, and one that is gone is passed over', async () => {
  const [one, two, gone] = [await scriptedServer(), await scriptedServer(), await scriptedServer()];
  await gone.close();
  try {
    await onScene({ upstreams: [one.address, gone.address, two.address] }, async ({ connect }) => {
      for (let round = 0; round < 6; round++) {
        const client = await connect();
        client.write(V0_4);
        await eventually('it is connected', () => one.accepted + two.accepted > round);
      }
      expect(Math.min(one.accepted, two.accepted)).toBeGreaterThanOrEqual(2);
    });
  } finally {
    await one.close();
    await two.close();
  }
});

test('an upstream that comes back is used again', async () => {
  const first = await scriptedServer();
  await first.close();
  await onScene({ upstreams: [first.address] }, async ({ proxy }) => {
    const refused = await connectPeer(proxy.address);
    refused.write(V0_4);
    expect(await refused.text()).toMatch(/^ERROR: Cannot reach/);
    const again = await scriptedServer(first.address.port);
    try {
      const client = await connectPeer(proxy.address);
      const upstream = await again.accept();
      await shakeOld(client, upstream, V0_4);
      client.write(frame(1, '[5]'));
      expect((await upstream.frame()).body).toBe('[5]');
      client.socket.destroy();
    } finally {
      await again.close();
    }
  });
});
