// The program run inside a test: what it prints and complains of, how it ends, and the signals that it is sent.

import { run } from '../../../src/command/run.ts';
import type { Size } from '../../../src/terminal/terminal.ts';
import { recordedOutput } from '../servers/recorded-output.ts';

/** A run of the program: what it has printed and complained of, by lines, and the exit codes it has asked for. */
export interface Ran {
  readonly printed: readonly string[];
  readonly complaints: readonly string[];
  readonly exits: readonly number[];
  /** Sends it a signal. */
  signal(name: string): void;
}

/**
 * Runs the program with arguments, and waits until it has done what was asked, or serves.
 * @param env all that it has of an environment
 * @param size of its terminal; it has none if absent
 */
export async function ran(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  size?: Size,
): Promise<Ran> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const exits: number[] = [];
  const signals = new Map<string, () => void>();
  await run({
    args,
    env: { LIVEFOLD_LOG_LEVEL: 'silent', ...env },
    part: { kind: 'alone' },
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line),
    output: recordedOutput(size),
    exit: (code) => exits.push(code),
    onSignal: (name, callback) => signals.set(name, callback),
    onTrouble: () => {},
  });
  return { printed, complaints, exits, signal: (name) => signals.get(name)?.() };
}
