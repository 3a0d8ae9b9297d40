// A large feed that is filled, and a client that reads beside it: through the proxy, and beside the drained element feed at the
// database itself.

import type { Address } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { BIG, fillBig } from './big-table.ts';
import { type Reading, readFor, textOf, worse } from './reading.ts';
import { type DatabaseKind, MemoryWatch, openDatabase, openProxy, sayLived, stopProxy } from './stage.ts';
import type { Verdicts } from './verdict.ts';

/** What is filled, by name, and the elements that it is filled with, as RethinkDB sends them without a proxy. */
const FEEDS = {
  max: { live: "max('n')", bare: "('n')" },
  distinct: { live: "('n').distinct()", bare: "('n')" },
  'two groups for each row': {
    live: "group(x => [x('n'), x('n').add(0.5)], {multi: true}).count()",
    bare: "map(x => [x('n'), x('n').add(0.5)])",
  },
  'ten of distinct': { live: "('n').distinct()", bare: "('n')", times: 10 },
} as const;

const OPTIONS = '{includeInitial: true, includeStates: true}';
const MOST_SECONDS = 120;

/** Runs the drill with so many rows. */
export async function filling(program: Program, kind: DatabaseKind, rows: number, verdicts: Verdicts): Promise<void> {
  verdicts.begin(`filling, ${kind} database, ${rows} rows`);
  const database = await openDatabase(kind, program);
  await fillBig(database, rows);
  const proxy = await openProxy(program, database, ['--workers', '1', '--no-share']);
  const memory = new MemoryWatch(proxy);
  for (const [name, feed] of Object.entries(FEEDS)) {
    const times = 'times' in feed ? feed.times : 1;
    const directly = await beside(database.address, `${BIG}${dotted(feed.bare)}.changes(${OPTIONS})`, times);
    const through = await beside(proxy.address, `${BIG}${dotted(feed.live)}.changes(${OPTIONS})`, times);
    console.log(`  ${name}, directly: ready after ${seconds(directly.ms)}, ${textOf(directly.reading)}`);
    console.log(
      `  ${name}: ready after ${seconds(through.ms)}, ${textOf(through.reading)}, ${memory.most.toFixed(0)} MB resident at most`,
    );
    if (through.ended !== undefined) console.log(`  ${name}: ended, ${through.ended}`);
    verdicts.compare(through.reading, directly.reading);
  }
  sayLived(proxy, memory.stop(), 1, verdicts);
  await stopProxy(proxy, verdicts);
  await database.stop();
}

const dotted = (text: string): string => (text.startsWith('(') ? text : `.${text}`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Beside {
  readonly reading: Reading;
  /** Milliseconds until the last feed was ready. */
  readonly ms: number;
  /** Why a feed has ended, where one has. */
  readonly ended: string | undefined;
}

/** Opens feeds over one connection, and reads from a table over another for as long as they take to be ready. */
async function beside(address: Address, text: string, times: number): Promise<Beside> {
  const client = await Client.connect(address);
  const start = performance.now();
  let ended: string | undefined;
  const ready = Array.from(
    { length: times },
    () =>
      new Promise<void>((resolve) => {
        const feed = client.open(queryOfText(text), ({ documents }) => {
          if (documents.some(isReady)) resolve();
        });
        feed.ended.catch((error: Error) => {
          ended ??= error.message;
          resolve();
        });
      }),
  );
  let isOver = false;
  const readings: Promise<Reading>[] = [];
  const all = Promise.all(ready).then(() => {
    isOver = true;
  });
  const readAll = async (): Promise<void> => {
    while (!isOver && performance.now() - start < MOST_SECONDS * 1000) {
      const reading = readFor(address, READ_MS);
      readings.push(reading);
      await reading;
    }
  };
  await Promise.all([all, readAll()]);
  const ms = performance.now() - start;
  client.close();
  return { reading: (await Promise.all(readings)).reduce(worse), ms, ended };
}

const READ_MS = 3000;

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}
