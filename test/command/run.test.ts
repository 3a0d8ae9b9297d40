import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printAddress } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { OPTION_TABLE } from '../../src/command/option-table.ts';
import { eventually } from '../support/checks/eventually.ts';
import { ran } from '../support/checks/ran.ts';
import { scriptedServer } from '../support/servers/peer.ts';

const READY = /^livefold listening on 127\.0\.0\.1:(\d+), upstream 127\.0\.0\.1:(\d+)$/;

function portOf(line: string | undefined): number {
  return Number(READY.exec(line ?? '')?.[1]);
}

test.each([
  [['--nope'], {}, /unknown option '--nope'/],
  [
    ['--listen', 'here'],
    {},
    /'--listen <host:port>' argument 'here' is invalid\. The port is missing: it must be HOST:PORT\./,
  ],
  [['--listen', 'here:'], {}, /The port is missing after the colon\./],
  [['--listen', '127.0.0.1:70000'], {}, /The port 70000 is out of range: the highest is 65535\./],
  [['--listen', '::1:28016'], {}, /An IPv6 address stands in brackets before its port: \[::1\]:28015\./],
  [['--listen', '[::g]:1'], {}, /Brackets are for IPv6 addresses, and '::g' is none\./],
  [['--listen', ''], {}, /HOST:PORT/],
  [['--listen', 'a b:1'], {}, /It must be HOST:PORT\./],
  [['--upstream', 'a:1,b:x'], {}, /The port must be a number, and 'x' is none\./],
  [['--upstream', 'a:0'], {}, /The port 0 is out of range: the lowest is 1\./],
  [['--upstream', 'rethinkdb://a:1'], {}, /without a scheme/],
  [['--upstream', '28015'], {}, /host is missing: write it before the port, as in 127\.0\.0\.1:28015/],
  [['--plan', 'best'], {}, /Allowed choices are auto, server, proxy/],
  [['--max-clients', '0'], {}, /positive whole number/],
  [['--max-clients', '1.5'], {}, /positive whole number/],
  [['--drain-seconds', 'soon'], {}, /number of seconds/],
  [['--drain-seconds', ''], {}, /number of seconds/],
  [['--upstream', 'a', '--embedded'], {}, /--upstream and --embedded exclude each other/],
  [['--embedded-listen', 'a:1'], {}, /needs --embedded/],
  [['--tls-cert', 'x'], {}, /need each other/],
  [['--upstream', 'a', '--upstream-ca', 'x'], {}, /needs --upstream-tls/],
  [['--upstream', 'a', '--tls-cert', '/nowhere', '--tls-key', '/nowhere'], {}, /cannot read a certificate/],
  [['--listen', '0.0.0.0:1', '--upstream', 'a,localhost:1'], {}, /--upstream is the address that livefold itself/],
  [['word'], {}, /unknown command 'word'/],
  [['explain', 'r.table("t").count()', '.changes()'], {}, /too many arguments for 'explain'/],
  [['explain', '5'], {}, /This is not ReQL/],
  [['explain', ' '], {}, /there is no query/],
  [['watch'], {}, /missing required argument 'query'/],
  [['watch', ' '], {}, /there is no query/],
  [['watch', '[5]'], {}, /only a query that is started can be watched/],
  [['watch', "r.table('t')", '--connect', 'here:x'], {}, /The port must be a number/],
  [['watch', "r.table('t')", '--ca', '/nowhere'], {}, /cannot use \/nowhere: /],
  [[], { LIVEFOLD_PLAN: 'best' }, /Allowed choices are auto, server, proxy\. \(LIVEFOLD_PLAN sets --plan\)$/],
  [
    [],
    { LIVEFOLD_UPSTREAM: 'a', LIVEFOLD_EMBEDDED: 'yes' },
    / exclude each other \(LIVEFOLD_UPSTREAM sets --upstream, LIVEFOLD_EMBEDDED sets --embedded\)$/,
  ],
  [
    ['--demo'],
    { LIVEFOLD_UPSTREAM: 'a', LIVEFOLD_PLAN: 'auto' },
    /--upstream and --demo exclude each other \(LIVEFOLD_UPSTREAM sets --upstream\)$/,
  ],
  [['--demo', '--embedded'], {}, /--embedded and --demo exclude each other/],
  [[], {}, /there is no database to serve: give --upstream HOST:PORT .* --embedded .* --demo/],
  [['--listen', '127.0.0.1:0'], { LIVEFOLD_DEMO: 'no' }, /there is no database to serve/],
  [['--embedded'], { LIVEFOLD_UPSTRAEM: 'a:1' }, /LIVEFOLD_UPSTRAEM is no variable .*did you mean LIVEFOLD_UPSTREAM\?/],
  [['--embedded'], { LIVEFOLD_PORT: '28016' }, /LIVEFOLD_PORT is no variable .*did you mean LIVEFOLD_LISTEN\?/],
  [['--embedded'], { LIVEFOLD_MAX_FEEDS: '1' }, /did you mean LIVEFOLD_MAX_/],
  [['--embedded'], { LIVEFOLD_X: '', LIVEFOLD_: '' }, /LIVEFOLD_ is no variable of livefold's, nor LIVEFOLD_X: /],
  [['explain', "r.table('t')"], { LIVEFOLD_PLANS: 'auto' }, /did you mean LIVEFOLD_PLAN\?/],
])('%j with %j is one clear line and exit code 2', async (args, env, complaint) => {
  const { printed, complaints, exits } = await ran(args, env);
  expect(printed).toEqual([]);
  expect(complaints).toEqual([expect.stringMatching(complaint)]);
  expect(complaints[0]).toMatch(/^livefold: /);
  expect(complaints[0]).not.toContain('\n');
  expect(exits).toEqual([2]);
});

test('a busy port is one clear line and exit code 2', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const bound = other.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  for (const args of [
    ['--listen', `127.0.0.1:${port}`, '--upstream', '127.0.0.1:1'],
    ['--listen', '127.0.0.1:0', '--embedded', '--embedded-listen', `127.0.0.1:${port}`],
  ]) {
    const { complaints, exits } = await ran(args);
    expect(complaints).toEqual([`livefold: cannot listen on 127.0.0.1:${port}: the port is in use`]);
    expect(exits).toEqual([2]);
  }
  other.close();
});

