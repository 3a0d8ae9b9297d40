// `livefold watch` from its command line to its end, on a terminal that is made up, on one of the system's, and into a pipe.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printAddress } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { run } from '../../src/command/run.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import type { Size } from '../../src/terminal/terminal.ts';
import { eventually } from '../support/checks/eventually.ts';
import { makeCertificate } from '../support/servers/certificate.ts';
import { buildProgram } from '../support/servers/program.ts';
import { recordedOutput } from '../support/servers/recorded-output.ts';
import { liveServers, type RunningServer } from '../support/servers/servers.ts';

const DB = 'watched';
const TABLE = `[15,[[14,["${DB}"]],"t"]]`;
const SIZE: Size = { columns: 70, rows: 20 };

/** A `livefold watch` that runs in this process. */
interface Watching {
  /** What it has written to standard output, and the lines on the terminal as they are now. */
  readonly output: () => string;
  readonly screen: () => readonly string[];
  readonly complaints: readonly string[];
  readonly exits: readonly number[];
  interrupt(): void;
  resize(size: Size): void;
  leave(): void;
}

function watch(args: readonly string[], size?: Size, env: NodeJS.ProcessEnv = {}): Watching {
  const output = recordedOutput(size);
  const complaints: string[] = [];
  const exits: number[] = [];
  const signals = new Map<string, () => void>();
  void run({
    args: ['watch', ...args],
    env,
    part: { kind: 'alone' },
    print: () => {},
    complain: (line) => complaints.push(line),
    output,
    exit: (code) => exits.push(code),
    onSignal: (name, callback) => signals.set(name, callback),
    onTrouble: () => {},
  });
  return {
    output: output.text,
    screen: () => screenOf(output.text()),
    complaints,
    exits,
    interrupt: () => signals.get('SIGINT')?.(),
    resize: output.resize,
    leave: output.leave,
  };
}

/** The lines of the last picture that was drawn. */
function screenOf(written: string): readonly string[] {
  const last = written.split('\x1b[H').at(-1) ?? '';
  return stripVTControlCharacters(last)
    .split(/\r*\n/)
    .map((line) => line.trimEnd());
}

