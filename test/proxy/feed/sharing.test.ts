// The parts of shared feeds, each by itself: the log, questions for many, differences of snapshots, the sum of what a fold
// told, and places of errors.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { snapshotDifferences } from '../../../proxy/feed/healing/snapshot-differences.ts';
import { atPlace } from '../../../proxy/feed/opening/error-place.ts';
import type { Difference, OutputChange, SidesDifference } from '../../../proxy/feed/operator/difference.ts';
import { Batched } from '../../../proxy/feed/sharing/batched.ts';
import { Mirror } from '../../../proxy/feed/source/mirror.ts';
import { DocumentLog, type LogCursor } from '../../../proxy/feed/subscription/document-log.ts';
import { type Change, type ChangeDocument, documentBytes } from '../../../proxy/feed/subscription/documents.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';

const change = (now: Datum): ChangeDocument => ({
  kind: 'change',
  of: 'value',
  key: '',
  group: undefined,
  old: null,
  now,
});

/** One who reads a log, and what went before he had read it. */
class Reader {
  readonly missed: Change[] = [];
  readonly cursor: LogCursor;

  constructor(log: DocumentLog) {
    this.cursor = log.open({ missed: (gone) => this.missed.push(gone) });
  }
}

describe('a log', () => {
  type Step =
    | { readonly kind: 'append' | 'open' | 'trim' | 'empty' }
    | { readonly kind: 'read' | 'close'; readonly who: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'close' as const), who: fc.nat(3) }) },
    fc.record({ kind: fc.constantFrom('open' as const, 'trim' as const, 'empty' as const) }),
  );

  test('gives everybody each change once, in order, from where he came', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let bytes = 0;
        const log = new DocumentLog((weighed) => {
          bytes = weighed;
        });
        const readers: { reader: Reader; from: number; told: Change[] }[] = [];
        const appended: Change[] = [];
        const read = (one: (typeof readers)[number]): boolean => {
          const next = one.reader.cursor.next();
          // The changes that he missed came before.
          one.told.push(...one.reader.missed.splice(0));
          if (next !== undefined) one.told.push(next);
          return next !== undefined;
        };
        for (const one of steps) {
          if (one.kind === 'append') {
            const next = change(appended.length);
            appended.push(next);
            log.append(next);
          } else if (one.kind === 'open') {
            readers.push({ reader: new Reader(log), from: appended.length, told: [] });
          } else if (one.kind === 'read' || one.kind === 'close') {
            const reader = readers[one.who];
            if (reader === undefined) continue;
            if (one.kind === 'read') read(reader);
            else for (const gone of readers.splice(one.who, 1)) gone.reader.cursor.close();
          } else {
            log[one.kind]();
            if (one.kind === 'empty') expect(bytes).toBe(0);
          }
        }
        for (const one of readers) {
          while (read(one));
          expect(one.told).toEqual(appended.slice(one.from));
          expect(one.reader.cursor.waiting).toBe(0);
        }
        log.trim();
        expect(bytes).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test('that is too long for who does not read lets him take what goes, and keeps no more than 4 MiB', () => {
    let most = 0;
    const log = new DocumentLog((weighed) => {
      most = Math.max(most, weighed);
    });
    const [slow, quick] = [new Reader(log), new Reader(log)];
    const large = change('x'.repeat(100_000));
    for (let count = 0; count < 200; count++) {
      log.append(large);
      expect(quick.cursor.next()).toBe(large);
    }
    expect(quick.missed).toEqual([]);
    expect(slow.missed.length + slow.cursor.waiting).toBe(200);
    expect(slow.missed.length).toBeGreaterThan(100);
    expect(most).toBeLessThanOrEqual(4 * 1024 * 1024 + documentBytes(large));
  });
});

