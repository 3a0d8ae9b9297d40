// Upstream servers that are gone without a word, and others that merely have nothing to say.

import { expect, test } from 'vitest';
import { type Reachable, type UpstreamActivity, UpstreamLiveness } from '../../proxy/connection/upstream-liveness.ts';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { startProxy } from '../../proxy/listener.ts';
import { silent } from '../../proxy/log.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { frame, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { faultyLink } from '../support/servers/faulty-link.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { onScene, shakeOld, V0_3, V0_4, V1_0 } from '../support/servers/scene.ts';

const QUERY = '[1,[15,["t"]]]';
/** So long that it passes as it comes. */
const WRITE = frame(2, `[1,[56,[[15,["t"]],{"text":"${'x'.repeat(100_000)}"}]]]`);
const openFeed = createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: () => 0 });

const quiet: UpstreamActivity = { now: 0, received: 0, sent: 0, backlog: false, noreply: 0, answerable: true };

test.each<[string, readonly Partial<UpstreamActivity>[], readonly string[]]>([
  ['silence is asked about, and then somebody looks', [{}, { now: 10 }, { now: 20 }], ['fine', 'ask', 'look']],
  [
    'who is silent for ten times the patience is gone, though it accepts connections',
    [{}, ...Array.from({ length: 10 }, (_, i) => ({ now: 10 * (i + 1) }))],
    ['fine', 'ask', ...Array.from({ length: 8 }, () => 'look'), 'gone'],
  ],
  ['an answer to the question ends the silence', [{}, { now: 10 }, { now: 20, received: 1 }], ['fine', 'ask', 'fine']],
  [
    'after it the silence begins anew',
    [{}, { now: 10 }, { now: 15, received: 1 }, { now: 24, received: 1 }, { now: 25, received: 1 }],
    ['fine', 'ask', 'fine', 'fine', 'ask'],
  ],
  ['where no answer is owed silence means nothing', [{}, { now: 99, answerable: false }], ['fine', 'fine']],
  [
    'bytes that leave a full buffer have been acknowledged',
    [{ backlog: true }, { now: 10, sent: 5, backlog: true }, { now: 20, sent: 5, backlog: true }],
    ['fine', 'fine', 'ask'],
  ],
  ['bytes that leave an empty buffer may be lost', [{}, { now: 10, sent: 5 }], ['fine', 'ask']],
  ['a question behind many writes tells nothing', [{}, { now: 10, noreply: 101 }], ['fine', 'fine']],
])('%s', (_name, looks, verdicts) => {
  const silence = new UpstreamLiveness(10);
  expect(looks.map((look) => silence.look({ ...quiet, ...look }))).toEqual(verdicts);
});

test.each<[string, readonly Reachable[], string]>([
  ['accepts connections', ['accepts'], 'look'],
  ['refuses them', ['refuses'], 'gone'],
  ['does not answer once, as one does whose queue is full', ['unanswered'], 'look'],
  ['does not answer twice', ['unanswered', 'unanswered'], 'gone'],
  ['accepts some', ['unanswered', 'accepts', 'unanswered'], 'look'],
])('a silent upstream that %s is waited for, or gone', (_name, found, verdict) => {
  const silence = new UpstreamLiveness(10);
  for (const now of [0, 10, 20]) silence.look({ ...quiet, now });
  let now = 20;
  for (const reachable of found) {
    silence.reached(reachable);
    now += 10;
    if (reachable !== found.at(-1)) silence.look({ ...quiet, now });
  }
  expect(silence.look({ ...quiet, now })).toBe(verdict);
  expect(silence.look({ ...quiet, now, received: 1 })).toBe('fine');
  silence.reached('refuses');
  expect(silence.look({ ...quiet, now: now + 10, received: 1 })).toBe('ask');
});

test('a client of an upstream that is busy waits, and is answered', async () => {
  await onScene({ keepaliveMs: 40 }, async ({ pair, server }) => {
    const { client, upstream } = await pair();
    client.write(frame(7, QUERY));
    await upstream.frame();
    const question = await upstream.frame();
    expect(question.body).toBe('[5]');
    // Longer than the patience for a question: somebody looks whether it is there, more than once.
    for (let look = 0; look < 3; look++) (await server.accept()).socket.destroy();
    upstream.write(frame(7, '{"t":1,"r":[]}'));
    expect((await client.frame()).body).toBe('{"t":1,"r":[]}');
  });
});

