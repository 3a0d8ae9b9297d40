// The detail of a feed on the admin server: what `livefold explain` says of its query, whoever carries it now, and what it costs; and
// the lists add up to the totals.

import { expect, test } from 'vitest';
import type { OpenFeedSettings } from '../../proxy/feed/opening/open-feed-settings.ts';
import { MOST_ELEMENTS } from '../../rewrite/plan/server/outgrown.ts';
import { feedCosts } from '../../src/admin/feed-cost.ts';
import type { FeedDetail, FeedStatus, Status } from '../../src/admin/status.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { ran } from '../support/checks/ran.ts';
import { feedStatus } from '../support/queries/status.ts';
import { onWatched, scrape, type Watched } from '../support/servers/watched.ts';

async function asked<Answer>({ admin }: Watched, path: string): Promise<Answer> {
  return JSON.parse(await (await fetch(`http://${admin.host}:${admin.port}${path}`)).text());
}

/** Opens a live query; resolves when its first documents are there. */
function open(client: Client, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.watch(queryOfText(text), () => resolve()).catch(reject);
  });
}

const DEADLINE_MS = 20_000;
const INITIAL = '{includeInitial: true}';
const QUERIES = {
  shared: `r.table('t').group('k').sum('n').changes(${INITIAL})`,
  joined: `r.table('t').eqJoin('k', r.table('u')).zip().orderBy('n').limit(3).changes(${INITIAL})`,
  lookedUp: `r.table('t').map(x => r.table('u').get(x('k'))('m').default(0)).sum().changes(${INITIAL})`,
  indexed: `r.table('t').getAll('a', {index: 'k'}).max('n').changes(${INITIAL})`,
  alone: `r.table('t').sum('n').changes({includeInitial: true, shared: false})`,
  upstream: `r.table('t').changes(${INITIAL}).union(r.table('t').count().changes(${INITIAL}))`,
  merged: `r.table('t').changes({includeInitial: true, format: 'merge'})`,
};

async function onFilled(
  play: (watched: Watched, client: Client) => Promise<void>,
  feeds: Partial<OpenFeedSettings> = {},
): Promise<void> {
  await onWatched(
    undefined,
    async (watched) => {
      const client = await Client.connect(watched.proxy);
      const run = (text: string): Promise<unknown> => client.run(queryOfText(text));
      await run("r.tableCreate('t')");
      await run("r.tableCreate('u')");
      await run("r.table('t').indexCreate('k')");
      await run("r.table('t').indexWait()");
      await run("r.table('t').insert([{id: 1, k: 'a', n: 1}, {id: 2, k: 'b', n: 2}])");
      await run("r.table('u').insert([{id: 'a', m: 1}, {id: 'b', m: 2}])");
      await play(watched, client);
    },
    { proxy: { logQueries: true }, feeds },
  );
}

test('it is what explain says, with what the proxy knows of indexes and of why a feed is alone', async () => {
  await onFilled(async (watched, client) => {
    for (const text of Object.values(QUERIES)) await open(client, text);
    const { feeds } = await asked<Status>(watched, '/api/status');
    expect(feeds).toHaveLength(Object.keys(QUERIES).length);
    const detailOf = async (part: string): Promise<readonly string[]> => {
      const feed = feeds.find(({ query }) => query.includes(part));
      return (await asked<FeedDetail>(watched, `/api/feeds/${feed?.id}`)).explanation;
    };
    for (const [part, text] of [
      ["group('k')", QUERIES.shared],
      ['eqJoin', QUERIES.joined],
      ['default(0)', QUERIES.lookedUp],
      ['shared: false', QUERIES.alone],
    ] as const) {
      const { printed } = await ran(['explain', text]);
      expect(await detailOf(part), text).toEqual(printed);
    }
    // Nobody had to be told what the index holds.
    const { printed } = await ran(['explain', QUERIES.indexed, '--index', 't.k=k']);
    expect(await detailOf('getAll')).toEqual(printed);
    expect((await detailOf('union')).find((line) => line.startsWith('Not shared'))).toBe(
      'Not shared: RethinkDB runs the terms after `changes`.',
    );
    expect((await detailOf("format: 'merge'"))[0]).toMatch(/^RethinkDB watches it by itself, and .* as merges/);
    client.close();
  });
});

test('who opened it may have gone: it is still said, and the followers are counted with it', async () => {
  await onFilled(async (watched, client) => {
    const first = await Client.connect(watched.proxy);
    await open(first, QUERIES.shared);
    const second = await Client.connect(watched.proxy);
    await open(second, QUERIES.shared);
    first.close();
    await expect
      .poll(async () => (await asked<Status>(watched, '/api/status')).feeds.map(({ subscribers }) => subscribers))
      .toEqual([1]);
    const { feeds } = await asked<Status>(watched, '/api/status');
    const { explanation } = await asked<FeedDetail>(watched, `/api/feeds/${feeds[0]?.id}`);
    expect(explanation[1]).toMatch(/^Plan: proxy, since /);
    for (const each of [second, client]) each.close();
  });
});

/** Its state in a fold is the bag of all elements. */
const GROWING = `r.table('t').max('n').changes(${INITIAL})`;

