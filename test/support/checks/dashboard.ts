// A dashboard as a program has it: figures of all kinds on one connection of a driver, kept by the recipe of examples/follow.js.
// What it shows is compared with what the queries give.

import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { follow, ignoreUnheardErrors, Line, SHOWN, View } from '../../../examples/follow.js';
import type { Address } from '../../../proxy/upstream/address.ts';
import type { Query } from '../reql.ts';
import type { Connection, Driver, RawConnection } from '../servers/drivers.ts';

const require = createRequire(import.meta.url);
ignoreUnheardErrors(require('rethinkdb/net.js').Connection);
ignoreUnheardErrors(require('rethinkdbdash/lib/connection.js'));

/** One figure: a query, and what it is shown as. */
export interface Figure {
  readonly name: string;
  readonly query: Query;
  /** What tells rows apart; `undefined` for a value and for groups. */
  readonly keyOf?: (row: Row) => unknown;
}

interface Row {
  readonly [field: string]: unknown;
}

/** Figures over a table `t` of rows `{id, k, n}`. Numbers are whole, so that sums have one value. */
export const FIGURES: readonly Figure[] = [
  { name: 'count', query: (r) => r.table('t').count() },
  { name: 'sum', query: (r) => r.table('t').sum('n') },
  { name: 'greatest', query: (r) => r.table('t').max('n')('n') },
  { name: 'share', query: (r) => r.table('t').filter({ k: 'a' }).count().div(r.table('t').count().add(1)) },
  { name: 'count of groups', query: (r) => r.table('t').group('k').count() },
  { name: 'sum of groups', query: (r) => r.table('t').group('k').sum('n') },
  { name: 'distinct', query: (r) => r.table('t')('n').distinct(), keyOf: (row) => row },
  {
    name: 'rows of groups',
    query: (r) => r.table('t').group('k').max('n')('n').ungroup(),
    keyOf: (row) => row['group'],
  },
  { name: 'rows', query: (r) => r.table('t').filter({ k: 'b' }), keyOf: (row) => row['id'] },
];

/** A change of what is shown. */
export interface Difference {
  readonly figure: string;
  readonly key: string;
  readonly now: unknown;
  readonly before: unknown;
}

/** A dashboard that runs. */
export class Dashboard {
  readonly name: string;
  /** What has changed on it, from the beginning. */
  readonly differences: Difference[] = [];
  /** Why figures had to be opened again, or could not be. */
  readonly troubles: { readonly error: unknown; readonly isTriedAgain: boolean }[] = [];
  /** Connections that were made. */
  readonly connections: RawConnection[] = [];
  readonly #line: Line;
  readonly #figures: readonly Figure[];
  readonly #shown = new Map<string, Map<string, unknown>>();
  readonly #stops: readonly (() => void)[];

  constructor(driver: Driver, address: Address, db: string, figures: readonly Figure[] = FIGURES) {
    this.name = driver.name;
    this.#figures = figures;
    this.#line = new Line(async () => {
      const connection = await driver.dial(address, { db });
      this.connections.push(connection);
      return connection;
    });
    this.#stops = figures.map((figure) =>
      follow({
        line: this.#line,
        open: (connection: RawConnection) => driver.open(connection, (r) => figure.query(r).changes(SHOWN)),
        view: this.#viewOf(figure),
        trouble: (error, isTriedAgain) => this.troubles.push({ error, isTriedAgain }),
      }),
    );
  }

  /** The names of figures that do not show what their queries give. */
  async wrong(connection: Connection): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const figure of this.#figures) {
      const shown = this.#shown.get(figure.name) ?? new Map();
      if (!isDeepStrictEqual(shown, truthOf(figure, await connection.run(figure.query)))) wrong.push(figure.name);
    }
    return wrong;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#line.close();
  }

  #viewOf({ name, keyOf }: Figure): View {
    const shown = new Map<string, unknown>();
    this.#shown.set(name, shown);
    return new View((of, now, before) => {
      const key = of === undefined ? '' : JSON.stringify(of);
      this.differences.push({ figure: name, key, now, before });
      if (!isDeepStrictEqual(shown.get(key), before)) throw new Error(`${name} of ${key} was not ${String(before)}`);
      if (now === undefined) shown.delete(key);
      else shown.set(key, now);
    }, keyOf);
  }
}

/** What is to be shown where a query gives this. */
function truthOf({ keyOf }: Figure, result: unknown): Map<string, unknown> {
  if (!Array.isArray(result)) return new Map([['', result]]);
  const rows: readonly Row[] = result;
  return new Map(
    rows.map((row): readonly [string, unknown] =>
      keyOf === undefined ? [JSON.stringify(row['group']), row['reduction']] : [JSON.stringify(keyOf(row)), row],
    ),
  );
}
