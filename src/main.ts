#!/usr/bin/env node
// The program `livefold`. It is started once by a person, and by itself for each of its children, which learn from a variable
// of the environment what they are for.

import { fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Part, ProcessIo, Superior } from './command/process-io.ts';
import { run } from './command/run.ts';
import type { Assignment, Order, Report } from './processes/message.ts';
import { outputOf } from './terminal/terminal.ts';

// A reader that has had enough, as `head`, is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const ASSIGNMENT = 'LIVEFOLD_ASSIGNMENT';
const LEAVING: Report = { kind: 'leaving' };

const args = process.argv.slice(2);
const { [ASSIGNMENT]: assigned, ...env } = process.env;
const assignment: Assignment | undefined =
  assigned === undefined || process.send === undefined ? undefined : JSON.parse(assigned);

const supervisor: Superior = {
  report: (report: Report) => process.send?.(report),
  onOrder: (callback) =>
    process.on('message', (order, handle) => callback(order as Order, handle as Socket | undefined)),
  onGone: (callback) => process.on('disconnect', callback),
};

const part: Part =
  assignment === undefined
    ? {
        kind: 'supervisor',
        start: (given) =>
          fork(fileURLToPath(import.meta.url), args, { env: { ...env, [ASSIGNMENT]: JSON.stringify(given) } }),
      }
    : { kind: 'child', assignment, supervisor };

// Node's own listener prints lines of its own: what it would warn of waits until there is a log.
const early: Error[] = [];
let warned = (warning: Error): void => void early.push(warning);
process.removeAllListeners('warning');
process.on('warning', (warning) => warned(warning));

const around: ProcessIo = {
  args,
  env,
  part,
  print: (line) => process.stdout.write(`${line}\n`),
  complain(line) {
    if (part.kind === 'child') part.supervisor.report({ kind: 'complaint', line });
    else process.stderr.write(`${line}\n`);
  },
  output: outputOf(process.stdout, env),
  exit(code) {
    // The child's report leaves before the child does.
    if (part.kind === 'child' && process.connected) process.send?.(LEAVING, () => process.exit(code));
    else process.exit(code);
  },
  onSignal: (signal, callback) => void process.on(signal, callback),
  onTrouble(warning, uncaught) {
    warned = warning;
    for (const each of early.splice(0)) warning(each);
    process.on('uncaughtException', uncaught);
  },
};

await run(around);
