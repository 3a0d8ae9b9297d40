// What the rooms of the proxy need of a logger. pino's loggers fit. Tokens are bigints, and fields may have a `toJSON`: a
// logger owes to deal with both. Callers owe: no passwords, no keys, and no data of queries in what they log.

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** A logger of structured lines: fields first, then one fixed sentence. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** A logger that drops everything. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A log whose lines carry these fields, too. */
export function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return {
    debug: (own, message) => log.debug({ ...fields, ...own }, message),
    info: (own, message) => log.info({ ...fields, ...own }, message),
    warn: (own, message) => log.warn({ ...fields, ...own }, message),
    error: (own, message) => log.error({ ...fields, ...own }, message),
  };
}
