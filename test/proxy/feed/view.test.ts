// The differences that operators of a live query tell: a snapshot and the differences after it add up to the same whenever one joins, and
// are the same however short the turns are in which the work is done.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Difference } from '../../../proxy/feed/operator/difference.ts';
import { changeDocuments, documentDatum, initialDocuments } from '../../../proxy/feed/subscription/documents.ts';
import type { Turn } from '../../../proxy/work/turn.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import { Kept, type Kind } from './kept.ts';
import { OpenedView } from './opened-view.ts';

interface Watched {
  readonly kind: Kind | 'outputs';
  readonly query: string;
}

/** Every kind of what is watched, and of what it is made of. */
const WATCHED: readonly Watched[] = [
  { kind: 'value', query: 't.count().changes()' },
  { kind: 'value', query: 't.max("x").changes()' },
  { kind: 'value', query: 't("x").min().changes()' },
  { kind: 'value', query: 't("x").coerceTo("array").changes()' },
  { kind: 'value', query: 't.count().add(u.count()).changes()' },
  { kind: 'value', query: 't("x").distinct().count().changes()' },
  { kind: 'groups', query: 't.group("g").count().changes()' },
  { kind: 'groups', query: 't.group("g").max("x")("x").default("none").changes()' },
  { kind: 'groups', query: 't.group("g")("x").distinct().count().changes()' },
  { kind: 'groups', query: 't.group("g").count().add(u.count()).changes()' },
  { kind: 'rows', query: 't("x").distinct().changes()' },
  { kind: 'rows', query: 't.group("g").count().ungroup().changes()' },
  { kind: 'rows', query: 't.group("g").count().ungroup().orderBy(r.desc("reduction")).limit(2).changes()' },
  { kind: 'rows', query: 't("x").distinct().orderBy(x => x).limit(2).changes()' },
  { kind: 'rows', query: 't("x").distinct().skip(1).changes()' },
  { kind: 'rows', query: 't("x").coerceTo("array").map(x => x.mod(2)).changes()' },
  { kind: 'rows', query: 't.concatMap(row => row("tags")).changes()' },
  { kind: 'rows', query: 't.orderBy("x", "g").skip(1).limit(2).changes()' },
  { kind: 'rows', query: 't.innerJoin(u, (a, b) => a("x").eq(b("x"))).zip().changes()' },
  { kind: 'rows', query: 't.map(row => ({ n: u.filter(x => x("x").eq(row("x"))).count() })).changes()' },
  { kind: 'value', query: 't.outerJoin(u, (a, b) => a("x").eq(b("x")).and(a("g").ne(b("g")))).count().changes()' },
  { kind: 'value', query: 't.map(row => u.filter(x => x("x").eq(row("x"))).count().mul(u.count())).sum().changes()' },
  { kind: 'outputs', query: 't("x").changes({reducer: (group, values) => values})' },
  { kind: 'outputs', query: 't.group("g")("x").changes({reducer: (group, values) => values})' },
];

const opened = (query: string): OpenedView => new OpenedView(`((t, u) => ${query})(r.table('t'), r.table('u'))`);

const row = fc.record({
  x: fc.constantFrom(0, 1, 2, 5),
  g: fc.constantFrom('a', 'b', null, 0),
  tags: fc.subarray(['a', 'b', 'c']),
});
const write = fc.record({
  table: fc.constantFrom('t' as const, 't' as const, 'u' as const),
  id: fc.nat(4),
  row: fc.option(row, { nil: undefined, freq: 4 }),
  settles: fc.boolean(),
});
const history = fc.array(write, { maxLength: 12 });

/** A turn that is over each time that it has been asked so often. */
function shortTurn(length: number): Turn {
  let asked = 0;
  return { isOver: () => ++asked % length === 0 };
}

/** Who listens from some moment on. */
class Listener {
  readonly differences: Difference[] = [];
  readonly #kind: Watched['kind'];
  readonly #initial: readonly Datum[];

  constructor({ view }: OpenedView, kind: Watched['kind']) {
    this.#kind = kind;
    this.#initial = [...view.snapshot()].flatMap((part) =>
      initialDocuments(part).map((document) => documentDatum(document, false)),
    );
    view.listen((difference) => this.differences.push(difference));
  }

  /** What it knows at the end. */
  get known(): unknown {
    const changes = this.differences
      .flatMap((difference) => changeDocuments(difference))
      .map((document) => documentDatum(document, false));
    const documents = [...this.#initial, ...changes];
    if (this.#kind === 'outputs') return countsOf(documents);
    const kept = new Kept(this.#kind);
    for (const document of documents) kept.take(document);
    return { value: kept.value, things: [...kept.things].map(([name, { count }]) => [name, count]).sort() };
  }
}

/** How often each value is an output, added up from the documents. */
function countsOf(documents: readonly Datum[]): unknown {
  const counts = new Map<string, number>();
  const add = (group: Datum, value: Datum | undefined, by: number): void => {
    if (value === undefined) return;
    const key = datumKey([group, value]);
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  for (const document of documents) {
    if (!isObject(document)) throw new Error('a document is no object');
    const group = getField(document, 'group') ?? null;
    const count = getField(document, 'count');
    add(group, getField(document, 'value'), typeof count === 'number' ? count : 0);
    add(group, getField(document, 'old_val'), -1);
    add(group, getField(document, 'new_val'), 1);
  }
  return [...counts].sort();
}

for (const { kind, query } of WATCHED) {
  test(`who joins late knows what an early one does: ${query}`, () => {
    const law = fc.property(history, history, history, (before, between, after) => {
      const on = opened(query);
      const play = (writes: typeof before): void => {
        for (const { table, id, row: now, settles } of writes) {
          on.write(table, id, now);
          if (settles) on.settle();
        }
        on.settle();
      };
      play(before);
      const early = new Listener(on, kind);
      play(between);
      const late = new Listener(on, kind);
      play(after);
      const last = new Listener(on, kind);
      expect(late.known).toEqual(early.known);
      expect(last.known).toEqual(early.known);
      expect(last.differences).toEqual([]);
      // From then on they are told the same.
      expect(early.differences.slice(early.differences.length - late.differences.length)).toEqual(late.differences);
    });
    fc.assert(law, { numRuns: 40 });
  });

  test(`short turns tell the same: ${query}`, () => {
    const law = fc.property(history, history, fc.integer({ min: 1, max: 3 }), (before, after, length) => {
      const told = [undefined, shortTurn(length)].map((turn) => {
        const on = opened(query);
        for (const { table, id, row: now } of before) on.write(table, id, now);
        on.settle(turn);
        const snapshot = [...on.view.snapshot()];
        const listener = new Listener(on, kind);
        for (const { table, id, row: now, settles } of after) {
          on.write(table, id, now);
          if (settles) on.settle(turn);
        }
        on.settle(turn);
        return [snapshot, listener.differences, [...on.view.snapshot()], on.gauge.rows, on.gauge.bytes];
      });
      expect(told[1]).toEqual(told[0]);
    });
    fc.assert(law, { numRuns: 40 });
  });

  test(`nothing is kept of rows that are gone: ${query}`, () => {
    const law = fc.property(history, (writes) => {
      const on = opened(query).settle();
      const empty = on.gauge.bytes;
      for (const { table, id, row: now, settles } of writes) {
        on.write(table, id, now);
        if (settles) on.settle();
      }
      for (const { table, id } of writes) on.write(table, id, undefined);
      on.settle();
      expect([on.gauge.rows, on.gauge.bytes]).toEqual([0, empty]);
    });
    fc.assert(law, { numRuns: 20 });
  });
}
