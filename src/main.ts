#!/usr/bin/env node
// The program `livefold`: reads the command line and starts what it asks for.

import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createOpenFeed, DEFAULT_LIMITS } from '../proxy/feed/open-feed.ts';
import { explainText } from './command/explain.ts';
import { makeLogger } from './command/logger.ts';
import type { OptionValues } from './command/option-table.ts';
import { buildProgram } from './command/program.ts';
import { obeySignals, readyLine, startServing } from './command/serve.ts';
import { UsageError } from './command/usage-error.ts';
import { playDemo } from './demo/demo.ts';

const MISTAKE = 2;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Says in one line what is wrong with how the program was started, and ends it. */
function giveUp(error: unknown): never {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0);
  const usage = error instanceof UsageError || error instanceof CommanderError;
  const text = error instanceof Error ? error.message : String(error);
  const line = usage ? text.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ') : text;
  process.stderr.write(`livefold: ${line}\n`);
  process.exit(usage ? MISTAKE : 1);
}

async function serve(values: OptionValues): Promise<void> {
  const isDemo = values.upstream === undefined && values.embedded !== true;
  const log = makeLogger(values.logLevel ?? (isDemo ? 'error' : 'info'));
  const openFeed = createOpenFeed({ plan: values.plan, limits: DEFAULT_LIMITS, now: Date.now });
  const running = await startServing(values, openFeed, log);
  print(readyLine(running));
  let endDemo = (): void => {};
  obeySignals(
    running,
    log,
    (code) => process.exit(code),
    () => endDemo(),
  );
  if (isDemo && running.embedded !== undefined) {
    endDemo = await playDemo({ proxy: running.proxy.address, database: running.embedded.address, print });
  }
}

function versionOfPackage(): string {
  // One level above this file in the sources, two in the built package.
  for (const place of ['../package.json', '../../package.json']) {
    try {
      const { version }: { version: string } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      return version;
    } catch {
      // Not here.
    }
  }
  return 'unknown';
}

const program = buildProgram(
  versionOfPackage(),
  {
    serve: (values) => void serve(values).catch(giveUp),
    explain: (text, plan) => print(explainText(text, plan)),
  },
  process.env,
);
try {
  program.parse(process.argv);
} catch (error) {
  giveUp(error);
}
