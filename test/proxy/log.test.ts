import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import { StrangerLog } from '../../proxy/observer/stranger-log.ts';
import type { Feed, FeedIo, FeedQuery } from '../../proxy/relay/feed-port.ts';
import { QueryText } from '../../proxy/relay/query-text.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { frame, text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import type { Peer } from '../support/servers/peer.ts';
import { feedFrame, onScene, type Scene, SHAKE, shakeNew, V0_4, V1_0 } from '../support/servers/scene.ts';
import { writtenLog } from '../support/servers/written-log.ts';

const QUERY = queryOfText("r.table('t').filter((row) => row('name').eq('secret')).count().changes()");

test('a query in a log shows names and no data, however it came to be there', () => {
  const text = new QueryText(Buffer.from(QUERY), false).toJSON();
  expect(text).toContain("r.table('t')");
  expect(text).toContain("'name'");
  expect(text).not.toContain('secret');
  expect(new QueryText(Buffer.from('[1,[56,[[15,["t"]],{"key":"secret"}]]]'), false).toJSON()).not.toContain('secret');
  expect(new QueryText(Buffer.from('["secret"'), false).toJSON()).not.toContain('secret');
  expect(new QueryText(Buffer.from(`[1,${' '.repeat(20_000)}"secret"]`), false).toJSON()).toBe('…');
});

test('with literals allowed it shows all, up to some 2,000 characters', () => {
  expect(new QueryText(Buffer.from(QUERY), true).toJSON()).toContain('secret');
  expect(new QueryText(Buffer.from('["secret"'), true).toJSON()).toBe('["secret"');
  expect(new QueryText(Buffer.from(`["${'s'.repeat(100_000)}`), true).toJSON()).toHaveLength(2000);
});

test('lines are JSON with connection, user, token and duration, and hold no password and no data', async () => {
  const { log, lines } = writtenLog('trace');
  const openFeed = (_query: FeedQuery, io: FeedIo): Feed => {
    io.opened('server', 'alone');
    io.query(QUERY, {
      response() {
        throw new Error('broken');
      },
      failed() {},
      lost() {},
    });
    return { continue() {}, stop() {}, close() {}, abort() {} };
  };
  await onScene({ log, openFeed }, async ({ connect, server, proxy }) => {
    const client = await connect();
    const upstream = await shakeNew(client, server);
    client.write(frame((1n << 64n) - 1n, QUERY));
    const { token } = await upstream.frame();
    upstream.write(frame(token, '{"t":3,"r":[],"n":[2]}'));
    await client.frame();
    client.socket.destroy();
    upstream.socket.destroy();
    await eventually('the client is gone', () => proxy.clientCount === 0);
  });
  const read = lines.map((line) => JSON.parse(line));
  expect(read.find(({ msg }) => msg === 'client ready')).toMatchObject({
    connection: 1,
    user: 'bob',
    protocol: 'V1_0',
  });
  expect(read.find(({ msg }) => msg === 'feed opened')).toMatchObject({
    connection: 1,
    user: 'bob',
    token: '18446744073709551615',
    plan: 'server',
    query: expect.stringContaining("r.table('t')"),
  });
  expect(read.find(({ msg }) => msg === 'feed failed')).toMatchObject({
    query: expect.stringContaining("r.table('t')"),
  });
  expect(read.find(({ msg }) => msg === 'feed ended')).toMatchObject({
    token: '18446744073709551615',
    ms: expect.any(Number),
  });
  expect(read.find(({ msg }) => msg === 'client closed')).toMatchObject({ connection: 1, ms: expect.any(Number) });
  const all = lines.join('');
  for (const secret of ['secret', 'cHJvb2Y', SHAKE.final, 'biws']) expect(all).not.toContain(secret);
});

test.each([false, true])('a warning about a feed shows its data only where logs may: %s', async (logQueries) => {
  const { log, lines } = writtenLog('warn');
  const openFeed = (_query: FeedQuery, io: FeedIo): undefined => {
    io.warn('a reverse is wrong', { law: 'it undoes' }, { counterexample: 'acc 5' });
  };
  await onScene({ log, openFeed, logQueries }, async ({ connect, server }) => {
    const client = await connect();
    const upstream = await shakeNew(client, server);
    client.write(frame(1n, QUERY));
    await upstream.frame();
  });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      ...{ level: 40, time: expect.any(String), connection: 1, token: '1', msg: 'a reverse is wrong' },
      ...{ law: 'it undoes', query: expect.stringContaining(logQueries ? 'secret' : '…') },
      ...(logQueries ? { counterexample: 'acc 5' } : {}),
    },
  ]);
});

