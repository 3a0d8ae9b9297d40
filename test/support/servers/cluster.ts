// A cluster of real servers, of programs on the PATH: each can be killed, and come back with what it has stored.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../../../proxy/upstream/address.ts';
import { ClusterNetwork, canHaveNetwork, type Place } from './cluster-network.ts';
import { portOf } from './rethinkdb.ts';

/** One server of a cluster. */
export interface Member {
  readonly name: string;
  readonly address: Address;
  /** Ends its process: without a word, or in good order by SIGTERM. Resolves when it is gone. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Halts its process, or lets it go on: its connections stay, and nobody answers. */
  halt(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts it again, with what it has stored. */
  start(): Promise<void>;
}

/** A cluster that runs. */
export interface Cluster {
  readonly members: readonly Member[];
  /** The network between them, where there can be one that is cut. */
  readonly network: ClusterNetwork | undefined;
  stop(): Promise<void>;
}

/** Starts so many servers, the first one being who the others join. */
export async function startCluster(names: readonly string[]): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'livefold-cluster-'));
  const network = canHaveNetwork() ? new ClusterNetwork(names) : undefined;
  const members: ClusterMember[] = [];
  let meeting: string | undefined;
  for (const name of names) {
    const place = network?.place(name) ?? HERE;
    const port = await freePort();
    const cluster = ['--cluster-port', String(port)];
    if (meeting !== undefined) cluster.push('--join', meeting);
    meeting ??= `${place.host}:${port}`;
    const member = new ClusterMember(name, place, join(directory, name), await freePort(), cluster);
    members.push(member);
    await member.start();
  }
  const abandon = (): void => {
    for (const member of members) member.abandon();
    network?.close();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  return {
    members,
    network,
    async stop() {
      process.off('exit', abandon);
      await Promise.all(members.map((member) => member.kill()));
      network?.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** All on one machine, where nothing can be cut. */
const HERE: Place = { host: '127.0.0.1', command: (program, args) => [program, args] };

class ClusterMember implements Member {
  readonly name: string;
  readonly address: Address;
  readonly #place: Place;
  readonly #args: readonly string[];
  #program: ChildProcess | undefined;

  constructor(name: string, place: Place, directory: string, port: number, cluster: readonly string[]) {
    this.name = name;
    this.address = { host: place.host, port };
    this.#place = place;
    const flags = ['--no-http-admin', '--no-update-check', '--bind', place.host, '--cache-size', '128'];
    this.#args = [...flags, '--server-name', name, '--directory', directory, '--driver-port', String(port), ...cluster];
  }

  async start(): Promise<void> {
    const [command, args] = this.#place.command('rethinkdb', this.#args);
    const program = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#program = program;
    const port = await portOf(program);
    if (typeof port === 'string') throw new Error(port);
  }

  halt(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#program?.kill(signal);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    if (program === undefined || program.exitCode !== null) return;
    const gone = new Promise((resolve) => program.once('exit', resolve));
    program.kill(signal);
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