for (const server of liveServers.filter(({ plan }) => plan === 'auto')) {
  describe.skipIf(!server.there)(server.name, () => {
    let running: RunningServer;
    let writes: Client;
    let at: readonly string[];
    const write = (term: string) => writes.run(`[1,${term}]`);
    beforeAll(async () => {
      running = await server.start();
      writes = await Client.connect(running.database);
      await write(`[58,["${DB}"]]`).catch(() => {});
      await write(`[57,["${DB}"]]`);
      await write(`[60,[[14,["${DB}"]],"t"]]`);
      await write(`[56,[${TABLE},[2,[{"id":1,"k":"a","n":1},{"id":2,"k":"b","n":2}]]]]`);
      at = ['--connect', printAddress(running.client), '--db', DB];
    });
    afterAll(async () => {
      await write(`[58,["${DB}"]]`);
      writes.close();
      await running.close();
    });

    test('into a pipe it writes a document a line, until it is interrupted', async () => {
      const { output, exits, complaints, interrupt } = watch([...at, "r.table('t').sum('n')"]);
      await eventually('the sum is there', () => output() === '{"new_val":3}\n');
      await write(`[53,[[16,[${TABLE},1]],{"n":5}]]`);
      await eventually('it follows', () => output().endsWith('{"new_val":7,"old_val":3}\n'));
      interrupt();
      await eventually('it has ended', () => exits.length > 0);
      expect([exits, complaints, output().split('\n').length]).toEqual([[0], [], 3]);
      await write(`[53,[[16,[${TABLE},1]],{"n":1}]]`);
    });

    test('it ends when nobody reads any more', async () => {
      const { output, exits, leave } = watch([...at, "r.table('t').count().changes({includeInitial: true})"]);
      await eventually('the count is there', () => output() !== '');
      leave();
      await eventually('it has ended', () => exits.length > 0);
      expect(exits).toEqual([0]);
    });

    test('on a terminal it draws a table in place, marks what changes, and leaves the last one', async () => {
      const query = "r.table('t').group('k').sum('n')";
      const { output, screen, exits, interrupt, resize } = watch([...at, query], SIZE);
      await eventually('the groups are there', () => screen().length >= 6);
      expect(screen()).toEqual([
        query,
        `live  2 groups  ·  0 changes, 0.0 a second  ·  admin@${at[1]}`,
        '',
        '  group  value',
        '  a          1',
        '  b          2',
      ]);
      await write(`[56,[${TABLE},{"id":3,"k":"c","n":3}]]`);
      await write(`[54,[[16,[${TABLE},2]]]]`);
      await eventually('they follow', () => screen().includes('+ c          3') && screen().includes('- b          2'));
      await eventually('marks fade', () => screen().at(-1) === '  c          3');
      resize({ columns: 20, rows: 5 });
      await eventually('it fits', () => screen().length === 5 && screen()[4] === '  … 2 more');
      interrupt();
      await eventually('it has ended', () => exits.length > 0);
      expect(exits).toEqual([0]);
      // The terminal is as it was, with the last picture on it.
      const [, after = ''] = output().split('\x1b[?7h\x1b[?25h\x1b[?1049l');
      expect(after).toMatch(/^r\.table\('t'\)\.group\(…\r\nended/);
      await write(`[54,[[16,[${TABLE},3]]]]`);
      await write(`[56,[${TABLE},{"id":2,"k":"b","n":2}]]`);
    });

    test.each([
      [
        "r.table('t').map(x => x('k').add(1)).sum()",
        /^ReqlQueryLogicError: Expected type STRING but found NUMBER in:$/,
        "r.table('t').map((row) => row('k').add(1)).sum().changes({ includeInitial: true })",
        '                          ^^^^^^^^^^^^^^^',
      ],
      [
        "r.table('nope').sum('n')",
        /^ReqlOpFailedError: Table `watched\.nope` does not exist in:$/,
        "r.table('nope').sum('n').changes({ includeInitial: true })",
        '^^^^^^^^^^^^^^^',
      ],
      [
        "r.table('t').sum('n').changes({squash: -1})",
        /^ReqlQueryLogicError: Expected BOOL or a positive NUMBER but found a negative NUMBER in:$/,
        "r.table('t').sum('n').changes({ squash: -1 })",
        '                                        ^^',
      ],
    ])('%s: the error is printed as drivers print it', async (query, message, text, carets) => {
      const { complaints, exits, output } = watch([...at, query]);
      await eventually('it has ended', () => exits.length > 0);
      expect(complaints).toEqual([expect.stringMatching(message), text, carets]);
      expect([exits, output()]).toEqual([[1], '']);
    });

    test('at a RethinkDB it says that it takes a livefold, and of what RethinkDB watches, or has not, nothing', async () => {
      const database = printAddress(running.database);
      const complaintsOf = async (query: string): Promise<readonly string[]> => {
        const { complaints, exits } = watch(['--connect', database, '--db', DB, query]);
        await eventually('it has ended', () => exits.length > 0);
        return complaints;
      };
      expect(await complaintsOf("r.table('t').sum('n')")).toEqual([
        'ReqlQueryLogicError: Cannot convert NUMBER to SEQUENCE in:',
        "r.table('t').sum('n').changes({ includeInitial: true })",
        '^'.repeat("r.table('t').sum('n').changes({ includeInitial: true })".length),
        `${database} is a RethinkDB, which does not watch this by itself. Start \`livefold --upstream ${database}\`, and watch with \`--connect 127.0.0.1:28016\`.`,
      ]);
      expect((await complaintsOf("r.table('nope')")).join()).not.toContain('livefold --upstream');
    });

    test('where an order cannot be watched it says which part of it can be', async () => {
      const { complaints, exits } = watch([...at, "r.table('t').orderBy('n')"]);
      await eventually('it has ended', () => exits.length > 0);
      expect(complaints[0]).toContain('on an eager stream');
      expect(complaints.at(-1)).toMatch(/^A part of an order is live: write `limit` behind it, as r\.table\('t'\)/);
      const elsewhere = watch([...at, "r.table('nope').orderBy('n')"]);
      await eventually('it has ended', () => elsewhere.exits.length > 0);
      expect(elsewhere.complaints.join()).not.toContain('A part of an order');
    });

    test('a user who is not there is told so', async () => {
      const { complaints, exits } = watch([...at, '--user', 'nobody', 'r.table("t")']);
      await eventually('it has ended', () => exits.length > 0);
      expect(complaints).toEqual([`livefold: cannot connect to ${at[1]}: Unknown user`]);
      expect(exits).toEqual([1]);
    });
  });
}

test('whoever speaks TLS to one who does not, or the other way round, is told what to change', async () => {
  const server = await createEmbeddedServer();
  const { key, cert } = makeCertificate('localhost');
  const secure = createTlsServer({ key, cert }, () => {});
  secure.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const bound = secure.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  for (const [args, complaint] of [
    [['--connect', printAddress(server.address), '--tls'], /: TLS: the other end does not speak it$/],
    [['--connect', `127.0.0.1:${port}`], / ended the handshake\. If it speaks TLS, give --tls or --ca FILE\.$/],
  ] as const) {
    const { complaints, exits } = watch([...args, "r.table('t')"]);
    await eventually('it has ended', () => exits.length > 0);
    expect(complaints).toEqual([expect.stringMatching(complaint)]);
    expect(exits).toEqual([1]);
  }
  secure.close();
  await server.close();
});

test('a password is read from a file or the environment', async () => {
  const server = await createEmbeddedServer({ password: 'pä,=ss' });
  const folder = mkdtempSync(join(tmpdir(), 'livefold-'));
  const file = join(folder, 'password');
  writeFileSync(file, 'pä,=ss\n');
  const args = ['--connect', printAddress(server.address), "r.db('rethinkdb').table('users')"];
  for (const [more, env, code] of [
    [['--password-file', file], {}, 0],
    [[], { LIVEFOLD_PASSWORD: 'pä,=ss' }, 0],
    [[], { LIVEFOLD_PASSWORD: 'pass' }, 1],
    [['--password-file', join(folder, 'nope')], {}, 2],
  ] as const) {
    const { output, complaints, exits, interrupt } = watch([...args, ...more], undefined, env);
    await eventually('it is in, or out', () => output() !== '' || exits.length > 0);
    if (code === 0) interrupt();
    await eventually('it has ended', () => exits.length > 0);
    expect([exits, complaints.length]).toEqual([[code], code === 0 ? 0 : 1]);
  }
  rmSync(folder, { recursive: true });
  await server.close();
});

const pty = spawnSync('script', ['--version'], { encoding: 'utf8' });
const hasPty = pty.status === 0 && pty.stdout.includes('util-linux');
if (!hasPty) process.stdout.write('Not run: "under a terminal of the system\'s" (there is no script of util-linux)\n');

test.skipIf(!hasPty)("under a terminal of the system's, Ctrl-C ends it and the terminal is as it was", async () => {
  const program = await buildProgram();
  const server = await createEmbeddedServer();
  const command = `stty cols 60 rows 12; exec '${process.execPath}' '${join(program.folder, 'src', 'main.js')}' watch --connect ${printAddress(server.address)} "r.db('rethinkdb').table('users')"`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh' },
  });
  let written = '';
  let code: number | null | undefined;
  terminal.stdout.on('data', (chunk) => {
    written += chunk;
  });
  terminal.on('exit', (exit) => {
    code = exit;
  });
  await eventually(
    'the table is drawn',
    () => screenOf(written).some((line) => /^ {2}admin +false$/.test(line)),
    30_000,
  );
  expect(written).toContain('\x1b[?1049h');
  terminal.stdin.write('\x03');
  await eventually('it has ended', () => code !== undefined);
  expect(code).toBe(0);
  expect(written.split('\x1b[?1049l').at(-1)).toMatch(/admin +false/);
  await server.close();
  await program.close();
});

const isLinux = process.platform === 'linux';
if (!isLinux)
  process.stdout.write('Not run: "a reader that has gone is noticed before the next write" (this is no Linux)\n');

test.skipIf(!isLinux)('a reader that has gone is noticed before the next write', async () => {
  const program = await buildProgram();
  const server = await createEmbeddedServer();
  const command = `'${process.execPath}' '${join(program.folder, 'src', 'main.js')}' watch --connect ${printAddress(server.address)} "r.db('rethinkdb').table('users')" | head -1`;
  const shell = spawn('/bin/bash', ['-c', `${command}; echo "\${PIPESTATUS[0]}"`], {
    env: { PATH: process.env['PATH'] },
  });
  let written = '';
  shell.stdout.on('data', (chunk) => {
    written += chunk;
  });
  // Nothing is written to the table: without a look at the pipe it would wait for ever.
  await eventually('it has ended', () => shell.exitCode !== null, 30_000);
  expect(written).toMatch(/^\{"new_val":\{"id":"admin".*\}\n0\n$/);
  await server.close();
  await program.close();
});
