// Connections that begin with a header of the PROXY protocol: where the client is said to be, what is refused, and when.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { OWN_HEADER } from '../../proxy/connection/proxy-header.ts';
import type { ProxySettings } from '../../proxy/listener.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { makeCertificate } from '../support/servers/certificate.ts';
import { Peer } from '../support/servers/peer.ts';
import { binaryHeader } from '../support/servers/proxy-header.ts';
import { onScene, type Scene, shakeOld, V0_4 } from '../support/servers/scene.ts';
import { type WrittenLog, writtenLog } from '../support/servers/written-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'livefold-proxy-protocol-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const authority = makeCertificate('authority');
const local = makeCertificate('local', ['localhost'], authority);
const clientTls = { cert: join(folder, 'cert'), key: join(folder, 'key') };
writeFileSync(clientTls.cert, local.cert);
writeFileSync(clientTls.key, local.key);

const HELLO = Buffer.concat([V0_4, word(0), word(0x7e6970c7)]);
const v4 = { host: '203.0.113.7', port: 56324 };
const HEADERS = {
  'version 1': Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 56324 28015\r\n'),
  'version 2': binaryHeader({ family: 1, origin: v4, more: Buffer.from([4, 0, 2, 0, 0]) }),
} as const;

async function behindBalancer(
  settings: Partial<ProxySettings>,
  play: (scene: Scene, written: WrittenLog) => Promise<void>,
): Promise<void> {
  const written = writtenLog('debug');
  await onScene({ proxyProtocol: true, log: written.log, ...settings }, (scene) => play(scene, written));
}

/** Lines of the log with a message. */
function logged({ lines }: WrittenLog, message: string): readonly Readonly<Record<string, unknown>>[] {
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

/** Waits for the handshake to come to the server, and answers it. */
async function letIn({ server }: Scene, client: Peer): Promise<Peer> {
  const upstream = await server.accept();
  expect(await upstream.read(HELLO.length)).toEqual(HELLO);
  upstream.write(text('SUCCESS'));
  expect(await client.text()).toBe('SUCCESS');
  return upstream;
}

/** Where bytes are cut: in the middle of the header, at its end, and after it. */
const places = (header: Buffer): readonly number[] => [
  0,
  1,
  5,
  13,
  header.length - 1,
  header.length,
  header.length + 3,
];

describe.each(Object.entries(HEADERS))('%s', (_name, header) => {
  test.each(places(header))(
    'the client is where the header says, whether its bytes are cut at %i or not',
    async (at) => {
      await behindBalancer({}, async (scene, written) => {
        const client = await scene.connect();
        const all = Buffer.concat([header, HELLO]);
        await client.writeApart([all.subarray(0, at), all.subarray(at)]);
        const upstream = await letIn(scene, client);
        client.write(frame(1, '[1,5]'));
        expect(await upstream.frame()).toEqual({ token: 1n, body: '[1,5]' });
        expect(logged(written, 'client ready')).toEqual([expect.objectContaining({ client: v4.host })]);
      });
    },
  );

  test.each(places(header))('and so with TLS, cut at %i', async (at) => {
    await behindBalancer({ clientTls }, async (scene, written) => {
      const raw = await scene.connect();
      await raw.writeApart([header.subarray(0, at), header.subarray(at)].filter((piece) => piece.length > 0));
      const { client, socket } = await secure(raw);
      client.write(HELLO);
      await letIn(scene, client);
      expect(logged(written, 'client ready')).toEqual([expect.objectContaining({ client: v4.host })]);
      socket.destroy();
    });
  });

  test('a driver that sends all at once and has nothing more to say is answered', async () => {
    await behindBalancer({}, async (scene) => {
      const client = await scene.connect();
      client.socket.end(Buffer.concat([header, HELLO]));
      const upstream = await scene.server.accept();
      expect(await upstream.read(HELLO.length)).toEqual(HELLO);
      await upstream.ended();
    });
  });

  test('without the option it is a driver that speaks nothing known, and nobody believes it', async () => {
    await behindBalancer({ proxyProtocol: false }, async (scene, written) => {
      const client = await scene.connect();
      client.write(Buffer.concat([header, HELLO]));
      const upstream = await scene.server.accept();
      expect(await upstream.read(header.length)).toEqual(header);
      await eventually('it is told', () => logged(written, 'client speaks no known handshake').length === 1);
      expect(written.lines.join('')).not.toContain(v4.host);
    });
  });
});

/** Speaks TLS over a connection on which a header was sent. */
function secure(raw: Peer): Promise<{ client: Peer; socket: TLSSocket }> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ socket: raw.socket, servername: 'localhost', ca: authority.cert });
    socket.once('error', reject);
    socket.once('secureConnect', () => resolve({ client: new Peer(socket), socket }));
  });
}