test('help names every option and its environment variable', async () => {
  const { printed, exits } = await ran(['--help']);
  const help = printed.join('\n').replace(/\s+/g, ' ');
  for (const { flags, env } of OPTION_TABLE) {
    expect(help).toContain(flags);
    expect(help).toContain(env);
  }
  expect(exits).toEqual([0]);
});

test('the version is the one of the package', async () => {
  const { printed, exits } = await ran(['--version']);
  expect(printed).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  expect(exits).toEqual([0]);
});

test('what is typed wins over the environment, and the environment over defaults', async () => {
  const one = await ran([], { LIVEFOLD_LISTEN: '127.0.0.1:0', LIVEFOLD_UPSTREAM: '127.0.0.1:7, [::1]:8' });
  expect(one.printed[0]).toMatch(/, upstream 127\.0\.0\.1:7, \[::1\]:8$/);
  const two = await ran(['--upstream=127.0.0.1:9', '--listen', '127.0.0.1:0'], { LIVEFOLD_UPSTREAM: 'x:7' });
  expect(two.printed[0]).toMatch(/, upstream 127\.0\.0\.1:9$/);
  for (const { exits, signal } of [one, two]) {
    signal('SIGTERM');
    await eventually('it has ended', () => exits.length > 0);
    expect(exits).toEqual([0]);
  }
});

test('with --embedded it serves an in-memory database, aggregates live; SIGTERM ends it with 0', async () => {
  const { printed, exits, signal } = await ran(['--embedded', '--listen', '127.0.0.1:0']);
  expect(printed).toEqual([expect.stringMatching(READY)]);
  const client = await Client.connect({ host: '127.0.0.1', port: portOf(printed[0]) });
  await client.run('[1,[60,["t"]]]');
  const documents: unknown[] = [];
  const over = client.watch('[1,[152,[[43,[[15,["t"]]]]],{"include_initial":true}]]', (document) =>
    documents.push(document),
  );
  await eventually('the count is known', () => documents.length > 0);
  expect(documents).toEqual([{ new_val: 0 }]);
  client.close();
  await expect(over).rejects.toThrow('closed');
  signal('SIGTERM');
  await eventually('it has ended', () => exits.length > 0);
  expect(exits).toEqual([0]);
});

