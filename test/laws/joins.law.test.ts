// Random queries of joins, look-ups for each row, groups, orders and aggregates show at rest what their one-shot form gives,
// whatever is written to the tables, or are refused by a text that names a term of theirs and is true. QUERIES are watched at
// once; LIVEFOLD_RUNS says how often, LIVEFOLD_SEED from which seed (1). The end of a run tells all that was wrong.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../rewrite/explain.ts';
import { serializeTerm } from '../../rewrite/reql/term/serialize.ts';
import { type DriverError, driverError } from '../support/checks/driver-error.ts';
import { isSame } from '../support/checks/feed-state.ts';
import { isSameUnordered, type Moment, momentOf, neverWas } from '../support/checks/moment.ts';
import { isRefusal, untruth } from '../support/checks/refusal-truth.ts';
import { Watcher } from '../support/checks/watcher.ts';
import { termOf } from '../support/evaluate.ts';
import { chance } from '../support/queries/chance.ts';
import { type RandomQuery, randomJoin } from '../support/queries/random-joins.ts';
import {
  Chooser,
  INDEXES,
  PRIMARY_KEYS,
  randomRows,
  randomWrite,
  randomWriteOfOne,
  TABLE_NAMES,
} from '../support/queries/random-rows.ts';
import type { Query } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const SEED = Number(process.env['LIVEFOLD_SEED'] ?? 1);
/** Queries that are watched at once, histories that are played to them, and how many writes these have at most. */
const [QUERIES, HISTORIES, WRITES] = [50, 3, 3];
const HOURS = 6 * 3_600_000;
const DB = 'joins_law';
const SOFT = { durability: 'soft' };

/** How a batch is played. */
interface Law {
  readonly law: string;
  readonly write: (choose: Chooser, table: (typeof TABLE_NAMES)[number]) => string;
  /** Each history writes to one table, and what is shown has to be of a moment between its writes. */
  readonly moments: boolean;
}

const laws: readonly Law[] = [
  { law: 'at rest the feeds show what the queries give', write: randomWrite, moments: false },
  { law: 'nothing is shown that was at no moment', write: randomWriteOfOne, moments: true },
];

/** A query that is watched. */
interface Watched {
  readonly asked: RandomQuery;
  readonly query: Query;
  readonly watcher: Watcher;
  /** RethinkDB watches it by itself, and says null of what is not there: a value that is null is not told. */
  readonly isNative: boolean;
  /** It is over, as the query is. */
  over: boolean;
  /** How many of its documents have been looked at. */
  seen: number;
}

/** What came of the queries of a batch. */
interface Outcome {
  live: number;
  readonly refused: Map<string, number>;
  readonly wrong: string[];
}

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let ground: Ground;
    let writes: Connection;
    let reader: Connection;
    beforeAll(async () => {
      ground = await openGround(under, DB);
      ({ writes } = ground);
      for (const table of TABLE_NAMES) {
        await writes.run((r) => r.tableCreate(table, { primaryKey: PRIMARY_KEYS[table] }));
        for (const index of INDEXES) await writes.run(queryOf(`r.table("${table}").${index}`));
        await writes.run((r) => r.table(table).indexWait());
      }
      reader = await ground.reader('auto');
    });
    afterAll(() => ground.close());

    test.each(laws)(
      '$law',
      async (law) => {
        const outcome: Outcome = { live: 0, refused: new Map(), wrong: [] };
        for (let run = 0; run < RUNS; run++) await new Batch({ writes, reader }, law, SEED + run, outcome).play();
        const { live, refused, wrong } = outcome;
        if (wrong.length > 0) throw new Error(wrong.join('\n\n'));
        const told = [...refused].map(([text, count]) => `${count} refused: ${text}`);
        if (RUNS > 1) console.info([`${live} of ${RUNS * QUERIES} were live`, ...told].join('\n'));
        expect(live).toBeGreaterThan((RUNS * QUERIES) / 2);
      },
      HOURS,
    );
  });
}

interface Connections {
  /** Straight to the database. */
  readonly writes: Connection;
  /** Through the proxy. */
  readonly reader: Connection;
}

/** Queries that are watched at once over the same tables, and what is written to these. */
class Batch {
  readonly #connections: Connections;
  readonly #law: Law;
  readonly #seed: number;
  readonly #choose: Chooser;
  readonly #outcome: Outcome;
  /** All that was written, beginning with the rows. */
  readonly #written: string[] = [];
  /** Feeds that failed while the query did not. */
  readonly #suspects: Watched[] = [];

  constructor(connections: Connections, law: Law, seed: number, outcome: Outcome) {
    this.#connections = connections;
    this.#law = law;
    this.#seed = seed;
    this.#choose = new Chooser(chance(Math.imul(seed, 0x9e3779b1)));
    this.#outcome = outcome;
  }

