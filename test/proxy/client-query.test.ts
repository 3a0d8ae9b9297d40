import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { Feed, FeedIo, FeedQuery, OpenFeed, UpstreamQuery, UpstreamSink } from '../../proxy/relay/feed-port.ts';
import { STOPPING } from '../../proxy/stopping.ts';
import { type Token, tokenOf } from '../../proxy/wire/frame.ts';
import { errorBody } from '../../proxy/wire/response.ts';
import { frame } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import type { Peer } from '../support/servers/peer.ts';
import { feedFrame, onScene } from '../support/servers/scene.ts';

const FEED = '[1,[152,[[43,[[15,["t"]]]]]]]';
const OTHER = '[1,[15,["t"]]]';
const PARTIAL = '{"t":3,"r":[],"n":[2]}';
const DONE = '{"t":2,"r":[],"n":[]}';
/** The first token of the proxy's own. */
const OWN = 1001n;

/** Makes tokens that can be foreseen. */
function ownTokens(): () => Token {
  let next = OWN;
  return () => tokenOf(next++);
}

/** A feed that says and does nothing. */
const MUTE: Feed = { continue() {}, stop() {}, close() {}, abort() {} };

/** Takes what upstream answers, and nothing else. */
function answers(response: (body: Buffer) => void): UpstreamSink {
  return { response, failed() {}, lost() {} };
}

/** Feeds that pass everything on, mark what passes, and keep a list of what was said to them. */
function marking(extra: (io: FeedIo, query: FeedQuery) => Partial<Feed> = () => ({})): {
  openFeed: OpenFeed;
  said: string[];
  upstream: UpstreamQuery[];
} {
  const said: string[] = [];
  const upstream: UpstreamQuery[] = [];
  return {
    said,
    upstream,
    openFeed(query, io) {
      const refused = io.admit();
      if (refused !== undefined) {
        io.toClient(errorBody(refused));
        io.ended(refused);
        return undefined;
      }
      said.push('open');
      let stopped = false;
      let owed = 1;
      const sent = io.query(
        '[1,"rewritten"]',
        answers((body) => {
          owed--;
          said.push(`response ${body}`);
          io.toClient(body);
          if (stopped && owed === 0) io.ended('stopped');
        }),
      );
      upstream.push(sent);
      return {
        continue() {
          owed++;
          said.push('continue');
          sent.more();
        },
        stop() {
          said.push('stop');
          owed++;
          stopped = true;
          sent.stop();
        },
        close: () => said.push('close'),
        abort(error) {
          said.push(`abort ${error.message}`);
        },
        ...extra(io, query),
      };
    },
  };
}

/** Asks something whose answer shows that all before it has been dealt with, and nothing else was said. */
async function pingPong(client: Peer, upstream: Peer, token = 4242n): Promise<void> {
  client.write(frame(token, '[5]'));
  expect(await upstream.frame()).toEqual({ token, body: '[5]' });
  upstream.write(frame(token, '{"t":5,"r":[]}'));
  expect(await client.frame()).toEqual({ token, body: '{"t":5,"r":[]}' });
}

test('a feed speaks under its client’s token, and upstream under one of its own; all else passes around it', async () => {
  const { openFeed, said } = marking();
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, OTHER), frame(2, FEED), frame(3, OTHER)]));
    expect(await upstream.frame()).toEqual({ token: 1n, body: OTHER });
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[1,"rewritten"]' });
    expect(await upstream.frame()).toEqual({ token: 3n, body: OTHER });
    upstream.write(Buffer.concat([frame(3, DONE), frame(OWN, PARTIAL), frame(1, DONE)]));
    expect((await client.frame()).token).toBe(3n);
    expect(await client.frame()).toEqual({ token: 2n, body: PARTIAL });
    expect((await client.frame()).token).toBe(1n);
    client.write(frame(2, '[2]'));
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[2]' });
    client.write(frame(2, '[3]'));
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[3]' });
    upstream.write(Buffer.concat([frame(OWN, DONE), frame(OWN, DONE)]));
    expect([await client.frame(), (await client.frame()).body]).toEqual([{ token: 2n, body: DONE }, DONE]);
    expect(said).toEqual(['open', `response ${PARTIAL}`, 'continue', 'stop', `response ${DONE}`, `response ${DONE}`]);
    client.write(frame(2, OTHER));
    expect(await upstream.frame()).toEqual({ token: 2n, body: OTHER });
  });
});

