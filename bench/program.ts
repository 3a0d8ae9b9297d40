// Programs that are measured: each a process of its own, known to run by what it prints or by its port.

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Address } from '../proxy/upstream/address.ts';

const START_MS = 30_000;
const RETRY_MS = 20;
/** In a microsecond. */
const NANOSECONDS = 1000;
const BYTES_PER_KIB = 1024;

/** A program that runs. */
export interface Program {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a program, and gives what the first match of `ready` in its output holds. */
export async function startProgram(
  command: string,
  args: readonly string[],
  ready: RegExp,
): Promise<Program & { readonly match: RegExpExecArray }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const match = await matched(child, ready);
  return { ...controlled(child), match };
}

/** Starts a program that prints nothing and is ready when its port accepts. */
export async function startListening(command: string, args: readonly string[], address: Address): Promise<Program> {
  const child = spawn(command, args, { stdio: 'ignore' });
  const program = controlled(child);
  const deadline = Date.now() + START_MS;
  while (!(await accepts(address))) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${command} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return program;
}

/** Programs that run; none of them outlives the bench. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function controlled(child: ChildProcess): Program {
  const { pid } = child;
  // One that is not installed says so twice: here, and by having no id.
  child.on('error', () => {});
  if (pid === undefined) throw new Error('a program did not start');
  running.add(child);
  return {
    pid,
    stop() {
      running.delete(child);
      return new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      });
    },
  };
}

function matched(child: ChildProcess, ready: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`no ready line: ${output}`)), START_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`ended with code ${code}: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output);
      if (match === null) return;
      clearTimeout(timer);
      resolve(match);
    });
  });
}

function accepts(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The memory that a process holds, in KiB. */
export function residentKib(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return (pages * PAGE_BYTES) / BYTES_PER_KIB;
}

/** How often it is looked whether memory is given back still, in milliseconds, and how many times in a row it is not when it is done. */
const LOOK_MS = 100;
const LOOKS = 10;

/** The memory that a process holds when it has collected its garbage (`collecting.mjs`), in KiB. */
export async function collectedKib(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  let kib = residentKib(pid);
  for (let same = 0; same < LOOKS; same++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = residentKib(pid);
    if (now !== kib) same = 0;
    kib = now;
  }
  return kib;
}

const PAGE_BYTES = 4096;

/** The CPU time that the threads of a process have used, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`);
  const nanoseconds = threads.map((file) => Number(readFileSync(file, 'latin1').split(' ')[0]));
  return nanoseconds.reduce((sum, each) => sum + each, 0) / NANOSECONDS;
}
