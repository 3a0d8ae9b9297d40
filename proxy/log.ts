// What the rooms of the proxy need of a logger. pino's loggers fit. Tokens are bigints, and fields may have a `toJSON`: a
// logger owes to deal with both. Callers owe: no passwords, no keys, and no data of queries in what they log.

/** What a line says of a feed, beside its query: texts, and numbers as numbers. */
export type LogFields = Readonly<Record<string, string | number>>;

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