const SECRETS = ['secret', 'cHJvb2Y', SHAKE.final, 'biws', 'pass-key'];

/** The first line with this message, read; and no line holds a secret. */
function lineOf(lines: readonly string[], message: string): object {
  const all = lines.join('');
  for (const secret of SECRETS) expect(all).not.toContain(secret);
  const line = lines.map((each): { msg: string } => JSON.parse(each)).find(({ msg }) => msg === message);
  expect(line, message).toBeDefined();
  return line ?? {};
}

test.each([
  ['Wrong password', 12],
  ['Unknown user', 17],
])('a handshake that upstream refuses is logged with the user and the reason: %s', async (reason, code) => {
  const { log, lines } = writtenLog('info');
  await onScene({ log }, async ({ connect, server, proxy }) => {
    const client = await connect();
    client.write(Buffer.concat([V1_0, text(SHAKE.first), text(SHAKE.final)]));
    const upstream = await server.accept();
    await upstream.read(4);
    upstream.write(text(SHAKE.version));
    upstream.write(text(JSON.stringify({ error: reason, error_code: code, success: false })));
    upstream.socket.end();
    await client.ended();
    client.socket.end();
    await eventually('the client is gone', () => proxy.clientCount === 0);
  });
  expect(lineOf(lines, 'upstream refused the client')).toMatchObject({ level: 40, connection: 1, user: 'bob', reason });
  expect(lineOf(lines, 'client closed')).toMatchObject({ reason: `upstream refused the client: ${reason}` });
});

test('so is a wrong authorization key of an old handshake', async () => {
  const { log, lines } = writtenLog('info');
  await onScene({ log }, async ({ connect, server }) => {
    const client = await connect();
    client.write(Buffer.concat([V0_4, word(8), Buffer.from('pass-key'), word(0x7e6970c7)]));
    const upstream = await server.accept();
    await upstream.read(20);
    upstream.write(text('ERROR: Incorrect authorization key.\n'));
    await client.text();
  });
  expect(lineOf(lines, 'upstream refused the client')).toMatchObject({ reason: 'Incorrect authorization key.' });
});

/** What ends a feed, or its client, and what the log says then. */
interface End {
  readonly name: string;
  readonly query?: string;
  /** Plays the end; the query has reached upstream under this token. */
  play(ends: {
    readonly client: Peer;
    readonly upstream: Peer;
    readonly token: bigint;
    readonly proxy: Scene['proxy'];
  }): Promise<void>;
  readonly feed: object;
  readonly client?: object;
}

const live = "r.table('t').filter((row) => row('name').eq('secret')).count()";
const broken = (token: bigint, kind: number, message: string): Buffer =>
  frame(token, JSON.stringify({ t: 18, e: kind, r: [message], b: [] }));

