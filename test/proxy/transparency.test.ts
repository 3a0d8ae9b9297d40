// Queries that are none of the proxy's business are answered byte for byte as without it: the same conversations are had with a
// server and with the proxy before it.

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { type RunningProxy, startProxy } from '../../proxy/listener.ts';
import { silent } from '../../proxy/log.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { cutAt, frame, text, word } from '../support/checks/bytes.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { REAL } from '../support/servers/server-names.ts';

const V0_4 = word(0x400c2d20);
const V0_3 = word(0x5f75e83e);
const HELLO_REST = Buffer.concat([word(0), word(0x7e6970c7)]);
const T = '[15,[[14,["transparency"]],"t"]]';
const MOST = (1n << 64n) - 1n;
const HALF = 1n << 63n;

/** A frame to send, and how many answers to wait for before the next one. */
type Step = readonly [token: bigint, body: string | Buffer, answers: number];

const conversations: readonly (readonly [name: string, steps: readonly Step[]])[] = [
  [
    'atoms, sequences and errors',
    [
      [1n, '[1,[24,[1,2]]]', 1],
      [2n, `[1,${T}]`, 1],
      [3n, '[1,[24,[1,"x"]]]', 1],
      [4n, `[1,[43,[${T}]],{}]`, 1],
      [5n, `[1,[15,["none"]]]`, 1],
    ],
  ],
  [
    'tokens over the whole 64 bits',
    [
      [0n, '[1,1]', 1],
      [HALF, '[1,2]', 1],
      [MOST, '[1,3]', 1],
      [HALF - 1n, '[1,4]', 1],
    ],
  ],
  [
    'CONTINUE and STOP for tokens that were never used',
    [
      [9n, '[2]', 1],
      [9n, '[3]', 1],
      [MOST, '[2]', 1],
      [HALF, '[3,{"noreply":true}]', 1],
    ],
  ],
  [
    'CONTINUE after the last batch, as a driver sends that asks ahead',
    [
      [1n, `[1,[71,[${T},2]]]`, 1],
      [1n, '[2]', 1],
    ],
  ],
  [
    'NOREPLY_WAIT and SERVER_INFO',
    [
      [1n, '[4]', 1],
      [2n, '[5]', 1],
    ],
  ],
  [
    'noreply as a literal, as a datum, and as a term that does not count',
    [
      [1n, `[1,[56,[${T},{"id":"n1"}]],{"noreply":true}]`, 0],
      [2n, `[1,[56,[${T},{"id":"n2"}]],{"noreply":[1,true]}]`, 0],
      [3n, '[4]', 1],
      [4n, '[1,1,{"noreply":[17,[1,1]]}]', 1],
      [5n, `[1,[43,[${T}]]]`, 1],
      [6n, `[1,[54,[[78,[${T},"n1","n2"]]]]]`, 1],
    ],
  ],
  [
    'a live query with noreply, and one that no one may make live',
    [
      [1n, `[1,[152,[[43,[${T}]]]],{"noreply":true}]`, 0],
      [2n, '[4]', 1],
      [3n, `[1,[43,[[152,[${T}]]]]]`, 1],
      [4n, '[1,[152,[[43,[[2,[1]]]]]]]', 1],
      [5n, `[1,[53,[[152,[${T}]],{}]]]`, 1],
    ],
  ],
  [
    'what is no query',
    [
      [1n, '', 1],
      [2n, '{', 1],
      [3n, '{}', 1],
      [4n, '[]', 1],
      [6n, '["x"]', 1],
      [7n, '[9]', 1],
      [8n, '[1,[152]]', 1],
      [9n, '[1,[9999,[]]]', 1],
      [10n, '[1,[152,"x"]]', 1],
      [11n, '[1,1,2,3]', 1],
      [12n, '[1,1,[]]', 1],
      [13n, '[1,[15,["t"],{},1]]', 1],
    ],
  ],
  [
    'odd data',
    [
      [1n, '[1,-0]', 1],
      [2n, '[1,-0.0]', 1],
      [3n, '[1,9007199254740993]', 1],
      [4n, '[1,1E2]', 1],
      [5n, '[1,"a\\u0000b é😀"]', 1],
      [6n, '[1,[152.0,[1]]]', 1],
      [7n, ' [ 1 ,\n[ 24 , [ 1 , 2 ] ] ] \r\n', 1],
      [8n, '[1,{"__proto__":[2,[1]],"constructor":152}]', 1],
      [9n, '[1,[1,[152,[]]]]', 1],
    ],
  ],
  [
    'a native feed',
    [
      [1n, `[1,[152,[[16,[${T},1]]],{"include_initial":true}]]`, 1],
      [1n, '[1,1]', 1],
      [1n, '[4]', 1],
      [1n, '[5]', 1],
      [1n, '[2]', 0],
      [1n, '[3]', 2],
      [1n, '[3]', 1],
      [1n, '[1,5]', 1],
    ],
  ],
  [
    'a cursor that is stopped',
    [
      [1n, '[1,[173,[]],{"max_batch_rows":2}]', 1],
      [1n, '[2]', 1],
      [1n, '[1,1]', 1],
      [1n, '[3]', 1],
      [1n, '[2]', 1],
    ],
  ],
  [
    'depth',
    [30, 500, 3000].map(
      (depth, index): Step => [BigInt(index), `[1,${'[24,['.repeat(depth)}1${',1]]'.repeat(depth)}]`, 1],
    ),
  ],
];