test('frames are told apart at every cut of both streams', async () => {
  const { openFeed } = marking();
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    const asked = Buffer.concat([frame(1, OTHER), frame(2, FEED), frame(3, '[2]')]);
    const answered = Buffer.concat([frame(1, DONE), frame(OWN, '{"t":2,"r":["é"],"n":[]}'), frame(3, DONE)]);
    await client.writeApart([...asked].map((byte) => Buffer.from([byte])));
    const seen = [await upstream.frame(), await upstream.frame(), await upstream.frame()];
    expect(seen.map(({ body }) => body)).toEqual([OTHER, '[1,"rewritten"]', '[2]']);
    await upstream.writeApart([...answered].map((byte) => Buffer.from([byte])));
    const back = [await client.frame(), await client.frame(), await client.frame()];
    expect(back.map(({ body }) => body)).toEqual([DONE, '{"t":2,"r":["é"],"n":[]}', DONE]);
  });
});

test('what a feed says waits for the frame that is passing, in both directions', async () => {
  let io: FeedIo | undefined;
  const { openFeed, upstream: sent } = marking((its) => {
    io = its;
    return {};
  });
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, FEED));
    await upstream.frame();
    const answer = frame(1, 'x'.repeat(1000));
    upstream.write(answer.subarray(0, 500));
    expect(await client.read(500)).toEqual(answer.subarray(0, 500));
    io?.toClient(PARTIAL);
    upstream.write(answer.subarray(500));
    expect(await client.read(512)).toEqual(answer.subarray(500));
    expect(await client.frame()).toEqual({ token: 2n, body: PARTIAL });
    const insert = frame(3, `[1,[56,[[15,["t"]],"${'y'.repeat(100_000)}"]]]`);
    client.write(insert.subarray(0, 500));
    expect(await upstream.read(500)).toEqual(insert.subarray(0, 500));
    sent[0]?.more();
    client.write(insert.subarray(500));
    expect(await upstream.read(insert.length - 500)).toEqual(insert.subarray(500));
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[2]' });
  });
});

test('a refused query is answered and its token is free', async () => {
  const openFeed = (_query: FeedQuery, io: FeedIo): undefined => {
    io.toClient('{"t":18,"e":3000000,"r":["no"],"b":[]}');
    io.ended('complete');
  };
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, FEED));
    expect(await client.frame()).toEqual({ token: 2n, body: '{"t":18,"e":3000000,"r":["no"],"b":[]}' });
    await pingPong(client, upstream, 2n);
  });
});

test('a query with noreply is never a feed', async () => {
  const { openFeed, said } = marking();
  const body = '[1,[152,[[43,[[15,["t"]]]]]],{"noreply":true}]';
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, body));
    expect(await upstream.frame()).toEqual({ token: 2n, body });
    expect(said).toEqual([]);
  });
});

test('a token in use is refused as the server refuses it, and noreply hides it', async () => {
  const { openFeed } = marking();
  const token = (1n << 63n) + 5n;
  const refusal = '{"t":16,"r":["ERROR: duplicate token -9223372036854775803"],"b":[]}';
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(token, FEED), frame(token, FEED), frame(token, '[4]')]));
    client.write(frame(token, '[1,[15,["t"]],{"noreply":true}]'));
    await upstream.frame();
    expect(await client.frame()).toEqual({ token, body: refusal });
    expect(await client.frame()).toEqual({ token, body: refusal });
    await pingPong(client, upstream);
  });
});

test('under a feed’s token, what any token may ask is answered by the server', async () => {
  const { openFeed, said } = marking();
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(2, FEED), frame(2, '[5]'), frame(2, 'rubbish')]));
    await upstream.frame();
    const info = await upstream.frame();
    const rubbish = await upstream.frame();
    expect([info.body, rubbish.body]).toEqual(['[5]', 'rubbish']);
    expect(new Set([2n, info.token, rubbish.token]).size).toBe(3);
    upstream.write(frame(rubbish.token, '{"t":16,"r":["Client is buggy (failed to deserialize query)."],"b":[]}'));
    upstream.write(frame(info.token, '{"t":5,"r":[]}'));
    expect(await client.frame()).toEqual({
      token: 2n,
      body: '{"t":16,"r":["Client is buggy (failed to deserialize query)."],"b":[]}',
    });
    expect(await client.frame()).toEqual({ token: 2n, body: '{"t":5,"r":[]}' });
    expect(said).toEqual(['open']);
  });
});