const ends: readonly End[] = [
  {
    name: 'the client stops it',
    async play({ client, upstream, token }) {
      client.write(frame(1, '[3]'));
      await client.frame();
      expect((await upstream.frame()).body).toBe('[3]');
      // The START is answered, too.
      for (let answers = 2; answers > 0; answers--) upstream.write(frame(token, '{"t":2,"r":[],"n":[]}'));
    },
    feed: { level: 30, reason: 'the client stopped it' },
  },
  {
    name: 'it is complete',
    query: `${live}.changes().limit(1)`,
    async play({ client, upstream, token }) {
      upstream.write(frame(token, '{"t":2,"r":[{"new_val":0},{"state":"ready"},{"old_val":0,"new_val":1}],"n":[1]}'));
      await client.frame();
    },
    feed: { level: 30, reason: 'complete' },
  },
  {
    name: 'upstream raises an error that quotes data',
    async play({ client, upstream, token }) {
      upstream.write(broken(token, 3_000_000, 'Expected type NUMBER but found "secret".'));
      expect((await client.frame()).body).toContain('secret');
    },
    feed: { level: 40, reason: 'it failed', error: 'QUERY_LOGIC', text: undefined },
  },
  {
    name: 'upstream raises an error about itself',
    async play({ client, upstream, token }) {
      upstream.write(broken(token, 4_100_000, 'Changefeed aborted (unavailable).'));
      await client.frame();
    },
    feed: { level: 40, reason: 'it failed', error: 'OP_FAILED', text: 'Changefeed aborted (unavailable).' },
  },
  {
    name: 'the client ends its connection',
    play: async ({ client }) => void client.socket.end(),
    feed: { reason: 'the client ended the connection' },
    client: { by: 'client', reason: 'the client ended the connection' },
  },
  {
    name: 'the client is reset',
    play: async ({ client }) => void client.socket.resetAndDestroy(),
    feed: { reason: 'the client failed: read ECONNRESET' },
    client: { by: 'client', reason: 'the client failed: read ECONNRESET' },
  },
  {
    name: 'upstream ends its connection',
    play: async ({ upstream }) => void upstream.socket.end(),
    feed: { reason: 'upstream closed the connection' },
    client: { by: 'upstream', reason: 'upstream closed the connection' },
  },
  {
    name: 'upstream is reset',
    play: async ({ upstream }) => void upstream.socket.resetAndDestroy(),
    feed: { reason: 'upstream failed: read ECONNRESET' },
    client: { by: 'upstream', reason: 'upstream failed: read ECONNRESET' },
  },
  {
    name: 'the proxy stops',
    async play({ client, proxy }) {
      void proxy.drain();
      await client.frame();
    },
    feed: { level: 30, reason: 'stopping' },
    client: { by: 'proxy', reason: 'stopping' },
  },
];

test.each(ends)('the log says why a feed ends: $name', async ({ query, play, feed, client: closed }) => {
  const { log, lines } = writtenLog('info');
  const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
  await onScene({ log, openFeed, drainMs: 20 }, async ({ pair, proxy }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, queryOfText(query ?? `${live}.changes()`)));
    const { token } = await feedFrame(upstream);
    await play({ client, upstream, token, proxy });
    await eventually('the feed has ended', () => lines.some((line) => line.includes('feed ended')));
    client.socket.end();
    upstream.socket.end();
    await eventually('the client is gone', () => proxy.clientCount === 0);
  });
  const { text: shown, ...fields } = { text: undefined, ...feed };
  const line = lineOf(lines, 'feed ended');
  expect(line).toMatchObject({ connection: 1, token: '1', ms: expect.any(Number), ...fields });
  expect('text' in line ? line.text : undefined).toBe(shown);
  expect(lineOf(lines, 'client closed')).toMatchObject(closed ?? {});
});

test('the text of an error is logged where queries are', async () => {
  const { log, lines } = writtenLog('info');
  const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
  await onScene({ log, openFeed, logQueries: true }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, queryOfText(`${live}.changes()`)));
    const { token } = await feedFrame(upstream);
    upstream.write(broken(token, 3_000_000, 'Expected type NUMBER but found "secret".'));
    await client.frame();
  });
  expect(lines.find((line) => line.includes('feed ended'))).toContain('found \\"secret\\"');
});

