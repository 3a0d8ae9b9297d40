import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import type { Address } from '../../proxy/upstream/address.ts';
import { frame, text } from '../support/checks/bytes.ts';
import { type Certificate, makeCertificate } from '../support/servers/certificate.ts';
import { Peer } from '../support/servers/peer.ts';
import { onScene, SHAKE, shakeOld, V0_4, V1_0 } from '../support/servers/scene.ts';
import { writtenLog } from '../support/servers/written-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'livefold-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const authority = makeCertificate('authority');
const stranger = makeCertificate('stranger');
const local = makeCertificate('local', ['localhost', '127.0.0.1'], authority);
const renewed = makeCertificate('renewed', ['localhost', '127.0.0.1'], authority);
const elsewhere = makeCertificate('elsewhere', ['db.example'], authority);
const expired = makeCertificate('expired', ['localhost', '127.0.0.1'], authority, new Date().getUTCFullYear() - 1);
const known = makeCertificate('known client', ['client'], authority);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function files(name: string, certificate: Certificate): { cert: string; key: string } {
  return { cert: file(`${name}.cert`, certificate.cert), key: file(`${name}.key`, certificate.key) };
}

const authorityFile = file('authority.cert', authority.cert);

/** A TLS client; rejects with why it was not let in. TLS 1.3 lets a client in before it refuses its certificate. */
function secure(address: Address, options: ConnectionOptions = {}): Promise<{ peer: Peer; socket: TLSSocket }> {
  return new Promise((resolve, reject) => {
    const all: ConnectionOptions = { ...address, servername: 'localhost', ca: authority.cert, ...options };
    const socket = connect(all);
    socket.once('error', reject);
    socket.once('secureConnect', () => resolve({ peer: new Peer(socket), socket }));
  });
}

