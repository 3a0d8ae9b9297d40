#!/usr/bin/env node
// The program `livefold`.

import { run } from './command/run.ts';
import { isWorker, tellPrimary } from './command/workers.ts';

// A reader that has had enough, as `head`, is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

await run({
  args: process.argv.slice(2),
  env: isWorker ? {} : process.env,
  print: isWorker ? tellPrimary : (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
  onSignal(signal, callback) {
    // A terminal interrupts all processes at once; workers leave that to the primary process.
    process.on(signal, isWorker && signal === 'SIGINT' ? () => {} : callback);
  },
});
