// Feeds that are taken up by `since`: from a value, also by another process; what cannot be taken up, and what is said then.

import { describe, expect, test } from 'vitest';
import { rewrite } from '../../rewrite/rewrite.ts';
import { driverError } from '../support/checks/driver-error.ts';
import { eventually } from '../support/checks/eventually.ts';
import type { Reql } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { SeenShares } from '../support/servers/seen-shares.ts';
import { bases } from '../support/servers/servers.ts';
import { onSharingStage } from '../support/sharing.ts';

const DB = 'sincecases';
const PLANS = ['server', 'proxy'] as const;

interface Told {
  readonly rev: string;
  readonly group?: unknown;
  readonly new_val?: unknown;
}

async function take(feed: Feed, count: number): Promise<readonly Told[]> {
  return (await feed.take(count)) as readonly Told[];
}

/** What opening a query says where it is refused. */
async function said(client: Connection, query: (r: Reql) => Reql): Promise<string> {
  return client.feed(query).then(
    () => 'it is opened',
    (error: unknown) => driverError(error).text,
  );
}

const count = (r: Reql, options: object): Reql =>
  r
    .table('t')
    .count()
    .changes(options as never);
const groups = (r: Reql, options: object): Reql =>
  r
    .table('t')
    .group('k')
    .count()
    .changes(options as never);

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    test('one value is taken up anywhere: its revision holds it', async () => {
      const revs: string[] = [];
      for (const writes of [3, 2, 0]) {
        await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes: base, connect }) => {
          await base.run((r) => r.table('t').insert(Array.from({ length: writes }, (_, id) => ({ id }))));
          const since = revs.at(-1);
          const asked = since === undefined ? { includeInitial: true } : { since, includeInitial: true };
          const feed = await (await connect()).feed((r) =>
            count(r, { ...asked, includeRevs: true, includeStates: true }),
          );
          const documents = (await feed.takeUntil('ready', isReady)) as readonly Told[];
          const [told] = documents.filter((document) => 'new_val' in document);
          const before = { 3: {}, 2: { old_val: 3 }, 0: { old_val: 2 } }[writes];
          expect(told).toEqual({ new_val: writes, ...before, rev: expect.any(String) });
          expect(documents.every(({ rev }, at) => at === 0 || rev > (documents[at - 1]?.rev ?? ''))).toBe(true);
          revs.push(documents.at(-1)?.rev ?? '');
        });
      }
      expect(revs.every((rev, at) => at === 0 || rev > (revs[at - 1] ?? ''))).toBe(true);
    });

    test('a history that is not kept, and texts that are none of its revisions', async () => {
      await onSharingStage(under, DB, { feeds: { plan, historyDocuments: 2 } }, async ({ writes, connect, user }) => {
        await writes.run((r) => r.tableCreate('u'));
        const [ann, client, keeper] = [await connect(await user('ann')), await connect(), await connect()];
        await keeper.feed((r) => groups(r, {}));
        const feed = await client.feed((r) =>
          groups(r, { includeRevs: true, includeStates: true, includeInitial: true }),
        );
        const opening = (await feed.takeUntil('ready', isReady)) as readonly Told[];
        const revs: string[] = opening.map(({ rev }) => rev);
        for (let id = 1; id <= 4; id++) {
          await writes.run((r) => r.table('t').insert({ id, k: 'a' }));
          revs.push(...(await take(feed, 1)).map(({ rev }) => rev));
        }
        const taken = await client.feed((r) => groups(r, { since: revs.at(-3) ?? '', format: 'merge' }));
        expect(await taken.take(1)).toEqual([{ group: 'a', body: 4, reverse: 2 }]);
        const gone = 'Cannot take the feed up from `since`';
        const other = 'is of another query, or of another user';
        const since = revs.at(-1) ?? '';
        expect(await said(client, (r) => groups(r, { since: revs.at(-4) ?? '' }))).toContain(gone);
        // Before all that was there at first has been told.
        expect(await said(client, (r) => groups(r, { since: revs[0] ?? '' }))).toContain(gone);
        expect(await said(client, (r) => count(r, { since }))).toContain(other);
        expect(await said(client, (r) => r.table('u').group('k').count().changes({ since }))).toContain(other);
        expect(await said(ann, (r) => groups(r, { since }))).toContain(other);
        for (const text of ['', 'x', since.slice(0, -3), `${since}.`, since.slice(0, 18)]) {
          expect(await said(client, (r) => groups(r, { since: text }))).toContain('is no `rev` of a document');
        }
        expect(await said(client, (r) => groups(r, { since: 5 }))).toContain('Expected type STRING but found NUMBER.');
        expect(await said(client, (r) => groups(r, { since, shared: false }))).toContain(gone);
        const own = 'no history is kept of its own feeds';
        expect(await said(client, (r) => r.table('t').changes({ since }))).toContain(own);
        expect(
          await said(client, (r) => r.table('t').filter({ k: 'a' }).changes({ since, format: 'merge' })),
        ).toContain(own);
        // A table of the same name is another one.
        await feed.close();
        await writes.run((r) => r.tableDrop('t'));
        await writes.run((r) => r.tableCreate('t'));
        expect(await said(client, (r) => groups(r, { since }))).toContain(gone);
      });
    });

    test('what changes often is kept as one change, but for where a client stopped', async () => {
      await onSharingStage(under, DB, { feeds: { plan, historyDocuments: 64 } }, async ({ writes, connect }) => {
        const sums = (r: Reql, options: object): Reql =>
          r
            .table('t')
            .group('k')
            .sum('n')
            .changes({ ...options } as never);
        await writes.run((r) => r.table('t').insert(['a', 'b'].map((k, id) => ({ id, k, n: 0 }))));
        const client = await connect();
        const keeper = await client.feed((r) => sums(r, { includeRevs: true }));
        const feed = await client.feed((r) => sums(r, { includeRevs: true, format: 'merge' }));
        await writes.run((r) => r.table('t').get(0).update({ n: 1 }));
        const [stopped] = await take(feed, 1);
        await feed.close();
        const revs: string[] = [];
        for (let n = 2; n <= 100; n++) {
          await writes.run((r) =>
            r
              .table('t')
              .get(n % 2)
              .update({ n }),
          );
          const at = revs.length;
          while (revs.length === at) revs.push(...(await take(keeper, 1)).map(({ rev }) => rev));
        }
        const since = stopped?.rev ?? '';
        const taken = await client.feed((r) => sums(r, { since, format: 'merge' }));
        expect(await taken.take(2)).toEqual([
          { group: 'b', body: 99, reverse: 0 },
          { group: 'a', body: 100, reverse: 1 },
        ]);
        const changes = await client.feed((r) => sums(r, { since }));
        expect(await changes.take(2)).toEqual([
          { group: 'b', new_val: 99, old_val: 0 },
          { group: 'a', new_val: 100, old_val: 1 },
        ]);
        // Nobody stopped there.
        expect(await said(client, (r) => sums(r, { since: revs[20] ?? '' }))).toContain('Cannot take the feed up');
      });
    });

    test('a client that is gone as soon as it has been told anything comes back to it', async () => {
      await onSharingStage(under, DB, { feeds: { plan, lingerMs: 60_000 } }, async ({ writes, connect }) => {
        await writes.run((r) => r.table('t').insert(['a', 'b'].map((k, id) => ({ id, k }))));
        for (let round = 0; round < 8; round++) {
          // Each time it is another query, so that nobody has opened it before.
          const counts = (r: Reql, options: object): Reql =>
            r
              .table('t')
              .group((row: Reql) => row('k').add(String(round)))
              .count()
              .changes(options as never);
          const brief = await connect();
          const opened = round % 2 === 0 ? { includeInitial: true } : { includeStates: true };
          const feed = await brief.feed((r) => counts(r, { ...opened, includeRevs: true }));
          const since = (await take(feed, round % 2 === 0 ? 2 : 1)).at(-1)?.rev ?? '';
          await brief.close();
          await writes.run((r) => r.table('t').insert({ id: 10 + round, k: 'a' }));
          const taken = await (await connect()).feed((r) => counts(r, { since, format: 'merge' }));
          expect(await taken.take(1)).toEqual([{ group: `a${round}`, body: 2 + round, reverse: 1 + round }]);
        }
      });
    });

    test('a client that was alone is told what it missed when its connection has gone', async () => {
      const shares = new SeenShares();
      const settings = { feeds: { plan, lingerMs: 60_000 }, proxy: { observers: [shares] } };
      await onSharingStage(under, DB, settings, async ({ writes, connect }) => {
        await writes.run((r) => r.table('t').insert(['a', 'b', 'c'].map((k, id) => ({ id, k }))));
        const alone = await connect();
        const feed = await alone.feed((r) => groups(r, { includeRevs: true, includeInitial: true }));
        const since = (await take(feed, 3)).at(-1)?.rev ?? '';
        await alone.close();
        await writes.run((r) => r.expr([r.table('t').get(0).delete(), r.table('t').insert({ id: 3, k: 'b' })]));
        // A client that comes and goes before all is read leaves it as it was.
        const brief = await connect();
        const asked = brief.feed((r) => groups(r, { since })).catch((error: unknown) => error);
        await brief.close();
        await asked;
        await eventually('nobody is behind in what nobody follows', () =>
          shares.all.every(({ size, frontierAgeMs }) => size === 0 && frontierAgeMs === 0),
        );
        const again = await connect();
        const taken = await again.feed((r) => groups(r, { since, includeRevs: true, format: 'merge' }));
        const told = await take(taken, 2);
        expect(told).toEqual(
          expect.arrayContaining([
            { group: 'a', body: { _delete: true }, reverse: 1, rev: expect.any(String) },
            { group: 'b', body: 2, reverse: 1, rev: expect.any(String) },
          ]),
        );
        // It goes on, and is one feed still: who comes beside it is told the same.
        await writes.run((r) => r.table('t').insert({ id: 4, k: 'd' }));
        expect(await take(taken, 1)).toEqual([
          { group: 'd', body: 1, reverse: { _delete: true }, rev: expect.any(String) },
        ]);
        const beside = await (await connect()).feed((r) => groups(r, { since: told.at(-1)?.rev ?? '' }));
        expect(await beside.take(1)).toEqual([{ group: 'd', new_val: 1, old_val: null }]);
        expect(shares.all.length).toBe(1);
      });
    });

    test('a history is kept from the first client on that asks for revisions', async () => {
      const shares = new SeenShares();
      const settings = { feeds: { plan }, proxy: { observers: [shares] } };
      await onSharingStage(under, DB, settings, async ({ writes, connect }) => {
        await writes.run((r) => r.table('t').insert({ id: 1, k: 'a', n: 0 }));
        const client = await connect();
        const sums = (r: Reql, options: object): Reql =>
          r
            .table('t')
            .group('k')
            .sum('n')
            .changes({ ...options } as never);
        const keptAfter = async (feed: Feed): Promise<number> => {
          for (let n = 1; n <= 20; n++) {
            await writes.run((r) => r.table('t').get(1).update({ n }));
            await feed.take(1);
          }
          await writes.run((r) => r.table('t').get(1).update({ n: 0 }));
          await feed.take(1);
          return shares.all.reduce((sum, { stateBytes }) => sum + stateBytes, 0);
        };
        const plain = await client.feed((r) => sums(r, { format: 'merge' }));
        const before = await keptAfter(plain);
        expect(await keptAfter(plain)).toBe(before);
        const revs = await client.feed((r) => sums(r, { includeRevs: true }));
        expect(await keptAfter(plain)).toBeGreaterThan(before + 21 * 100);
        await revs.close();
      });
    });

    test('the state of a value that is not shown is in its revisions all the same', async () => {
      const revs: string[] = [];
      for (const rows of [2, 3]) {
        await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes, connect }) => {
          await writes.run((r) => r.table('t').insert(Array.from({ length: rows }, (_, id) => ({ id }))));
          const client = await connect();
          const since = revs.at(-1);
          const asked = since === undefined ? {} : { since };
          const feed = await client.feed((r) => count(r, { ...asked, includeRevs: true, includeStates: true }));
          const documents = (await feed.takeUntil('ready', isReady)) as readonly Told[];
          const first = since === undefined ? [] : [{ new_val: 3, old_val: 2, rev: expect.any(String) }];
          expect(documents).toEqual([...first, { state: 'ready', rev: expect.any(String) }]);
          revs.push(documents.at(-1)?.rev ?? '');
        });
      }
    });

    test('documents of old and new values carry revisions too, and terms after `changes` see them', async () => {
      await onSharingStage(under, DB, { feeds: { plan } }, async ({ writes, connect }) => {
        const client = await connect();
        const rows = await client.feed((r) => r.table('t')('k').distinct().changes({ includeRevs: true }));
        const revs = await client.feed((r) => count(r, { includeRevs: true }).map((document: Reql) => document('rev')));
        await writes.run((r) => r.table('t').insert({ id: 1, k: 'a' }));
        expect(await rows.take(1)).toEqual([{ new_val: 'a', old_val: null, rev: expect.any(String) }]);
        const [rev] = await revs.take(1);
        await writes.run((r) => r.table('t').insert({ id: 2, k: 'a' }));
        const taken = await client.feed((r) => count(r, { since: rev as string, includeTypes: true }));
        expect(await taken.take(1)).toEqual([{ new_val: 2, old_val: 1, type: 'change' }]);
      });
    });
  });
}

test('the library keeps no history', () => {
  const refused = rewrite('[1,[152,[[43,[[15,["t"]]]]],{"include_revs":true}]]');
  expect(refused).toMatchObject({
    kind: 'refused',
    error: { message: expect.stringContaining('the proxy keeps the history') },
  });
});

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}
