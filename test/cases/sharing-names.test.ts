// A name that comes to mean another table between the question which table it is and what is done with the answer: nobody is ever
// shown the one for the other. The table is renamed, or dropped, and made again, while a frame of the proxy's waits.

import { describe, expect, test } from 'vitest';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { eventually } from '../support/checks/eventually.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { type GatedLink, gatedLink } from '../support/servers/gated-link.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage, type SharingStage } from '../support/sharing.ts';

const DB = 'sharing_names';
const PLANS = ['server', 'proxy'] as const;

const count: Query = (r) => r.table('t').count().changes({ includeInitial: true });
const add =
  (id: string | number, table = 't'): Query =>
  (r) =>
    r.table(table).insert({ id }, { durability: 'soft' });

const isFeed = (body: string): boolean => body.includes(`[${TermType.CHANGES},`);
const isQuestion = (body: string): boolean => body.includes(`[${TermType.STATUS},`) && !isFeed(body);

/** What happens to the table whose name is made again. */
const FATES = {
  renamed: (r) => r.table('t').config().update({ name: 'u' }),
  dropped: (r) => r.tableDrop('t'),
} as const satisfies { readonly [Fate: string]: Query };
type Fate = keyof typeof FATES;

async function failureOf(feed: Feed): Promise<unknown> {
  const ending = await feed.ending();
  return ending.kind === 'failed' ? ending.error : undefined;
}