test.each([
  ['a driver that comes directly', HELLO, 'there is none'],
  ['a line that is wrong', Buffer.from('PROXY TCP4 203.0.113.7\r\n'), 'its line is not as it has to be'],
  ['another version', binaryHeader({ version: 3, family: 1, origin: v4 }), 'its version is 3'],
])('%s is let go at once, with a line in the log, and nothing of it reaches upstream', async (_name, bytes, reason) => {
  await behindBalancer({}, async (scene, written) => {
    const client = await scene.connect();
    client.write(bytes);
    await client.ended();
    expect(logged(written, 'PROXY protocol header refused')).toEqual([
      expect.objectContaining({ level: 40, peer: '127.0.0.1', reason }),
    ]);
    expect(scene.server.accepted).toBe(0);
    expect(scene.proxy.clientCount).toBe(0);
  });
});

test('a header that is cut off is told of; a connection without a byte is not', async () => {
  await behindBalancer({}, async (scene, written) => {
    const looking = await scene.connect();
    looking.socket.end();
    await looking.closed();
    const broken = await scene.connect();
    broken.socket.end(HEADERS['version 2'].subarray(0, 20));
    await broken.closed();
    expect(logged(written, 'PROXY protocol header refused').map(({ level }) => level)).toEqual([20, 40]);
  });
});

test('TLS that fails is told of the client, not of the balancer', async () => {
  await behindBalancer({ clientTls }, async (scene, written) => {
    const client = await scene.connect();
    client.write(Buffer.concat([HEADERS['version 2'], HELLO]));
    await client.ended();
    expect(logged(written, 'TLS handshake failed')).toEqual([expect.objectContaining({ client: v4.host })]);
  });
});

test('a balancer that looks whether the proxy serves is answered as itself, and is nothing to speak of', async () => {
  await behindBalancer({}, async (scene, written) => {
    const balancer = await scene.connect();
    balancer.write(OWN_HEADER);
    await eventually('it is through', () => scene.proxy.clientCount === 1);
    balancer.socket.end();
    await balancer.closed();
    await eventually('it is told', () => logged(written, 'client closed').length === 1);
    expect(logged(written, 'client closed')).toEqual([expect.objectContaining({ level: 20 })]);
    const client = await scene.connect();
    client.write(Buffer.concat([OWN_HEADER, HELLO]));
    await letIn(scene, client);
    expect(logged(written, 'client ready')).toEqual([expect.objectContaining({ client: '127.0.0.1' })]);
  });
});

test('a header that does not come is waited for as long as a handshake may take', async () => {
  await behindBalancer({ handshakeTimeoutMs: 200 }, async (scene, written) => {
    const mute = await scene.connect();
    const slow = await scene.connect();
    slow.write(HEADERS['version 2'].subarray(0, 20));
    await mute.ended();
    await slow.ended();
    expect(logged(written, 'PROXY protocol header refused')).toEqual([
      expect.objectContaining({ reason: 'it did not come in time' }),
      expect.objectContaining({ reason: 'it did not come in time' }),
    ]);
  });
});

test('the time that the header took is a part of the handshake’s', async () => {
  await behindBalancer({ handshakeTimeoutMs: 600 }, async (scene) => {
    const ends: string[] = [];
    const begun = performance.now();
    const first = await scene.connect();
    await eventually('some time has gone by', () => performance.now() - begun > 200);
    const second = await scene.connect();
    for (const [name, client] of [
      ['second', second],
      ['first', first],
    ] as const) {
      client.write(HEADERS['version 1']);
      client.socket.on('end', () => ends.push(name));
    }
    await first.ended();
    await second.ended();
    expect(ends).toEqual(['first', 'second']);
  });
});

test('connections without a header make room for one that has it', async () => {
  await behindBalancer({ maxClients: 3, strangerPatienceMs: 0 }, async (scene) => {
    const mute = [await scene.connect(), await scene.connect(), await scene.connect()];
    const client = await scene.connect();
    client.write(Buffer.concat([HEADERS['version 2'], HELLO]));
    await letIn(scene, client);
    await mute[0]?.ended();
  });
});

test.each([{}, { clientTls }])(
  'a stop waits for headers that are on their way, and not for those that are not: %o',
  async (settings) => {
    await behindBalancer(settings, async (scene) => {
      const [mute, late] = [await scene.connect(), await scene.connect()];
      late.write(HEADERS['version 1'].subarray(0, 10));
      const plain = 'clientTls' in settings ? undefined : late;
      const drained = scene.proxy.drain();
      plain?.write(Buffer.concat([HEADERS['version 1'].subarray(10), HELLO]));
      if (plain !== undefined) await letIn(scene, plain);
      await mute.ended();
      await drained;
      expect(scene.proxy.clientCount).toBe(0);
    });
  },
);

test('an end at once ends them, too', async () => {
  await behindBalancer({}, async (scene) => {
    const mute = await scene.connect();
    await scene.proxy.destroy();
    await mute.ended();
  });
});

test('shaking hands goes on as without it: a pair of queries and answers', async () => {
  await behindBalancer({}, async ({ connect, server }) => {
    const client = await connect();
    client.write(HEADERS['version 2']);
    const upstream = await shakeOld(client, server, V0_4);
    for (let n = 1; n < 4; n++) {
      client.write(frame(n, '[5]'));
      expect((await upstream.frame()).body).toBe('[5]');
      upstream.write(frame(n, '{"t":5,"r":[{}]}'));
      expect((await client.frame()).token).toBe(BigInt(n));
    }
  });
});
