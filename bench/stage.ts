// The stage of a bench run: the server behind it, and the contenders before it, each started when first asked for.

import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Address, parseAddress, printAddress } from '../proxy/upstream/address.ts';
import { freePort, type Program, startListening, startProgram } from './program.ts';
import { DATABASE, wire } from './query.ts';
import { RawConnection } from './raw-connection.ts';

/** A server or proxy that clients can connect to. `pid` is absent where it runs elsewhere. */
export interface Contender {
  readonly address: Address;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** The name of a contender. */
export type ContenderName =
  | 'direct'
  | 'Livefold'
  | 'the other build'
  | 'Livefold, server plan'
  | 'Livefold, server plan, collecting'
  | 'Livefold, proxy plan'
  | 'HAProxy'
  | 'plain copy';

const NODE = process.execPath;
/** The program as it is built. */
export const MAIN: string = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
/** It collects its garbage when it is told to. */
const COLLECTING = ['--expose-gc', '--import', new URL('collecting.mjs', import.meta.url).href];
const PLAIN = fileURLToPath(new URL('plain-proxy.ts', import.meta.url));
const LISTENING = /livefold listening on (\S+), upstream (\S+)\n/;
const DRIVER_PORT = 28015;
const CACHE_MIB = 2048;

/** The settings of a run. */
export interface BenchSettings {
  readonly quick: boolean;
  readonly against?: string | undefined;
}

/** The stage of one run of the bench. */
export class Bench {
  readonly quick: boolean;
  /** The folder of the build that this one is compared with. */
  readonly against: string | undefined;
  /** How the server calls itself, for the table. */
  readonly serverName: string;
  readonly direct: Contender;
  readonly #contenders = new Map<ContenderName, Promise<Contender | undefined>>();
  readonly #tables = new Map<string, Promise<void>>();

  private constructor({ quick, against }: BenchSettings, serverName: string, direct: Contender) {
    this.quick = quick;
    this.against = against;
    this.serverName = serverName;
    this.direct = direct;
  }

  /** Finds a server: the one that RETHINKDB_HOST names, a `rethinkdb` program, or the embedded one. */
  static async open(settings: BenchSettings): Promise<Bench> {
    const host = process.env['RETHINKDB_HOST'];
    if (host !== undefined && host !== '') {
      const address = { host, port: Number(process.env['RETHINKDB_PORT'] ?? DRIVER_PORT) };
      return new Bench(settings, 'the RethinkDB of RETHINKDB_HOST', { address, pid: undefined, stop: async () => {} });
    }
    const found = await startRethinkdb();
    if (found !== undefined) return new Bench(settings, 'RethinkDB on the same machine', found);
    return new Bench(settings, 'the embedded server (no RethinkDB found)', await startEmbedded());
  }

  /** Whether a real RethinkDB does the work. */
  get real(): boolean {
    return !this.serverName.startsWith('the embedded');
  }

  /** A contender that all rows share; `undefined` where it is not installed. */
  contender(name: ContenderName): Promise<Contender | undefined> {
    const known = this.#contenders.get(name) ?? this.start(name);
    this.#contenders.set(name, known);
    return known;
  }

  /** Those of some contenders that are there. */
  async contenders(...names: readonly ContenderName[]): Promise<readonly (readonly [ContenderName, Contender])[]> {
    const found: (readonly [ContenderName, Contender])[] = [];
    for (const name of names) {
      const contender = await this.contender(name);
      if (contender !== undefined) found.push([name, contender]);
    }
    return found;
  }

  /** A contender of one's own. */
  async start(name: ContenderName): Promise<Contender | undefined> {
    const { address } = this.direct;
    switch (name) {
      case 'direct':
        return this.direct;
      case 'Livefold':
        return await startLivefold(address, 'auto');
      case 'the other build':
        return this.against === undefined
          ? undefined
          : await startOther(address, join(this.against, 'dist/src/main.js'));
      case 'Livefold, server plan':
        return await startLivefold(address, 'server');
      case 'Livefold, server plan, collecting':
        return await startLivefold(address, 'server', [...COLLECTING, MAIN]);
      case 'Livefold, proxy plan':
        return await startLivefold(address, 'proxy');
      case 'HAProxy':
        return await startHaproxy(address);
      case 'plain copy': {
        const args = ['--import', 'tsx', PLAIN, address.host, String(address.port)];
        const { match, pid, stop } = await startProgram(NODE, args, /listening on (\d+)/);
        return { address: { host: '127.0.0.1', port: Number(match[1]) }, pid, stop };
      }
    }
  }