interface NamesStage extends SharingStage {
  readonly gate: GatedLink;
  /** A client, and the number of its connection upstream. */
  numbered(): Promise<readonly [Connection, number]>;
  /** The table has its fate, and another one has its name. */
  exchange(fate: Fate): Promise<void>;
  /** The table that was renamed has its name again. */
  exchangeBack(): Promise<void>;
}

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    const play = async (run: (stage: NamesStage) => Promise<void>): Promise<void> => {
      let gate: GatedLink | undefined;
      const link = async (...target: Parameters<typeof gatedLink>): Promise<GatedLink> => {
        gate = await gatedLink(...target);
        return gate;
      };
      await onSharingStage(under, `${DB}_${plan}`, { feeds: { plan }, link }, async (stage) => {
        if (gate === undefined) throw new Error('no gate');
        const { connections: before } = gate;
        const opened = gate;
        let clients = before;
        await stage.writes.run(add('of the first'));
        await run({
          ...stage,
          gate,
          async numbered() {
            const client = await stage.connect();
            const { connections } = opened;
            if (connections !== clients + 1) throw new Error('another connection than the client’s');
            clients = connections;
            return [client, connections - 1];
          },
          async exchange(fate) {
            await stage.writes.run(FATES[fate]);
            await stage.writes.run((r) => r.tableCreate('t'));
          },
          async exchangeBack() {
            await stage.writes.run((r) => r.table('t').config().update({ name: 'v' }));
            await stage.writes.run((r) => r.table('u').config().update({ name: 't' }));
          },
        });
      });
    };
    const carried = (stage: SharingStage): readonly string[] => stage.opened().map((line) => line.carried);

    test.each(['renamed', 'dropped'] as const)(
      'a table that is %s before a share of it opens: he who opened it and who joins see the new one',
      (fate) =>
        play(async (stage) => {
          const { gate, writes } = stage;
          const [[one, carrier], [other]] = [await stage.numbered(), await stage.numbered()];
          gate.shut(isFeed);
          const opening = one.feed(count);
          await eventually('the query waits', () => gate.isWaiting(carrier));
          await stage.exchange(fate);
          gate.open();
          const feeds = [await opening, await other.feed(count)];
          for (const feed of feeds) expect(await feed.take(1)).toEqual([{ new_val: 0 }]);
          expect(carried(stage)).toEqual(['shared', 'joined']);
          await writes.run(add(1));
          for (const feed of feeds) expect(await feed.take(1)).toEqual([{ old_val: 0, new_val: 1 }]);
        }),
    );

    test('who names the database joins one who leaves it to his connection', () =>
      play(async (stage) => {
        const [one, other] = [await stage.connect(), await stage.connect()];
        const named: Query = (r) => r.db(`${DB}_${plan}`).table('t').count().changes({ includeInitial: true });
        const feeds = [await one.feed(count), await other.feed(named)];
        for (const feed of feeds) expect(await feed.take(1)).toEqual([{ new_val: 1 }]);
        expect(carried(stage)).toEqual(['shared', 'joined']);
        await stage.writes.run(add(1));
        for (const feed of feeds) expect(await feed.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
      }));

    test.each(['renamed', 'dropped'] as const)(
      'a table that is %s before one who joins has asked which it is: he sees the new one',
      (fate) =>
        play(async (stage) => {
          const { gate, writes } = stage;
          const [[one], [other, joiner]] = [await stage.numbered(), await stage.numbered()];
          const first = await one.feed(count);
          expect(await first.take(1)).toEqual([{ new_val: 1 }]);
          gate.shut((body, connection) => connection === joiner && isQuestion(body));
          const joining = other.feed(count);
          await eventually('the question waits', () => gate.isWaiting(joiner));
          await stage.exchange(fate);
          gate.open();
          const joined = await joining;
          expect(await joined.take(1)).toEqual([{ new_val: 0 }]);
          expect(carried(stage)).toEqual(['shared', 'shared']);
          await writes.run(add(1));
          expect(await joined.take(1)).toEqual([{ old_val: 0, new_val: 1 }]);
          // The first client follows the table that it began with, as long as there is one.
          if (fate === 'renamed') {
            await writes.run(add(2, 'u'));
            expect(await first.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
          } else {
            expectError(await failureOf(first), error('OP_FAILED', /^Changefeed aborted \((table )?unavailable\)\.$/));
          }
        }),
    );

    test('a name that means another table for a moment while a share opens: he who opened it and who joins see the one that has it', () =>
      play(async (stage) => {
        const { gate, writes } = stage;
        const [[one, carrier], [other]] = [await stage.numbered(), await stage.numbered()];
        gate.shut(isFeed);
        const opening = one.feed(count);
        await eventually('the query waits', () => gate.isWaiting(carrier));
        await stage.exchange('renamed');
        // The query comes while the name means another table, and whatever is asked behind it when it does no more.
        gate.open(isQuestion);
        await eventually('the question waits', () => gate.isWaiting(carrier));
        await stage.exchangeBack();
        gate.open();
        const feeds = [await opening, await other.feed(count)];
        for (const feed of feeds) expect(await feed.take(1)).toEqual([{ new_val: 1 }]);
        expect(carried(stage)).toEqual(['shared', 'joined']);
        await writes.run(add(1));
        for (const feed of feeds) expect(await feed.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
      }));

    test('a name that means another table for a moment while the next connection carries the feed: it is never of that table', () =>
      play(async (stage) => {
        const { gate, writes } = stage;
        const [one] = await stage.numbered();
        const [two, second] = await stage.numbered();
        const feeds: Feed[] = [];
        for (const client of [one, two]) {
          const feed = await client.feed(count);
          expect(await feed.take(1)).toEqual([{ new_val: 1 }]);
          feeds.push(feed);
        }
        gate.shut(isFeed);
        await one.close();
        await eventually('the query waits', () => gate.isWaiting(second));
        await stage.exchange('renamed');
        gate.open(isQuestion);
        await eventually('the question waits', () => gate.isWaiting(second));
        await stage.exchangeBack();
        await writes.run(add(1));
        gate.open();
        expect(await feeds[1]?.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
      }));

    test('a table that is dropped and made again while a feed of one’s own is read again: it ends', () =>
      play(async (stage) => {
        const { gate } = stage;
        const [one, connection] = await stage.numbered();
        const feed = await one.feed((r) => r.table('t').count().changes({ includeInitial: true, shared: false }));
        expect(await feed.take(1)).toEqual([{ new_val: 1 }]);
        expect(carried(stage)).toEqual(['alone']);
        gate.shut((body, asking) => asking === connection && isQuestion(body));
        await stage.exchange('dropped');
        await eventually('the question waits', () => gate.isWaiting(connection));
        gate.open();
        expectError(await failureOf(feed), error('OP_FAILED', /^Changefeed aborted \((table )?unavailable\)\.$/));
      }));

    test('a table that is renamed when one who joins has asked, before it has caught up: he sees the one that has its name', () =>
      play(async (stage) => {
        const { gate, writes } = stage;
        const [[one, carrier], [other, joiner]] = [await stage.numbered(), await stage.numbered()];
        const first = await one.feed(count);
        expect(await first.take(1)).toEqual([{ new_val: 1 }]);
        let asked = false;
        gate.shut((body, connection) => {
          if (connection === joiner && isQuestion(body)) asked = true;
          return connection === carrier && isFeed(body);
        });
        const joining = other.feed(count);
        await eventually('the question has been answered', () => asked && gate.owed(joiner) === 0);
        await stage.exchange('renamed');
        gate.open();
        const joined = await joining;
        expect(await joined.take(1)).toEqual([{ new_val: 0 }]);
        await writes.run(add(1));
        await writes.run(add(2, 'u'));
        expect(await joined.take(1)).toEqual([{ old_val: 0, new_val: 1 }]);
        expect(await first.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
        expect(carried(stage)).toEqual(['shared', 'shared']);
      }));

    test.each(['renamed', 'dropped'] as const)(
      'a table that is %s before the next connection carries the feed: it ends, and is not of the new table',
      (fate) =>
        play(async (stage) => {
          const { gate } = stage;
          const [one] = await stage.numbered();
          const [[two, second], [three]] = [await stage.numbered(), await stage.numbered()];
          const feeds: Feed[] = [];
          for (const client of [one, two, three]) {
            const feed = await client.feed(count);
            expect(await feed.take(1)).toEqual([{ new_val: 1 }]);
            feeds.push(feed);
          }
          gate.shut(isFeed);
          await one.close();
          await eventually('the query waits', () => gate.isWaiting(second));
          await stage.exchange(fate);
          gate.open();
          for (const feed of feeds.slice(1)) {
            expectError(await failureOf(feed), error('OP_FAILED', /The connection that carried the feed is gone/));
          }
          const last = await three.feed(count);
          expect(await last.take(1)).toEqual([{ new_val: 0 }]);
        }),
    );
  });
}
