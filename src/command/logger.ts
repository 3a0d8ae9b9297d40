// Logs: pino's JSON lines on standard error, each with what it is about as fields.

import { destination, type Logger, pino } from 'pino';

/** A logger for the whole program. Tokens are printed as numbers in strings, since JSON has no 64-bit integers. */
export function makeLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      serializers: { token: String, err: pino.stdSerializers.err },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination({ fd: 2, sync: true }),
  );
}
