// Code that compiles with the library, and code that does not. test/package/types.test.ts compiles it against the package as it is installed.

import { createEmbeddedServer, type EmbeddedServer, explain, startProxy } from 'livefold';
import { applyMerge, composeMerges, type Merge, mergeBetween } from 'livefold/merge';
import { type Address, createOpenFeed, DEFAULT_LIMITS, type RunningProxy, silent } from 'livefold/proxy';
import { defineAggregate, type Explanation, ReqlError, type Rewritten, rewrite } from 'livefold/rewrite';

/** Both halves of the library. */
export async function all(): Promise<readonly [Address, string]> {
  const database: EmbeddedServer = await createEmbeddedServer();
  const proxy: RunningProxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [database.address],
    openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now }),
    log: silent,
  });
  const rewritten: Rewritten = rewrite('[1,[152,[[43,[[15,["orders"]]]]]]]', {
    indexes: ({ index = 'id' }) => ({ fields: [index], compound: false, multi: false, primaryKey: 'id' }),
    aggregates: [defineAggregate({ name: 'n', base: 0, apply: (t, acc) => t.add(acc, 1) })],
  });
  if (rewritten.kind === 'refused') throw rewritten.error;
  const explanation: Explanation = explain('[1,[152,[[43,[[15,["orders"]]]]]]]');
  return [proxy.address, explanation.kind === 'rewritten' ? explanation.query : ''];
}

/** A value as it is after a change and another. */
export function moved(old: { readonly a: number } | undefined, body: Merge): { readonly a: number } | undefined {
  return applyMerge(old, composeMerges(body, mergeBetween(old, { a: 1 })));
}

/** What is in an error. */
export function messageOf(error: unknown): string {
  return error instanceof ReqlError ? error.message : '';
}

/** What does not compile. */
export const wrong = [
  // @ts-expect-error
  rewrite(5),
  // @ts-expect-error
  explain('[1]', 'best'),
  // @ts-expect-error
  defineAggregate({ name: 'n' }),
  // @ts-expect-error
  startProxy({}),
];
