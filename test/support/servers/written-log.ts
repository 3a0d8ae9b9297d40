// A log that is kept, as the lines that the program would write.

import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Log } from '../../../proxy/log.ts';
import { loggerOptions } from '../../../src/command/logger.ts';

/** A log and its lines so far. */
export interface WrittenLog {
  readonly log: Log;
  readonly lines: readonly string[];
}

/** Starts a log with this level and those above it. */
export function writtenLog(level: string): WrittenLog {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino(loggerOptions(level), sink), lines };
}
