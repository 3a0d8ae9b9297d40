// The three drivers for Node behind one small interface. Queries are functions of `r`, see reql.ts.

import { createRequire } from 'node:module';
import type { Address } from '../../../proxy/upstream/address.ts';
import { driverError } from '../checks/driver-error.ts';
import type { Query, Reql } from '../reql.ts';
import { type Cursor, Feed } from './fetch.ts';

/** Options of `run`, as drivers spell them. */
export type RunOptions = Readonly<Record<string, unknown>>;

/** Who connects, and to which database. */
export interface Login {
  readonly db: string;
  readonly user?: string;
  readonly password?: string;
  /** Seconds that the handshake may take; 20 if absent. */
  readonly timeout?: number;
}

/** A connection of some driver. What goes wrong is raised as a DriverError. */
export interface Connection {
  /** Runs a query to its end: rows of a cursor come as an array. */
  run(query: Query, options?: RunOptions): Promise<unknown>;
  /** Opens a feed and reads it. */
  feed(query: Query, options?: RunOptions): Promise<Feed>;
  close(): Promise<void>;
}

/** A driver. */
export interface Driver {
  readonly name: 'rethinkdb' | 'rethinkdb-ts' | 'rethinkdbdash';
  connect(address: Address, login: Login): Promise<Connection>;
  /** Connects as a program does, which has the driver's own connection. */
  dial(address: Address, login: Login): Promise<RawConnection>;
  /** Runs a query over it, and gives what the driver gives. */
  run(connection: RawConnection, query: Query): Promise<unknown>;
  /** Runs a query over it, and gives the driver's own cursor. */
  open(connection: RawConnection, query: Query): Promise<Cursor>;
}

/** A driver's own connection. */
export interface RawConnection {
  readonly open: boolean;
  close(options?: object): Promise<unknown>;
  emit(event: string): boolean;
}

interface RawDriver extends Reql {
  connect(options: object): Promise<RawConnection>;
}

const require = createRequire(import.meta.url);

/** How the drivers differ, as far as the tests see. */
interface Manner {
  readonly name: Driver['name'];
  load(): RawDriver;
  /** What makes `run` give a cursor. */
  readonly feedOptions: object;
}

/** The official driver. */
export const official = driver({ name: 'rethinkdb', load: () => require('rethinkdb'), feedOptions: {} });

const typed = driver({ name: 'rethinkdb-ts', load: () => require('rethinkdb-ts').r, feedOptions: {} });

const dash = driver({
  name: 'rethinkdbdash',
  load: () => require('rethinkdbdash')({ pool: false, silent: true }),
  feedOptions: { cursor: true },
});

/** All drivers. */
export const drivers: readonly Driver[] = [official, typed, dash];

function driver(manner: Manner): Driver {
  return {
    name: manner.name,
    connect: (address, login) => connect(manner, address, login),
    // One of them prints what goes wrong, unless it is told to be silent.
    dial: (address, login) => manner.load().connect({ ...address, ...login, silent: true }),
    run: (connection, query) => query(manner.load()).run(connection, {}),
    async open(connection, query) {
      const cursor = await query(manner.load()).run(connection, manner.feedOptions);
      if (!isCursor(cursor)) throw new Error(`not a feed, but ${JSON.stringify(cursor)}`);
      return cursor;
    },
  };
}

async function connect(manner: Manner, address: Address, login: Login): Promise<Connection> {
  const r = manner.load();
  const raw = await raised(r.connect({ ...address, ...login }));
  return {
    async run(query, options = {}) {
      const result = await raised(built(r, query).run(raw, options));
      return isCursor(result) ? drain(result) : result;
    },
    async feed(query, options = {}) {
      const result = profiled(await raised(built(r, query).run(raw, { ...manner.feedOptions, ...options })));
      if (!isCursor(result)) throw new Error(`not a feed, but ${JSON.stringify(result)}`);
      return new Feed(result);
    },
    async close() {
      await raw.close({ noreplyWait: false });
    },
  };
}

function built(r: RawDriver, query: Query): Reql {
  try {
    return query(r);
  } catch (thrown) {
    throw driverError(thrown);
  }
}

/** What was asked for, without the profile that came along. */
function profiled(result: unknown): unknown {
  return typeof result === 'object' && result !== null && 'profile' in result && 'value' in result
    ? result.value
    : result;
}

async function raised<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (thrown) {
    throw driverError(thrown);
  }
}

function isCursor(result: unknown): result is Cursor & { toArray(): Promise<unknown[]> } {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  return 'next' in result && typeof result.next === 'function' && 'toArray' in result;
}

async function drain(cursor: { toArray(): Promise<unknown[]> }): Promise<unknown> {
  return raised(cursor.toArray());
}