/** Has a conversation, and gives the answers; those of one step in the order of their bytes. */
async function converse(
  address: Address,
  magic: Buffer,
  steps: readonly Step[],
  pieces: number,
): Promise<readonly string[]> {
  const peer = await connectPeer(address);
  const heard: string[] = [];
  try {
    peer.write(Buffer.concat([magic, HELLO_REST]));
    heard.push(await peer.text());
    for (const [token, body, answers] of steps) {
      const bytes = frame(token, body);
      await peer.writeApart(
        cutAt(
          bytes,
          Array.from({ length: pieces - 1 }, (_cut, cut) => (cut + 1) * 5).filter((at) => at < bytes.length),
        ),
      );
      const here: string[] = [];
      for (let count = 0; count < answers; count++) {
        const { token: from, body: said } = await peer.frame();
        here.push(`${from} ${said}`);
      }
      heard.push(...here.sort());
    }
    expect(peer.waiting).toHaveLength(0);
  } finally {
    peer.socket.destroy();
  }
  return heard;
}

interface Base {
  readonly name: string;
  readonly there: boolean;
  start(): Promise<{ readonly address: Address; close(): Promise<void> }>;
}

const bases: readonly Base[] = [
  { name: 'embedded', there: true, start: () => createEmbeddedServer() },
  {
    name: REAL,
    there: inject('rethinkdb') !== null,
    async start() {
      const address = inject('rethinkdb');
      if (address === null) throw new Error('there is no real RethinkDB');
      return { address, close: async () => {} };
    },
  },
];

describe.each(bases.map((base) => ({ name: base.name, base })))('$name', ({ base }) => {
  describe.skipIf(!base.there)('bare and behind the proxy', () => {
    let server: Awaited<ReturnType<Base['start']>>;
    let proxy: RunningProxy;

    beforeAll(async () => {
      server = await base.start();
      proxy = await startProxy({
        listen: { host: '127.0.0.1', port: 0 },
        upstreams: [server.address],
        openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: () => 0 }),
        log: silent,
      });
      const owner = await Client.connect(server.address);
      await owner.run('[1,[57,["transparency"]]]');
      await owner.run('[1,[60,[[14,["transparency"]],"t"]]]');
      await owner.run(`[1,[56,[${T},[2,[{"id":1,"x":[2,[152,"152"]]},{"id":2},{"id":3}]]]]]`);
      owner.close();
    });
    afterAll(async () => {
      await proxy.destroy();
      const owner = await Client.connect(server.address);
      await owner.run('[1,[58,["transparency"]]]');
      owner.close();
      await server.close();
    });

    test.each(conversations)('%s', async (_name, steps) => {
      const bare = await converse(server.address, V0_4, steps, 1);
      expect(await converse(proxy.address, V0_4, steps, 1)).toEqual(bare);
      expect(await converse(proxy.address, V0_4, steps, 3)).toEqual(bare);
    });

    test.each(conversations.slice(0, 4))('in the old protocol: %s', async (_name, steps) => {
      const bare = await converse(server.address, V0_3, steps, 1);
      expect(await converse(proxy.address, V0_3, steps, 1)).toEqual(bare);
    });

    test.each([
      ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
      ['a protocol that is gone', word(0x3f61ba36)],
      ['an encoding that is gone', Buffer.concat([V0_4, word(0), word(0x271ffc41)])],
      ['a wrong key', Buffer.concat([V0_4, word(3), Buffer.from('key'), word(0x7e6970c7)])],
      ['a key that is too long', Buffer.concat([V0_4, word(100_000)])],
      ['a first message that is no JSON', Buffer.concat([word(0x34c2bdc3), text('{')])],
      ['a first message without a version', Buffer.concat([word(0x34c2bdc3), text('{}')])],
      ['a first message without an end', Buffer.concat([word(0x34c2bdc3), Buffer.alloc(2048, 'x')])],
    ])('%s in place of a handshake', async (_name, bytes) => {
      const hear = async (address: Address): Promise<string> => {
        const peer = await connectPeer(address);
        peer.write(bytes);
        await peer.ended();
        const heard = peer.waiting.toString();
        peer.socket.destroy();
        return heard;
      };
      expect(await hear(proxy.address)).toBe(await hear(server.address));
    });
  });
});