test('a client that hits the token of a question of the proxy’s own waits for its answer, and loses nothing', async () => {
  const answers: string[] = [];
  const openFeed = (_query: FeedQuery, io: FeedIo): Feed => {
    io.ask('[1,"ask"]', (body) => answers.push(body.toString()));
    return MUTE;
  };
  await onScene({ openFeed, makeToken: () => tokenOf(77n) }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(2, FEED), frame(77, OTHER), frame(78, '[5]'), frame(77, '[2]')]));
    expect(await upstream.frame()).toEqual({ token: 77n, body: '[1,"ask"]' });
    upstream.write(frame(78, '{"t":5,"r":[]}'));
    await client.frame();
    expect(upstream.waiting).toHaveLength(0);
    upstream.write(frame(77, '{"t":1,"r":["answer"]}'));
    expect(await upstream.frame()).toEqual({ token: 77n, body: OTHER });
    expect(await upstream.frame()).toEqual({ token: 78n, body: '[5]' });
    expect(await upstream.frame()).toEqual({ token: 77n, body: '[2]' });
    expect(answers).toEqual(['{"t":1,"r":["answer"]}']);
    await pingPong(client, upstream);
  });
});

test('answers owed to a feed that has ended are dropped, and its token is free before they come', async () => {
  const openFeed = (_query: FeedQuery, io: FeedIo): Feed => {
    io.query(
      '[1,"rewritten"]',
      answers(() => {}),
    );
    io.toClient(DONE);
    io.ended('complete');
    return MUTE;
  };
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(2, FEED), frame(2, '[5]')]));
    await upstream.frame();
    expect(await client.frame()).toEqual({ token: 2n, body: DONE });
    expect(await upstream.frame()).toEqual({ token: 2n, body: '[5]' });
    upstream.write(frame(OWN, PARTIAL));
    upstream.write(frame(2, '{"t":5,"r":[]}'));
    expect(await client.frame()).toEqual({ token: 2n, body: '{"t":5,"r":[]}' });
  });
});

test('a feed above the limit is refused with an error, and says nothing upstream', async () => {
  const { openFeed, said } = marking();
  await onScene({ openFeed, maxFeedsPerClient: 1, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(1, FEED), frame(2, FEED)]));
    expect((await upstream.frame()).token).toBe(OWN);
    const refusal = JSON.parse((await client.frame()).body);
    expect(refusal).toMatchObject({ t: 18, e: 2000000, b: [] });
    expect(said).toEqual(['open']);
    await pingPong(client, upstream, 2n);
  });
});

test('a mistake while opening, or later, is an internal error on that token, and the connection goes on', async () => {
  let opened = 0;
  const openFeed = (_feed: FeedQuery, io: FeedIo): Feed => {
    opened++;
    if (opened === 1) throw new Error('broken');
    io.query(
      '[1,"rewritten"]',
      answers(() => {
        throw new Error('broken');
      }),
    );
    return MUTE;
  };
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, FEED));
    expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 18, e: 1000000, b: [] });
    client.write(frame(2, FEED));
    await upstream.frame();
    upstream.write(frame(OWN, PARTIAL));
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[3]' });
    expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 18, e: 1000000, b: [] });
    upstream.write(frame(OWN, DONE));
    await pingPong(client, upstream);
  });
});

test('a feed that fails while nobody asks says so when the client asks next, once', async () => {
  let io: FeedIo | undefined;
  const { openFeed } = marking((its) => {
    io = its;
    return {};
  });
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, FEED));
    await upstream.frame();
    upstream.write(frame(OWN, PARTIAL));
    await client.frame();
    io?.schedule(0, () => {
      throw new Error('broken');
    });
    expect(await upstream.frame()).toEqual({ token: OWN, body: '[3]' });
    upstream.write(frame(OWN, DONE));
    await pingPong(client, upstream);
    client.write(frame(2, '[2]'));
    expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 18, e: 1000000 });
    await pingPong(client, upstream, 2n);
  });
});

test.each(['client', 'upstream'] as const)('a feed is closed when the %s goes', async (end) => {
  const { openFeed, said } = marking();
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, FEED));
    await upstream.frame();
    const [goes, stays] = end === 'client' ? [client, upstream] : [upstream, client];
    goes.socket.destroy();
    await stays.ended();
    stays.socket.destroy();
    expect(said).toEqual(['open', 'close']);
  });
});

test('a stop of the proxy ends feeds with an error that can be retried', async () => {
  const { openFeed } = marking((io) => ({
    abort(error) {
      io.toClient(`{"t":18,"e":${error.errorType},"r":["${error.message}"],"b":[]}`);
      io.ended(error);
    },
  }));
  await onScene({ openFeed, drainMs: 20 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(2, FEED));
    await upstream.frame();
    const drained = proxy.drain();
    expect(JSON.parse((await client.frame()).body)).toMatchObject({ e: STOPPING.errorType, r: [STOPPING.message] });
    await client.ended();
    client.socket.end();
    upstream.socket.end();
    await drained;
  });
});

