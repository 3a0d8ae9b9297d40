// The window on an order, held to a sorted list of which the same part is taken.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StateGauge } from '../../../proxy/feed/operator/gauge.ts';
import { TopRows } from '../../../proxy/feed/operator/top-rows.ts';
import { WHOLE_TURN } from '../../../proxy/work/turn.ts';
import type { Top } from '../../../rewrite/live.ts';
import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { boundsOf, END, firstsOf, type Range, type Window } from '../../../rewrite/window.ts';

interface Row {
  readonly [field: string]: Datum;
  readonly id: number;
  readonly n: number;
}

const bound = fc.integer({ min: -4, max: 4 });
const range: fc.Arbitrary<Range> = fc.record({ from: bound, to: fc.oneof(bound, fc.constant(END)) });
const windows: fc.Arbitrary<Window> = fc.array(range, { maxLength: 3 });
/** Rows by their keys: of each what it becomes, or that it goes. */
const writes = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.option(fc.integer({ min: 0, max: 3 }))), {
  maxLength: 30,
});

/** The part of a list, as arrays have it. */
function partOf(rows: readonly Row[], window: Window): readonly Row[] {
  return window.reduce((part, { from, to }) => part.slice(Math.min(from, part.length), to), rows);
}

const ways: readonly (readonly [name: string, Pick<Top, 'computed' | 'fields'>, element: (row: Row) => Datum])[] = [
  [
    'by fields',
    {
      computed: [],
      fields: [
        { field: 'n', descending: true },
        { field: 'id', descending: false },
      ],
    },
    (row) => row,
  ],
  ['by a computed key', { computed: [true], fields: [{ field: 'id', descending: false }] }, (row) => [[[row.n]], row]],
  ['by several computed keys', { computed: [true, false], fields: [] }, (row) => [[[row.n], [row.id]], row]],
];

test.each(ways)('a window on an order %s tells what comes and goes', (_, order, element) => {
  fc.assert(
    fc.property(windows, writes, fc.boolean(), fc.nat({ max: 10 }), (window, written, together, loaded) => {
      const kept = new StateGauge({ maxStateRows: 1e6, maxStateBytes: 1e9 }, { addState: () => undefined });
      const top = new TopRows({ ...order, window }, kept);
      const shown: Row[] = [];
      top.sinks.push({
        row(old, now) {
          if (old !== undefined)
            shown.splice(
              shown.findIndex((row) => compareDatums(row, old) === 0),
              1,
            );
          if (now !== undefined) shown.push(now as Row);
        },
      });
      const rows = new Map<number, Row>();
      for (const [at, [id, n]] of written.entries()) {
        // Rows that come before the first moment are loaded.
        if (at === loaded) top.settle(WHOLE_TURN);
        const old = rows.get(id);
        const now = n === null ? undefined : { id, n };
        if (now === undefined) rows.delete(id);
        else rows.set(id, now);
        top.change(old === undefined ? [] : [element(old)], now === undefined ? [] : [element(now)]);
        if (together || at < loaded) continue;
        top.settle(WHOLE_TURN);
        check();
      }
      top.settle(WHOLE_TURN);
      check();
      expect(kept.rows).toBe(rows.size);
      for (const row of rows.values()) top.change([element(row)], []);
      top.settle(WHOLE_TURN);
      expect([shown, kept.rows, kept.bytes]).toEqual([[], 0, 0]);

      function check(): void {
        const sorted = [...rows.values()].sort((a, b) => b.n - a.n || a.id - b.id);
        const part = partOf(sorted, window);
        expect([...top.rows()].map(([row]) => row)).toEqual(part);
        expect(shown.toSorted((a, b) => b.n - a.n || a.id - b.id)).toEqual(part);
      }
    }),
  );
});

test('bounds are those of a part of an array, and move by one place with each item', () => {
  fc.assert(
    fc.property(windows, fc.nat({ max: 12 }), (window, size) => {
      const list = Array.from({ length: size }, (_, id): Row => ({ id, n: 0 }));
      const { start, end } = boundsOf(window, size);
      expect(list.slice(start, end)).toEqual(partOf(list, window));
      const next = boundsOf(window, size + 1);
      expect([0, 1]).toContain(next.start - start);
      expect([0, 1]).toContain(next.end - end);
      const firsts = firstsOf(window);
      if (firsts !== undefined && size >= firsts)
        expect(list.slice(0, firsts).slice(start, end)).toEqual(list.slice(start, end));
    }),
  );
});
