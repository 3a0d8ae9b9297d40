// Feeds of a client's reducer without a server: batches, orders of arrival, composing, limits, and what is refused.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import { type Counted, OutputState } from '../../support/checks/outputs.ts';
import { evaluate } from '../../support/evaluate.ts';
import { Driven } from './scripted-io.ts';

const IDENTITY = 'r.table("t").group("k")("x").changes({reducer: (group, values) => values, includeInitial: true';

function driven(query: string, settings = {}): Driven {
  return new Driven(JSON.parse(serializeTerm(evaluate(query))), { settings });
}

/** A row as upstream sends it. */
function row(group: Datum, value: Datum): Datum {
  return [[group, value]];
}

test('a batch is one step: what cancels in it is not seen', () => {
  const feed = driven(`${IDENTITY}})`);
  feed.send({ state: 'initializing' }, { new_val: row('a', 1) }, { state: 'ready' });
  expect(feed.documents()).toEqual([{ group: 'a', value: 1, count: 1 }]);
  feed.send(
    { old_val: row('a', 1), new_val: row('a', 2) },
    { old_val: row('a', 2), new_val: row('b', 2) },
    { old_val: row('b', 2), new_val: row('a', 3) },
  );
  expect(feed.documents()).toEqual([{ group: 'a', old_val: 1, new_val: 3 }]);
  feed.send({ old_val: row('a', 3), new_val: row('a', 1) }, { old_val: row('a', 1), new_val: row('a', 3) });
  expect(feed.documents()).toEqual([]);
});

test('changes in the batch of ready come after it', () => {
  const feed = driven(`${IDENTITY}, includeStates: true, includeTypes: true})`);
  feed.send({ state: 'initializing' }, { new_val: row('a', 1) }, { state: 'ready' }, { new_val: row('a', 1) });
  expect(feed.documents()).toEqual([
    { state: 'initializing', type: 'state' },
    { group: 'a', value: 1, count: 1, type: 'initial' },
    { state: 'ready', type: 'state' },
    { group: 'a', value: 1, count: 1, type: 'add' },
  ]);
});

test('only one value in the place of one other is told as such', () => {
  const reducer =
    '(group, values) => r.expr([[["a", 1]], [["a", 2]], [["b", 1]], [["b", 1], ["c", 1]], [["a", -1]]])(values.nth(-1)(0))';
  const feed = driven(`r.table("t").group("k")("x").changes({reducer: ${reducer}})`);
  feed.send({ state: 'initializing' }, { new_val: row(0, 0) }, { state: 'ready' });
  const became = (from: number, to: number): readonly Datum[] => {
    feed.send({ old_val: row(0, from), new_val: row(0, to) });
    return feed.documents();
  };
  expect(became(0, 2)).toEqual([{ group: 0, old_val: 'a', new_val: 'b' }]);
  expect(became(2, 1)).toEqual([
    { group: 0, value: 'a', count: 2 },
    { group: 0, value: 'b', count: -1 },
  ]);
  expect(became(1, 3)).toEqual([
    { group: 0, value: 'a', count: -2 },
    { group: 0, value: 'b', count: 1 },
    { group: 0, value: 'c', count: 1 },
  ]);
  expect(became(3, 2)).toEqual([{ group: 0, value: 'c', count: -1 }]);
  expect(became(2, 4)).toEqual([
    { group: 0, value: 'a', count: -1 },
    { group: 0, value: 'b', count: -1 },
  ]);
  expect(became(4, 0)).toEqual([{ group: 0, value: 'a', count: 2 }]);
});

test('squash with a number holds changes back and composes them', () => {
  const feed = driven(`${IDENTITY}, squash: 2})`);
  feed.send({ state: 'initializing' }, { new_val: row('a', 1) }, { state: 'ready' });
  expect(feed.documents()).toEqual([{ group: 'a', value: 1, count: 1 }]);
  feed.send({ old_val: row('a', 1), new_val: row('a', 2) });
  expect(feed.documents()).toEqual([{ group: 'a', old_val: 1, new_val: 2 }]);
  feed.send({ old_val: row('a', 2), new_val: row('a', 3) });
  feed.send({ old_val: row('a', 3), new_val: row('b', 3) });
  feed.send({ new_val: row('b', 3) });
  expect(feed.documents()).toEqual([]);
  feed.io.elapse();
  expect(feed.documents()).toEqual([
    { group: 'a', value: 2, count: -1 },
    { group: 'b', value: 3, count: 2 },
  ]);
});

