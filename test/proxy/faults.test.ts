// Fault drills: the same story told over links that delay, cut, end and reset. The client gets a beginning of what it gets without
// faults, in whole frames; and afterwards nobody is left hanging.

import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { startProxy } from '../../proxy/listener.ts';
import { silent } from '../../proxy/log.ts';
import { Client } from '../../src/client/client.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { frame, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { type Fault, faultyLink } from '../support/servers/faulty-link.ts';
import { connectPeer, type Peer } from '../support/servers/peer.ts';

const TABLE = '[15,["t"]]';
const HELLO = Buffer.concat([word(0x400c2d20), word(0), word(0x7e6970c7)]);

/** Handshake, a read, a count feed, a write that it sees, a sum feed, an error, and a stop. */
async function tell(client: Peer, heard: string[]): Promise<void> {
  const hear = async (): Promise<void> => {
    const { token, body } = await client.frame();
    heard.push(`${token} ${body}`);
  };
  client.write(HELLO);
  heard.push(await client.text());
  client.write(frame(1, `[1,[43,[${TABLE}]]]`));
  await hear();
  client.write(frame(2, `[1,[152,[[43,[${TABLE}]]],{"include_initial":true}]]`));
  await hear();
  client.write(frame(2, '[2]'));
  client.write(frame(3, `[1,[56,[${TABLE},{"id":"é😀","x":1}]]]`));
  await hear();
  await hear();
  heard.splice(-2, 2, ...heard.slice(-2).sort());
  client.write(frame(4, `[1,[152,[[145,[${TABLE},"x"]]],{"include_initial":true}]]`));
  await hear();
  client.write(frame(5, `[1,[24,[1,"x"]]]`));
  await hear();
  client.write(frame(2, '[3]'));
  await hear();
}

/** Tells the story over two links, and gives what was heard until it was over or broke off. */
async function story(toProxy: Fault, toUpstream: Fault): Promise<readonly string[]> {
  const server = await createEmbeddedServer();
  const owner = await Client.connect(server.address);
  await owner.run('[1,[60,["t"]]]');
  await owner.run(`[1,[56,[${TABLE},[2,[{"id":1,"x":2},{"id":2,"x":3}]]]]]`);
  const second = await faultyLink(server.address, toUpstream);
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [second.address],
    openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: () => 0 }),
    log: silent,
  });
  const first = await faultyLink(proxy.address, toProxy);
  const heard: string[] = [];
  try {
    const client = await connectPeer(first.address);
    await tell(client, heard).catch(() => client.ended());
    client.socket.destroy();
    await eventually('the proxy has let go', () => proxy.clientCount === 0);
    await eventually('nothing is open behind it', () => second.open === 0);
  } finally {
    owner.close();
    await first.close();
    await proxy.destroy();
    await second.close();
    await server.close();
  }
  return heard;
}

const none: Fault = { kind: 'none' };
const whole = await story(none, none);

test('the story is told in full over links without faults', () => {
  expect(whole.map((line) => line.slice(0, 8))).toEqual(
    ['SUCCESS', '1 {"t":1', '2 {"t":3', '2 {"t":3', '3 {"t":1', '4 {"t":3', '5 {"t":18', '2 {"t":2'].map((line) =>
      line.slice(0, 8),
    ),
  );
});

test.each<Fault>([
  { kind: 'delay', ms: 3 },
  { kind: 'recut', size: 1 },
  { kind: 'recut', size: 7 },
])('the same is heard over links with %o', async (fault) => {
  expect(await story(fault, none)).toEqual(whole);
  expect(await story(none, fault)).toEqual(whole);
});

test.each(['end', 'reset', 'half'] as const)(
  'a link that breaks with %s lets a beginning through, and no one hangs',
  async (kind) => {
    for (let after = 5; after < 700; after += 61) {
      for (const [toProxy, toUpstream] of [
        [{ kind, after }, none],
        [none, { kind, after }],
      ] as const) {
        const heard = await story(toProxy, toUpstream);
        const told = heard.filter((line) => !line.startsWith('ERROR: '));
        expect(told).toEqual(whole.slice(0, told.length));
      }
    }
  },
);

const ways: readonly (readonly [string, (peer: Peer) => void])[] = [
  ['end', (peer) => peer.socket.end()],
  ['are destroyed', (peer) => peer.socket.destroy()],
  ['are reset', (peer) => peer.socket.resetAndDestroy()],
  [
    'vanish within a frame',
    (peer) => peer.socket.write(frame(9, '[1,1]').subarray(0, 13), () => peer.socket.destroy()),
  ],
];

test.each(ways)('fifty clients with live feeds that %s leave nothing open', async (_name, go) => {
  const server = await createEmbeddedServer();
  const owner = await Client.connect(server.address);
  await owner.run('[1,[60,["t"]]]');
  const link = await faultyLink(server.address, none);
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [link.address],
    openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: () => 0 }),
    log: silent,
  });
  try {
    const clients = await Promise.all(Array.from({ length: 50 }, () => connectPeer(proxy.address)));
    for (const client of clients) {
      client.write(HELLO);
      await client.text();
      client.write(frame(1, `[1,[152,[[43,[${TABLE}]]],{"include_initial":true}]]`));
      await client.frame();
      client.write(frame(1, '[2]'));
    }
    expect(proxy.clientCount).toBe(50);
    for (const client of clients) go(client);
    await eventually('the proxy has let go of all', () => proxy.clientCount === 0);
    await eventually('nothing is open behind it', () => link.open === 0);
    for (const client of clients) client.socket.destroy();
  } finally {
    owner.close();
    await proxy.destroy();
    await link.close();
    await server.close();
  }
});
