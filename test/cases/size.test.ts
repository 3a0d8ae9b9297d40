// Many rows, many groups, many values: figures stay right, and limits are errors.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FeedState } from '../support/checks/feed-state.ts';
import { error, expectError, raisedBy } from '../support/checks/matchers.ts';
import { rest } from '../support/checks/rest.ts';
import type { Query } from '../support/reql.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const ROWS = 6000;
const GROUPS = 300;
const VALUES = 2000;

interface Watched {
  readonly name: string;
  readonly query: Query;
  readonly shows: 'value' | 'groups' | 'rows';
}

const WATCHED: readonly Watched[] = [
  { name: 'count', query: (r) => r.table('t').count(), shows: 'value' },
  { name: 'sum', query: (r) => r.table('t').sum('n'), shows: 'value' },
  { name: 'avg', query: (r) => r.table('t').avg('n'), shows: 'value' },
  { name: 'max', query: (r) => r.table('t').max('n')('n'), shows: 'value' },
  { name: 'groups', query: (r) => r.table('t').group('k').count(), shows: 'groups' },
  { name: 'distinct', query: (r) => r.table('t')('n').distinct(), shows: 'rows' },
];

// CASES G10, rethinkdb/rethinkdb#3833; the server plan of what grows is for small states, and left out here.
for (const server of liveServers.filter(({ plan }) => plan !== 'server')) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, 'size');
      await stage.writes.run((r) =>
        r.table('t').insert(
          r
            .range(ROWS)
            .map((i) => ({ id: i, n: i.mod(VALUES), k: i.mod(GROUPS) }))
            .coerceTo('array'),
          { durability: 'soft' },
        ),
      );
    });
    afterAll(() => stage.close());

    test.each(WATCHED)('$name', async ({ query, shows }) => {
      const feed = await stage.feeds.feed((r) => query(r).changes({ includeInitial: true }));
      const state = new FeedState(shows);
      await rest(feed, state, await stage.writes.run(query));
      await stage.writes.run((r) => r.table('t').get(1).update({ n: 100_000, k: 'new' }));
      await rest(feed, state, await stage.writes.run(query));
      await stage.writes.run((r) => r.table('t').get(1).update({ n: 1, k: 1 }));
      await rest(feed, state, await stage.writes.run(query));
      await feed.close();
    });

    test('a list longer than an array may be is an error, never a part of it', async () => {
      const watch = stage.feeds.feed((r) => r.table('t').coerceTo('array').changes({ includeInitial: true }), {
        arrayLimit: 100,
      });
      const raised = await raisedBy(watch.then((feed) => feed.take(1)));
      expectError(raised, error('RESOURCE_LIMIT', /Array over size limit `100`/));
      expect(await stage.feeds.run((r) => r.expr(1))).toBe(1);
    });
  });
}
