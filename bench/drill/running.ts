// Large feeds that are ready, of which each update changes a whole list, and a client that reads beside them: through the proxy, and
// beside feeds of the table itself at the database. At the end each feed has told what the one-shot query says, or was ended by the
// limit of what evaluation may take, and has said so.

import { isDeepStrictEqual } from 'node:util';
import type { Address } from '../../proxy/upstream/address.ts';
import type { Datum, DatumObject } from '../../rewrite/reql/data/datum.ts';
import { isObject } from '../../rewrite/reql/data/datum.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { BIG, fillBig } from './big-table.ts';
import { type Reading, readFor, textOf } from './reading.ts';
import {
  type Database,
  type DatabaseKind,
  MemoryWatch,
  openDatabase,
  openProxy,
  pause,
  sayLived,
  stopProxy,
} from './stage.ts';
import type { Verdicts } from './verdict.ts';

/** What is kept, by name. */
const FEEDS = {
  'a whole list': `${BIG}('n').coerceTo('array')`,
  'a whole list, in order': `${BIG}.orderBy('n')('n').coerceTo('array')`,
  'a whole list, mapped': `${BIG}.map(x => x('n').add(1)).coerceTo('array')`,
  'whether a whole list contains': `${BIG}('n').coerceTo('array').contains(-1)`,
} as const;

/** RethinkDB makes lists of 100,000 elements at most. */
const SIZES = [10_000, 100_000] as const;
const UPDATES_PER_SECOND = 20;
const MS = 10_000;
/** A feed that has not told the last value so long after the last update is late. */
const LATE_MS = 60_000;

/** Runs the drill. */
export async function running(program: Program, kind: DatabaseKind, verdicts: Verdicts): Promise<void> {
  for (const rows of SIZES) await ofSize(program, kind, rows, verdicts);
}

async function ofSize(program: Program, kind: DatabaseKind, rows: number, verdicts: Verdicts): Promise<void> {
  verdicts.begin(`running, ${kind} database, ${rows} rows, ${UPDATES_PER_SECOND} updates a second`);
  const database = await openDatabase(kind, program);
  await fillBig(database, rows);
  const proxy = await openProxy(program, database, ['--workers', '1', '--no-share']);
  const memory = new MemoryWatch(proxy);
  const base = await beside(database, rows, database.address, BIG);
  console.log(`  the table itself, directly: ${textOf(base.reading)}`);
  for (const [name, query] of Object.entries(FEEDS)) {
    const { reading, told, ended } = await beside(database, rows, proxy.address, query);
    console.log(`  ${name}: ${textOf(reading)}, ${told} documents${ended === undefined ? '' : `, ended: ${ended}`}`);
    verdicts.compare(reading, base.reading);
    const isLimit = ended?.includes('--max-steps') === true;
    verdicts.say(
      ended === undefined || isLimit,
      `${name} ${isLimit ? 'was ended by the limit' : 'told the last value'}`,
    );
    if (ended === undefined) verdicts.say(told > 0, `${name} told ${told} values`);
  }
  sayLived(proxy, memory.stop(), 1, verdicts);
  await stopProxy(proxy, verdicts);
  await database.stop();
}

interface Beside {
  readonly reading: Reading;
  /** Documents after it was ready. */
  readonly told: number;
  /** Why the last value was not told. */
  readonly ended: string | undefined;
}

/** Opens a feed, and reads and updates once it is ready. */
async function beside(database: Database, rows: number, address: Address, query: string): Promise<Beside> {
  const feed = await Followed.open(address, query);
  const before = feed.told;
  const [reading] = await Promise.all([readFor(address, MS), update(database, rows)]);
  const ended = query === BIG ? undefined : await feed.lacks(database, query);
  feed.close();
  return { reading, told: feed.told - before, ended };
}

/** Every other update is of one row, between the value that is looked for and another. */
async function update({ address }: Database, rows: number): Promise<void> {
  const owner = await Client.connect(address);
  const end = performance.now() + MS;
  for (let n = 1; performance.now() < end; n++) {
    const [id, value] =
      n % 2 === 0 ? [0, (n % 4) - 1] : [(n * 7919) % rows, `${BIG}.get(${(n * 7919) % rows})('n').add(1)`];
    await owner.run(queryOfText(`${BIG}.get(${id}).update({n: ${value}}, {nonAtomic: true})`));
    await pause(1000 / UPDATES_PER_SECOND);
  }
  owner.close();
}

/** A feed that is followed. */
class Followed {
  readonly #client: Client;
  told = 0;
  #last: Datum | undefined;
  #failed: string | undefined;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Opens it, and waits until it is ready or has failed. */
  static async open(address: Address, query: string): Promise<Followed> {
    const client = await Client.connect(address);
    const followed = new Followed(client);
    await new Promise<void>((resolve) => {
      const options = '{includeInitial: true, includeStates: true}';
      const feed = client.open(queryOfText(`${query}.changes(${options})`), ({ documents }) => {
        for (const document of documents) if (isObject(document) && followed.#take(document)) resolve();
      });
      feed.ended.catch((error: Error) => {
        followed.#failed = error.message;
        resolve();
      });
    });
    return followed;
  }

  /** Takes a document; says whether the feed is ready. */
  #take(document: DatumObject): boolean {
    if ('state' in document) return document['state'] === 'ready';
    this.told++;
    this.#last = document['new_val'];
    return false;
  }

  /** Waits until it has told the value that the one-shot query has; says why it has not. */
  async lacks({ address }: Database, query: string): Promise<string | undefined> {
    const owner = await Client.connect(address);
    const value = await oneShot(owner, query);
    owner.close();
    const end = performance.now() + LATE_MS;
    while (this.#failed === undefined && !isDeepStrictEqual(inOrder(this.#last), inOrder(value))) {
      if (performance.now() > end) return 'its last value is another';
      await pause(100);
    }
    return this.#failed;
  }

  close(): void {
    this.#client.close();
  }
}

async function oneShot(owner: Client, query: string): Promise<Datum> {
  const [value = null] = await owner.run(queryOfText(query));
  return value;
}

/** A list of a table has its elements in no order that anybody promises. */
function inOrder(value: Datum | undefined): Datum | undefined {
  return Array.isArray(value) ? value.toSorted((a: Datum, b: Datum) => Number(a) - Number(b)) : value;
}
