import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { frame, text } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { connectPeer, scriptedServer } from '../support/servers/peer.ts';
import { feedFrame, onScene, SHAKE, shakeOld, V0_3, V0_4, V1_0 } from '../support/servers/scene.ts';
import { writtenLog } from '../support/servers/written-log.ts';

test('a client too many is refused in its own protocol, and let in when another has gone', async () => {
  await onScene({ maxClients: 1 }, async ({ connect, pair, server, proxy }) => {
    const first = await pair();
    const second = await connect();
    second.write(Buffer.concat([V1_0, text(SHAKE.first)]));
    expect(JSON.parse(await second.text())).toMatchObject({
      success: false,
      error: 'Too many clients: at most 1 at once (--max-clients).',
    });
    await second.ended();
    const third = await connect();
    third.write(V0_4);
    expect(await third.text()).toBe('ERROR: Too many clients: at most 1 at once (--max-clients).\n');
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
  const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
  await onScene({ openFeed, maxFeedsPerClient: 2 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, COUNT), frame(2, COUNT), frame(3, COUNT)]));
    const refused = await client.frame();
    expect(refused.token).toBe(3n);
    expect(JSON.parse(refused.body)).toMatchObject({
      ...{ t: 18, e: 2_000_000, r: [expect.stringMatching(/^Too many live feeds on this connection: at most 2\./)] },
    });
    await feedFrame(upstream);
    const second = await feedFrame(upstream);
    client.write(Buffer.concat([frame(2, '[3]'), frame(3, COUNT), frame(4, COUNT)]));
    // The START and the STOP of the second feed; the third is open, the fourth is not.
    expect([(await client.frame()).token, (await client.frame()).token]).toEqual([2n, 2n]);
    expect((await client.frame()).token).toBe(4n);
    expect(await upstream.frame()).toEqual({ token: second.token, body: '[3]' });
    expect((await feedFrame(upstream)).body).toMatch(/^\[1,/);
    expect(upstream.waiting).toHaveLength(0);
  });
});

const TOO_LONG = {
  t: 18,
  e: 2_000_000,
  r: [
    `This live query is ${COUNT.length + 1} bytes long, and Livefold takes ${COUNT.length} at most.  To raise the limit, set \`--max-query-bytes\` of the proxy.`,
  ],
  b: [],
};

test('a live query of just so many bytes is looked at, one with one more is refused and told of', async () => {
  const lengths: number[] = [];
  const openFeed = ({ body }: { readonly body: Buffer }): undefined => {
    lengths.push(body.length);
  };
  const { log, lines } = writtenLog('warn');
  await onScene({ openFeed, log, maxQueryBytes: COUNT.length }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, COUNT), frame(2, `${COUNT} `), frame(3, '[5]')]));
    expect([(await upstream.frame()).body, (await upstream.frame()).body]).toEqual([COUNT, '[5]']);
    const refused = await client.frame();
    expect(refused.token).toBe(2n);
    expect(JSON.parse(refused.body)).toEqual(TOO_LONG);
    expect(lengths).toEqual([COUNT.length]);
  });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'feed refused: its query is too long', token: '2', bytes: COUNT.length + 1, limit: COUNT.length },
  ]);
});

const PADDING = 100_000;
const LONG = 'k'.repeat(PADDING);

/** Long queries that stream through at a limit of 1 KiB, and why. */
const PASSING = {
  'a write': `[1,[56,[[15,["t"]],{"id":"${LONG}"}]]]`,
  'a write of what looks like a live query': `[1,[56,[[15,["t"]],[2,[[152,[[43,[[15,["t"]]]]]],"${LONG}"]]]]]`,
  'a read with what looks like a live query in its data': `[1,[43,[[39,[[15,["t"]],{"a":[1,[152,[43]]],"b":"${LONG}"}]]]]]`,
  'a feed of RethinkDB’s own': `[1,[152,[[78,[[15,["t"]],"${LONG}"]]]]]`,
  'such a feed of a database that is named': `[1,[71,[[152,[[39,[[78,[[15,[[14,["d"]],"t"]],"${LONG}"]],{"a":1}]]]],5]]]`,
  'a union of such feeds': `[1,[152,[[44,[[15,["t"]],[78,[[15,["u"]],"${LONG}"]]]]]]]`,
  'a scalar': `[1,"[152,[[43,[]]]]${LONG}"]`,
  'no query at all': `[1,x[152,[[43,${LONG}`,
} as const;

