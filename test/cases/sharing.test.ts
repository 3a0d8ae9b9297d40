// Equal queries of one user are carried by one feed upstream: who joins, who does not, and what each of them sees when rights,
// tables and clients go.

import { describe, expect, test, vi } from 'vitest';
import { DocumentLog } from '../../proxy/feed/subscription/document-log.ts';
import { Subscription } from '../../proxy/feed/subscription/subscription.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { DriverError } from '../support/checks/driver-error.ts';
import { error, expectError, raisedBy } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { connectRaw } from '../support/servers/raw.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage, type SharingSettings, type SharingStage, until } from '../support/sharing.ts';

const DB = 'sharing_cases';
const PLANS = ['server', 'proxy'] as const;

const ROUNDS = 8;
const AT_ONCE = 200;

const count: Query = (r) => r.table('t').count().changes({ includeInitial: true });
const add =
  (id: string | number): Query =>
  (r) =>
    r.table('t').insert({ id }, { durability: 'soft' });

/** What RethinkDB says of this query, or of a plain feed of its own. */
/** What RethinkDB is asked once, whose error about rights is not taken for a fault of its own, as that of its feeds. */
const once: Query = (r) => r.table('t').count();

/** What is raised, as far as it does not quote the query. */
async function said(answer: Promise<unknown>): Promise<unknown> {
  const raised = await raisedBy(answer);
  return raised instanceof DriverError ? [raised.kind, raised.text] : raised;
}

