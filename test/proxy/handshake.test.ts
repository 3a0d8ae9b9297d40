import { expect, test } from 'vitest';
import type { FeedQuery } from '../../proxy/relay/feed-port.ts';
import { cutAt, frame, oneByOne, text, word } from '../support/checks/bytes.ts';
import { type Peer, type ScriptedServer, scriptedServer } from '../support/servers/peer.ts';
import { onScene, SHAKE, shakeNew, shakeOld, V0_3, V0_4, V1_0 } from '../support/servers/scene.ts';
import { writtenLog } from '../support/servers/written-log.ts';

test('a pipelined V1_0 handshake is relayed byte for byte, and queries follow', async () => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    const upstream = await shakeNew(client, server);
    client.write(frame(1, '[1,5]'));
    expect(await upstream.frame()).toEqual({ token: 1n, body: '[1,5]' });
    upstream.write(frame(1, '{"t":1,"r":[5]}'));
    expect(await client.frame()).toEqual({ token: 1n, body: '{"t":1,"r":[5]}' });
  });
});

test('the same handshake cut into single bytes on both sides is the same conversation', async () => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    await client.writeApart(oneByOne(Buffer.concat([V1_0, text(SHAKE.first)])));
    const upstream = await server.accept();
    expect(await upstream.read(4)).toEqual(V1_0);
    expect(await upstream.text()).toBe(SHAKE.first);
    await upstream.writeApart(oneByOne(Buffer.concat([text(SHAKE.version), text(SHAKE.second)])));
    expect(await client.text()).toBe(SHAKE.version);
    expect(await client.text()).toBe(SHAKE.second);
    await client.writeApart(oneByOne(Buffer.concat([text(SHAKE.final), frame(1, '[1,"é😀"]')])));
    expect(await upstream.text()).toBe(SHAKE.final);
    await upstream.writeApart(oneByOne(text(SHAKE.last)));
    expect(await client.text()).toBe(SHAKE.last);
    expect(await upstream.frame()).toEqual({ token: 1n, body: '[1,"é😀"]' });
    await upstream.writeApart(oneByOne(frame(1, '{"t":1,"r":["é😀"]}')));
    expect(await client.frame()).toEqual({ token: 1n, body: '{"t":1,"r":["é😀"]}' });
  });
});

test('a server that answers both messages in one segment, and a client that sends queries before it is let in', async () => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    client.write(Buffer.concat([V1_0, text(SHAKE.first), text(SHAKE.final), frame(1, '[1,5]')]));
    const upstream = await server.accept();
    await upstream.read(4);
    await upstream.text();
    await upstream.text();
    upstream.write(
      Buffer.concat([text(SHAKE.version), text(SHAKE.second), text(SHAKE.last), frame(9, '{"t":1,"r":[]}')]),
    );
    expect([await client.text(), await client.text(), await client.text()]).toEqual([
      SHAKE.version,
      SHAKE.second,
      SHAKE.last,
    ]);
    expect(await client.frame()).toEqual({ token: 9n, body: '{"t":1,"r":[]}' });
    expect(await upstream.frame()).toEqual({ token: 1n, body: '[1,5]' });
  });
});

test.each([
  ['V0_4', V0_4],
  ['V0_3', V0_3],
])('a %s handshake with a key is relayed, at any cut', async (_name, magic) => {
  await onScene({}, async ({ connect, server }) => {
    const hello = Buffer.concat([magic, word(3), Buffer.from('key'), word(0x7e6970c7)]);
    for (let cut = 1; cut < hello.length; cut++) {
      const client = await connect();
      await client.writeApart(cutAt(hello, [cut]));
      const upstream = await server.accept();
      expect(await upstream.read(hello.length)).toEqual(hello);
      await upstream.writeApart(cutAt(text('SUCCESS'), [(cut % 7) + 1]));
      expect(await client.text()).toBe('SUCCESS');
      client.write(frame(1, '[4]'));
      expect(await upstream.frame()).toEqual({ token: 1n, body: '[4]' });
      client.socket.destroy();
    }
  });
});

