// Answers over HTTP: names and tokens, methods, limits, and what can be changed.

import { request } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Status } from '../../src/admin/status.ts';
import { Client } from '../../src/client/client.ts';
import { openAdminOf } from '../../src/command/admin-of-options.ts';
import type { OptionValues } from '../../src/command/option-table.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { onWatched, type Watched } from '../support/servers/watched.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request, with whatever Host. */
function ask({ admin }: Watched, path: string, { method = 'GET', headers = {} }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ ...admin, path, method, headers: { ...headers }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** All that comes back for bytes, until the server ends the connection. */
function raw({ admin }: Watched, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let back = '';
    const socket = connect(admin.port, admin.host, () => socket.write(bytes));
    socket.on('data', (chunk) => {
      back += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(back));
  });
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const basic = (token: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}`,
});

test('who asks through a foreign name is refused, by whatever path; addresses and own names are not', async () => {
  await onWatched(undefined, async (watched) => {
    for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      for (const path of ['/metrics', '/api/status', '/', '/healthz', '/nothing']) {
        expect((await ask(watched, path, { headers: { host } })).status, `${host} ${path}`).toBe(421);
      }
    }
    for (const host of ['localhost', 'LOCALHOST:1234', '127.0.0.1', '10.1.2.3:9000', '[::1]:80']) {
      expect((await ask(watched, '/metrics', { headers: { host } })).status, host).toBe(200);
    }
    expect(await raw(watched, 'GET /metrics HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /);
  });
});

test('with a token nobody is answered without it but for health; a token opens foreign names too', async () => {
  await onWatched('right', async (watched) => {
    for (const path of ['/metrics', '/api/status', '/api/events', '/', '/api/feeds/0-1']) {
      const refused = await ask(watched, path);
      expect(refused.status, path).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Basic /);
      expect(refused.body).not.toContain('livefold_');
      expect((await ask(watched, path, { headers: bearer('wrong') })).status).toBe(401);
    }
    expect((await ask(watched, '/healthz')).status).toBe(200);
    expect((await ask(watched, '/metrics', { headers: bearer('right') })).status).toBe(200);
    expect((await ask(watched, '/metrics', { headers: basic('right') })).status).toBe(200);
    expect((await ask(watched, '/metrics', { headers: { ...bearer('right'), host: 'livefold:9000' } })).status).toBe(
      200,
    );
    expect((await ask(watched, '/', { headers: basic('right') })).body).toContain('<html');
  });
});

test('methods: HEAD is GET without a body, others are told what is taken, unknown paths are 404', async () => {
  await onWatched(undefined, async (watched) => {
    for (const path of ['/metrics', '/healthz', '/api/status', '/']) {
      const head = await ask(watched, path, { method: 'HEAD' });
      expect(head.status, path).toBe(200);
      expect(head.body).toBe('');
      expect(Number(head.headers['content-length'])).toBeGreaterThan(5);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const refused = await ask(watched, path, { method });
        expect(refused.status, `${method} ${path}`).toBe(405);
        expect(refused.headers['allow']).toBe('GET, HEAD');
      }
    }
    for (const path of ['/x', '/metrics/', '/api', '/../etc/passwd', '/api/feeds/', '/%2e%2e/x', '//metrics']) {
      expect((await ask(watched, path)).status, path).toBe(404);
    }
    expect(JSON.parse((await ask(watched, '/api/feeds/0-9')).body)).toEqual({ error: 'There is no feed 0-9.' });
    expect((await ask(watched, '/api/feeds/0-1', { method: 'POST' })).headers['allow']).toBe('GET, HEAD, DELETE');
    const twice = await raw(
      watched,
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(twice.match(/it serves/g)).toHaveLength(2);
  });
});

test('garbage, long headers and bodies end the connection of whoever sends them, and nothing else', async () => {
  await onWatched(undefined, async (watched) => {
    expect(await raw(watched, '\x00\x01\x02 garbage\r\n\r\n')).toBe('');
    expect(await raw(watched, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toBe('');
    const body = 'x'.repeat(100_000);
    const posted = `POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await raw(watched, posted)).toMatch(/^HTTP\/1\.1 405 .*Connection: close/s);
    expect((await ask(watched, '/healthz')).status).toBe(200);
  });
});

