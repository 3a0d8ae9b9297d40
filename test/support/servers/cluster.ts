// A cluster of real servers, of programs on the PATH: each can be killed, and come back with what it has stored.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../../../proxy/upstream/address.ts';
import { portOf } from './rethinkdb.ts';

/** One server of a cluster. */
export interface Member {
  readonly name: string;
  readonly address: Address;
  /** Ends its process without a word. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again, with what it has stored. */
  start(): Promise<void>;
}

/** A cluster that runs. */
export interface Cluster {
  readonly members: readonly Member[];
  stop(): Promise<void>;
}

/** Starts so many servers, the first one being who the others join. */
export async function startCluster(names: readonly string[]): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'livefold-cluster-'));
  const meeting = await freePort();
  const members: ClusterMember[] = [];
  for (const [index, name] of names.entries()) {
    const cluster =
      index === 0
        ? ['--cluster-port', String(meeting)]
        : ['--cluster-port', String(await freePort()), '--join', `127.0.0.1:${meeting}`];
    const member = new ClusterMember(name, join(directory, name), await freePort(), cluster);
    members.push(member);
    await member.start();
  }
  const abandon = (): void => {
    for (const member of members) member.abandon();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  return {
    members,
    async stop() {
      process.off('exit', abandon);
      await Promise.all(members.map((member) => member.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

class ClusterMember implements Member {
  readonly name: string;
  readonly address: Address;
  readonly #args: readonly string[];
  #program: ChildProcess | undefined;

  constructor(name: string, directory: string, port: number, cluster: readonly string[]) {
    this.name = name;
    this.address = { host: '127.0.0.1', port };
    const flags = ['--no-http-admin', '--no-update-check', '--bind', '127.0.0.1', '--cache-size', '128'];
    this.#args = [...flags, '--server-name', name, '--directory', directory, '--driver-port', String(port), ...cluster];
  }

  async start(): Promise<void> {
    const program = spawn('rethinkdb', this.#args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#program = program;
    const port = await portOf(program);
    if (typeof port === 'string') throw new Error(port);
  }

  async kill(): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    if (program === undefined || program.exitCode !== null) return;
    const gone = new Promise((resolve) => program.once('exit', resolve));
    program.kill('SIGKILL');
    await gone;
  }

  abandon(): void {
    this.#program?.kill('SIGKILL');
  }
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound !== null ? bound.port : 0));
    });
  });
}
