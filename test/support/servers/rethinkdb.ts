// Finds a real RethinkDB for the tests: the one that RETHINKDB_HOST names, else a program on the PATH, else a container.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../../../proxy/upstream/address.ts';

const IMAGE = 'rethinkdb:2.4.4';
const DRIVER_PORT = 28015;
const START_MS = 30_000;

/** A real server, and how to let go of it. */
export interface RealServer {
  readonly address: Address;
  stop(): Promise<void>;
}

/** A real server, or why there is none: one reason for each place that was looked at. */
export type Found = { readonly server: RealServer } | { readonly reasons: readonly string[] };

/** Looks for a real server, and starts it where it has to be started. */
export async function findRethinkdb(): Promise<Found> {
  const host = process.env['RETHINKDB_HOST'];
  if (host !== undefined && host !== '') {
    const port = Number(process.env['RETHINKDB_PORT'] ?? DRIVER_PORT);
    return { server: { address: { host, port }, stop: async () => {} } };
  }
  const reasons = ['RETHINKDB_HOST is not set'];
  for (const start of [startProgram, startContainer]) {
    const server = await start();
    if (typeof server !== 'string') return { server };
    reasons.push(server);
  }
  return { reasons };
}

async function startProgram(): Promise<RealServer | string> {
  const directory = await mkdtemp(join(tmpdir(), 'livefold-rethinkdb-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const flags = ['--no-http-admin', '--no-update-check', '--bind', '127.0.0.1', '--driver-port', '0'];
  const place = ['--directory', join(directory, 'data'), '--cluster-port', '0', '--cache-size', '512'];
  const program = spawn('rethinkdb', [...flags, ...place], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void program.kill('SIGKILL');
  const port = await portOf(program);
  if (typeof port === 'string') {
    kill();
    await remove();
    return port;
  }
  const abandon = (): void => {
    kill();
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  // A signal ends the process without `exit`, unless it is asked to.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  return {
    address: { host: '127.0.0.1', port },
    async stop() {
      process.off('exit', abandon);
      const gone = new Promise((resolve) => program.once('exit', resolve));
      kill();
      await gone;
      await remove();
    },
  };
}

/** The port that a starting server says it listens on; a text where it does not start. */
export function portOf(program: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    let output = '';
    const timer = setTimeout(() => resolve(`rethinkdb did not start in time: ${output}`), START_MS);
    const settle = (result: number | string): void => {
      clearTimeout(timer);
      resolve(result);
    };
    program.once('error', () => settle('there is no rethinkdb program on the PATH'));
    program.once('exit', (code) => settle(`rethinkdb ended with code ${code}: ${output}`));
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const port = /Listening for client driver connections on port (\d+)/.exec(output)?.[1];
      if (port !== undefined && output.includes('Server ready')) settle(Number(port));
    };
    program.stdout?.on('data', read);
    program.stderr?.on('data', read);
  });
}

async function startContainer(): Promise<RealServer | string> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
  } catch {
    return 'Docker does not answer';
  }
  try {
    const container = await new GenericContainer(IMAGE).withExposedPorts(DRIVER_PORT).start();
    return {
      address: { host: container.getHost(), port: container.getMappedPort(DRIVER_PORT) },
      async stop() {
        await container.stop();
      },
    };
  } catch (error) {
    return `Docker could not start ${IMAGE}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