test.each(Object.entries(PASSING))('%s streams through at any length, before it is whole', async (_name, body) => {
  let looks = 0;
  const openFeed = (): undefined => {
    looks++;
  };
  await onScene({ openFeed, maxQueryBytes: 1024 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    const whole = frame(7, body);
    const head = whole.subarray(0, whole.length - 10);
    client.write(head);
    expect((await upstream.read(head.length)).equals(head)).toBe(true);
    client.write(Buffer.concat([whole.subarray(head.length), frame(8, '[5]')]));
    expect((await upstream.read(10)).equals(whole.subarray(head.length))).toBe(true);
    expect((await upstream.frame()).body).toBe('[5]');
    expect(looks).toBe(0);
  });
});

/** Long queries that are live, and longer than they may be. */
const LIVE = {
  'a count of many keys': `[1,[152,[[43,[[78,[[15,["t"]],"${LONG}"]]]]]]]`,
  'terms after the changes': `[1,[71,[[152,[[24,[[43,[[15,["t"]]]],"${LONG}"]]]],5]]]`,
  'changes in a do, whose data come last': `[1,[64,[[69,[[2,[1]],[152,[[43,[[39,[[15,["t"]],[10,[1]]]]]]]]]],"${LONG}"]]]`,
  'white space before it': `[1,${' '.repeat(PADDING)}[152,[[43,[[15,["t"]]]]]]]`,
} as const;