test('one question serves all who asked before it was sent, and the next all who asked after', () => {
  const sent: ((answer: number) => void)[] = [];
  const told: string[] = [];
  const question = new Batched<number>((answer) => sent.push(answer));
  const ask = (who: string): void => question.ask((answer) => told.push(`${who} ${answer}`));
  expect(question.isIdle).toBe(true);
  ask('a');
  ask('b');
  ask('c');
  expect(sent).toHaveLength(1);
  sent[0]?.(1);
  expect(told).toEqual(['a 1']);
  expect(sent).toHaveLength(2);
  ask('d');
  sent[1]?.(2);
  expect(told).toEqual(['a 1', 'b 2', 'c 2']);
  sent[2]?.(3);
  expect(told).toEqual(['a 1', 'b 2', 'c 2', 'd 3']);
  expect(question.isIdle).toBe(true);
  expect(sent).toHaveLength(3);
});

/** What a snapshot shows, as text by what it is about, with how often it is there. */
class Shown {
  readonly #counts = new Map<string, number>();

  constructor(parts: Iterable<Difference>) {
    this.take(parts);
  }

  take(parts: Iterable<Difference>): void {
    for (const part of parts) {
      if (part.of === 'output') {
        for (const { key, before, after } of part.changes) this.#add(`output ${part.key} ${key}`, after - before);
        continue;
      }
      const about = (side: Datum): string => `${part.of} ${part.key} ${datumKey(side)}`;
      // The one value is always there: null is what it is before anything is.
      const isThere = (side: Datum | undefined): side is Datum =>
        side !== undefined && (part.of !== 'value' || side !== null);
      if (isThere(part.old)) this.#add(about(part.old), -1);
      if (isThere(part.now)) this.#add(about(part.now), 1);
    }
  }

  get all(): readonly string[] {
    return [...this.#counts].map(([key, count]) => `${count} ${key}`).sort();
  }

  #add(key: string, by: number): void {
    const count = (this.#counts.get(key) ?? 0) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

const datum: fc.Arbitrary<Datum> = fc.constantFrom<Datum>(null, 0, 1, 'a', [1], { a: 1 });

const sides = (of: SidesDifference['of'], key: string | undefined, now: Datum): SidesDifference => ({
  of,
  key,
  group: undefined,
  old: undefined,
  now,
});
const outputChange = (value: number, after: number): OutputChange => ({
  key: datumKey(value),
  value,
  before: 0,
  after,
});
const outputsOf = (key: string, counts: readonly (readonly [number, number])[]): Difference => ({
  of: 'output',
  key,
  group: key,
  changes: counts.map(([value, after]) => outputChange(value, after)),
});

/** Snapshots, by what they show. */
const snapshots: Readonly<Record<string, fc.Arbitrary<readonly Difference[]>>> = {
  'a value': fc.option(datum, { nil: undefined }).map((now) => (now === undefined ? [] : [sides('value', '', now)])),
  groups: fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), datum)
    .map((groups) => Object.entries(groups).map(([key, now]) => sides('group', key, now))),
  'rows with keys': fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), datum)
    .map((rows) => Object.entries(rows).map(([key, now]) => sides('row', key, now))),
  'rows known by their values': fc
    .array(datum, { maxLength: 8 })
    .map((rows) => rows.map((now) => sides('row', undefined, now))),
  outputs: fc
    .dictionary(
      fc.constantFrom('a', 'b'),
      fc.uniqueArray(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })), {
        selector: ([value]) => value,
        minLength: 1,
      }),
    )
    .map((groups) => Object.entries(groups).map(([key, counts]) => outputsOf(key, counts))),
};

/** What leads from one snapshot to the other. */
function between(before: readonly Difference[], after: readonly Difference[]): readonly Difference[] {
  const told: Difference[] = [];
  for (const _ of snapshotDifferences(before, after, (difference) => told.push(difference)));
  return told;
}

