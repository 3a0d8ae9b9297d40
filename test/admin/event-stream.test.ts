// The stream of events, put together by the page's own code, is the status.

import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { EVERY_MS, EventStreams } from '../../src/admin/event-streams.ts';
import { applyChanges } from '../../src/admin/page/store.js';
import type { Status } from '../../src/admin/status.ts';
import { changesBetween } from '../../src/admin/status-changes.ts';
import { clientStatus, feedStatus, statusOf } from '../support/queries/status.ts';

const few = fc.integer({ min: 0, max: 2 });
const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4 }), few), { selector: ([id]) => id, maxLength: 5 });

/** Small statuses, so that the same rows often are in two of them. */
const statuses: fc.Arbitrary<Status> = fc.record({ feeds: rows, clients: rows, documents: few, up: fc.boolean() }).map(
  ({ feeds, clients, documents, up }): Status =>
    statusOf({
      readiness: up ? { ready: true } : { ready: false, reason: 'no upstream server answers' },
      totals: { ...statusOf().totals, documents },
      clients: clients.map(([id, feeds]) => clientStatus({ id: String(id), feeds, ageSeconds: id * feeds })),
      feeds: feeds.map(([id, stateRows]) => feedStatus({ id: String(id), stateRows, ageSeconds: 7 * stateRows })),
      upstreams: [{ address: 'u:1', isUp: up, version: null, problem: null, failures: 0, since: null, clients: 0 }],
    }),
);

/** Lists in the order of their ids: the stream tells rows, not their order. */
function inOrder(status: Status): Status {
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  return { ...status, clients: [...status.clients].sort(byId), feeds: [...status.feeds].sort(byId) };
}

test('a status to which changes are applied is the next one', () => {
  fc.assert(
    fc.property(statuses, statuses, (old, now) => {
      const applied = applyChanges(old, JSON.parse(JSON.stringify(changesBetween(old, now))));
      expect(inOrder(applied)).toEqual(inOrder(now));
    }),
  );
});

test('of what is as it was only the moment is told; ages are no change', () => {
  fc.assert(
    fc.property(statuses, (status) => {
      const older = {
        ...status,
        at: '2026-11-02T00:00:00.000Z',
        feeds: status.feeds.map((each) => ({ ...each, ageSeconds: 99 })),
      };
      expect(changesBetween(status, older)).toEqual({ at: older.at });
    }),
  );
});

/** A sink that keeps events. */
function sinkOf(waiting: { bytes: number }) {
  const written: string[] = [];
  return {
    sink: {
      get writableLength() {
        return waiting.bytes;
      },
      write: (text: string) => written.push(text),
      end: () => written.push('end'),
    },
    names: () => written.flatMap((text) => /^event: (\w+)/.exec(text)?.[1] ?? (text === 'end' ? ['end'] : [])),
  };
}

test('a stream begins with a whole status, one that is too slow begins anew, and nothing is read for nobody', async () => {
  vi.useFakeTimers();
  const [status] = fc.sample(statuses, 1);
  let reads = 0;
  const streams = new EventStreams(async () => {
    reads++;
    if (reads === 3) throw new Error('a worker is being replaced');
    return status as Status;
  });
  const waiting = { bytes: 0 };
  const [one, two] = [sinkOf({ bytes: 0 }), sinkOf(waiting)];
  const endOne = streams.open(one.sink);
  await vi.advanceTimersByTimeAsync(0);
  expect(one.names()).toEqual(['status']);
  streams.open(two.sink);
  await vi.advanceTimersByTimeAsync(0);
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect([one.names(), two.names()]).toEqual([['status', 'changes'], ['status']]);
  waiting.bytes = 1e9;
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  waiting.bytes = 0;
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect([one.names(), two.names()]).toEqual([
    ['status', 'changes', 'changes', 'changes'],
    ['status', 'status'],
  ]);
  endOne?.();
  streams.close();
  expect(two.names().at(-1)).toBe('end');
  const before = reads;
  await vi.advanceTimersByTimeAsync(10 * EVERY_MS);
  expect(reads).toBe(before);
  vi.useRealTimers();
});
