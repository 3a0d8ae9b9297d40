// The program from its command line to its end, in surroundings that are given: so that it can be run inside a test.

import { writeFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import type { Logger } from 'pino';
import { mistakeFields } from '../../proxy/relay/feed-end.ts';
import { printAddress } from '../../proxy/upstream/address.ts';
import { withDemoAdmin } from '../demo/demo-admin.ts';
import type { Served } from '../processes/served.ts';
import { supervise } from '../processes/supervise.ts';
import { environmentIn, withEnvironment } from './environment.ts';
import type { Listening } from './health.ts';
import { makeLogger } from './logger.ts';
import type { OptionValues } from './option-table.ts';
import type { Part, ProcessIo } from './process-io.ts';
import { buildProgram } from './program.ts';
import { UsageError } from './usage-error.ts';
import { versionOfPackage } from './version.ts';

/** The exit code for a mistake of the person who started the program. */
const MISTAKE = 2;

/** Runs the program. Resolves when it serves, or when it has done what it was asked for. */
export async function run(around: ProcessIo): Promise<void> {
  let action: () => Promise<void> | void = () => {};
  try {
    const args = withEnvironment(around.args, around.env);
    const program = buildProgram(
      versionOfPackage(),
      {
        serve(values) {
          action = () => serve(withDemoAdmin(values), around);
        },
        health(values) {
          action = async () => {
            const { tellHealth } = await import('./health.ts');
            await tellHealth(values, around);
          };
        },
        status(values, own) {
          action = async () => {
            const { tellStatus } = await import('../status/tell-status.ts');
            await tellStatus(values, own, around);
          };
        },
        explain(text, values) {
          action = async () => {
            const { explainQuery } = await import('./explain.ts');
            await explainQuery(text, values, around);
          };
        },
        watch(text, values) {
          action = async () => {
            const { watchQuery } = await import('../watch/watch.ts');
            await watchQuery(text, values, around);
          };
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

/** Does this process's part in serving. */
async function serve(values: OptionValues, around: ProcessIo): Promise<void> {
  const { part } = around;
  const log = loggerOf(values, part);
  around.onTrouble(
    (warning) => log.warn({ err: warning }, 'a warning of Node'),
    (error) => {
      log.fatal(mistakeFields(error, values.logQueries === true), 'a mistake of the program: the process ends');
      around.exit(1);
    },
  );
  const served = await serveWithin(part, values, log, around);
  if (served === undefined) return;
  keepAddress(served, values);
  around.print(readyLine(served));
  if (served.admin !== undefined) around.print(`livefold admin on http://${printAddress(served.admin)}/`);
  if (values.demo === true) await play(served, values, around);
}

/** `undefined` for a child, and where a child of the supervisor could not start. */
async function serveWithin(
  part: Part,
  values: OptionValues,
  log: Logger,
  around: ProcessIo,
): Promise<Served | undefined> {
  if (part.kind === 'supervisor' && values.workers > 0) return await supervise(values, part, log, around);
  const { serveAlone, serveAsChild } = await import('./serve-here.ts');
  if (part.kind === 'child') {
    await serveAsChild(values, part, log, around);
    return undefined;
  }
  return await serveAlone(values, log, around);
}

async function play(
  { address, upstreams, admin, onStop }: Served,
  values: OptionValues,
  around: ProcessIo,
): Promise<void> {
  const [database] = upstreams;
  if (database === undefined) return;
  const { playDemo } = await import('../demo/demo.ts');
  const end = await playDemo({ proxy: address, database, admin, print: (line) => around.print(line) });
  onStop(() => {
    around.print(`stopping: clients have ${values.drainSeconds} s, a second Ctrl-C ends at once`);
    end();
  });
}

/** Writes where it listens, for those who ask whether it serves. */
function keepAddress({ address, admin }: Served, { addressFile, tlsCert, proxyProtocol = false }: OptionValues): void {
  if (addressFile === undefined) return;
  const where = { address, tls: tlsCert !== undefined, proxyProtocol };
  const listening: Listening = { ...where, ...(admin === undefined ? {} : { admin }) };
  writeFileSync(addressFile, JSON.stringify(listening));
}

/** The line that says that clients can come. */
function readyLine({ address, upstreams }: Served): string {
  return `livefold listening on ${printAddress(address)}, upstream ${upstreams.map(printAddress).join(', ')}`;
}

function loggerOf(values: OptionValues, part: Part): Logger {
  const level = values.logLevel ?? (values.demo === true ? 'error' : 'info');
  const worker =
    part.kind === 'child' && part.assignment.role === 'worker' ? { worker: part.assignment.id } : undefined;
  return makeLogger({ level, format: values.logFormat, ...(worker === undefined ? {} : { fields: worker }) });
}

/** Says in one line what is wrong, shows the place where there is one, and ends the process. */
function giveUp(error: unknown, around: ProcessIo): void {
  if (error instanceof CommanderError && error.exitCode === 0) {
    around.exit(0);
    return;
  }
  const usage = error instanceof UsageError || error instanceof CommanderError;
  const text = (error instanceof Error ? error.message : String(error))
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  const set = usage ? environmentIn(text, around.args, around.env) : '';
  around.complain(`livefold: ${text}${set}`);
  if (error instanceof UsageError) for (const line of error.lines) around.complain(line);
  around.exit(usage ? MISTAKE : 1);
}
