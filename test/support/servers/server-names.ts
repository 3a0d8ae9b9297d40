// Names of the servers that need a real RethinkDB, for the tests and for what is printed at their end.

/** A real RethinkDB by itself. */
export const REAL = 'RethinkDB 2.4.4';
/** A proxy before a real RethinkDB, by its plan. */
export const proxyOverReal = (plan: string): string => `proxy (${plan} plan) over RethinkDB 2.4.4`;
/** A proxy that rewrites nothing before a real RethinkDB. */
export const PLAIN_OVER_REAL = 'proxy without rewriting over RethinkDB 2.4.4';

/** All of them. */
export const realServerNames: readonly string[] = [
  REAL,
  PLAIN_OVER_REAL,
  ...['auto', 'server', 'proxy'].map(proxyOverReal),
];