test('a second signal ends it at once', async () => {
  const { printed, exits, signal } = await ran(['--embedded', '--listen', '127.0.0.1:0', '--drain-seconds', '1000']);
  const client = await Client.connect({ host: '127.0.0.1', port: portOf(printed[0]) });
  const over = client.watch('[1,[152,[[15,[[14,["rethinkdb"]],"users"]]]]]', () => {}).catch(() => {});
  signal('SIGINT');
  signal('SIGTERM');
  expect(exits).toEqual([1]);
  client.close();
  await over;
  await eventually('the first has ended it, too', () => exits.length > 1);
});

test('variables that Kubernetes and Docker set for a service called livefold are not taken for options', async () => {
  const { exits, printed } = await ran(['explain', "r.table('t').count().changes()"], {
    LIVEFOLD_SERVICE_HOST: '10.0.0.1',
    LIVEFOLD_SERVICE_PORT: '28016',
    LIVEFOLD_SERVICE_PORT_DRIVER: '28016',
    LIVEFOLD_PORT: 'tcp://10.0.0.1:28016',
    LIVEFOLD_PORT_28016_TCP: 'tcp://10.0.0.1:28016',
    LIVEFOLD_PORT_28016_TCP_PROTO: 'tcp',
    LIVEFOLD_PORT_28016_TCP_PORT: '28016',
    LIVEFOLD_PORT_28016_TCP_ADDR: '10.0.0.1',
    LIVEFOLD_ADMIN_SERVICE_HOST: '10.0.0.2',
    LIVEFOLD_ADMIN_PORT: 'tcp://10.0.0.2:80',
  });
  expect(printed.join()).toContain('Plan: server');
  expect(exits).toEqual([]);
});

test('with --demo it plays the demo: live documents through the proxy', async () => {
  const { printed, exits, signal } = await ran(['--demo', '--listen', '127.0.0.1:0']);
  await eventually('all four have been printed', () =>
    ['count ', 'sum(total) ', 'avg(total) ', 'by customer '].every((name) =>
      printed.some((line) => line.startsWith(name)),
    ),
  );
  expect(printed[0]).toMatch(READY);
  expect(printed).toContain('count        {"new_val":12}');
  signal('SIGTERM');
  await eventually('it has ended', () => exits.length > 0);
  expect(exits).toEqual([0]);
});

test.each([[[]], [['--proxy-protocol']]])(
  'health says whether a livefold serves, wherever it was told to listen, and whether or not upstream can be reached: %j',
  async (option: readonly string[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'livefold-'));
    const file = join(folder, 'address');
    const upstream = await scriptedServer();
    await upstream.close();
    try {
      const early = await ran(['health', '--listen', printAddress(upstream.address)], {
        LIVEFOLD_ADDRESS_FILE: file,
      });
      expect(early.printed).toEqual([expect.stringContaining('ECONNREFUSED')]);
      expect(early.exits).toEqual([1]);
      const args = ['--upstream', printAddress(upstream.address), '--listen', '0.0.0.0:0'];
      const { signal, exits } = await ran([...args, ...option], { LIVEFOLD_ADDRESS_FILE: file });
      const health = await ran(['health'], { LIVEFOLD_ADDRESS_FILE: file });
      expect(health.printed).toEqual([expect.stringMatching(/^0\.0\.0\.0:\d+: it serves$/)]);
      expect(health.exits).toEqual([0]);
      signal('SIGTERM');
      await eventually('it has ended', () => exits.length > 0);
      const late = await ran(['health'], { LIVEFOLD_ADDRESS_FILE: file });
      expect(late.exits).toEqual([1]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.each([
  ['says nothing', ''],
  ['speaks something else', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('one that %s is not healthy', async (_name, said) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (said === '' ? undefined : socket.end(said)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const { exits } = await ran(['health', '--listen', `127.0.0.1:${port}`]);
  expect(exits).toEqual([1]);
  server.close();
});
