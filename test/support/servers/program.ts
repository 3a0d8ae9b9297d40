// The program built from the sources as they are, and started as processes, which end with the test file.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../../../scripts/bundle-program.mjs';
import { eventually } from '../checks/eventually.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const READY = /^livefold listening on 127\.0\.0\.1:(\d+), upstream 127\.0\.0\.1:\d+$/m;
const ADMIN = /^livefold admin on http:\/\/127\.0\.0\.1:(\d+)\/$/m;

/** A process of the program, and what it has said so far. */
export interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** The exit code, `null` where a signal ended it; `undefined` while it runs. */
  readonly code: () => number | null | undefined;
  /** Waits until it listens, and gives the port. */
  readyPort(): Promise<number>;
  /** Waits until its admin server listens, and gives the port. */
  adminPort(): Promise<number>;
  /** The log lines with a message. */
  logged(message: string): readonly { readonly worker?: number }[];
}

/** The program, ready to be started. */
export interface Program {
  /** A folder for the test's own files. */
  readonly folder: string;
  /** Starts it; `nodeOptions` come before the program's own arguments, `env` is beside what it needs of an environment. */
  start(args: readonly string[], nodeOptions?: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Ends all that still runs. */
  close(): Promise<void>;
}

/** Builds the program. */
export async function buildProgram(): Promise<Program> {
  // Below node_modules, so that what is built finds the packages.
  const folder = await mkdtemp(join(root, 'node_modules', '.livefold-'));
  await bundleProgram(join(folder, 'src', 'main.js'));
  const running: ChildProcess[] = [];
  return {
    folder,
    start(args, nodeOptions = [], env = {}) {
      const child = spawn(process.execPath, [...nodeOptions, join(folder, 'src', 'main.js'), ...args], {
        env: { PATH: process.env['PATH'], LIVEFOLD_LOG_LEVEL: 'error', ...env },
      });
      running.push(child);
      return started(child);
    },
    async close() {
      for (const child of running) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function started(child: ChildProcess): Started {
  let out = '';
  let err = '';
  let code: number | null | undefined;
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  child.on('exit', (exit) => {
    code = exit;
  });
  return {
    child,
    out: () => out,
    err: () => err,
    code: () => code,
    async readyPort() {
      await eventually('it is ready', () => READY.test(out));
      return Number(READY.exec(out)?.[1]);
    },
    async adminPort() {
      await eventually('its admin server listens', () => ADMIN.test(out));
      return Number(ADMIN.exec(out)?.[1]);
    },
    logged(message) {
      const lines = err.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
    },
  };
}
