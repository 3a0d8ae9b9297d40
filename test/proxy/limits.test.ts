import { expect, test } from 'vitest';
import { createOpenFeed, DEFAULT_LIMITS } from '../../proxy/feed/open-feed.ts';
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
      const upstream = await shakeOld(client, again, V0_4);
      client.write(frame(1, '[5]'));
      expect((await upstream.frame()).body).toBe('[5]');
      client.socket.destroy();
    } finally {
      await again.close();
    }
  });
});

const COUNT = '[1,[152,[[43,[[15,["t"]]]]]]]';

test('a feed too many is refused, and taken when another has been stopped, before upstream has said so', async () => {
  const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, now: () => 0 });
  await onScene({ openFeed, maxFeedsPerClient: 2 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, COUNT), frame(2, COUNT), frame(3, COUNT)]));
    const refused = await client.frame();
    expect(refused.token).toBe(3n);
    expect(JSON.parse(refused.body)).toMatchObject({
      ...{ t: 18, e: 2_000_000, r: ['Too many live feeds on this connection: at most 2.'] },
    });
    await upstream.frame();
    const second = await upstream.frame();
    client.write(Buffer.concat([frame(2, '[3]'), frame(3, COUNT), frame(4, COUNT)]));
    // The START and the STOP of the second feed; the third is open, the fourth is not.
    expect([(await client.frame()).token, (await client.frame()).token]).toEqual([2n, 2n]);
    expect((await client.frame()).token).toBe(4n);
    expect(await upstream.frame()).toEqual({ token: second.token, body: '[3]' });
    expect((await upstream.frame()).body).toMatch(/^\[1,/);
    expect(upstream.waiting).toHaveLength(0);
  });
});

test('a query of just so many bytes is looked at, one more passes', async () => {
  const lengths: number[] = [];
  const openFeed = ({ body }: { readonly body: Buffer }): undefined => {
    lengths.push(body.length);
  };
  await onScene({ openFeed, maxQueryBytes: COUNT.length }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, COUNT), frame(2, `${COUNT} `)]));
    expect([(await upstream.frame()).body, (await upstream.frame()).body]).toEqual([COUNT, `${COUNT} `]);
    expect(lengths).toEqual([COUNT.length]);
  });
});
