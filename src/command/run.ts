// The program from its command line to its end, in surroundings that are given: so that it can be run inside a test.

import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { createOpenFeed } from '../../proxy/feed/open-feed.ts';
import { playDemo } from '../demo/demo.ts';
import { readAggregates } from './aggregates-file.ts';
import { withEnvironment } from './environment.ts';
import { explainQuery } from './explain.ts';
import { makeLogger } from './logger.ts';
import type { OptionValues } from './option-table.ts';
import { buildProgram } from './program.ts';
import { obeySignals, readyLine, startEmbedded, startServing } from './serve.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';
import { serveWithWorkers } from './workers.ts';

/** The exit code for a mistake of the person who started the program. */
const MISTAKE = 2;

/** Runs the program. Resolves when it serves, or when it has done what it was asked for. */
export async function run(around: Surroundings): Promise<void> {
  let action: () => Promise<void> | void = () => {};
  try {
    const args = withEnvironment(around.args, around.env);
    const program = buildProgram(
      versionOfPackage(),
      {
        serve(values) {
          action = () => (values.workers > 1 ? share(values, args, around) : serve(values, around));
        },
        explain(text, values) {
          action = () => explainQuery(text, values, around);
        },
      },
      (line) => around.print(line),
    );
    program.parse(args, { from: 'user' });
    await action();
  } catch (error) {
    giveUp(error, around);
  }
}

async function serve(values: OptionValues, around: Surroundings): Promise<void> {
  const isDemo = values.demo === true;
  const log = makeLogger(values.logLevel ?? (isDemo ? 'error' : 'info'));
  const { plan, maxStateRows, maxStateBytes } = values;
  const aggregates = await readAggregates(values.aggregates);
  const openFeed = createOpenFeed({ plan, limits: { maxStateRows, maxStateBytes }, aggregates, now: Date.now });
  const running = await startServing(values, openFeed, log);
  around.print(readyLine(running));
  let endDemo = (): void => {};
  obeySignals(running, log, around, () => {
    if (isDemo) around.print(`stopping: clients have ${values.drainSeconds / 1000} s, a second Ctrl-C ends at once`);
    endDemo();
  });
  if (!isDemo || running.embedded === undefined) return;
  endDemo = await playDemo({
    proxy: running.proxy.address,
    database: running.embedded.address,
    print: (line) => around.print(line),
  });
}

async function share(values: OptionValues, args: readonly string[], around: Surroundings): Promise<void> {
  const log = makeLogger(values.logLevel ?? 'info');
  const embedded = values.embedded === true ? await startEmbedded(values, log) : undefined;
  await serveWithWorkers(values.workers, args, embedded, log, around);
}

/** Says in one line what is wrong, shows the place where there is one, and ends the process. */
function giveUp(error: unknown, around: Surroundings): void {
  if (error instanceof CommanderError && error.exitCode === 0) {
    around.exit(0);
    return;
  }
  const usage = error instanceof UsageError || error instanceof CommanderError;
  const text = error instanceof Error ? error.message : String(error);
  around.complain(`livefold: ${text.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')}`);
  if (error instanceof UsageError) for (const line of error.lines) around.complain(line);
  around.exit(usage ? MISTAKE : 1);
}

function versionOfPackage(): string {
  // Two levels above this file in the sources, three in the built package.
  for (const place of ['../../package.json', '../../../package.json']) {
    try {
      const { version }: { version: string } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      return version;
    } catch {
      // Not here.
    }
  }
  return 'unknown';
}