  async play(): Promise<void> {
    const queries = Array.from({ length: QUERIES }, () => randomJoin(this.#choose));
    await this.#begin();
    const opened = await Promise.all(queries.map((asked) => this.#open(asked)));
    const watched = opened.filter((one) => one !== undefined);
    this.#outcome.live += watched.length;
    await this.#rest(watched, []);
    for (let history = 0; history < HISTORIES; history++) await this.#rest(watched, await this.#follow(watched));
    await Promise.all(watched.map(({ watcher }) => watcher.close()));
    if (this.#suspects.length > 0) await this.#replay();
  }

  /** Empties the tables, and fills them. */
  async #begin(): Promise<void> {
    await this.#empty();
    for (const table of TABLE_NAMES) await this.#write(randomRows(this.#choose, table));
  }

  #empty(): Promise<unknown> {
    return this.#connections.writes.run((r) => r.expr(TABLE_NAMES.map((table) => r.table(table).delete(SOFT))));
  }

  async #write(text: string): Promise<void> {
    this.#written.push(text);
    await this.#connections.writes.run(queryOf(text), SOFT);
  }

  async #open(asked: RandomQuery): Promise<Watched | undefined> {
    const { text, shows } = asked;
    const query = queryOf(text);
    const before = await momentOf(this.#connections.writes, query);
    const [includeTypes, squash] = [this.#choose.often(0.3), this.#choose.often(0.2)];
    try {
      const told = { name: text, shows, query };
      const watcher = await Watcher.open(this.#connections.reader, 'auto', told, { includeTypes, squash });
      return { asked, query, watcher, isNative: isNative(query), over: false, seen: 0 };
    } catch (thrown) {
      const error = driverError(thrown);
      if (!before.failed) this.#refused(asked, error);
      return undefined;
    }
  }

  #refused(asked: RandomQuery, { text }: DriverError): void {
    const { refused } = this.#outcome;
    const isRefused = isRefusal(text);
    const why = isRefused ? untruth(text, asked.text) : undefined;
    if (!isRefused) this.#wrong(asked, `it is not live: ${text}`);
    else if (why !== undefined) this.#wrong(asked, `it is refused by what is not true, ${why}: ${text}`);
    else refused.set(text, (refused.get(text) ?? 0) + 1);
  }

  #wrong({ text }: RandomQuery, what: string): void {
    const written = this.#written.map((write) => `  ${write}`).join('\n');
    this.#outcome.wrong.push(`LIVEFOLD_SEED=${this.#seed}\n${text}\n${what}\n${written}`);
  }

  /** Plays a history, and gives the moments of each query, if they matter. */
  async #follow(watched: readonly Watched[]): Promise<readonly unknown[][]> {
    const { moments, write } = this.#law;
    const [only, count] = [this.#choose.of(...TABLE_NAMES), 1 + this.#choose.below(WRITES)];
    const had = watched.map((): unknown[] => []);
    const remember = async (): Promise<void> => {
      await Promise.all(
        watched.map(async ({ query, over }, at) => {
          const now = over ? undefined : await momentOf(this.#connections.writes, query);
          if (now?.failed === false) had[at]?.push(now.value);
        }),
      );
    };
    if (moments) await remember();
    for (let i = 0; i < count; i++) {
      await this.#write(write(this.#choose, moments ? only : this.#choose.of(...TABLE_NAMES)));
      if (moments) await remember();
    }
    return moments ? had : [];
  }

  async #rest(watched: readonly Watched[], moments: readonly unknown[][]): Promise<void> {
    await Promise.all(
      watched.map(async (one, at) => {
        if (one.over) return;
        const wrong = await this.#restOf(one);
        if (wrong !== undefined) return this.#end(one, wrong);
        const { documents } = one.watcher;
        const never = moments[at] === undefined ? undefined : this.#never(one, moments[at]);
        one.seen = documents.length;
        if (never !== undefined)
          this.#end(one, `${JSON.stringify(never)} shows what was at no moment: ${JSON.stringify(moments[at])}`);
      }),
    );
  }

  #end(one: Watched, wrong: string): void {
    one.over = true;
    this.#wrong(one.asked, wrong);
  }

  #never({ asked, watcher, seen }: Watched, moments: readonly unknown[]): unknown {
    return neverWas(watcher.documents.slice(seen), asked.shows, moments, sameOf(asked));
  }

  /** Why a feed does not come to rest at the truth, and does not fail as its query does. */
  async #restOf(one: Watched): Promise<string | undefined> {
    const { asked, query, watcher } = one;
    const now = toldOf(one, await momentOf(this.#connections.writes, query));
    if (now.failed) {
      one.over = true;
      return watcher.ending().then(
        () => undefined,
        () => `it goes on, the query fails: ${now.error.text}`,
      );
    }
    // A row for which a function has no value is left out of rows, and the query has no answer.
    if (now.value === null && asked.shows === 'rows') return undefined;
    try {
      const same = sameOf(asked);
      await watcher.rest({ holds: (state) => state.equals(now.value, same), shown: now.value });
      return undefined;
    } catch (error) {
      if (watcher.over?.kind !== 'failed') return String(error);
      one.over = true;
      this.#suspects.push(one);
      return undefined;
    }
  }

  /** A feed may have failed where its query did in between. */
  async #replay(): Promise<void> {
    const guilty = new Set(this.#suspects);
    await this.#empty();
    for (const text of this.#written) {
      await this.#connections.writes.run(queryOf(text), SOFT);
      await Promise.all(
        this.#suspects.map(async (one) => {
          if ((await momentOf(this.#connections.writes, one.query)).failed) guilty.delete(one);
        }),
      );
    }
    for (const { asked, watcher } of guilty) {
      const { over } = watcher;
      this.#wrong(asked, `it fails, the query never does: ${over?.kind === 'failed' ? over.error.text : 'it ends'}`);
    }
  }
}

function sameOf({ unordered }: RandomQuery): (a: unknown, b: unknown) => boolean {
  return unordered ? isSameUnordered : isSame;
}

/** Whether RethinkDB watches it by itself. */
function isNative(query: Query): boolean {
  const watched = termOf((r) => query(r).changes({ includeInitial: true }));
  return explain(`[1,${serializeTerm(watched)}]`).kind === 'untouched';
}

/** What a feed can tell of a value. */
function toldOf({ isNative }: Watched, moment: Moment): Moment {
  if (!isNative || moment.failed || !Array.isArray(moment.value)) return moment;
  return { failed: false, value: moment.value.filter((row) => row !== null) };
}

function queryOf(text: string): Query {
  return (r) => new Function('r', `return ${text}`)(r);
}