test.each([
  [true, '7'],
  [false, undefined],
])('an error that a row raises names the row where queries are logged: %s', async (logQueries, row) => {
  const { log, lines } = writtenLog('info');
  const openFeed = createOpenFeed({ plan: 'proxy', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
  await onScene({ log, openFeed, logQueries }, async ({ pair }) => {
    const { client, upstream } = await pair();
    client.write(frame(1, queryOfText("r.table('t').sum((row) => row('n').add(1)).changes()")));
    const { token } = await feedFrame(upstream);
    const documents = [{ new_val: { id: 7, n: 'secret' } }, { state: 'ready' }];
    upstream.write(frame(token, JSON.stringify({ t: 3, r: documents, n: [1, 5] })));
    await client.frame();
  });
  const ended = lineOf(lines, 'feed ended');
  expect(ended).toMatchObject({ error: 'QUERY_LOGIC' });
  expect(Object(ended).row).toBe(row);
});

test.each([
  [`${live}.changes({includeOffsets: true})`, { error: 'QUERY_LOGIC' }],
  [
    "r.table('t').filter({name: 'secret'}).sample(2).count().changes()",
    { error: 'QUERY_LOGIC', text: expect.stringContaining('Cannot watch a query with `sample`') },
  ],
])('the log says why a query is refused: %s', async (query, fields) => {
  const { log, lines } = writtenLog('info');
  const openFeed = createOpenFeed({ plan: 'server', limits: DEFAULT_LIMITS, share: false, now: () => 0 });
  await onScene({ log, openFeed }, async ({ pair }) => {
    const { client } = await pair();
    client.write(frame(1, queryOfText(query)));
    await client.frame();
  });
  expect(lineOf(lines, 'feed refused')).toMatchObject({ level: 30, token: '1', ...fields });
});

test('a mistake of ours is logged with its place and without its message, which may quote data', async () => {
  const { log, lines } = writtenLog('info');
  const openFeed = (): undefined => {
    JSON.parse('secret');
  };
  await onScene({ log, openFeed }, async ({ pair }) => {
    const { client } = await pair();
    client.write(frame(1, queryOfText(`${live}.changes()`)));
    await client.frame();
  });
  expect(lineOf(lines, 'feed failed to open')).toMatchObject({
    level: 50,
    error: 'SyntaxError',
    stack: expect.stringContaining('log.test.ts'),
  });
});

test('who only looks whether somebody listens is not logged', async () => {
  const { log, lines } = writtenLog('info');
  await onScene({ log }, async ({ connect, proxy }) => {
    const looker = await connect();
    await eventually('it is there', () => proxy.clientCount === 1);
    looker.socket.destroy();
    await eventually('it is gone', () => proxy.clientCount === 0);
  });
  expect(lines).toEqual([]);
});

test('of what strangers can cause there is one line, and then one a minute that counts', async () => {
  const { log, lines } = writtenLog('info');
  const strangers = new StrangerLog(log, 100);
  const read = (): readonly object[] => lines.map((line) => JSON.parse(line));
  strangers.warn({ client: '10.0.0.1' }, 'handshake timed out');
  for (let scan = 2; scan <= 50; scan++) strangers.warn({ client: `10.0.0.${scan}` }, 'handshake timed out');
  strangers.warn({ client: '10.0.0.9' }, 'TLS handshake failed');
  expect(read()).toMatchObject([
    { level: 40, msg: 'handshake timed out', client: '10.0.0.1' },
    { level: 40, msg: 'TLS handshake failed', client: '10.0.0.9' },
  ]);
  await eventually('they are summed up', () => lines.length > 2);
  strangers.warn({ client: '10.0.0.7' }, 'handshake timed out');
  expect(read().slice(2)).toMatchObject([
    { level: 40, msg: 'handshake timed out', client: '10.0.0.50', times: 49, seconds: 0.1 },
  ]);
  strangers.close();
  expect(read().slice(3)).toMatchObject([{ msg: 'handshake timed out', client: '10.0.0.7', times: 1 }]);
});

test('strangers who say nothing cost one line in the log', async () => {
  const { log, lines } = writtenLog('info');
  await onScene({ log, handshakeTimeoutMs: 20 }, async ({ connect, proxy }) => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect()));
    for (const client of clients) {
      await client.ended();
      client.socket.end();
    }
    await eventually('they are gone', () => proxy.clientCount === 0);
    expect(lines).toHaveLength(1);
    expect(lineOf(lines, 'handshake timed out')).toMatchObject({ level: 40 });
  });
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ msg: 'handshake timed out', times: 19 });
});

test('whoever only asks which server it is leaves no line', async () => {
  const { log, lines } = writtenLog('info');
  await onScene({ log }, async ({ connect, server, proxy }) => {
    const client = await connect();
    client.write(V1_0);
    const upstream = await server.accept();
    upstream.write(text(SHAKE.version));
    await client.text();
    client.socket.end();
    await upstream.ended();
    upstream.socket.end();
    await eventually('the client is gone', () => proxy.clientCount === 0);
  });
  expect(lines).toEqual([]);
});