async function failureOf(feed: Feed): Promise<unknown> {
  const ending = await feed.ending();
  return ending.kind === 'failed' ? ending.error : undefined;
}

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    const play = (
      run: (stage: SharingStage) => Promise<void>,
      settings: Partial<SharingSettings> = {},
    ): Promise<void> =>
      onSharingStage(under, `${DB}_${plan}`, { ...settings, feeds: { plan, ...settings.feeds } }, run);
    const carried = (stage: SharingStage): readonly string[] => stage.opened().map((line) => line.carried);

    // How long RethinkDB folds many changes at once can only be guessed.
    if (plan === 'proxy')
      test.each<[string, number, Query]>([
        ['rows', 1, count],
        [
          'rows that are told of in many answers',
          20_000,
          (r) => r.table('t')('text').distinct().count().changes({ includeInitial: true }),
        ],
      ])('the first value holds all of many %s, written at once right before', (_, length, query) =>
        play(async ({ connect, writes, opened }) => {
          const [first, later] = [await connect(), await connect()];
          const feed = await first.feed(query);
          expect(await feed.take(1)).toEqual([{ new_val: 0 }]);
          const shown: unknown[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            const ids = Array.from({ length: AT_ONCE }, (_, at) => round * AT_ONCE + at);
            const rows = ids.map((id) => ({ id, text: `${id} `.padEnd(length, '.') }));
            await writes.run((r) => r.table('t').insert(rows, { durability: 'soft' }));
            const joined = await later.feed(query);
            shown.push(...(await joined.take(1)));
            await joined.close();
          }
          expect(shown).toEqual(Array.from({ length: ROUNDS }, (_, round) => ({ new_val: (round + 1) * AT_ONCE })));
          expect(opened().map((line) => line.carried)).toEqual(['shared', ...shown.map(() => 'joined')]);
        }),
      );

    test('a right that is taken ends all feeds of that user, and nobody else’s; another user never joins', () =>
      play(async ({ connect, direct, user, writes, opened, upstreamHas }) => {
        const [ann, bob] = [await user('ann'), await user('bob')];
        const clients = [await connect(ann), await connect(ann), await connect(bob)];
        const feeds: Feed[] = [];
        for (const client of clients) {
          const feed = await client.feed(count);
          expect(await feed.take(1)).toEqual([{ new_val: 0 }]);
          feeds.push(feed);
        }
        expect(opened().map((line) => [line.user, line.carried])).toEqual([
          ['ann', 'shared'],
          ['ann', 'joined'],
          ['bob', 'shared'],
        ]);
        await upstreamHas('ann', 1);
        await upstreamHas('bob', 1);
        await writes.run((r) => r.db(`${DB}_${plan}`).grant('ann', { read: false }));
        // Who joins now is told what RethinkDB says to her, and joins nothing.
        const refused = error('PERMISSION', /User `ann` does not have the required `read` permission\./);
        expect(await said((clients[1] as Connection).feed(count))).toEqual(await said((await direct(ann)).run(once)));
        expect(opened().at(-1)).toMatchObject({ carried: 'alone', why: expect.stringContaining('read') });
        await writes.run(add(1));
        const [first, second, others] = feeds as [Feed, Feed, Feed];
        for (const feed of [first, second]) expectError(await failureOf(feed), refused);
        await writes.run(add(2));
        await until(others, 2);
        await upstreamHas('ann', 0);
        await upstreamHas('bob', 1);
      }));

    test('who has no right, or names no table, gets the answer of RethinkDB', () =>
      play(async ({ connect, direct, user, writes }) => {
        const ann = await user('ann');
        const [one, other] = [await connect(ann), await connect(ann)];
        const feed = await one.feed(count);
        await feed.take(1);
        await writes.run((r) => r.db(`${DB}_${plan}`).grant('ann', { read: false }));
        expect(await said(other.feed(count))).toEqual(await said((await direct(ann)).run(once)));
        const missing: Query = (r) => r.table('nothing').count().changes();
        for (let time = 0; time < 2; time++) {
          expectError(
            await raisedBy(other.feed(missing)),
            error('OP_FAILED', `Table \`${DB}_${plan}.nothing\` does not exist.`),
          );
        }
        await feed.close();
      }));

    test('a name means the table that has it now: after a rename, a drop, and both made anew', () =>
      play(async ({ connect, writes, opened }) => {
        const [one, other] = [await connect(), await connect()];
        await writes.run(add(1));
        const before = await one.feed(count);
        expect(await before.take(1)).toEqual([{ new_val: 1 }]);
        await writes.run((r) => r.table('t').config().update({ name: 'u' }));
        expectError(await raisedBy(other.feed(count)), error('OP_FAILED', `Table \`${DB}_${plan}.t\` does not exist.`));
        const renamed = await other.feed((r) => r.table('u').count().changes({ includeInitial: true }));
        expect(await renamed.take(1)).toEqual([{ new_val: 1 }]);
        await writes.run((r) => r.tableCreate('t'));
        const anew = await other.feed(count);
        expect(await anew.take(1)).toEqual([{ new_val: 0 }]);
        const joined = await other.feed(count);
        expect(await joined.take(1)).toEqual([{ new_val: 0 }]);
        expect(opened().at(-1)).toMatchObject({ carried: 'joined' });
        await writes.run((r) => r.table('u').insert({ id: 2 }));
        for (const feed of [before, renamed]) expect(await feed.take(1)).toEqual([{ old_val: 1, new_val: 2 }]);
        await writes.run((r) => r.table('t').insert([{ id: 1 }, { id: 2 }, { id: 3 }]));
        for (const feed of [anew, joined]) await until(feed, 3);
        await writes.run((r) => r.tableDrop('t'));
        await writes.run((r) => r.tableCreate('t'));
        const last = await other.feed(count);
        expect(await last.take(1)).toEqual([{ new_val: 0 }]);
        for (const feed of [anew, joined]) {
          expectError(await failureOf(feed), error('OP_FAILED', /^Changefeed aborted \((table )?unavailable\)\.$/));
        }
        expect(renamed.over).toBeUndefined();
      }));

    test('who joins when an index has been dropped is told what RethinkDB says, as is who comes first', () =>
      play(async ({ connect, direct, writes }) => {
        const [one, other] = [await connect(), await connect()];
        await writes.run((r) => r.table('t').indexCreate('k'));
        await writes.run((r) => r.table('t').indexWait());
        const selected = (r: Reql): Reql => r.table('t').getAll('a', { index: 'k' });
        const queries: readonly Query[] = [
          (r) => selected(r).count().changes({ includeInitial: true }),
          (r) => selected(r).sum('n').changes({ includeInitial: true }),
          (r) => r.table('t').orderBy({ index: 'k' }).limit(3)('k').coerceTo('array').changes({ includeInitial: true }),
        ];
        for (const query of queries) for (const client of [one, other]) await (await client.feed(query)).take(1);
        await writes.run((r) => r.table('t').indexDrop('k'));
        const alone = await direct({ user: 'admin', password: '' });
        const refused = await said(alone.feed((r) => selected(r).changes({ includeInitial: true })));
        for (const query of queries) expect(await said(other.feed(query))).toEqual(refused);
      }));

    test('who joins when an index of a function has been made anew is shown what that holds', () =>
      play(async ({ connect, writes }) => {
        const [one, other] = [await connect(), await connect()];
        const make = async (of: (row: Reql) => Reql): Promise<void> => {
          await writes.run((r) => r.table('t').indexCreate('f', of));
          await writes.run((r) => r.table('t').indexWait());
        };
        await make((row) => row('a').mul(2));
        await writes.run((r) => r.table('t').insert({ id: 1, a: 1, b: 5 }));
        const query: Query = (r) => r.table('t').getAll(2, { index: 'f' }).count().changes({ includeInitial: true });
        for (const client of [one, other]) expect(await (await client.feed(query)).take(1)).toEqual([{ new_val: 1 }]);
        await writes.run((r) => r.table('t').indexDrop('f'));
        await make((row) => row('b').mul(2));
        for (const client of [one, other]) expect(await (await client.feed(query)).take(1)).toEqual([{ new_val: 0 }]);
      }));

    test('variables, options and terms after `changes` are each client’s own', () =>
      play(async (stage) => {
        const { connect, user, writes, upstreamHas } = stage;
        const [one, other] = [await connect(await user('ann')), await connect(await user('ann'))];
        const sum = (r: Reql): Reql =>
          r
            .table('t')
            .map((row: Reql) => row('id').mul(2))
            .sum();
        const queries: readonly Query[] = [
          (r) => sum(r).changes({ includeInitial: true }),
          // The drivers number their variables one after the other: these are others.
          (r) => sum(r).changes({ includeInitial: true, includeStates: true }),
          (r) => sum(r).changes({ includeInitial: true, includeTypes: true }),
          (r) => sum(r).changes({ includeInitial: true, squash: true }),
          (r) => sum(r).changes(),
          (r) =>
            sum(r)
              .changes({ includeInitial: true })
              .map((change: Reql) => change('new_val').add(1)),
          (r) => sum(r).changes({ includeInitial: true })('new_val').limit(2),
        ];
        const feeds: Feed[] = [];
        for (const [at, query] of queries.entries()) feeds.push(await (at % 2 === 0 ? one : other).feed(query));
        await Promise.all(feeds.flatMap((feed, at) => (at === 4 ? [] : [feed.take(at === 1 ? 3 : 1)])));
        expect(carried(stage)).toEqual(['shared', ...queries.slice(1).map(() => 'joined')]);
        await upstreamHas('ann', 1);
        await writes.run(add(3));
        const change = { old_val: 0, new_val: 6 };
        const told = await Promise.all(feeds.map((feed) => feed.take(1)));
        expect(told).toEqual([[change], [change], [{ ...change, type: 'change' }], [change], [change], [7], [6]]);
        // `limit` has had its fill, and ends its feed alone.
        expect(await feeds.at(-1)?.ending()).toEqual({ kind: 'ended' });
        await writes.run(add(4));
        expect(await feeds[0]?.take(1)).toEqual([{ old_val: 6, new_val: 14 }]);
        await upstreamHas('ann', 1);
      }));

    test('`shared: false`, profiles and moments have feeds of their own, and the log says why', () =>
      play(async ({ connect, user, opened, upstreamHas }) => {
        const client = await connect(await user('ann'));
        const moment: Query = (r) =>
          r
            .table('t')
            .filter((row: Reql) => row('at').lt(r.now()))
            .count()
            .changes();
        const own: Query = (r) => r.table('t').count().changes({ includeInitial: true, shared: false });
        for (const query of [count, own, moment, moment]) await client.feed(query);
        await client.feed(count, { profile: true });
        expect(opened()).toMatchObject([
          { carried: 'shared' },
          { carried: 'alone', why: expect.stringContaining('`shared`') },
          { carried: 'alone', why: expect.stringContaining('moment') },
          { carried: 'alone', why: expect.stringContaining('moment') },
          { carried: 'alone', why: expect.stringContaining('profile') },
        ]);
        await upstreamHas('ann', 5);
      }));

    test('under --no-share each has his own', () =>
      play(
        async (stage) => {
          const client = await stage.connect(await stage.user('ann'));
          for (let each = 0; each < 2; each++) await (await client.feed(count)).take(1);
          expect(stage.opened()).toMatchObject([0, 1].map(() => ({ why: expect.stringContaining('--no-share') })));
          await stage.upstreamHas('ann', 2);
        },
        { feeds: { plan, share: false } },
      ));

    test('an error of what is shared ends all, one in terms after `changes` only its own', () =>
      play(async ({ connect, writes }) => {
        const [one, other] = [await connect(), await connect()];
        const sum = (r: Reql): Reql => r.table('t').sum('x').changes({ includeInitial: true });
        const feeds = [await one.feed(sum), await other.feed(sum)];
        const divided = await other.feed((r) => sum(r).map((change: Reql) => r.expr(1).div(change('new_val').sub(5))));
        await divided.take(1);
        await writes.run((r) => r.table('t').insert({ id: 1, x: 5 }));
        expectError(await failureOf(divided), error('QUERY_LOGIC', 'Cannot divide by zero.'));
        for (const feed of feeds) await until(feed, 5);
        await writes.run((r) => r.table('t').insert({ id: 2, x: 'five' }));
        for (const feed of feeds) {
          expectError(await failureOf(feed), error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'));
        }
        await writes.run((r) => r.table('t').get(2).delete());
        expect(await (await one.feed(sum)).take(1)).toEqual([{ new_val: 5 }]);
      }));

    test.each(['begin', 'flush', 'continue', 'accepted'] as const)(
      'a mistake in what is one client’s ends him alone, and one in what is shared ends all: in `%s`',
      (step) =>
        play(async (stage) => {
          const [one, other] = [await stage.connect(), await stage.connect()];
          const first = await one.feed(count);
          await first.take(1);
          const spy = vi.spyOn(Subscription.prototype, step).mockImplementationOnce(() => {
            throw new TypeError('a mistake');
          });
          const broken = await other.feed(count).catch((raised: unknown) => raised);
          // Where the mistake waits for something to happen, that happens.
          await stage.writes.run(add(1));
          spy.mockRestore();
          const ends = [first, broken].map(async (feed) => {
            if (!(feed instanceof Object) || !('ending' in feed)) return 'over';
            const mine = feed as Feed;
            return await Promise.race([
              mine.ending().then(() => 'over'),
              until(mine, 1).then(
                () => 'on',
                () => 'over',
              ),
            ]);
          });
          expect((await Promise.all(ends)).filter((end) => end === 'over')).toHaveLength(1);
          const last = await one.feed(count);
          expect(await last.take(1)).toEqual([{ new_val: 1 }]);
          const feeds = [last, await other.feed(count)];
          await feeds[1]?.take(1);
          const append = vi.spyOn(DocumentLog.prototype, 'append').mockImplementationOnce(() => {
            throw new TypeError('a mistake');
          });
          await stage.writes.run(add(2));
          for (const feed of feeds) expectError(await failureOf(feed), error('INTERNAL', /./));
          append.mockRestore();
          expect(await (await other.feed(count)).take(1)).toEqual([{ new_val: 2 }]);
        }),
    );

    test('the feed goes on when the client that carries it goes: stopped, closed, twice in a row', () =>
      play(async ({ connect, proxy, user, writes, upstreamHas }) => {
        const ann = await user('ann');
        const clients = [await connect(ann), await connect(ann), await connect(ann), await connect(ann)];
        const feeds: Feed[] = [];
        for (const client of clients) {
          const feed = await client.feed(count);
          await feed.take(1);
          feeds.push(feed);
        }
        const last = feeds.at(-1) as Feed;
        let rows = 0;
        const seen = async (): Promise<void> => {
          rows++;
          await writes.run(add(rows));
          await until(last, rows);
          await upstreamHas('ann', 1);
        };
        await seen();
        await feeds[0]?.close();
        await seen();
        await clients[0]?.close();
        await seen();
        // While it is opened again on the next, that goes too.
        await Promise.all([clients[1]?.close(), clients[2]?.close()]);
        await seen();
        expect(proxy.clientCount).toBe(1);
        await last.close();
        await upstreamHas('ann', 0);
      }));

    test('a carrier that goes while it reads, or while others join, is followed by another', () =>
      play(async ({ connect, user, writes, upstreamHas }) => {
        const ann = await user('ann');
        await writes.run((r) =>
          r.table('t').insert(
            r.range(3000).map((id: Reql) => ({ id })),
            { durability: 'soft' },
          ),
        );
        for (let round = 0; round < 4; round++) {
          const clients = [await connect(ann), await connect(ann), await connect(ann)];
          const [one, two, three] = clients as [Connection, Connection, Connection];
          const carrier = one.feed(count).catch((raised: unknown) => raised);
          const joining = [two.feed(count), three.feed(count)];
          // At first, in the middle, and when all are there.
          if (round > 1) await carrier;
          if (round > 2) await Promise.all(joining);
          await one.close();
          const feeds = await Promise.all(joining);
          for (const feed of feeds) expect(await feed.take(1)).toEqual([{ new_val: 3000 + round }]);
          await writes.run(add(`more ${round}`));
          for (const feed of feeds)
            expect(await feed.take(1)).toEqual([{ old_val: 3000 + round, new_val: 3001 + round }]);
          await upstreamHas('ann', 1);
          await two.close();
          await three.close();
          await upstreamHas('ann', 0);
        }
      }));

    test('a feed that nobody follows lingers on its carrier, and who comes finds it', () =>
      play(
        async (stage) => {
          const ann = await stage.user('ann');
          const [one, other] = [await stage.connect(ann), await stage.connect(ann)];
          const first = await one.feed(count);
          await first.take(1);
          await first.close();
          await stage.writes.run(add(1));
          const second = await other.feed(count);
          expect(await second.take(1)).toEqual([{ new_val: 1 }]);
          expect(carried(stage)).toEqual(['shared', 'joined']);
          await stage.upstreamHas('ann', 1);
          await second.close();
          // Without its carrier there is nothing that could go on.
          await one.close();
          await stage.upstreamHas('ann', 0);
          const third = await other.feed(count);
          expect(await third.take(1)).toEqual([{ new_val: 1 }]);
        },
        { feeds: { plan, lingerMs: 60_000 } },
      ));

    test('who does not read is told the net change of what he missed, and holds nobody up', () =>
      play(async ({ connect, proxy, writes }) => {
        const table = `r.db('${DB}_${plan}').table('t').group('k').count()`;
        const stalled = await connectRaw(proxy.address);
        const quick = await connectRaw(proxy.address);
        const query = queryOfText(`${table}.changes({includeInitial: true, includeStates: true})`);
        const answers = [JSON.parse(await stalled.ask(query)), JSON.parse(await quick.ask(query))];
        for (const answer of answers) expect(answer).toMatchObject({ t: 3 });
        const other = await connect();
        const feed = await other.feed((r) => r.table('t').group('k').count().changes(), { changefeedQueueSize: 1 });
        for (let round = 1; round <= 50; round++) {
          await writes.run((r) => r.table('t').insert({ id: round, k: round % 2 }, { durability: 'soft' }));
          await feed.take(1);
        }
        const changes: unknown[] = [];
        // The rest of what was there when the feed opened comes first.
        while (!JSON.stringify(changes.at(-1) ?? '').includes('25'))
          changes.push(...JSON.parse(await stalled.more()).r);
        expect(changes.length).toBeLessThanOrEqual(60);
        stalled.close();
        quick.close();
      }));

    test('clients of old protocols: V0_4 joins its like, and feeds at most may be open', () =>
      play(
        async (stage) => {
          const text = queryOfText(`r.db('${DB}_${plan}').table('t').count().changes({includeInitial: true})`);
          const [one, other] = [await connectRaw(stage.proxy.address), await connectRaw(stage.proxy.address)];
          for (const client of [one, other, other]) {
            const answer = JSON.parse(await client.ask(text));
            expect([...answer.r, ...(answer.r.length === 0 ? JSON.parse(await client.more()).r : [])]).toEqual([
              { new_val: 0 },
            ]);
          }
          expect(carried(stage)).toEqual(['shared', 'joined', 'joined']);
          expect(JSON.parse(await other.ask(text))).toMatchObject({ t: 18, r: [expect.stringContaining('feeds')] });
          one.close();
          other.close();
        },
        { feeds: { plan }, proxy: { maxFeedsPerClient: 2 } },
      ));

    test('a shared state that the memory of the process has no room for ends with an error, for all who follow', () =>
      play(
        async ({ connect, writes }) => {
          const [one, other] = [await connect(), await connect()];
          const distinct = (r: Reql): Reql => r.table('t')('s').distinct().changes();
          const feeds = [await one.feed(distinct), await other.feed(distinct)];
          const beside = await other.feed(count);
          await writes.run((r) =>
            r.table('t').insert(Array.from({ length: 40 }, (_, id) => ({ id, s: `${id}`.padEnd(100_000, 'x') }))),
          );
          for (const feed of feeds) expectError(await failureOf(feed), error('RESOURCE_LIMIT', /memory/));
          await until(beside, 40);
        },
        { feeds: { plan }, proxy: { maxMemory: 1024 * 1024 } },
      ));

    test('a write that was acknowledged is in what is shown first, whoever carries the feed', () =>
      play(async ({ connect }) => {
        const [one, other] = [await connect(), await connect()];
        await (await one.feed(count)).take(1);
        for (let rows = 1; rows <= 20; rows++) {
          await other.run(add(rows));
          const joined = await other.feed(count);
          expect(await joined.take(1)).toEqual([{ new_val: rows }]);
        }
      }));
  });
}