test.each(Object.entries(snapshots))(
  'differences lead from one snapshot to the other, and say nothing of what is the same: %s',
  (_, snapshot) => {
    fc.assert(
      fc.property(snapshot, snapshot, (before, after) => {
        const shown = new Shown(before);
        shown.take(between(before, after));
        expect(shown.all).toEqual(new Shown(after).all);
        expect(between(after, after)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  },
);

describe('a mirror', () => {
  /** Something that is told: a group comes, changes or goes; a row comes or goes. */
  const told = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.option(datum, { nil: undefined })), {
    maxLength: 40,
  });

  test('adds up what is told of groups, and weighs nothing when all are gone', () => {
    fc.assert(
      fc.property(told, (changes) => {
        let [rows, bytes] = [0, 0];
        const mirror = new Mirror(false, {
          addState(more, weight) {
            rows += more;
            bytes += weight;
          },
        });
        const groups = new Map<string, Datum>();
        const tell = (key: string, now: Datum | undefined): void => {
          mirror.take({ of: 'group', key, group: key, old: groups.get(key), now });
          if (now === undefined) groups.delete(key);
          else groups.set(key, now);
        };
        for (const [key, now] of changes) tell(key, now);
        const all = [...mirror.snapshot()].map((part) => part.of !== 'output' && [part.key, part.old, part.now]);
        expect(new Set(all)).toEqual(new Set([...groups].map(([key, now]) => [key, undefined, now])));
        expect(rows).toBe(groups.size);
        for (const key of [...groups.keys()]) tell(key, undefined);
        expect([rows, bytes]).toEqual([0, 0]);
      }),
    );
  });

  test('counts rows that are known by their values', () => {
    const mirror = new Mirror(false, { addState() {} });
    const tell = (old: Datum | undefined, now: Datum | undefined): void =>
      mirror.take({ of: 'row', key: undefined, group: undefined, old, now });
    tell(undefined, 1);
    tell(undefined, 1);
    tell(undefined, null);
    tell(1, 2);
    expect([...mirror.snapshot()].map((part) => part.of === 'row' && part.now)).toEqual([1, null, 2]);
    tell(2, 1);
    tell(null, undefined);
    expect([...mirror.snapshot()].map((part) => part.of === 'row' && part.now)).toEqual([1, 1]);
  });

  test('knows the one value, null or not', () => {
    const value = (now: Datum): SidesDifference => ({ of: 'value', key: '', group: undefined, old: undefined, now });
    const [value0, whole] = [new Mirror(true, { addState() {} }), new Mirror(false, { addState() {} })];
    expect([...value0.snapshot()]).toEqual([]);
    for (const mirror of [value0, whole]) mirror.take(value(3));
    for (const mirror of [value0, whole]) expect([...mirror.snapshot()]).toEqual([value(3)]);
    for (const mirror of [value0, whole]) mirror.take({ ...value(null), old: 3 });
    expect([...value0.snapshot()]).toEqual([value(null)]);
    // Where there are groups as well, null says that nothing stands for all of them.
    expect([...whole.snapshot()]).toEqual([]);
  });
});

test('an error below the shared term is at the same place below the subscriber’s, and at the term itself otherwise', () => {
  const below = (parent: Origin | undefined, ...frames: readonly (number | string)[]): Origin | undefined =>
    frames.reduce<Origin | undefined>((at, frame) => ({ parent: at, frame }) as Origin, parent);
  const frames = (error: { readonly origin: Origin | undefined }): unknown[] => {
    const all: unknown[] = [];
    for (let at = error.origin; at !== undefined; at = at.parent) all.unshift(at.frame);
    return all;
  };
  const from = below(undefined, 0);
  const to = below(undefined, 1, 'x', 0);
  const error = logicError('no', below(from, 0, 'y') as Origin);
  expect(frames(atPlace(error, from, to))).toEqual([1, 'x', 0, 0, 'y']);
  expect(atPlace(error, from, from)).toBe(error);
  expect(frames(atPlace(logicError('no', below(undefined, 5) as Origin), from, to))).toEqual([1, 'x', 0]);
});