/** The first lines of answers to requests that were written at once. */
const statusLines = (text: string): readonly string[] => text.match(/HTTP\/1\.1 \d+/g) ?? [];

test('old, odd and half requests are answered as HTTP has it, or closed', async () => {
  await onWatched(undefined, async (watched) => {
    const host = 'Host: localhost\r\n';
    for (const [sent, status] of [
      [`GET /healthz HTTP/1.0\r\n${host}\r\n`, ['200']],
      [`GET /healthz?a=1&b=%00 HTTP/1.0\r\n${host}\r\n`, ['200']],
      [`GET http://localhost/healthz HTTP/1.0\r\n${host}\r\n`, ['404']],
      // The first of several counts.
      [`GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\nConnection: close\r\n\r\n`, ['200']],
      [`GET /healthz HTTP/1.1\r\nHost: evil.example\r\n${host}Connection: close\r\n\r\n`, ['421']],
      ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', ['400']],
      [`GET /healthz HTTP/1.1\r\n${host}Connection: upgrade, close\r\nUpgrade: websocket\r\n\r\n`, ['200']],
      [`OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, ['404']],
      [`TRACE /metrics HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, ['405']],
      [`CONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n`, []],
      [`BREW /metrics HTTP/1.1\r\n${host}\r\n`, []],
      ['GET /metrics HTTP/9.9\r\n\r\n', []],
      [`GET /healthz HTTP/1.1\r\n${host}X-A: ${'y'.repeat(4000)}\r\nX-B: ${'y'.repeat(5000)}\r\n\r\n`, []],
      // More than one body, and one whose end nobody can tell.
      [`POST /metrics HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`, []],
      [`GET /healthz HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, ['200']],
    ] as const) {
      const lines = statusLines(await raw(watched, sent));
      expect(lines, sent.slice(0, 60)).toEqual(status.map((code) => `HTTP/1.1 ${code}`));
    }
    const many = `GET /readyz HTTP/1.1\r\n${host}\r\n`.repeat(500);
    const last = `HEAD /metrics HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    expect(statusLines(await raw(watched, many + last))).toHaveLength(501);
    expect((await ask(watched, '/healthz')).status).toBe(200);
  });
});

test('a thousand who ask at once are answered, from one reading', async () => {
  await onWatched(undefined, async (watched) => {
    const answers = await Promise.all(Array.from({ length: 1000 }, () => ask(watched, '/metrics')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1000);
    // An answer is at most a quarter of a second old: a thousand readings would all be different.
    expect(new Set(answers.map(({ body }) => body)).size).toBeLessThan(100);
  });
});

test('whoever follows and does not read is left out, and is told all when it reads again', async () => {
  await onWatched(undefined, async (watched) => {
    const socket = connect(watched.admin.port, watched.admin.host);
    socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const follower = await fetch(`http://127.0.0.1:${watched.admin.port}/api/events`);
    const reader = follower.body?.getReader();
    // Others follow meanwhile, and the process answers.
    for (let events = 0; events < 4; events++) expect((await reader?.read())?.done).toBe(false);
    expect((await ask(watched, '/metrics')).status).toBe(200);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.resume();
    await expect.poll(() => text, { timeout: 5000 }).toMatch(/^event: (?:changes|status)$/m);
    await reader?.cancel();
    socket.destroy();
  });
});

test('tokens of any length are compared, and none but the right one is right', async () => {
  await onWatched('right', async (watched) => {
    const wrong = ['', 'r', 'righ', 'rightt', 'RIGHT', 'x'.repeat(5000), '\u00e9', 'right,right'];
    for (const token of wrong) {
      for (const headers of [bearer(token), basic(token)]) {
        const sent = headers['authorization'] ?? '';
        // `fetch` refuses a text that is no header before it is sent.
        if (/[^\t\x20-\x7e]/.test(sent)) continue;
        expect((await ask(watched, '/api/status', { headers })).status, sent.slice(0, 40)).toBe(401);
      }
    }
    for (const authorization of ['Bearer', 'Bearer  ', 'Digest right', 'right', 'Basic right', 'Bearer right right']) {
      expect((await ask(watched, '/api/status', { headers: { authorization } })).status, authorization).toBe(401);
    }
    expect((await ask(watched, '/api/status', { headers: { authorization: 'bEaReR   right' } })).status).toBe(200);
  });
});

test('slow ones are closed after a while, and hold up nobody; streams of events have a limit', async () => {
  await onWatched(undefined, async (watched) => {
    const slow = Array.from({ length: 300 }, () => raw(watched, 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: '));
    const sockets = Array.from({ length: 201 }, () => connect(watched.admin.port, watched.admin.host));
    const first = sockets.map(
      (socket) => new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString()))),
    );
    for (const socket of sockets) socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answers = (await Promise.all(first)).map((text) => text.slice(0, 12));
    expect(answers.filter((text) => text === 'HTTP/1.1 503')).toHaveLength(1);
    expect(answers.filter((text) => text === 'HTTP/1.1 200')).toHaveLength(200);
    expect((await ask(watched, '/metrics')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    for (const back of await Promise.all(slow)) expect(back).toBe('');
    // The places of streams that have gone are free.
    const again = await fetch(`http://127.0.0.1:${watched.admin.port}/api/events`);
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });
});

test('the status shows clients and feeds with no value of a query; ready says why not', async () => {
  await onWatched(undefined, async (watched) => {
    const client = await Client.connect(watched.proxy);
    await client.run(queryOfText("r.tableCreate('t')"));
    const alone = "r.table('t').filter((row) => row('name').eq('secret')).count().changes({shared: false})";
    const opened = new Promise<void>(
      (resolve) => void client.open(queryOfText(`${alone}`), () => resolve()).ended.catch(() => {}),
    );
    await opened;
    await expect.poll(async () => (await ask(watched, '/readyz')).body).toBe('ready\n');
    const { body } = await ask(watched, '/api/status');
    expect(body).not.toContain('secret');
    const status: Status = JSON.parse(body);
    expect(status.clients).toMatchObject([
      { id: '0-1', address: expect.stringMatching(/^127\.0\.0\.1:\d+$/), user: 'admin', protocol: 'V1_0', feeds: 1 },
    ]);
    expect(status.feeds).toMatchObject([
      { id: '0-1', plan: 'server', subscribers: 1, user: 'admin', query: expect.stringContaining("r.table('t')") },
    ]);
    expect(status.feeds[0]?.privateBecause).toBe('its option `shared` is false');
    expect(status.upstreams).toMatchObject([{ isUp: true, clients: 1, failures: 0 }]);
    const detail = JSON.parse((await ask(watched, '/api/feeds/0-1')).body);
    expect(detail.subscribers).toMatchObject([{ client: '0-1', documents: expect.any(Number) }]);
    expect(detail.feed.workSeconds).toBeGreaterThan(0);
    expect(JSON.stringify(detail)).not.toContain('secret');
    expect(detail.explanation).toEqual([
      'Live. It shows one value: {new_val} first with includeInitial, then {old_val, new_val} whenever it differs.',
      'Plan: server, since its state is constant. RethinkDB sends the documents, and folds `count`.',
      'State: kept inside RethinkDB; it does not grow.',
      "RethinkDB watches: r.table('t').filter((row) => row('name').eq('…'))",
      'Fields that are read: `name` of `t`.',
      'Not shared: its option `shared` is false.',
      expect.stringMatching(/^RethinkDB is asked in \d+ lines of ReQL/),
    ]);
    watched.isStopping = true;
    expect(await ask(watched, '/readyz')).toMatchObject({ status: 503, body: 'livefold is stopping\n' });
    watched.isStopping = false;
    await watched.database.close();
    await expect.poll(async () => (await ask(watched, '/readyz')).status, { timeout: 10_000 }).toBe(503);
    expect((await ask(watched, '/readyz')).body).toMatch(
      /^no upstream server answers \(127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
  });
});

test('with a token a feed and a client can be ended, and without one nothing can', async () => {
  const end = async (watched: Watched, path: string, headers: Record<string, string>): Promise<number> =>
    (await ask(watched, path, { method: 'DELETE', headers })).status;
  await onWatched(undefined, async (watched) => {
    expect(await end(watched, '/api/clients/0-1', {})).toBe(403);
  });
  await onWatched('right', async (watched) => {
    const client = await Client.connect(watched.proxy);
    await client.run(queryOfText("r.tableCreate('t')"));
    let isOpen = (): void => {};
    const opened = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const feed = client.open(queryOfText("r.table('t').count().changes({includeInitial: true})"), () => isOpen());
    const ended = expect(feed.ended).rejects.toThrow('ended by an operator');
    await opened;
    expect(await end(watched, '/api/feeds/0-1', {})).toBe(401);
    expect(await end(watched, '/api/feeds/0-1', bearer('right'))).toBe(204);
    await ended;
    expect(await end(watched, '/api/feeds/0-1', bearer('right'))).toBe(404);
    let isPassing = (): void => {};
    const passes = new Promise<void>((resolve) => {
      isPassing = resolve;
    });
    const united =
      "r.table('t').changes({includeInitial: true}).union(r.table('t').count().changes({includeInitial: true}))";
    const passing = client.open(queryOfText(united), () => isPassing());
    const over = expect(passing.ended).rejects.toThrow('ended by an operator');
    await passes;
    const status: Status = JSON.parse((await ask(watched, '/api/status', { headers: bearer('right') })).body);
    expect(status.feeds).toMatchObject([{ documents: null, subscribers: 1 }]);
    const path = `/api/feeds/${status.feeds[0]?.id}`;
    expect(path).toMatch(/^\/api\/feeds\/0-1-\d+$/);
    expect(JSON.parse((await ask(watched, path, { headers: bearer('right') })).body).subscribers).toHaveLength(1);
    expect(await end(watched, path, bearer('right'))).toBe(204);
    await over;
    const lost = expect(
      client.run(queryOfText("r.table('t').changes()")).then(() => client.run('[1,[152,[[15,["t"]]]]]')),
    ).rejects.toThrow();
    expect(await end(watched, '/api/clients/0-1', bearer('right'))).toBe(204);
    await lost;
    expect(await end(watched, '/api/clients/0-1', bearer('right'))).toBe(404);
  });
});

test('events: a whole status first', async () => {
  await onWatched(undefined, async ({ admin }) => {
    const response = await fetch(`http://127.0.0.1:${admin.port}/api/events`);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('\n\n', text.indexOf('event: status'))) {
      text += new TextDecoder().decode((await reader?.read())?.value);
    }
    const [, data = ''] = /event: status\ndata: (.*)\n/.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({ version: '0', totals: { clients: 0 } });
    await reader?.cancel();
  });
});

test('a busy port is a clear error', async () => {
  await onWatched(undefined, async ({ admin }) => {
    const values: Pick<OptionValues, 'admin'> = { admin };
    const opened = openAdminOf(values as OptionValues, pino({ level: 'silent' }), {
      isStopping: () => false,
      members: () => [],
      deaths: () => 0,
    });
    await expect(opened).rejects.toThrow(`127.0.0.1:${admin.port}`);
  });
});