test('whatever the client still waits for when a feed is over is answered', async () => {
  const openFeed = (_query: FeedQuery, io: FeedIo): Feed => ({
    ...MUTE,
    stop() {
      io.toClient(DONE);
      io.ended('stopped');
    },
  });
  await onScene({ openFeed }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(Buffer.concat([frame(2, FEED), frame(2, '[2]'), frame(2, '[5]'), frame(2, '[3]')]));
    expect(await client.frame()).toEqual({ token: 2n, body: DONE });
    for (let rest = 2; rest > 0; rest--) {
      expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 16, r: ['Token 2 not in stream cache.'] });
    }
    const info = await upstream.frame();
    expect(info.body).toBe('[5]');
    upstream.write(frame(info.token, '{"t":5,"r":[]}'));
    expect(await client.frame()).toEqual({ token: 2n, body: '{"t":5,"r":[]}' });
    await pingPong(client, upstream, 2n);
  });
});

test('a client that asks for more and more without end gets errors, not a debt without end', async () => {
  const openFeed = (): Feed => MUTE;
  await onScene({ openFeed }, async ({ pair }) => {
    const { client } = await pair();
    client.write(Buffer.concat([frame(2, FEED), ...Array.from({ length: 1030 }, () => frame(2, '[2]'))]));
    for (let over = 7; over > 0; over--) {
      expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 16, r: ['ERROR: duplicate token 2'] });
    }
    expect(client.waiting).toHaveLength(0);
  });
});

test('a client that asks and does not read is not listened to until it reads', async () => {
  const refusal = `{"t":18,"e":3000000,"r":["${'no'.repeat(5000)}"],"b":[]}`;
  const query = `[1,[152,[[43,[[15,["${'t'.repeat(30_000)}"]]]]]]]`;
  const most = 2000;
  let opened = 0;
  const openFeed = (_query: FeedQuery, io: FeedIo): undefined => {
    opened++;
    io.toClient(refusal);
    io.ended('complete');
  };
  await onScene({ openFeed }, async ({ pair }) => {
    const { client } = await pair();
    client.socket.pause();
    for (let count = 0; count < most; count++) client.write(frame(count, query));
    let [before, turns] = [0, 0];
    await eventually('the proxy rests', () => {
      turns = opened === before && opened > 0 ? turns + 1 : 0;
      before = opened;
      return turns > 300;
    });
    expect(opened).toBeLessThan(most);
    client.socket.resume();
    for (let count = 0; count < most; count++) expect((await client.frame()).body).toBe(refusal);
  });
});

test('a feed takes nothing that is owed under its client’s token', async () => {
  const { openFeed, said } = marking();
  await onScene({ openFeed, makeToken: ownTokens() }, async ({ pair }) => {
    const { client, upstream } = await pair();
    // Two queries before the feed, and one after its end, all under its token and answered after they were sent.
    client.write(Buffer.concat([frame(2, '[2]'), frame(2, OTHER), frame(2, FEED), frame(2, '[3]')]));
    const asked = [await upstream.frame(), await upstream.frame(), await upstream.frame(), await upstream.frame()];
    expect(asked.map(({ token }) => token)).toEqual([2n, 2n, OWN, OWN]);
    upstream.write(Buffer.concat([frame(2, '{"t":16,"r":["none"],"b":[]}'), frame(2, DONE)]));
    expect([(await client.frame()).body, (await client.frame()).body]).toEqual(['{"t":16,"r":["none"],"b":[]}', DONE]);
    expect(said).toEqual(['open', 'stop']);
    upstream.write(Buffer.concat([frame(OWN, DONE), frame(OWN, DONE)]));
    expect([(await client.frame()).body, (await client.frame()).body]).toEqual([DONE, DONE]);
    await pingPong(client, upstream, 2n);
  });
});

test.each(['server', 'proxy'] as const)(
  'a CONTINUE that is sent along with the START does not answer it (%s plan)',
  async (plan) => {
    const openFeed = createOpenFeed({ plan, limits: DEFAULT_LIMITS, share: false, now: () => 0 });
    await onScene({ openFeed }, async ({ pair }) => {
      const { client, upstream } = await pair();
      client.write(Buffer.concat([frame(2, FEED), frame(2, '[2]')]));
      const { token } = await feedFrame(upstream);
      expect(client.waiting).toHaveLength(0);
      upstream.write(frame(token, '{"t":18,"e":4100000,"r":["Table `test.t` does not exist."],"b":[0]}'));
      expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 18, r: ['Table `test.t` does not exist.'] });
      expect(JSON.parse((await client.frame()).body)).toMatchObject({ t: 16, r: ['Token 2 not in stream cache.'] });
    });
  },
);
