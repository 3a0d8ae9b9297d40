import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Feed, FeedIo, FeedQuery } from '../../proxy/feed-port.ts';
import { QueryText } from '../../proxy/query-text.ts';
import { loggerOptions } from '../../src/command/logger.ts';
import { queryOfText } from '../../src/command/reql.ts';
import { frame } from '../support/bytes.ts';
import { eventually } from '../support/eventually.ts';
import { onScene, SHAKE, shakeNew } from '../support/scene.ts';

const QUERY = queryOfText("r.table('t').filter((row) => row('name').eq('secret')).count().changes()");

test('a query in a log shows names and no data', () => {
  const text = new QueryText(Buffer.from(QUERY), false).toJSON();
  expect(text).toContain("r.table('t')");
  expect(text).toContain("'name'");
  expect(text).not.toContain('secret');
  expect(new QueryText(Buffer.from('[1,[56,[[15,["t"]],{"key":"secret"}]]]'), false).toJSON()).not.toContain('secret');
  expect(new QueryText(Buffer.from('["secret"'), false).toJSON()).not.toContain('secret');
});

test('with literals allowed it shows all', () => {
  expect(new QueryText(Buffer.from(QUERY), true).toJSON()).toContain('secret');
  expect(new QueryText(Buffer.from('["secret"'), true).toJSON()).toBe('["secret"');
});

test('lines are JSON with connection, user, token and duration, and hold no password and no data', async () => {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino(loggerOptions('trace'), sink);
  const openFeed = (_query: FeedQuery, io: FeedIo): Feed => {
    io.toUpstream(QUERY);
    return {
      response() {
        throw new Error('broken');
      },
      continue() {},
      stop() {},
      close() {},
      abort() {},
    };
  };
  await onScene({ log, openFeed }, async ({ connect, server, proxy }) => {
    const client = await connect();
    const upstream = await server.accept();
    await shakeNew(client, upstream);
    client.write(frame((1n << 64n) - 1n, QUERY));
    await upstream.frame();
    upstream.write(frame((1n << 64n) - 1n, '{"t":3,"r":[],"n":[2]}'));
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
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const openFeed = (_query: FeedQuery, io: FeedIo): undefined => {
    io.warn('a reverse is wrong', { law: 'it undoes' }, { counterexample: 'acc 5' });
  };
  await onScene({ log: pino(loggerOptions('warn'), sink), openFeed, logQueries }, async ({ connect, server }) => {
    const client = await connect();
    const upstream = await server.accept();
    await shakeNew(client, upstream);
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
