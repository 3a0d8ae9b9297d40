// Plays cases on a stage: opens the feed through the server under test, writes to the database, and compares.

import { expect } from 'vitest';
import type { Documents, FeedCase, RunCase } from '../../cases/case.ts';
import type { Query } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';
import type { Feed } from '../servers/fetch.ts';
import type { Stage } from '../servers/stage.ts';
import { FeedState } from './feed-state.ts';
import { Bag, ExpectedError, expectDocuments, expectError, raisedBy } from './matchers.ts';
import { rest } from './rest.ts';
import { valueNow } from './value-now.ts';

/** Plays a feed. `live`: aggregates are live on this server; elsewhere the server's own refusal is expected. */
export async function playFeed(stage: Stage, told: FeedCase, live: boolean): Promise<void> {
  await stage.seed(told.seed ?? {});
  const open = (): Promise<Feed> => stage.feeds.feed(feedOf(told), told.options);
  const refusal = live ? told.refused : told.without;
  if (refusal !== undefined) {
    expectError(await raisedBy(open()), refusal);
    return;
  }
  const feed = await open();
  try {
    await follow(feed, stage.feeds, stage.writes, told);
  } finally {
    await feed.close();
  }
}

/** Plays a query that ends. */
export async function playRun(stage: Stage, told: RunCase): Promise<void> {
  await stage.seed(told.seed ?? {});
  const result = stage.feeds.run(told.run, told.options);
  if (told.expect instanceof ExpectedError) expectError(await raisedBy(result), told.expect);
  else if (told.expect instanceof Bag) expectDocuments(arrayOf(await result), told.expect);
  else expect(await result).toStrictEqual(told.expect);
}

/** The query with its `changes`. */
export function feedOf({ query, changes = { includeInitial: true }, after = (feed) => feed }: FeedCase): Query {
  return (r) => after(query(r).changes(changes), r);
}

/** Queries that are asked behind a feed, on its own connection, before it is looked for surplus documents. */
const BARRIERS = [1, 2, 3];

async function follow(feed: Feed, feeds: Connection, writes: Connection, told: FeedCase): Promise<void> {
  const state = new FeedState(told.shows ?? 'value');
  const compared = told.after === undefined;
  const oracle = (): Promise<unknown> => valueNow(writes, told.query, told.options);
  const show = async (expected: Documents): Promise<void> => {
    if (expected === 'law') {
      const now = await oracle();
      await rest(feed, state, now);
      return;
    }
    const documents = await feed.take(expected instanceof Bag ? expected.documents.length : expected.length);
    expectDocuments(documents, expected);
    if (compared) for (const document of documents) state.add(document);
  };
  await show(told.initial ?? []);
  for (const { write, expect: expected } of told.steps ?? []) {
    await writes.run(write);
    await show(expected);
  }
  if (told.ends !== undefined) {
    const ending = await feed.ending();
    if (told.ends === 'done') expect(ending).toStrictEqual({ kind: 'ended' });
    else expectError(ending.kind === 'failed' ? ending.error : undefined, told.ends);
  } else if (compared && told.steps?.at(-1) !== undefined) {
    const now = await oracle();
    if (!state.equals(now)) throw new Error(`the feed shows ${state}, the query gives ${JSON.stringify(now)}`);
  }
  // A document too many would have been sent before the answers to queries on the same connection.
  for (const again of BARRIERS) await feeds.run((r) => r.expr(again));
  expect(feed.waiting).toStrictEqual([]);
}

function arrayOf(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new Error(`not an array: ${JSON.stringify(result)}`);
  return result;
}