test.each(Object.entries(LIVE))('%s: refused when it is whole, however it was cut', async (_name, body) => {
  const whole = frame(7, body);
  for (const cut of [1, 11, 13, 20, 60, 70_000, whole.length - 1]) {
    await onScene({ maxQueryBytes: 1024 }, async ({ pair }) => {
      const { client, upstream } = await pair();
      await client.writeApart([whole.subarray(0, cut), whole.subarray(cut)]);
      client.write(frame(8, '[5]'));
      const refused = await client.frame();
      expect(refused.token).toBe(7n);
      expect(refused.body).toMatch(/^\{"t":18,"e":2000000,.*--max-query-bytes/);
      expect((await upstream.frame()).body).toBe('[5]');
      expect(upstream.waiting).toHaveLength(0);
    });
  }
});

/** Long queries in which a feed is beside something else, so that nothing at their beginning tells of it. */
const BESIDE = {
  'a count beside rows that are written out': `[1,[44,[[2,["${LONG}"]],[152,[[43,[[15,["t"]]]]]]]]]`,
  'with white space in it': `[1,[44,[[2,["${LONG}"]],[ 152 , [[43,[[15,["t"]]]]]]]]]`,
  'a count before the last of what is united': `[1,[44,[[2,[1]],[152,[[43,[[15,["t"]]]]]],[2,["${LONG}"]]]]]`,
} as const;

test.each(Object.entries(BESIDE))(
  '%s: passes, and a refusal says why it is one, however it was cut',
  async (_name, body) => {
    const whole = frame(7, body);
    const call = whole.indexOf('152');
    for (const cut of [1, 60, 70_000, call + 1, call + 6, whole.length - 1, whole.length]) {
      await onScene({ maxQueryBytes: 1024 }, async ({ pair, proxy }) => {
        const { client, upstream } = await pair();
        await client.writeApart([whole.subarray(0, cut), whole.subarray(cut)].filter((piece) => piece.length > 0));
        expect((await upstream.read(whole.length)).equals(whole)).toBe(true);
        upstream.write(frame(7, '{"t":18,"e":3000000,"r":["Cannot do that."],"b":[0]}'));
        const answer = JSON.parse((await client.frame()).body);
        expect(answer).toMatchObject({ t: 18, e: 2_000_000 });
        expect(answer.r[0]).toMatch(
          /^This live query is \d+ bytes long, .*--max-query-bytes.* says: Cannot do that\.$/,
        );
        // Nothing is owed any more: the proxy can stop.
        client.write(frame(8, '[1,5]'));
        expect((await upstream.frame()).body).toBe('[1,5]');
        upstream.write(frame(8, '{"t":1,"r":[5]}'));
        expect((await client.frame()).token).toBe(8n);
        const drained = proxy.drain();
        await client.ended();
        client.socket.end();
        upstream.socket.end();
        await drained;
      });
    }
  },
);

test.each([
  ['an answer', BESIDE['a count beside rows that are written out'], '{"t":3,"r":[],"n":[1]}'],
  [
    'an error that has other reasons',
    BESIDE['a count beside rows that are written out'],
    '{"t":18,"e":4100000,"r":["Table `t` does not exist."],"b":[]}',
  ],
  [
    'a refusal of what calls no changes',
    `[1,[44,[[2,["${LONG}"]],[15,["t"]]]]]`,
    '{"t":18,"e":3000000,"r":["Cannot do that."],"b":[0]}',
  ],
])('%s to a long query that was not looked into is the server’s', async (_name, body, answer) => {
  await onScene({ maxQueryBytes: 1024 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    const whole = frame(7, body);
    client.write(whole);
    await upstream.read(whole.length);
    upstream.write(frame(7, answer));
    expect(await client.frame()).toEqual({ token: 7n, body: answer });
  });
});

test.each([
  ['V0_3', V0_3],
  ['V0_4', V0_4],
])('what is asked after it is answered, in %s', async (_name, magic) => {
  await onScene({ maxQueryBytes: 1024 }, async ({ connect, server }) => {
    const client = await connect();
    const upstream = await shakeOld(client, server, magic);
    const long = frame(7, LIVE['a count of many keys']);
    for (let turn = 0; turn < 3; turn++) {
      client.write(Buffer.concat([long, frame(8, '[1,5]')]));
      expect((await client.frame()).token).toBe(7n);
      expect((await upstream.frame()).body).toBe('[1,5]');
      upstream.write(frame(8, '{"t":1,"r":[5]}'));
      expect((await client.frame()).token).toBe(8n);
    }
  });
});

test('one that wants no reply gets none', async () => {
  await onScene({ maxQueryBytes: 1024 }, async ({ pair }) => {
    const { client, upstream } = await pair();
    const body = LIVE['a count of many keys'].replace(/\]$/, ',{"noreply":true}]');
    client.write(Buffer.concat([frame(7, body), frame(8, '[5]')]));
    expect((await upstream.frame()).body).toBe('[5]');
    upstream.write(frame(8, '{"t":5}'));
    expect((await client.frame()).token).toBe(8n);
  });
});

test('a long live query within the limit is gathered from its pieces, and opened', async () => {
  const bodies: string[] = [];
  const openFeed = ({ body }: { readonly body: Buffer }): undefined => {
    bodies.push(body.toString());
  };
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    const whole = frame(7, LIVE['a count of many keys']);
    client.write(whole);
    expect((await upstream.read(whole.length)).equals(whole)).toBe(true);
    expect(bodies).toEqual([LIVE['a count of many keys']]);
  });
});

test('a proxy that stops waits for long queries without a reply no longer than for short ones', async () => {
  await onScene({ drainMs: 5000 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    const whole = frame(7, PASSING['a write'].replace(/\]$/, ',{"noreply":true}]'));
    await client.writeApart([whole.subarray(0, 70_000), whole.subarray(70_000)]);
    await upstream.read(whole.length);
    const draining = proxy.drain();
    const wait = await upstream.frame();
    expect(wait.body).toBe('[4]');
    upstream.write(frame(wait.token, '{"t":4,"r":[]}'));
    await client.ended();
    upstream.socket.end();
    client.socket.end();
    await draining;
  });
});
