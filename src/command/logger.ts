// Logs: pino's JSON lines on standard error, each with what it is about as fields.

import { destination, type Logger, type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';

/** How lines look. Tokens are printed as numbers in strings, since JSON readers have no 64-bit integers. */
export function loggerOptions(level: string): LoggerOptions {
  return {
    level,
    base: null,
    serializers: { token: String, err: stdSerializers.err },
    timestamp: stdTimeFunctions.isoTime,
  };
}

/** A logger for the whole program. */
export function makeLogger(level: string): Logger {
  return pino(loggerOptions(level), destination({ fd: 2, sync: true }));
}