test.each([
  ['a wrong password', '{"error":"Wrong password","error_code":12,"success":false}'],
  ['an old server', 'ERROR: Received an unsupported protocol version.\n'],
])('the refusal of %s reaches the client as it is, then the close', async (_name, refusal) => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    const upstream = await server.accept();
    await upstream.read(4);
    upstream.write(text(refusal));
    upstream.socket.end();
    expect(await client.text()).toBe(refusal);
    await client.ended();
    expect(client.waiting).toHaveLength(0);
  });
});

test.each([
  ['the cluster port of a RethinkDB', Buffer.from('RethinkDB cluster\0\x05\0\0\0\0\0\0\x002.4.4')],
  ['a web server, which ends no message', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['JSON of something else', text('{"ok":true}')],
  ['TLS', Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46])],
])('an upstream that answers as %s is told in the protocol of the client', async (_name, answer) => {
  const { log, lines } = writtenLog('warn');
  await onScene({ log }, async ({ connect, server }) => {
    const modern = await connect();
    modern.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    (await server.accept()).write(answer);
    const refusal: unknown = JSON.parse(await modern.text());
    expect(refusal).toMatchObject({ success: false, error_code: 0 });
    expect(refusal).toHaveProperty('error', expect.stringContaining('`--upstream`'));
    await modern.ended();
    const old = await connect();
    old.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
    (await server.accept()).write(answer);
    expect(await old.text()).toMatch(/^ERROR: .*`--upstream`.*\n$/);
    await old.ended();
    expect([modern.waiting.length, old.waiting.length]).toEqual([0, 0]);
    expect(lines.join('')).toMatch(/upstream does not answer as the driver port.*upstream not reached/);
  });
});

test('where upstream hangs up without a word the client is told what may be the cause, and otherwise that it did', async () => {
  await onScene({}, async ({ connect, server }) => {
    const told = async (...answers: readonly string[]): Promise<unknown> => {
      const client = await connect();
      client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
      const upstream = await server.accept();
      await upstream.read(4);
      await upstream.text();
      for (const answer of answers) upstream.write(text(answer));
      upstream.socket.end();
      for (const answer of answers) expect(await client.text()).toBe(answer);
      return JSON.parse(await client.text());
    };
    const error = 'The upstream server ended the handshake: upstream closed the connection.';
    expect(await told()).toEqual({
      success: false,
      error: `${error} Where its driver port wants TLS, set \`--upstream-tls\` of the proxy.`,
      error_code: 0,
    });
    expect(await told(SHAKE.version)).toEqual({ success: false, error, error_code: 0 });
  });
});

test.each([
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
  ['a TLS hello', Buffer.from([0x16, 0x03, 0x01, 0x00, 0x02, 0x01, 0x00])],
  ['protobuf', Buffer.concat([word(0x3f61ba36), word(0)])],
  ['a handshake message without an end', Buffer.concat([V1_0, Buffer.alloc(3000, 'x')])],
  ['a key that is too long', Buffer.concat([V0_4, word(5000), Buffer.alloc(5000, 'k')])],
])('%s gets the answer of the server itself', async (_name, bytes) => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    client.write(bytes);
    const upstream = await server.accept();
    expect(await upstream.read(bytes.length)).toEqual(bytes);
    upstream.write(text('ERROR: what is this\n'));
    upstream.socket.end();
    expect(await client.text()).toBe('ERROR: what is this\n');
    await client.ended();
  });
});

