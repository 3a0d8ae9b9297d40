// Rare events, told to the metrics directly.

import { expect, test } from 'vitest';
import type { ObservedFeed, ObservedSession, ObservedShare } from '../../proxy/observer/observer.ts';
import { Tally } from '../../proxy/observer/tally.ts';
import { tokenOf } from '../../proxy/wire/frame.ts';
import { resourceLimit } from '../../rewrite/reql/error.ts';
import { ProxyMetrics } from '../../src/admin/proxy-metrics.ts';
import { Roster } from '../../src/admin/roster.ts';
import { UpstreamWatch } from '../../src/admin/upstream-watch.ts';

const nothing = { maxMemory: 1000, heap: 0, state: 0, buffers: 0, rows: 0 };

/** A value of metrics after something was told to them. */
async function after(
  tell: (metrics: ProxyMetrics, tally: Tally) => void,
  name: string,
  labels: object,
): Promise<number> {
  const metrics = new ProxyMetrics([]);
  const tally = new Tally();
  tell(metrics, tally);
  const upstreams = new UpstreamWatch([], () => {});
  const roster = new Roster();
  roster.shareOpened(share);
  const objects = await metrics.objects({
    roster,
    tally,
    upstreams,
    memory: () => ({ ...nothing, heap: 500, state: 300, buffers: 70 }),
  });
  const values: readonly { value: number; labels: object }[] =
    objects.find((each) => each.name === `livefold_${name}`)?.values ?? [];
  return values.find((each) => JSON.stringify(each.labels) === JSON.stringify(labels))?.value ?? Number.NaN;
}

const session = {} as ObservedSession;
const feed = {} as ObservedFeed;
const share = { id: 1, size: 3, isHealing: true, frontierAgeMs: 1500, workMs: 250 } as ObservedShare;
const query = { connection: 1, token: tokenOf(1n), user: undefined, bytes: 10 };

type Told = (metrics: ProxyMetrics, tally: Tally) => void;
const cases: readonly (readonly [what: string, tell: Told, name: string, labels: object, value: number])[] = [
  ['too many clients', (to) => to.clientRefused(), 'handshakes_total', { outcome: 'full' }, 1],
  ['no header', (to) => to.headerRefused('1.2.3.4', 'x', false), 'handshakes_total', { outcome: 'header' }, 1],
  ['TLS that fails', (to) => to.tlsFailed('1.2.3.4', 'x', false), 'handshakes_total', { outcome: 'tls' }, 1],
  ['TLS that is left', (to) => to.tlsFailed('1.2.3.4', 'x', true), 'handshakes_total', { outcome: 'tls' }, 0],
  [
    'a client that goes in its handshake',
    (to) => to.sessionClosed(session, { by: 'client', reason: 'x', hasSpoken: true }),
    'handshakes_total',
    { outcome: 'left' },
    1,
  ],
  [
    'a client that only looks',
    (to) => to.sessionClosed(session, { by: 'client', reason: 'x', hasSpoken: false }),
    'handshakes_total',
    { outcome: 'left' },
    0,
  ],
  ['a mistake in a session', (to) => to.sessionFailed(), 'mistakes_total', {}, 1],
  ['a mistake in a feed', (to) => to.feedFailed(), 'mistakes_total', {}, 1],
  [
    'a query too long',
    (to) => to.queryDropped({ ...query, limit: 5 }),
    'feeds_refused_total',
    { reason: 'too_long' },
    1,
  ],
  [
    'a query without room',
    (to) => to.queryDropped({ ...query, limit: undefined }),
    'feeds_refused_total',
    { reason: 'memory' },
    1,
  ],
  [
    'a feed over a limit',
    (to) => to.feedEnded(feed, { kind: 'failed', error: resourceLimit('x') }),
    'feeds_ended_total',
    { reason: 'RESOURCE_LIMIT' },
    1,
  ],
  [
    'a feed when the proxy stops',
    (to) => to.feedEnded(feed, { kind: 'aborted', reason: 'stopping' }),
    'feeds_ended_total',
    { reason: 'stopping' },
    1,
  ],
  [
    'a feed whose upstream has gone',
    (to) => to.feedEnded(feed, { kind: 'closed', by: 'upstream', reason: 'x' }),
    'feeds_ended_total',
    { reason: 'upstream_lost' },
    1,
  ],
  [
    'a feed whose client somebody has ended',
    (to) => to.feedEnded(feed, { kind: 'closed', by: 'proxy', reason: 'x' }),
    'feeds_ended_total',
    { reason: 'closed' },
    1,
  ],
  ['a healing in vain', (to) => to.healingFailed(share, 'cluster'), 'healings_failed_total', { cause: 'cluster' }, 1],
  ['memory that is short', (to) => to.memoryShort(), 'memory_short_total', {}, 1],
  [
    'changes that a client is too slow for',
    (_, tally) => {
      tally.netChanges += 7;
    },
    'net_changes_total',
    {},
    7,
  ],
  ['what is held in the heap', () => {}, 'memory_used_ratio', {}, 0.5],
  ['what is being read again', () => {}, 'feeds_healing', {}, 1],
  ['what is behind', () => {}, 'frontier_age_seconds', {}, 1.5],
  ['what is worked', () => {}, 'feed_work_seconds_total', {}, 0.25],
  ['who follows', () => {}, 'subscribers', {}, 3],
  ['what waits', () => {}, 'waiting_bytes', {}, 200],
  ['what is held in buffers', () => {}, 'buffer_bytes', {}, 70],
];

test.each(cases)('%s', async (_what, tell, name, labels, value) => {
  expect(await after(tell, name, labels)).toBe(value);
});
