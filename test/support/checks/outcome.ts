// The program run inside a test, for what it does without serving.

import { run } from '../../../src/command/run.ts';
import { recordedOutput } from '../servers/recorded-output.ts';

/** What a run of the program printed and complained of, by lines, and the exit codes it asked for. */
export interface Outcome {
  readonly printed: readonly string[];
  readonly complaints: readonly string[];
  readonly exits: readonly number[];
}

/** Runs the program with arguments, without anything in its environment, and waits until it has done what was asked. */
export async function outcome(...args: readonly string[]): Promise<Outcome> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const exits: number[] = [];
  await run({
    args,
    env: { LIVEFOLD_LOG_LEVEL: 'silent' },
    part: { kind: 'alone' },
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line),
    output: recordedOutput(),
    exit: (code) => exits.push(code),
    onSignal: () => {},
    onTrouble: () => {},
  });
  return { printed, complaints, exits };
}
