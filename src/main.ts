#!/usr/bin/env node
// The program `livefold`.

import { run } from './command/run.ts';

await run({
  args: process.argv.slice(2),
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  exit: (code) => process.exit(code),
  onSignal: (signal, callback) => process.on(signal, callback),
});
