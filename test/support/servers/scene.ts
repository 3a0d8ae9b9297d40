// A client, the proxy and a scripted server, with their handshake done or not, torn down after the test.

import { type ProxySettings, type RunningProxy, startProxy } from '../../../proxy/listener.ts';
import { silent } from '../../../proxy/log.ts';
import { noFeeds } from '../../../proxy/relay/feed-port.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { frame, text, word } from '../checks/bytes.ts';
import { connectPeer, type Peer, type ReadFrame, type ScriptedServer, scriptedServer } from './peer.ts';

export const V1_0 = word(0x34c2bdc3);
export const V0_4 = word(0x400c2d20);
export const V0_3 = word(0x5f75e83e);
const JSON_PROTOCOL = word(0x7e6970c7);

/** The actors of one test. */
export interface Scene {
  readonly proxy: RunningProxy;
  readonly server: ScriptedServer;
  /** Connects a client to the proxy; no handshake. */
  connect(): Promise<Peer>;
  /** A client whose V0_4 handshake is done, and the server's side of it. */
  pair(): Promise<{ client: Peer; upstream: Peer }>;
}

/** Sets the scene, plays it, and clears it away. */
export async function onScene(settings: Partial<ProxySettings>, play: (scene: Scene) => Promise<void>): Promise<void> {
  const server = await scriptedServer();
  const clients: Peer[] = [];
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [server.address],
    openFeed: noFeeds,
    log: silent,
    // Connections that no client caused would be taken for a client's.
    watchUpstreams: false,
    ...settings,
  });
  const connect = async (): Promise<Peer> => {
    const client = await connectPeer(proxy.address);
    clients.push(client);
    return client;
  };
  try {
    await play({
      proxy,
      server,
      connect,
      async pair() {
        const client = await connect();
        return { client, upstream: await shakeOld(client, server, V0_4) };
      },
    });
  } finally {
    for (const client of clients) client.socket.destroy();
    await proxy.destroy();
    await server.close();
  }
}

/** The next frame that arrives for a feed. The server does not say which tables there are, where it is asked that before. */
export async function feedFrame(upstream: Peer): Promise<ReadFrame> {
  const arrived = await upstream.frame();
  if (!arrived.body.includes(`[${TermType.STATUS},`)) return arrived;
  upstream.write(frame(arrived.token, '{"t":18,"e":4100000,"r":["The server does not say."],"b":[]}'));
  return feedFrame(upstream);
}

/** Where a connection to upstream arrives. The proxy makes none before the client has shown its magic. */
type Accepts = Pick<ScriptedServer, 'accept'>;

/** The handshake of V0_4 or V0_3, without a key. Returns the server's end. */
export async function shakeOld(client: Peer, server: Accepts, magic: Buffer): Promise<Peer> {
  const hello = Buffer.concat([magic, word(0), JSON_PROTOCOL]);
  client.write(hello);
  const upstream = await server.accept();
  await upstream.read(hello.length);
  upstream.write(text('SUCCESS'));
  await client.text();
  return upstream;
}

/** The texts of a V1_0 handshake, as RethinkDB 2.4.4 and its drivers write them; the proofs are made up. */
export const SHAKE = {
  version: '{"max_protocol_version":0,"min_protocol_version":0,"server_version":"2.4.4","success":true}',
  first: '{"protocol_version":0,"authentication_method":"SCRAM-SHA-256","authentication":"n,,n=bob,r=abc"}',
  second: '{"authentication":"r=abcdef,s=c2FsdA==,i=4096","success":true}',
  final: '{"authentication":"c=biws,r=abcdef,p=cHJvb2Y="}',
  last: '{"authentication":"v=c2lnbmF0dXJl","success":true}',
} as const;

/** The handshake of V1_0. Returns the server's end. */
export async function shakeNew(client: Peer, server: Accepts, version: string = SHAKE.version): Promise<Peer> {
  client.write(Buffer.concat([V1_0, text(SHAKE.first)]));
  const upstream = await server.accept();
  await upstream.read(4);
  upstream.write(text(version));
  await client.text();
  await upstream.text();
  upstream.write(text(SHAKE.second));
  await client.text();
  client.write(text(SHAKE.final));
  await upstream.text();
  upstream.write(text(SHAKE.last));
  await client.text();
  return upstream;
}