  /** Makes and fills a table once in a run. `rows` gives the rows as ReQL-free JSON, some thousand at a time. */
  table(name: string, fill: (connection: RawConnection) => Promise<void>): Promise<void> {
    const known = this.#tables.get(name) ?? this.#makeTable(name, fill);
    this.#tables.set(name, known);
    return known;
  }

  async #makeTable(name: string, fill: (connection: RawConnection) => Promise<void>): Promise<void> {
    const connection = await RawConnection.open(this.direct.address);
    const without = (query: string): Promise<unknown> => connection.run(query).catch(() => undefined);
    await without(wire((r) => r.dbCreate(DATABASE)));
    await without(wire((r) => r.db(DATABASE).tableDrop(name)));
    await connection.run(wire((r) => r.db(DATABASE).tableCreate(name, { durability: 'soft' })));
    await connection.run(wire((r) => r.db(DATABASE).table(name).wait()));
    await fill(connection);
    await connection.close();
  }

  /** Stops all that was started. */
  async close(): Promise<void> {
    for (const [name, starting] of this.#contenders) if (name !== 'direct') await (await starting)?.stop();
    if (this.real) {
      const connection = await RawConnection.open(this.direct.address);
      await connection.run(wire((r) => r.dbDrop(DATABASE))).catch(() => undefined);
      await connection.close();
    }
    await this.direct.stop();
  }
}

/** Starts an embedded server in a process of its own, and connects to it without the proxy. */
export async function startEmbedded(): Promise<Contender> {
  const args = [MAIN, '--embedded', '--workers', '0', '--listen', '127.0.0.1:0', '--log-level', 'error'];
  const { match, pid, stop } = await startProgram(NODE, args, LISTENING);
  return { address: addressOf(match[2]), pid, stop };
}

/** Alone: what is measured of the process is measured of the one that serves. */
const ALONE = ['--workers', '0'];

async function startLivefold(
  upstream: Address,
  plan: string,
  main: readonly string[] = [MAIN],
  workers: readonly string[] = ALONE,
): Promise<Contender> {
  const args = [...main, ...workers, '--upstream', printAddress(upstream), '--listen', '127.0.0.1:0', '--plan', plan];
  const { match, pid, stop } = await startProgram(NODE, args, LISTENING);
  return { address: addressOf(match[1]), pid, stop };
}

/** Another build. One that knows no `--workers 0` serves alone unless it is told otherwise. */
async function startOther(upstream: Address, main: string): Promise<Contender> {
  const plan = 'auto';
  return await startLivefold(upstream, plan, [main]).catch(() => startLivefold(upstream, plan, [main], []));
}

/** A folder that is gone at the latest when the process ends. */
async function scratch(): Promise<{ readonly folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'livefold-bench-'));
  const removeAtExit = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', removeAtExit);
  return {
    folder,
    async remove() {
      await rm(folder, { recursive: true, force: true });
      process.off('exit', removeAtExit);
    },
  };
}

/** Starts a RethinkDB in a folder of its own; `undefined` where none is installed. */
export async function startRethinkdb(): Promise<Contender | undefined> {
  const { folder, remove } = await scratch();
  const ports = ['--driver-port', '0', '--cluster-port', '0', '--no-http-admin', '--bind', '127.0.0.1'];
  const place = ['--directory', join(folder, 'data'), '--cache-size', String(CACHE_MIB), '--no-update-check'];
  const ready = /Listening for client driver connections on port (\d+)[\s\S]*Server ready/;
  try {
    const { match, pid, stop } = await startProgram('rethinkdb', [...ports, ...place], ready);
    return {
      address: { host: '127.0.0.1', port: Number(match[1]) },
      pid,
      async stop() {
        await stop();
        await remove();
      },
    };
  } catch {
    await remove();
    return undefined;
  }
}

async function startHaproxy(upstream: Address): Promise<Contender | undefined> {
  const { folder, remove } = await scratch();
  const address = { host: '127.0.0.1', port: await freePort() };
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, haproxyConfig(address, upstream));
  let program: Program;
  try {
    program = await startListening('haproxy', ['-db', '-f', file], address);
  } catch {
    await remove();
    return undefined;
  }
  return {
    address,
    pid: program.pid,
    async stop() {
      await program.stop();
      await remove();
    },
  };
}

function haproxyConfig(listen: Address, upstream: Address): string {
  return `global
  maxconn 4000
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend clients
  bind ${printAddress(listen)}
  default_backend upstream
backend upstream
  server one ${printAddress(upstream)}
`;
}

function addressOf(text: string | undefined): Address {
  return parseAddress(text ?? '');
}