test('initial values that wait take in what changes them', () => {
  const feed = driven(`${IDENTITY}, includeTypes: true, changefeedQueueSize: 1})`);
  feed.send({ state: 'initializing' }, { new_val: row('a', 1) }, { new_val: row('b', 1) }, { state: 'ready' });
  feed.send({ old_val: row('a', 1), new_val: row('a', 2) });
  const state = new OutputState();
  for (const document of feed.documents()) state.add(document);
  expect(
    state.equals([
      { group: 'a', value: 2, count: 1 },
      { group: 'b', value: 1, count: 1 },
    ]),
  ).toBe(true);
});

interface Change {
  readonly old_val: Datum;
  readonly new_val: Datum;
}

const element = fc.option(
  fc.tuple(fc.constantFrom<Datum>('a', 'b', null), fc.constantFrom<Datum>(0, -0, null, '0', 1)),
  {
    nil: null,
  },
);
const changes: fc.Arbitrary<readonly Change[]> = fc
  .array(fc.tuple(fc.nat(3), element), { maxLength: 20 })
  .map((steps) => {
    const there = new Map<number, Datum>();
    return steps.map(([place, pair]) => {
      const now = pair === null ? null : [pair];
      const change = { old_val: there.get(place) ?? null, new_val: now };
      there.set(place, now);
      return change;
    });
  });