test('an upstream that has nothing to say is asked now and then, and the client sees nothing of it', async () => {
  await onScene({ keepaliveMs: 20 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(7, QUERY));
    await upstream.frame();
    for (let round = 0; round < 5; round++) {
      const question = await upstream.frame();
      expect(question.body).toBe('[5]');
      expect(question.token).not.toBe(7n);
      upstream.write(frame(question.token, '{"t":5,"r":[{"id":"x","proxy":false,"name":"x"}]}'));
    }
    upstream.write(frame(7, '{"t":1,"r":[]}'));
    expect(await client.frame()).toEqual({ token: 7n, body: '{"t":1,"r":[]}' });
    expect(client.waiting).toHaveLength(0);
  });
});

test('an upstream that answers nothing, not even that, is gone, and so is its client', async () => {
  await onScene({ keepaliveMs: 20 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(7, QUERY));
    await upstream.frame();
    await client.ended();
    expect(client.waiting).toHaveLength(0);
    client.socket.end();
    await upstream.ended();
    await eventually('no client is left', () => proxy.clientCount === 0);
  });
});

test.each([
  ['that asks nothing', V0_4, []],
  ['of the old protocol, where a question would wait for the query', V0_3, [frame(1, QUERY)]],
  ['in the middle of a write', V0_4, [frame(1, QUERY), WRITE.subarray(0, 60)]],
])('no question is asked for a client %s', async (_name, magic, frames) => {
  await onScene({ keepaliveMs: 20 }, async ({ connect, server, pair }) => {
    const client = await connect();
    const upstream = await shakeOld(client, server, magic);
    client.write(Buffer.concat(frames));
    await upstream.read(frames.reduce((size, each) => size + each.length, 0));
    // Another client, which is asked for and given up, is the clock.
    const clock = await pair();
    clock.client.write(frame(1, QUERY));
    await clock.client.ended();
    expect(upstream.waiting).toHaveLength(0);
    client.write(WRITE.subarray(60));
    await upstream.read(12);
  });
});

test('no question is asked of an upstream whose answer the client is slow to read', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024, ' ');
  body.write('{"t":1,"r":[]}');
  const answer = Buffer.concat([frame(1, '').subarray(0, 8), word(body.length), body]);
  await onScene({ keepaliveMs: 20 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.socket.pause();
    client.write(frame(1, QUERY));
    await upstream.frame();
    upstream.write(answer);
    await eventually('no more is read', () => upstream.socket.writableLength > 0);
    const clock = await pair();
    clock.client.write(frame(1, QUERY));
    await clock.client.ended();
    expect(upstream.waiting).toHaveLength(0);
    client.socket.resume();
    expect((await client.read(answer.length)).equals(answer)).toBe(true);
  });
});

test('an upstream that does not answer the handshake is told to the client as what it is', async () => {
  await onScene({ handshakeTimeoutMs: 300 }, async ({ connect, server }) => {
    const client = await connect();
    client.write(V1_0);
    const upstream = await server.accept();
    await upstream.read(4);
    expect(JSON.parse(await client.text())).toMatchObject({ error: 'The upstream server does not answer.' });
    await client.ended();
  });
});

test.each(['auto', 'proxy'] as const)('a live feed (%s plan) behind a black hole ends', async (plan) => {
  const server = await createEmbeddedServer();
  const link = await faultyLink(server.address, { kind: 'none' });
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [link.address],
    openFeed: createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: () => 0 }),
    log: silent,
    keepaliveMs: 100,
    watchUpstreams: false,
  });
  try {
    const client = await connectPeer(proxy.address);
    client.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
    expect(await client.text()).toBe('SUCCESS');
    client.write(frame(1, queryOfText("r.db('rethinkdb').table('users').count().changes({includeInitial: true})")));
    let body = '';
    while (!body.includes('"new_val":1')) {
      ({ body } = await client.frame());
      client.write(frame(1, '[2]'));
    }
    link.swallow();
    await client.ended();
    client.socket.destroy();
    await eventually('the proxy has let go', () => proxy.clientCount === 0);
  } finally {
    await proxy.destroy();
    await link.close();
    await server.close();
  }
});

test('with no time set nobody is asked', async () => {
  await onScene({ keepaliveMs: 0, openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(7, QUERY));
    await upstream.frame();
    upstream.write(frame(7, '{"t":1,"r":[]}'));
    await client.frame();
    expect(upstream.waiting).toHaveLength(0);
  });
});