/** Plays with a TLS server in the place of upstream. */
async function onSecureUpstream(
  certificate: Certificate,
  play: (address: Address, accept: () => Promise<Peer>) => Promise<void>,
): Promise<void> {
  const peers: Peer[] = [];
  const wanted: ((peer: Peer) => void)[] = [];
  const server = createServer({ cert: certificate.cert, key: certificate.key, allowHalfOpen: true }, (socket) => {
    const peer = new Peer(socket);
    const next = wanted.shift();
    if (next === undefined) peers.push(peer);
    else next(peer);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no address');
  try {
    await play({ host: '127.0.0.1', port: bound.port }, () => {
      const peer = peers.shift();
      return peer === undefined ? new Promise((resolve) => wanted.push(resolve)) : Promise.resolve(peer);
    });
  } finally {
    server.close();
  }
}

test('clients speak TLS with the proxy, and what they send arrives', async () => {
  await onScene({ clientTls: files('local', local) }, async ({ proxy, server }) => {
    const { peer: client, socket } = await secure(proxy.address);
    expect(socket.getProtocol()).toBe('TLSv1.3');
    const upstream = await shakeOld(client, server, V0_4);
    client.write(frame(1, '[1,5]'));
    expect(await upstream.frame()).toEqual({ token: 1n, body: '[1,5]' });
    const answer = frame(1, `{"t":1,"r":["${'x'.repeat(1_000_000)}"]}`);
    upstream.write(answer);
    expect((await client.read(answer.length)).equals(answer)).toBe(true);
    upstream.socket.end();
    await client.ended();
    socket.destroy();
  });
});

test('TLS below 1.2 is refused, and so is a client that does not know the authority', async () => {
  await onScene({ clientTls: files('local', local) }, async ({ proxy, server }) => {
    await expect(
      secure(proxy.address, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    ).rejects.toThrow();
    await expect(secure(proxy.address, { ca: stranger.cert })).rejects.toThrow('unable to verify');
    const { peer, socket } = await secure(proxy.address, { maxVersion: 'TLSv1.2' });
    expect(socket.getProtocol()).toBe('TLSv1.2');
    peer.write(V0_4);
    await server.accept();
    expect(server.accepted).toBe(1);
    socket.destroy();
  });
});

test('where clients need a certificate, only one of the right authority lets them in', async () => {
  const clientTls = { ...files('local', local), clientCa: authorityFile };
  await onScene({ clientTls }, async ({ proxy, server }) => {
    const { peer: nobody } = await secure(proxy.address);
    nobody.write(V0_4);
    await nobody.ended();
    const fake = makeCertificate('fake', ['client'], stranger);
    const { peer: impostor } = await secure(proxy.address, { cert: fake.cert, key: fake.key });
    impostor.write(V0_4);
    await impostor.ended();
    expect(server.accepted).toBe(0);
    const { peer: client } = await secure(proxy.address, { cert: known.cert, key: known.key });
    await shakeOld(client, server, V0_4);
    client.socket.destroy();
  });
});

test('a plain client on a TLS port, and a TLS client on a plain one, end without harm', async () => {
  await onScene({ clientTls: files('local', local) }, async ({ connect, proxy, server }) => {
    const plain = await connect();
    plain.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    await plain.ended();
    expect(server.accepted).toBe(0);
    const { peer } = await secure(proxy.address);
    await shakeOld(peer, server, V0_4);
    peer.socket.destroy();
  });
});

test('certificates are read again while connections stay', async () => {
  const clientTls = files('changing', local);
  await onScene({ clientTls }, async ({ proxy, server }) => {
    const { peer: before, socket: first } = await secure(proxy.address);
    const upstream = await shakeOld(before, server, V0_4);
    expect(first.getPeerCertificate().subject.CN).toBe('local');
    files('changing', renewed);
    proxy.reloadTls();
    const { socket: second } = await secure(proxy.address);
    expect(second.getPeerCertificate().subject.CN).toBe('renewed');
    before.write(frame(1, '[5]'));
    expect((await upstream.frame()).body).toBe('[5]');
    first.destroy();
    second.destroy();
  });
});

test.each([
  ['a certificate that is none', { cert: 'rubbish' }],
  ['a key that is none', { key: 'rubbish' }],
  ['the key of another certificate', { key: renewed.key }],
  ['nothing at all', { cert: '' }],
  ['authorities that are none', { ca: 'rubbish' }],
])('where there is %s to be read again, the old certificates stay', async (_name, broken) => {
  const clientTls = { ...files('breaking', local), clientCa: file('breaking.ca', authority.cert) };
  await onScene({ clientTls }, async ({ proxy, server }) => {
    const good = { cert: local.cert, key: local.key, ca: authority.cert };
    for (const [name, content] of Object.entries({ ...good, ...broken })) file(`breaking.${name}`, content);
    expect(() => proxy.reloadTls()).toThrow();
    const { peer, socket } = await secure(proxy.address, { cert: known.cert, key: known.key });
    expect(socket.getPeerCertificate().subject.CN).toBe('local');
    await shakeOld(peer, server, V0_4);
    socket.destroy();
  });
});

test.each([
  { clientTls: { ...files('local', local), clientCa: file('rubbish', 'rubbish') } },
  { upstreamTls: { ca: file('rubbish', 'rubbish') } },
])('a file of authorities in which there are none is refused at the start: %o', async (settings) => {
  await expect(onScene(settings, async () => {})).rejects.toThrow(/no start line/i);
});

test('a certificate of its own that has expired is told of in the log', async () => {
  const { log, lines } = writtenLog('warn');
  await onScene({ clientTls: files('expired', expired), log }, async () => {
    expect(lines.join('')).toContain('the certificate towards clients has expired');
  });
});

test('the proxy speaks TLS with upstream', async () => {
  await onSecureUpstream(local, async (address, accept) => {
    await onScene({ upstreams: [address], upstreamTls: { ca: authorityFile } }, async ({ connect }) => {
      const client = await connect();
      const upstream = await shakeOld(client, { accept }, V0_4);
      client.write(frame(1, '[5]'));
      expect((await upstream.frame()).body).toBe('[5]');
      upstream.socket.end();
      await client.ended();
    });
  });
});

test.each([
  ['of another authority', local, { ca: file('stranger.cert', stranger.cert) }],
  ['that has expired', expired, { ca: authorityFile }],
  ['for another name', elsewhere, { ca: authorityFile }],
  ['not for the name asked for', local, { ca: authorityFile, serverName: 'db.example' }],
])('an upstream with a certificate %s is refused, and the client is told', async (_name, certificate, upstreamTls) => {
  await onSecureUpstream(certificate, async (address) => {
    await onScene({ upstreams: [address], upstreamTls }, async ({ connect }) => {
      const client = await connect();
      client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
      expect(JSON.parse(await client.text())).toMatchObject({
        success: false,
        error: expect.stringMatching(/Cannot reach the upstream server: .*certificate|Hostname/),
      });
      await client.ended();
    });
  });
});

test('an upstream may be known by another name than its host', async () => {
  await onSecureUpstream(elsewhere, async (address, accept) => {
    const upstreamTls = { ca: authorityFile, serverName: 'db.example' };
    await onScene({ upstreams: [address], upstreamTls }, async ({ connect }) => {
      const client = await connect();
      await shakeOld(client, { accept }, V0_4);
    });
  });
});

test('an upstream that speaks no TLS is refused, and the client is told', async () => {
  await onScene({ upstreamTls: { ca: authorityFile } }, async ({ connect, server }) => {
    const client = await connect();
    client.write(V0_4);
    const upstream = await server.accept();
    upstream.write(text('ERROR: this is plain\n'));
    const why = 'Cannot reach the upstream server: TLS: the other end does not speak it.';
    expect(await client.text()).toBe(`ERROR: ${why}\n`);
    await client.ended();
  });
});

test('an upstream that accepts and says nothing is given up in time, and the client is told', async () => {
  const upstreamTls = { ca: authorityFile };
  await onScene({ upstreamTls, connectTimeoutMs: 50 }, async ({ connect, server }) => {
    const client = await connect();
    client.write(V0_4);
    const upstream = await server.accept();
    expect(await client.text()).toBe('ERROR: Cannot reach the upstream server: connection timed out.\n');
    await client.ended();
    await upstream.ended();
  });
});

test('a client that says nothing on a TLS port is let go when its time is over', async () => {
  const { log, lines } = writtenLog('warn');
  await onScene({ clientTls: files('local', local), handshakeTimeoutMs: 200, log }, async ({ connect, server }) => {
    const mute = await connect();
    await mute.ended();
    expect(server.accepted).toBe(0);
  });
  expect(lines.join('')).toContain('TLS handshake failed');
});

test('clients that say nothing on a TLS port make room for one that does', async () => {
  const settings = { clientTls: files('local', local), maxClients: 3, strangerPatienceMs: 0 };
  await onScene(settings, async ({ connect, proxy, server }) => {
    const mute = [await connect(), await connect(), await connect()];
    const { peer, socket } = await secure(proxy.address);
    await shakeOld(peer, server, V0_4);
    await mute[0]?.ended();
    socket.destroy();
  });
});