test.each([
  ['V1_0', '2.4.4', async (client, server) => shakeNew(client, server), 'bob'],
  [
    'V1_0',
    'rethinkdb 2.3.3',
    async (client, server) => shakeNew(client, server, '{"success":true,"server_version":"rethinkdb 2.3.3"}'),
    'bob',
  ],
  ['V0_4', undefined, async (client, server) => shakeOld(client, server, V0_4), undefined],
  ['V0_3', undefined, async (client, server) => shakeOld(client, server, V0_3), undefined],
] as const satisfies readonly (readonly [
  string,
  string | undefined,
  (client: Peer, server: ScriptedServer) => Promise<Peer>,
  string | undefined,
])[])('a feed is told that the protocol is %s and the server %s', async (protocol, serverVersion, shake, user) => {
  const queries: FeedQuery[] = [];
  const openFeed = (query: FeedQuery): undefined => {
    queries.push(query);
  };
  await onScene({ openFeed }, async ({ connect, server }) => {
    const client = await connect();
    const upstream = await shake(client, server);
    client.write(frame(1, '[1,[152,[[15,["t"]]]]]'));
    await upstream.frame();
    expect(queries).toEqual([{ body: Buffer.from('[1,[152,[[15,["t"]]]]]'), protocol, serverVersion, user }]);
  });
});

test('an upstream that cannot be reached is told in the protocol of the client, once its magic is here', async () => {
  const gone = await scriptedServer();
  await gone.close();
  await onScene({ upstreams: [gone.address] }, async ({ connect }) => {
    const modern = await connect();
    modern.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    expect(JSON.parse(await modern.text())).toMatchObject({ success: false, error_code: 0 });
    await modern.ended();
    const old = await connect();
    old.write(V0_4);
    expect(await old.text()).toMatch(/^ERROR: Cannot reach the upstream server: .*\n$/);
    await old.ended();
    const silent = await connect();
    silent.socket.end();
    await silent.ended();
    expect(silent.waiting).toHaveLength(0);
  });
});

test.each([
  ['before its first message', []],
  ['within its first message', [Buffer.from(SHAKE.version.slice(0, 20))]],
  ['after its first message', [text(SHAKE.version)]],
])('an upstream that dies %s leaves the client with an error and no half message', async (_name, messages) => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    const upstream = await server.accept();
    await upstream.text();
    for (const message of messages) upstream.write(message);
    upstream.socket.end();
    const [first, second] = [
      await client.text(),
      messages.at(0)?.includes(0) === true ? await client.text() : undefined,
    ];
    expect(JSON.parse(second ?? first)).toMatchObject({ success: false });
    await client.ended();
    await upstream.closed();
  });
});

test('a client that does not finish its handshake is let go, with an error if it can read one', async () => {
  await onScene({ handshakeTimeoutMs: 50 }, async ({ connect, server }) => {
    const mute = await connect();
    await mute.ended();
    expect(mute.waiting).toHaveLength(0);
    const slow = await connect();
    slow.write(V1_0);
    expect(JSON.parse(await slow.text())).toMatchObject({ success: false });
    await slow.ended();
    await (await server.accept()).ended();
  });
});

test('a key is the server’s to judge before a protocol has come', async () => {
  await onScene({}, async ({ connect, server }) => {
    const client = await connect();
    const hello = Buffer.concat([V0_4, word(3), Buffer.from('key')]);
    client.write(hello);
    const upstream = await server.accept();
    expect(await upstream.read(hello.length)).toEqual(hello);
    upstream.write(text('ERROR: Incorrect authorization key.\n'));
    upstream.socket.end();
    expect(await client.text()).toBe('ERROR: Incorrect authorization key.\n');
    await client.ended();
  });
});

test.each(['[1,2]', '5', 'null'])(
  'a message %s, which is no object, is met with the server’s silence',
  async (message) => {
    await onScene({}, async ({ connect, server }) => {
      const client = await connect();
      client.write(Buffer.concat([V1_0, text(message)]));
      const upstream = await server.accept();
      await upstream.read(4);
      upstream.write(text(SHAKE.version));
      await upstream.text();
      upstream.socket.end();
      expect(await client.text()).toBe(SHAKE.version);
      await client.ended();
      expect(client.waiting).toHaveLength(0);
    });
  },
);