test('a feed that outgrows the server plan has the other one from then on, and so has who joins it', async () => {
  await onFilled(
    async (watched, client) => {
      const insert = (from: number, to: number): Promise<unknown> =>
        client.run(queryOfText(`r.table('t').insert(r.range(${from}, ${to}).map(id => ({id, k: 'a', n: 1})))`));
      await insert(3, MOST_ELEMENTS);
      await open(client, GROWING);
      const byPlan = async (): Promise<readonly unknown[]> => {
        const [values, { feeds }] = await Promise.all([scrape(watched.admin), asked<Status>(watched, '/api/status')]);
        const counts = ['server', 'proxy'].map((plan) => values.get(`livefold_feeds{plan="${plan}"}`));
        return [feeds.map(({ plan }) => plan), ...counts];
      };
      expect(await byPlan()).toEqual([['server'], 1, 0]);
      await insert(MOST_ELEMENTS, MOST_ELEMENTS + 10);
      await expect.poll(byPlan, { timeout: DEADLINE_MS }).toEqual([['proxy'], 0, 1]);
      const second = await Client.connect(watched.proxy);
      await open(second, GROWING);
      await expect.poll(byPlan, { timeout: DEADLINE_MS }).toEqual([['proxy'], 0, 2]);
      const opened = await scrape(watched.admin);
      expect(opened.get('livefold_feeds_opened_total{plan="server",carried="shared"}')).toBe(1);
      expect(opened.get('livefold_feeds_opened_total{plan="proxy",carried="joined"}')).toBe(1);
      for (const each of [second, client]) each.close();
      await expect.poll(byPlan, { timeout: DEADLINE_MS }).toEqual([[], 0, 0]);
    },
    { plan: 'server' },
  );
});

test('what is kept, row by row, is what is kept in all; what is worked too, but for feeds that are gone', async () => {
  await onFilled(async (watched, client) => {
    const clients = [client, await Client.connect(watched.proxy), await Client.connect(watched.proxy)];
    for (const each of clients) for (const text of Object.values(QUERIES)) await open(each, text);
    const sum = (feeds: readonly FeedStatus[], of: (feed: FeedStatus) => number): number =>
      feeds.reduce((all, feed) => all + of(feed), 0);
    const { feeds, totals } = await asked<Status>(watched, '/api/status');
    expect(sum(feeds, ({ stateBytes }) => stateBytes)).toBe(totals.stateBytes);
    expect(sum(feeds, ({ stateRows }) => stateRows)).toBe(totals.stateRows);
    expect(sum(feeds, ({ workSeconds }) => workSeconds)).toBeCloseTo(totals.workSeconds, 4);
    expect(sum(feeds, ({ load }) => load)).toBeCloseTo(totals.load, 3);
    for (const { workSeconds, load, query } of feeds) {
      expect(workSeconds, query).toBeGreaterThan(0);
      // It is taken over ten seconds.
      expect(load, query).toBeLessThanOrEqual(workSeconds / 10 + 0.0001);
    }
    for (const each of clients.slice(1)) each.close();
    await expect.poll(async () => (await asked<Status>(watched, '/api/status')).totals.clients).toBe(1);
    const after = await asked<Status>(watched, '/api/status');
    expect(after.totals.workSeconds).toBeGreaterThanOrEqual(totals.workSeconds);
    client.close();
  });
});

const DOCUMENTS = 100;

test('what a client does not ask for waits with that client, in each list', async () => {
  await onFilled(async (watched, client) => {
    const [slow, quick] = [await Client.connect(watched.proxy), await Client.connect(watched.proxy)];
    const never = new Promise<void>(() => {});
    const opened = new Promise<void>((resolve) => {
      const { ended } = slow.open(queryOfText(QUERIES.shared), () => {
        resolve();
        return never;
      });
      ended.catch(() => {});
    });
    await opened;
    await open(quick, QUERIES.shared);
    const waiting = async (): Promise<number[]> => {
      const { clients } = await asked<Status>(watched, '/api/status');
      return clients.map(({ waitingBytes }) => waitingBytes);
    };
    expect(await waiting()).toEqual([0, 0, 0]);
    for (let n = 0; n < DOCUMENTS; n++) await client.run(queryOfText(`r.table('t').get(1).update({n: ${n + 100}})`));
    await expect.poll(async () => (await waiting())[0]).toBeGreaterThan(DOCUMENTS * 90);
    const [, ...others] = await waiting();
    expect(Math.max(...others)).toBeLessThan(1000);
    const { feeds, clients } = await asked<Status>(watched, '/api/status');
    const { subscribers } = await asked<FeedDetail>(watched, `/api/feeds/${feeds[0]?.id}`);
    expect(subscribers.map((one) => [one.client === clients[0]?.id, one.waitingBytes > DOCUMENTS * 90])).toEqual(
      expect.arrayContaining([
        [true, true],
        [false, false],
      ]),
    );
    expect(subscribers).toHaveLength(2);
    for (const each of [slow, quick, client]) each.close();
  });
});

test('the dearest is the one with most of the memory and of the work together', () => {
  const idle = feedStatus({ id: 'idle', stateBytes: 10 });
  const large = feedStatus({ id: 'large', stateBytes: 900, workSeconds: 0.1 });
  const busy = feedStatus({ id: 'busy', stateBytes: 90, workSeconds: 9.9 });
  const followed = feedStatus({ id: 'followed', stateBytes: 10, subscribers: 5 });
  const costOf = feedCosts([idle, large, busy, followed]);
  const sorted = [idle, followed, large, busy].sort((a, b) => costOf(b) - costOf(a)).map(({ id }) => id);
  expect(sorted).toEqual(['busy', 'large', 'followed', 'idle']);
  expect(feedCosts([])(idle)).toBeLessThan(1e-6);
});
