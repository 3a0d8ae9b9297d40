// Any live expression of the grammar, after any history of writes, shows at rest what the one-shot query gives, in both plans.
// LIVEFOLD_RUNS sets the number of expressions for each server.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { DriverError } from '../support/checks/driver-error.ts';
import { FeedState } from '../support/checks/feed-state.ts';
import { momentOf } from '../support/checks/moment.ts';
import { type Expression, expressions } from '../support/queries/expressions.ts';
import { anyHistory, writeQuery } from '../support/queries/histories.ts';
import type { Query } from '../support/reql.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 25);
const forced = liveServers.filter(({ plan }) => plan !== 'auto');

describe.each(forced)('$name', (server) => {
  describe.skipIf(!server.there)('any expression', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, `expression_${server.plan}`);
    });
    afterAll(() => stage.close());

    test('rests at what the query gives', async () => {
      await fc.assert(
        fc.asyncProperty(expressions, anyHistory, async (expression, { rows, writes }) => {
          await stage.seed({ t: rows });
          await follow(
            stage,
            expression,
            writes.map(({ table, write }) => writeQuery(table, write)),
          );
        }),
        { numRuns: RUNS },
      );
    }, 3_600_000);
  });
});

async function follow(stage: Stage, expression: Expression, writes: readonly Query[]): Promise<void> {
  const query = queryOf(expression.text);
  const feed = await opened(stage, query);
  if (feed === undefined) return;
  let now = await momentOf(stage.writes, query);
  // A feed may only fail where the query itself fails, now or after one of the writes.
  let mayFail = now.failed;
  for (const write of writes) {
    await stage.writes.run(write);
    now = await momentOf(stage.writes, query);
    mayFail ||= now.failed;
  }
  if (now.failed) await ended(feed, expression);
  else await rest(feed, expression, now.value, mayFail);
  await feed.close();
}

function queryOf(text: string): Query {
  return (r) => new Function('r', `return ${text}`)(r);
}

/** What is said of a query whose ties are decided by an order that its group does not keep. */
const LOST_ORDER = /^Cannot watch a query with `\w+` at this place: .* an order that is lost in it\./;

/**
 * The feed; `undefined` where the query fails at its opening as the one-shot query does, or is refused because of an order that
 * is lost.
 */
async function opened(stage: Stage, query: Query): Promise<Feed | undefined> {
  const before = await momentOf(stage.writes, query);
  try {
    return await stage.feeds.feed((r) => query(r).changes({ includeInitial: true }));
  } catch (error) {
    if (error instanceof DriverError && (before.failed || LOST_ORDER.test(error.text))) return undefined;
    throw error;
  }
}

/** A query that fails now has a feed that failed. */
async function ended(feed: Feed, { text }: Expression): Promise<void> {
  const ending = await feed.ending();
  if (ending.kind !== 'failed') throw new Error(`${text} goes on although the query fails`);
}

/** Reads documents until they add up to what the query gives, or, where the query failed in between, until the feed has. */
async function rest(feed: Feed, { text, shows }: Expression, value: unknown, mayFail: boolean): Promise<void> {
  const state = new FeedState(shows);
  const wanted = value === null && shows !== 'value' ? [] : value;
  while (!state.equals(wanted)) {
    try {
      const [document] = await feed.take(1);
      state.add(document);
    } catch (error) {
      if (mayFail && error instanceof DriverError && error.kind !== 'INTERNAL') return;
      throw new Error(`${text} rests at ${state}, the query gives ${JSON.stringify(value)}: ${String(error)}`);
    }
  }
}
