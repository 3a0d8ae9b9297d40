import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputChange } from '../../../proxy/feed/operator/difference.ts';
import { DocumentLog } from '../../../proxy/feed/subscription/document-log.ts';
import type { FeedDocument } from '../../../proxy/feed/subscription/documents.ts';
import { documentDatum, isChange } from '../../../proxy/feed/subscription/documents.ts';
import { firstDocuments } from '../../../proxy/feed/subscription/openings.ts';
import { Outbox } from '../../../proxy/feed/subscription/outbox.ts';
import { outputDocuments } from '../../../proxy/feed/subscription/output-documents.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';

type Side = Datum | undefined;

const MANY = 1e6;

const change = (old: Side, now: Side, key = ''): FeedDocument => ({
  kind: 'change',
  of: 'value',
  key,
  group: undefined,
  old,
  now,
});
const initial = (now: Datum, key = ''): FeedDocument => ({ kind: 'initial', of: 'value', key, group: undefined, now });
const ready: FeedDocument = { kind: 'state', state: 'ready' };
const row = (old: Side, now: Side): FeedDocument => ({
  kind: 'change',
  of: 'row',
  key: undefined,
  group: undefined,
  old,
  now,
});
const none = undefined;

/** An outbox, and the log that it reads, as one who makes documents sees them. */
class Waiting {
  readonly #log = new DocumentLog((bytes) => {
    this.#inLog = bytes;
  });
  readonly #outbox: Outbox;
  /** Changes that were composed since the reader was too slow for them. */
  tooSlow = 0;
  #inLog = 0;
  #beside = 0;

  constructor(settings: { readonly queueSize?: number; readonly squash?: boolean }) {
    const weighed = (bytes: number): void => {
      this.#beside = bytes;
    };
    const tooSlow = (): void => {
      this.tooSlow++;
    };
    const options = { queueSize: MANY, squash: false, ...settings };
    this.#outbox = new Outbox({ options, view: {} }, { told: undefined, weighed, tooSlow }, this.#log);
    this.#outbox.follow();
  }

  get length(): number {
    return this.#outbox.length;
  }

  /** What was told last of the bytes that wait. */
  get bytes(): number {
    return this.#inLog + this.#beside;
  }

  push(document: FeedDocument): void {
    if (!isChange(document)) {
      this.#outbox.push(firstDocuments([document]));
      return;
    }
    this.#log.append(document);
    this.#outbox.grown();
  }

  take(count: number): readonly FeedDocument[] {
    const taken = this.#outbox.take(count);
    this.#log.trim();
    return taken;
  }

  compose(): void {
    this.#outbox.compose();
  }

  /** The log lets go of all that has not been read. */
  empty(): void {
    this.#log.empty();
  }
}

interface Opened {
  readonly outbox: Waiting;
  readonly bytes: () => number;
}

function opened(settings: { readonly queueSize?: number; readonly squash?: boolean } = {}): Opened {
  const outbox = new Waiting(settings);
  return { outbox, bytes: () => outbox.bytes };
}

/** What is taken of documents that have been composed. */
function composed(documents: readonly FeedDocument[], settings: Parameters<typeof opened>[0] = { squash: true }) {
  const { outbox } = opened(settings);
  for (const document of documents) outbox.push(document);
  return all(outbox);
}

function all(outbox: Waiting): readonly FeedDocument[] {
  const taken: FeedDocument[] = [];
  for (let batch = outbox.take(2); batch.length > 0; batch = outbox.take(2)) taken.push(...batch);
  expect(outbox.length).toBe(0);
  return taken;
}

test('changes of one thing become one, from the first old value to the last new one', () => {
  expect(composed([change(1, 2), change(2, 3), change(3, 4)])).toEqual([change(1, 4)]);
});

test('changes are told to be too many for a slow reader, and are not where he wants them composed', () => {
  const { outbox } = opened({ queueSize: 2 });
  for (let key = 0; key < 5; key++) outbox.push(change(1, 2, String(key)));
  // The first that is composed is one that waits as well: the queue is over until all of the log is.
  expect(outbox.tooSlow).toBe(5);
  const few = opened({ queueSize: 5 }).outbox;
  for (let key = 0; key < 5; key++) few.push(change(1, 2, String(key)));
  expect(few.tooSlow).toBe(0);
  few.empty();
  expect(few.tooSlow).toBe(5);
  const squashed = opened({ squash: true }).outbox;
  squashed.push(change(1, 2));
  squashed.push(change(2, 3));
  expect(all(squashed)).toEqual([change(1, 3)]);
  expect(squashed.tooSlow).toBe(0);
});

