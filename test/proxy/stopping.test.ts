import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { STOPPING } from '../../proxy/stopping.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { feedFrame, onScene, V0_4, V1_0 } from '../support/servers/scene.ts';

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

const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
const NATIVE = '[1,[152,[[15,["t"]]]]]';
const LIVE = '[1,[152,[[43,[[15,["t"]]]]]]]';
const PARTIAL = '{"t":3,"r":[],"n":[1]}';
const DONE = '{"t":2,"r":[],"n":[]}';
const ended = { t: 18, e: STOPPING.errorType, r: [STOPPING.message] };

test('a stop ends feeds at once, live ones and those of RethinkDB, and lets queries finish', async () => {
  await onScene({ openFeed, drainMs: 60_000 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, NATIVE), frame(2, LIVE), frame(3, QUERY)]));
    // A feed that is opened in turns may come after a query that passes, and where its turn was long both feeds have tokens of the proxy's.
    const sent = [await feedFrame(upstream), await feedFrame(upstream), await feedFrame(upstream)];
    const tokenOf = (holds: (body: string) => boolean): bigint => sent.find(({ body }) => holds(body))?.token ?? -1n;
    const native = tokenOf((body) => body === NATIVE);
    const live = tokenOf((body) => body !== NATIVE && body !== QUERY);
    upstream.write(Buffer.concat([frame(native, PARTIAL), frame(live, PARTIAL)]));
    await client.frame();
    await client.frame();
    client.write(Buffer.concat([frame(1, '[2]'), frame(2, '[2]')]));
    for (let asked = 2; asked > 0; asked--) await upstream.frame();
    const drained = proxy.drain();
    const answers = [await client.frame(), await client.frame()];
    expect(answers.map(({ token }) => token).sort()).toEqual([1n, 2n]);
    for (const { body } of answers) expect(JSON.parse(body)).toMatchObject(ended);
    const stops = [await upstream.frame(), await upstream.frame()];
    expect(stops.map(({ body }) => body)).toEqual(['[3]', '[3]']);
    // Upstream's answer to that reaches nobody.
    upstream.write(Buffer.concat([frame(native, DONE), frame(native, DONE), frame(live, DONE)]));
    client.write(Buffer.concat([frame(4, NATIVE), frame(5, LIVE)]));
    const refused = [await client.frame(), await client.frame()];
    expect(refused.map(({ token }) => token)).toEqual([4n, 5n]);
    for (const { body } of refused) expect(JSON.parse(body)).toMatchObject(ended);
    upstream.write(frame(3, '{"t":1,"r":[3]}'));
    expect(await client.frame()).toEqual({ token: 3n, body: '{"t":1,"r":[3]}' });
    await client.ended();
    expect(client.waiting).toHaveLength(0);
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('a client that does not wait for a feed when the proxy stops is told when it asks', async () => {
  await onScene({ openFeed: () => 'native', drainMs: 60_000 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, NATIVE), frame(2, QUERY)]));
    await upstream.frame();
    await upstream.frame();
    upstream.write(frame(1, PARTIAL));
    await client.frame();
    const drained = proxy.drain();
    expect(await upstream.frame()).toEqual({ token: 1n, body: '[3]' });
    client.write(Buffer.concat([frame(1, '[2]'), frame(1, '[3]')]));
    expect(JSON.parse((await client.frame()).body)).toMatchObject(ended);
    expect((await client.frame()).body).toBe(DONE);
    upstream.write(Buffer.concat([frame(1, DONE), frame(2, '{"t":1,"r":[2]}')]));
    expect((await client.frame()).token).toBe(2n);
    await client.ended();
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('feeds of RethinkDB that are over hold up no stop, whichever way they ended', async () => {
  await onScene({ openFeed: () => 'native', drainMs: 60_000 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, NATIVE), frame(2, NATIVE), frame(3, NATIVE)]));
    for (let asked = 3; asked > 0; asked--) await upstream.frame();
    upstream.write(
      Buffer.concat([frame(1, DONE), frame(2, '{"t":18,"e":4100000,"r":["x"],"b":[]}'), frame(3, PARTIAL)]),
    );
    for (let answers = 3; answers > 0; answers--) await client.frame();
    client.write(frame(3, '[3]'));
    await upstream.frame();
    // An answer that comes a byte at a time is looked at all the same.
    await upstream.writeApart([...frame(3, DONE)].map((byte) => Buffer.from([byte])));
    expect(await client.frame()).toEqual({ token: 3n, body: DONE });
    const drained = proxy.drain();
    await client.ended();
    await upstream.ended();
    expect(upstream.waiting).toHaveLength(0);
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('a client that has just come gets to ask, and is let go when it has its answer', async () => {
  await onScene({ drainMs: 60_000, openFeed }, async ({ connect, server, proxy }) => {
    const silent = await connect();
    const fresh = await connect();
    await eventually('both have come', () => proxy.clientCount === 2);
    const drained = proxy.drain();
    const shaken = server.accept();
    fresh.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
    const upstream = await shaken;
    await upstream.read(12);
    upstream.write(text('SUCCESS'));
    await fresh.text();
    fresh.write(frame(1, QUERY));
    await upstream.frame();
    upstream.write(frame(1, '{"t":1,"r":[1]}'));
    expect((await fresh.frame()).body).toBe('{"t":1,"r":[1]}');
    await fresh.ended();
    await silent.ended();
    for (const { socket } of [silent, fresh, upstream]) socket.end();
    await drained;
  });
});

test('a query of which a part has come is waited for', async () => {
  await onScene({ drainMs: 60_000, openFeed }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    const whole = frame(1, '[1,[15,["t152"]]]');
    // The other query proves that the part has come.
    client.write(Buffer.concat([frame(7, QUERY), whole.subarray(0, 15)]));
    await upstream.frame();
    upstream.write(frame(7, '{"t":1,"r":[7]}'));
    await client.frame();
    const drained = proxy.drain();
    client.write(whole.subarray(15));
    expect((await upstream.frame()).body).toBe('[1,[15,["t152"]]]');
    upstream.write(frame(1, '{"t":1,"r":[1]}'));
    await client.frame();
    await client.ended();
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('a client whose handshake upstream does not answer is told that the proxy stops, and does not hold it up', async () => {
  await onScene({ drainMs: 60_000, handshakeTimeoutMs: 60_000 }, async ({ connect, server, proxy }) => {
    const client = await connect();
    client.write(V1_0);
    const upstream = await server.accept();
    await upstream.read(4);
    const drained = proxy.drain();
    expect(JSON.parse(await client.text())).toMatchObject({ error: 'The proxy is stopping: connect again.' });
    await client.ended();
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('a client that goes on reading what waits for it does not hold up the end of the proxy', async () => {
  const body = Buffer.alloc(64 * 1024 * 1024, ' ');
  body.write('{"t":1,"r":[]}');
  await onScene({ drainMs: 30 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, QUERY));
    await upstream.frame();
    client.socket.pause();
    upstream.write(Buffer.concat([frame(1, '').subarray(0, 8), word(body.length), body]));
    await eventually('the proxy is full', () => upstream.socket.writableLength > 0);
    // A little now and then, for longer than the test may take.
    const sip = setInterval(() => void client.socket.read(1), 100);
    await proxy.drain();
    clearInterval(sip);
    client.socket.destroy();
  });
});
