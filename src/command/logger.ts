// Logs: pino's JSON lines on standard error, each with what it is about as fields, or the same lines as text for people.

import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';
import { textLine } from './text-line.ts';

/** The settings of a log. */
export interface LogSettings {
  readonly level: string;
  readonly format: LogFormat;
  /** Fields of every line. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The format of lines. */
export type LogFormat = (typeof LOG_FORMATS)[number];

export const LOG_FORMATS = ['json', 'text'] as const;

/** The options of the logger. Tokens are printed as numbers in strings, since JSON readers have no 64-bit integers. */
export function loggerOptions(level: string, fields?: LogSettings['fields']): LoggerOptions {
  return {
    level,
    base: fields ?? null,
    serializers: { token: String, err: stdSerializers.err },
    timestamp: stdTimeFunctions.isoTime,
  };
}

/** A logger for the whole program. */
export function makeLogger({ level, format, fields }: LogSettings): Logger {
  const errors = destination({ fd: 2, sync: true });
  const streams: { readonly [Format in LogFormat]: DestinationStream } = {
    json: errors,
    text: { write: (line) => errors.write(textLine(line)) },
  };
  return pino(loggerOptions(level, fields), streams[format]);
}