test('changes that come back to their start are nothing', () => {
  expect(composed([change(1, 2), change(2, 1)])).toEqual([]);
  expect(composed([change(1, 2), change(2, 1), change(1, 5)])).toEqual([change(1, 5)]);
});

test('things with different keys do not mix', () => {
  const documents = [change(1, 2, 'a'), change(1, 2, 'b'), change(2, 3, 'a')];
  expect(composed(documents)).toEqual([change(1, 3, 'a'), change(1, 2, 'b')]);
});

test('what was there at first, and states, stay as they are, however many wait', () => {
  const first = [initial(1), initial(1, 'a'), ready];
  const changes = [change(1, 2), change(1, none, 'a'), change(2, 3)];
  const told = [...first, change(1, 3), change(1, none, 'a')];
  expect(composed([...first, ...changes])).toEqual(told);
  expect(composed([...first, ...changes], { queueSize: 1 })).toEqual(told);
});

test('a state keeps its place behind the changes before it', () => {
  expect(composed([change(1, 2), change(2, 3), ready, change(3, 4)])).toEqual([change(1, 3), ready, change(3, 4)]);
});

test('rows known by their value alone follow each other', () => {
  expect(composed([row('a', 'b'), row('b', 'c')])).toEqual([row('a', 'c')]);
  expect(composed([row(none, 'a'), row('a', none)])).toEqual([]);
  expect(composed([row('a', none), row(none, 'a')])).toEqual([]);
  expect(composed([row('a', none), row(none, 'b')])).toEqual([row('a', none), row(none, 'b')]);
});

test('a row that is null is a row', () => {
  expect(composed([row(none, null), row(null, none)])).toEqual([]);
  expect(composed([row(null, none), row(none, null)])).toEqual([]);
  expect(composed([row(none, null), row(none, null), row(null, none)])).toEqual([row(none, null)]);
  expect(composed([row(null, none), row(none, 1)])).toEqual([row(null, none), row(none, 1)]);
});

test('a group that is null is not one that is gone', () => {
  const ofA = { of: 'group', key: 'a', group: 'a' } as const;
  const group = (old: Side, now: Side): FeedDocument => ({ kind: 'change', ...ofA, old, now });
  expect(composed([group(none, 1), group(1, null)])).toEqual([group(none, null)]);
  expect(composed([group(1, null), group(null, none)])).toEqual([group(1, none)]);
  expect(composed([group(null, 1), group(1, null)])).toEqual([]);
  expect(composed([group(none, null), group(null, 2)])).toEqual([group(none, 2)]);
});

test('equal rows are as many as they are', () => {
  expect(composed([row(none, 'a'), row(none, 'a'), row('a', 'b')])).toEqual([row(none, 'a'), row(none, 'b')]);
});

test('changes wait as they came while they are few, the oldest are composed when they are more', () => {
  const { outbox } = opened({ queueSize: 3 });
  for (let i = 0; i < 50; i++) outbox.push(change(i, i + 1));
  expect(outbox.length).toBe(3);
  expect(all(outbox)).toEqual([change(0, 48), change(48, 49), change(49, 50)]);
});

test('large changes are composed though they are few, and what they take is bounded', () => {
  const { outbox, bytes } = opened();
  const large = 'x'.repeat(400_000);
  let most = 0;
  for (let i = 0; i < 200; i++) {
    outbox.push(change(`${i}${large}`, `${i + 1}${large}`));
    most = Math.max(most, bytes());
  }
  expect(most).toBeGreaterThan(4_000_000);
  expect(most).toBeLessThan(6_000_000);
  const taken = all(outbox);
  expect(taken[0]).toMatchObject({ old: `0${large}` });
  expect(taken.at(-1)).toMatchObject({ now: `200${large}` });
  expect(bytes()).toBe(0);
});

const CHANGES = 400;
const KEYS = ['a', 'b', 'c', 'd'];

/** Changes of a few things to few values, as a feed makes them: each begins where the last one of the same thing ended. */
const story = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom<Side>(none, null, 1, 2)), { maxLength: CHANGES })
  .map((steps) => {
    const now = new Map<string, Side>();
    const documents: FeedDocument[] = [];
    for (const [key, value] of steps) {
      const old = now.get(key);
      if (old === value) continue;
      now.set(key, value);
      documents.push(change(old, value, key));
    }
    return { documents, now };
  });