test('neither batches nor a slow client, neither squash nor a short queue change what the documents add up to', () => {
  const options = fc.constantFrom(
    '',
    ', squash: true',
    ', changefeedQueueSize: 1',
    ', squash: true, changefeedQueueSize: 2',
  );
  fc.assert(
    fc.property(changes, fc.infiniteStream(fc.nat(2)), options, fc.boolean(), (all, cuts, given, early) => {
      const feed = driven(`${IDENTITY}${given}})`);
      const initial = early ? Math.floor(all.length / 2) : 0;
      feed.send({ state: 'initializing' }, ...all.slice(0, initial), { state: 'ready' });
      const state = new OutputState();
      const read = (): void => {
        for (const document of feed.documents()) state.add(document);
      };
      for (let at = initial; at < all.length; ) {
        const size = 1 + (cuts.next().value ?? 0);
        feed.send(...all.slice(at, at + size));
        at += size;
        if (cuts.next().value === 0) read();
      }
      read();
      feed.continue();
      read();
      expect(state.equals(outputsOf(all)), `${state}`).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** The elements that are there after all changes. */
function outputsOf(all: readonly Change[]): readonly Counted[] {
  const pairs = (side: Datum, count: number): readonly Counted[] =>
    asList(side).map((pair) => ({ group: asList(pair)[0], value: asList(pair)[1], count }));
  const counted = all.flatMap((change) => [...pairs(change.old_val, -1), ...pairs(change.new_val, 1)]);
  const sums = new Map<string, Counted>();
  for (const one of counted) {
    const name = JSON.stringify([one.group, one.value]);
    sums.set(name, { ...one, count: (sums.get(name)?.count ?? 0) + one.count });
  }
  return [...sums.values()].filter(({ count }) => count !== 0);
}

function asList(datum: Datum): readonly Datum[] {
  return Array.isArray(datum) ? datum : [];
}

test('the order in which values arrive does not matter', () => {
  const values = fc.array(fc.constantFrom<Datum>(0, 1, 'a', null, [1]), { maxLength: 8 });
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.nat()), (list, order) => {
      const shown = [
        list,
        list
          .map((value) => ({ value, at: order.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ value }) => value),
      ].map((arriving) => {
        const feed = driven('r.table("t").changes({reducer: values => [[values, 1]], includeInitial: true})');
        feed.send({ state: 'initializing' }, ...arriving.map((value) => ({ new_val: [value] })), { state: 'ready' });
        return feed.documents();
      });
      expect(shown[1]).toEqual(shown[0]);
    }),
  );
});

test.each([
  ['v => 1', '1'],
  ['v => [1]', '1'],
  ['v => [[1]]', '[1]'],
  ['v => [[1, 2, 3]]', '[1,2,3]'],
  ['v => [[1, "1"]]', '[1,"1"]'],
  ['v => [[1, 0.5]]', '[1,0.5]'],
  ['v => ({a: 1})', '{"a":1}'],
  ['v => [[1, 1], null]', 'null'],
])('%s gives no outputs: the feed ends', (reducer, named) => {
  const feed = driven(`r.table("t").changes({reducer: ${reducer}})`);
  feed.send({ state: 'initializing' }, { state: 'ready' }).documents();
  feed.send({ new_val: [1] });
  expect(feed.answers()).toEqual([
    expect.objectContaining({
      t: 18,
      r: [
        `The \`reducer\` of \`changes\` must give an array of pairs [value, count], the counts whole numbers, but gave ${named}.`,
      ],
      b: ['reducer'],
    }),
  ]);
});

test('what a reducer raises ends the feed at its place', () => {
  const feed = driven('r.table("t").changes({reducer: v => [[v(0)(0).add("x"), 1]]})');
  feed.send({ state: 'initializing' }, { new_val: [1] }, { state: 'ready' });
  const [answer] = feed.answers();
  expect(answer).toMatchObject({ t: 18, r: ['Expected type NUMBER but found STRING.'] });
  expect(answer?.b?.slice(0, 2)).toEqual(['reducer', 1]);
});

test('values, groups and outputs count against the limits of a feed', () => {
  const feed = driven(`${IDENTITY}})`, { limits: { maxStateRows: 4, maxStateBytes: 1e9 } });
  feed.send({ state: 'initializing' }, { new_val: row('a', 1) }, { state: 'ready' });
  for (const [old, now] of [
    [1, 2],
    [2, 3],
    [3, null],
    [null, 1],
  ] as const) {
    feed.send({
      old_val: old === null ? null : row('a', old),
      new_val: now === null ? null : row('a', now),
    });
  }
  expect(feed.documents()).toHaveLength(5);
  feed.send({ new_val: row('a', 2) });
  expect(feed.documents()).toHaveLength(2);
  expect(feed.io.isEnded).toBe(true);
});

test.each([
  ['r.table("t")', 'reducer: 1', 'Expected type FUNCTION but found DATUM:\n1'],
  ['r.table("t")', 'reducer: (a, b, c) => a', 'found function with 3 arguments.'],
  ['r.table("t").group("k")', 'reducer: a => a', 'found function with 1 argument.'],
  ['r.table("t")', 'reducer: a => r.table("u").coerceTo("array")', 'reads a table'],
  ['r.table("t")', 'reducer: a => r.random(5)', '`random`'],
  ['r.table("t")', 'reducer: a => r.js("1")', '`js`'],
  ['r.table("t").count()', 'reducer: a => a', 'for the elements of a stream'],
  ['r.table("t").group("k").count()', 'reducer: (a, b) => b', 'for the elements of a stream'],
  ['r.expr([1])', 'reducer: a => a', 'for the elements of a stream'],
  ['r.table("t")', 'aggregate: 1', 'Expected type STRING but found NUMBER.'],
  ['r.table("t")', 'aggregate: "none"', 'None of the aggregates ('],
  ['r.table("t").reduce((a, b) => a.add(b))', 'reverse: a => a', 'found function with 1 argument.'],
  ['r.table("t").reduce((a, b) => a.add(b))', 'reverse: (a, b) => r.random(5)', '`random`'],
  ['r.table("t").reduce((a, b) => a.add(b))', 'reverse: (a, b) => r.table("u").count()', 'reads a table'],
  ['r.table("t")', 'reverse: (a, b) => a', 'belongs to a `reduce`'],
])('%s.changes({%s}) is refused when it is opened, at the argument', (stream, option, text) => {
  const feed = driven(`${stream}.changes({${option}})`);
  expect(feed.io.isEnded).toBe(true);
  expect(feed.io.upstream).toEqual([]);
  const [answer] = feed.io.answers;
  expect(String(answer?.r[0])).toContain(text);
  expect(answer?.b?.[0]).toBe(option.split(':')[0]);
});
