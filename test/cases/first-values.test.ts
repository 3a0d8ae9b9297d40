// What feeds show at first, made for those who come and kept until it has been sent: it counts in the budget of memory, with what is
// made and with what a slow client has still to be sent, so that feeds end by name and the process does not end by its heap.

import { beforeAll, describe, expect, test } from 'vitest';
import { Client, type OpenedFeed } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { eventually } from '../support/checks/eventually.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage, type SharingStage } from '../support/sharing.ts';

const DB = 'first_values';
const ROWS = 6000;
const TABLE = `r.db('${DB}').table('t')`;
/** As long as what is made takes on a machine that does much else. */
const LONG_MS = 60_000;

const distinct = (of: number, options: string): string =>
  queryOfText(`${TABLE}.map(x => x('n').add(${of})).distinct().changes(${options})`);
const SHOWN = '{includeInitial: true}';

/** What a client has seen of a feed that it reads on when it is told to. */
class Seen {
  documents = 0;
  ended: string | undefined;
  readonly #feed: OpenedFeed;
  readonly #go: Promise<void>;
  /** Reads on, from here on. */
  go: () => void = () => {};

  constructor(client: Client, query: string) {
    this.#go = new Promise((resolve) => {
      this.go = resolve;
    });
    this.#feed = client.open(query, ({ documents }) => {
      this.documents += documents.length;
      return documents.length === 0 ? undefined : this.#go;
    });
    this.#feed.ended.catch((error: Error) => {
      this.ended = error.message;
    });
  }
}

/** Plays with rows in the table. */
async function play(
  under: (typeof bases)[number],
  maxMemory: number | undefined,
  act: (stage: SharingStage, client: () => Promise<Client>) => Promise<void>,
): Promise<void> {
  await onSharingStage(under, DB, { feeds: { plan: 'proxy' }, proxy: { maxMemory } }, async (stage) => {
    await stage.writes.run((r) =>
      r.table('t').insert(
        r
          .range(ROWS)
          .map((id) => ({ id, n: id }))
          .coerceTo('array'),
      ),
    );
    const clients: Client[] = [];
    try {
      await act(stage, async () => {
        const client = await Client.connect(stage.proxy.address);
        clients.push(client);
        return client;
      });
    } finally {
      for (const client of clients) client.close();
    }
  });
}

/** Bytes of what a feed keeps, and of what it shows at first. */
async function sizes(under: (typeof bases)[number]): Promise<{ readonly state: number; readonly first: number }> {
  const found = { state: 0, first: 0 };
  await play(under, undefined, async ({ proxy }, connect) => {
    const client = await connect();
    const count = new Seen(client, queryOfText(`${TABLE}.count().changes(${SHOWN})`));
    await eventually('a small feed is there', () => count.documents === 1);
    const before = proxy.memory.heap;
    const all = new Seen(client, distinct(0, SHOWN));
    await eventually('what there is has been made', () => all.documents > 0, LONG_MS);
    const both = proxy.memory.heap - before;
    all.go();
    await eventually('it has been read', () => all.documents === ROWS, LONG_MS);
    await client.run(queryOfText(`${TABLE}.insert({id: 'more', n: ${ROWS}})`));
    await eventually('it has changed', () => all.documents === ROWS + 1);
    found.state = proxy.memory.heap - before;
    found.first = both - found.state;
  });
  return found;
}

for (const under of bases) {
  describe.skipIf(!under.there)(under.name, () => {
    let state = 0;
    let first = 0;
    beforeAll(async () => {
      ({ state, first } = await sizes(under));
    }, LONG_MS);

    test(
      'ten feeds that are ready together, with no room for what they show: some end by name, and others go on',
      async () => {
        expect(first).toBeGreaterThan(50 * ROWS);
        const limit = 10 * state + 4.5 * first;
        await play(under, limit, async ({ proxy }, connect) => {
          const [slow, other] = [await connect(), await connect()];
          const beside = new Seen(other, queryOfText(`${TABLE}.count().changes(${SHOWN})`));
          beside.go();
          await eventually('the other has its count', () => beside.documents === 1);
          const feeds = Array.from({ length: 10 }, (_, of) => new Seen(slow, distinct(of, SHOWN)));
          await eventually('all are ready or over', () => feeds.every(isKnown), LONG_MS);
          // Whose first answer was on its way is told of the end when it asks on.
          expect(proxy.memory.heap).toBeLessThanOrEqual(limit);
          for (const feed of feeds) feed.go();
          await eventually('all are read or over', () => feeds.every(isRead), LONG_MS);
          const ended = feeds.filter((feed) => feed.ended !== undefined);
          for (const feed of ended) expect(feed.ended).toMatch(/^Livefold is short of memory: `--max-memory`/);
          // As many as it takes; without what is shown at first there would be room for all.
          expect(ended.length).toBeGreaterThanOrEqual(3);
          expect(ended.length).toBeLessThanOrEqual(6);
          await other.run(queryOfText(`${TABLE}.insert({id: 'more', n: ${ROWS}})`));
          await eventually('the other goes on', () => beside.documents === 2);
        });
      },
      LONG_MS,
    );

    test(
      'what a slow client has still to be sent counts, once for all, until it has been sent',
      async () => {
        await play(under, undefined, async ({ proxy, writes }, connect) => {
          const clients = [await connect(), await connect(), await connect()];
          const feeds = clients.map((client) => new Seen(client, distinct(0, SHOWN)));
          await eventually('all are ready', () => feeds.every(isKnown), LONG_MS);
          const told = new Seen(await connect(), distinct(0, '{includeStates: true}'));
          await eventually('one who is shown nothing is there', () => told.documents === 1);
          told.go();
          await writes.run((r) => r.table('t').insert({ id: 'more', n: ROWS }));
          await eventually('it has changed', () => told.documents === 2);
          const held = (): number => Math.round((proxy.memory.heap - state) / first);
          expect(held()).toBe(1);
          feeds[0]?.go();
          await eventually('one has read all', () => feeds[0]?.documents === ROWS + 1, LONG_MS);
          expect(held()).toBe(1);
          clients[1]?.close();
          await eventually('one is gone', () => proxy.clientCount === 3);
          expect(held()).toBe(1);
          feeds[2]?.go();
          await eventually('the last has read all', () => feeds[2]?.documents === ROWS + 1, LONG_MS);
          expect(held()).toBe(0);
        });
      },
      LONG_MS,
    );
  });
}

const isKnown = ({ documents, ended }: Seen): boolean => documents > 0 || ended !== undefined;
const isRead = ({ documents, ended }: Seen): boolean => documents >= ROWS || ended !== undefined;