test('however little may wait and whenever it is taken, the documents of a thing are a chain to its last value', () => {
  fc.assert(
    fc.property(
      story,
      fc.array(fc.nat({ max: 5 })),
      fc.nat({ max: 6 }),
      fc.boolean(),
      (told, takes, queueSize, squash) => {
        const { outbox, bytes } = opened({ queueSize, squash });
        const shown = new Map<string, Side>();
        const show = (documents: readonly FeedDocument[]): void => {
          for (const document of documents) {
            if (document.kind !== 'change' || document.key === undefined) throw new Error('not a change');
            expect(document.old).toBe(shown.get(document.key));
            expect(document.now).not.toBe(document.old);
            shown.set(document.key, document.now);
          }
        };
        const pauses = [...takes];
        for (const document of told.documents) {
          outbox.push(document);
          expect(outbox.length).toBeLessThanOrEqual(Math.max(queueSize, KEYS.length));
          show(outbox.take(pauses.pop() ?? 0));
        }
        outbox.compose();
        expect(outbox.length).toBeLessThanOrEqual(KEYS.length);
        show(all(outbox));
        for (const key of KEYS) expect(shown.get(key)).toBe(told.now.get(key));
        expect(bytes()).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});

/** Rows that come, go and change, known by their value alone. */
const rowStory = fc
  .array(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom<Side>(none, null, 1, 2, 'a')), { maxLength: CHANGES })
  .map((steps) => {
    const places: Side[] = [none, none, none, none];
    const documents: FeedDocument[] = [];
    for (const [place, value] of steps) {
      const old = places[place];
      places[place] = value;
      if (old !== value) documents.push(row(old, value));
    }
    return { documents, rows: places.filter((value) => value !== none) };
  });

test('rows without a key add up to what is there, and none goes that is not', () => {
  fc.assert(
    fc.property(
      rowStory,
      fc.array(fc.nat({ max: 5 })),
      fc.nat({ max: 6 }),
      fc.boolean(),
      (told, takes, queueSize, squash) => {
        const { outbox, bytes } = opened({ queueSize, squash });
        const there: Datum[] = [];
        const show = (documents: readonly FeedDocument[]): void => {
          for (const document of documents) {
            if (document.kind !== 'change') throw new Error('not a change');
            const { old, now } = document;
            if (old !== none) {
              expect(there).toContain(old);
              there.splice(there.indexOf(old), 1);
            }
            if (now !== none) there.push(now);
          }
        };
        const pauses = [...takes];
        for (const document of told.documents) {
          outbox.push(document);
          show(outbox.take(pauses.pop() ?? 0));
        }
        show(all(outbox));
        const sorted = (rows: readonly Side[]): readonly unknown[] => rows.map((one) => JSON.stringify(one)).sort();
        expect(sorted(there)).toEqual(sorted(told.rows));
        expect(bytes()).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});

/** Counts of outputs of two groups, as a reducer's feed tells of them. */
const outputStory = fc
  .array(
    fc.tuple(
      fc.constantFrom('g', 'h'),
      fc.array(fc.tuple(fc.constantFrom(1, 2, 3), fc.nat({ max: 2 })), { maxLength: 3 }),
    ),
    {
      maxLength: 100,
    },
  )
  .map((steps) => {
    const counts = new Map<string, number>();
    const documents: FeedDocument[] = [];
    for (const [group, outputs] of steps) {
      const changes = new Map<number, OutputChange>();
      for (const [value, after] of outputs) {
        const before = counts.get(`${group}${value}`) ?? 0;
        if (after !== before && !changes.has(value)) changes.set(value, { value, key: datumKey(value), before, after });
      }
      for (const { value, after } of changes.values()) counts.set(`${group}${value}`, after);
      documents.push(...outputDocuments({ key: group, group }, [...changes.values()], false));
    }
    return { documents, counts };
  });

test('outputs of a reducer add up, each value told once', () => {
  fc.assert(
    fc.property(
      outputStory,
      fc.array(fc.nat({ max: 5 })),
      fc.nat({ max: 6 }),
      fc.boolean(),
      (told, takes, queueSize, squash) => {
        const { outbox, bytes } = opened({ queueSize, squash });
        const counts = new Map<string, number>();
        const count = (group: unknown, value: unknown, by: number): void => {
          const key = `${String(group)}${String(value)}`;
          counts.set(key, (counts.get(key) ?? 0) + by);
        };
        const show = (documents: readonly FeedDocument[]): void => {
          for (const document of documents) {
            expect(isChange(document)).toBe(true);
            const datum = documentDatum(document, false);
            if (datum['count'] !== undefined) {
              count(datum['group'], datum['value'], Number(datum['count']));
            } else {
              count(datum['group'], datum['old_val'], -1);
              count(datum['group'], datum['new_val'], 1);
            }
          }
        };
        const pauses = [...takes];
        for (const document of told.documents) {
          outbox.push(document);
          show(outbox.take(pauses.pop() ?? 0));
        }
        show(all(outbox));
        for (const [key, value] of told.counts) expect(counts.get(key) ?? 0).toBe(value);
        expect(bytes()).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});
