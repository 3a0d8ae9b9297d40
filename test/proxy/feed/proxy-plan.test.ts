import { expect, test } from 'vitest';
import { Driven } from './scripted-io.ts';

const T = [15, ['t']];
const I = { include_initial: true };
const IS = { include_initial: true, include_states: true };
const READY = { state: 'ready' };
const INITIALIZING = { state: 'initializing' };
const changes = (of: unknown, optargs: object = {}): unknown => [152, [of], optargs];
const count = [43, [T]];

test('a count opens with its states and its initial value, then tells of changes', () => {
  const driven = new Driven(changes(count, IS));
  driven.send(INITIALIZING, { new_val: [1] }, { new_val: [1] }, { new_val: [1] }).send(READY);
  expect(driven.documents()).toEqual([INITIALIZING, { new_val: 3 }, READY]);
  driven.send({ old_val: null, new_val: [1] });
  expect(driven.documents()).toEqual([{ old_val: 3, new_val: 4 }]);
});

test('the notes say what kind of feed it is, and that it has states', () => {
  const driven = new Driven(changes(count, IS)).send(INITIALIZING).send(READY);
  expect(driven.answers().map(({ n }) => n)).toEqual([[2, 5]]);
});

test('without options the query is answered at once, and old_val is true', () => {
  const driven = new Driven(changes(count)).send(INITIALIZING, { new_val: [1] });
  expect(driven.answers()).toEqual([{ t: 3, r: [], n: [2] }]);
  driven.continue().send(READY);
  expect(driven.answers()).toEqual([]);
  driven.send({ old_val: [1], new_val: null });
  expect(driven.answers()).toEqual([{ t: 3, r: [{ old_val: 1, new_val: 0 }], n: [2] }]);
});

test('include_states alone shows only ready', () => {
  const driven = new Driven(changes(count, { include_states: true })).send(INITIALIZING, { new_val: [1] }).send(READY);
  expect(driven.documents()).toEqual([READY]);
});

test('include_types names what each document is', () => {
  const driven = new Driven(changes([145, [T, 'x']], { ...IS, include_types: true }));
  driven.send(INITIALIZING, { new_val: [4] }).send(READY, { old_val: [4], new_val: [6] });
  expect(driven.documents()).toEqual([
    { state: 'initializing', type: 'state' },
    { new_val: 4, type: 'initial' },
    { state: 'ready', type: 'state' },
    { old_val: 4, new_val: 6, type: 'change' },
  ]);
});

test('an average of nothing shows as null', () => {
  const driven = new Driven(changes([146, [T, 'x']], IS)).send(INITIALIZING).send(READY);
  driven.send({ old_val: null, new_val: [4] }).send({ old_val: [4], new_val: null });
  expect(driven.documents()).toEqual([
    INITIALIZING,
    { new_val: null },
    READY,
    { old_val: null, new_val: 4 },
    { old_val: 4, new_val: null },
  ]);
});

test('a change of which nothing shows makes no document', () => {
  const driven = new Driven(changes([145, [T, 'x']], I)).send(INITIALIZING, { new_val: [1] }).send(READY);
  driven.documents();
  driven.send({ old_val: [1], new_val: [1] }, { old_val: null, new_val: [0] });
  expect(driven.documents()).toEqual([]);
});

test('a default inside the expression shows instead of null', () => {
  const driven = new Driven(changes([92, [[146, [T, 'x']], 0]], I)).send(INITIALIZING).send(READY);
  driven.send({ old_val: null, new_val: [4] }).send({ old_val: [4], new_val: null });
  expect(driven.documents()).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 4 }, { old_val: 4, new_val: 0 }]);
});

test('each step upstream shows by itself, in order', () => {
  const driven = new Driven(changes(count, I)).send(READY);
  driven.send({ old_val: null, new_val: [1] }, { old_val: null, new_val: [1] }, { old_val: [1], new_val: null });
  expect(driven.documents()).toEqual([
    { new_val: 0 },
    { old_val: 0, new_val: 1 },
    { old_val: 1, new_val: 2 },
    { old_val: 2, new_val: 1 },
  ]);
});

test('a move between groups tells of both groups once', () => {
  const driven = new Driven(changes([43, [[144, [T, 'g']]]], I));
  driven.send(INITIALIZING, { new_val: [['x', 1]] }, { new_val: [['x', 1]] }, { new_val: [['y', 1]] }).send(READY);
  expect(driven.documents()).toEqual([
    { group: 'x', new_val: 2 },
    { group: 'y', new_val: 1 },
  ]);
  driven.send({ old_val: [['x', 1]], new_val: [['y', 1]] });
  expect(driven.documents()).toEqual([
    { group: 'x', old_val: 2, new_val: 1 },
    { group: 'y', old_val: 1, new_val: 2 },
  ]);
  driven.send({ old_val: [['x', 1]], new_val: null });
  expect(driven.documents()).toEqual([{ group: 'x', old_val: 1, new_val: null }]);
});

test('ungroup shows rows', () => {
  const driven = new Driven(changes([150, [[43, [[144, [T, 'g']]]]]], I)).send({ new_val: [['x', 1]] }, READY);
  driven.send({ old_val: null, new_val: [['x', 1]] });
  expect(driven.documents()).toEqual([
    { new_val: { group: 'x', reduction: 1 } },
    { old_val: { group: 'x', reduction: 1 }, new_val: { group: 'x', reduction: 2 } },
  ]);
});

test('a distinct value comes with its first row and goes with its last', () => {
  const driven = new Driven(changes([42, [[170, [T, 'k']]]], I));
  driven.send({ new_val: ['a'] }, { new_val: ['a'] }, { new_val: ['b'] }, READY);
  expect(driven.documents()).toEqual([{ new_val: 'a' }, { new_val: 'b' }]);
  driven.send({ old_val: ['a'], new_val: null });
  expect(driven.documents()).toEqual([]);
  driven.send({ old_val: ['a'], new_val: ['b'] });
  expect(driven.documents()).toEqual([{ old_val: 'a', new_val: null }]);
});

test('a leaderboard shows a move as one document', () => {
  const ungrouped = [150, [[43, [[144, [T, 'g']]]]]];
  const top = [71, [[41, [ungrouped, [74, ['reduction']]]], 2]];
  const driven = new Driven(changes(top, I));
  const row = (g: string, element = 1): unknown => [[g, element]];
  driven.send({ new_val: row('a') }, { new_val: row('a') }, { new_val: row('b') }, { new_val: row('c') }, READY);
  expect(driven.documents()).toEqual([
    { new_val: { group: 'a', reduction: 2 } },
    { new_val: { group: 'b', reduction: 1 } },
  ]);
  driven.send({ old_val: null, new_val: row('c') });
  expect(driven.documents()).toEqual([
    { old_val: { group: 'b', reduction: 1 }, new_val: { group: 'c', reduction: 2 } },
  ]);
  driven.send({ old_val: null, new_val: row('c') });
  expect(driven.documents()).toEqual([
    { old_val: { group: 'c', reduction: 2 }, new_val: { group: 'c', reduction: 3 } },
  ]);
});

test('an expression over two tables waits for both', () => {
  const driven = new Driven(changes([24, [count, [43, [[15, ['u']]]]]], IS));
  driven.send(INITIALIZING, { new_val: [0, [1]] }, { new_val: [1, [1]] });
  expect(driven.documents()).toEqual([INITIALIZING]);
  driven.send(READY);
  expect(driven.documents()).toEqual([{ new_val: 2 }, READY]);
  driven.send({ old_val: null, new_val: [1, [1]] });
  expect(driven.documents()).toEqual([{ old_val: 2, new_val: 3 }]);
});

test('an error of an aggregate ends the feed with its place in the query', () => {
  const driven = new Driven(changes([145, [T, 'x']], I)).send({ new_val: [1] }, READY);
  expect(driven.documents()).toEqual([{ new_val: 1 }]);
  driven.send({ old_val: null, new_val: [2] }, { old_val: null, new_val: ['s'] });
  expect(driven.answers()).toMatchObject([{ t: 3, r: [{ old_val: 1, new_val: 3 }] }]);
  expect(driven.io.isEnded).toBe(false);
  driven.continue();
  const [answer] = driven.answers();
  expect(answer).toMatchObject({ t: 18, e: 3000000, b: [0] });
  expect(answer?.r[0]).toContain('Expected type NUMBER but found STRING');
  expect(driven.io.isEnded).toBe(true);
  expect(driven.io.upstream.at(-1)).toEqual([3]);
});

test('an overflow upstream ends the feed', () => {
  const driven = new Driven(changes(count, I)).send(READY);
  driven.documents();
  driven.send({ error: 'Changefeed cache over array size limit, skipped 7 elements.' });
  expect(driven.answers()).toMatchObject([{ t: 18, e: 2000000 }]);
});

test('a STOP answers the CONTINUE before it, and stops upstream', () => {
  const driven = new Driven(changes(count)).send(READY);
  driven.documents();
  driven.feed?.stop();
  expect(driven.answers()).toEqual([
    { t: 2, r: [], n: [] },
    { t: 2, r: [], n: [] },
  ]);
  expect(driven.io.upstream.at(-1)).toEqual([3]);
  expect(driven.io.isEnded).toBe(true);
});

test('upstream is asked for more before the client asks', () => {
  const driven = new Driven(changes(count)).send(INITIALIZING).send(READY).send();
  expect(driven.io.upstream.slice(1)).toEqual([[2], [2], [2]]);
});

test('documents beyond the queue are composed, and the last value is right', () => {
  const driven = new Driven(changes(count, { changefeed_queue_size: 3 })).send(READY);
  expect(driven.answers()).toHaveLength(1);
  for (let i = 0; i < 50; i++) driven.send({ old_val: null, new_val: [1] });
  const documents = driven.continue().documents();
  expect(documents.length).toBeLessThanOrEqual(3);
  expect(documents.at(0)).toMatchObject({ old_val: 0 });
  expect(documents.at(-1)).toMatchObject({ new_val: 50 });
});

test('squash composes what waits into one document, and nothing where it comes back to the start', () => {
  const driven = new Driven(changes(count, { squash: true })).send(READY);
  driven.send({ old_val: null, new_val: [1] }, { old_val: null, new_val: [1] });
  expect(driven.documents()).toEqual([{ old_val: 0, new_val: 2 }]);
  driven.send({ old_val: [1], new_val: null }, { old_val: null, new_val: [1] });
  expect(driven.documents()).toEqual([]);
});

test('squash with a number holds changes back until the time is over', () => {
  const driven = new Driven(changes(count, { ...I, squash: 2 })).send(READY);
  driven.send({ old_val: null, new_val: [1] });
  expect(driven.documents()).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 1 }]);
  driven.send({ old_val: null, new_val: [1] }).send({ old_val: null, new_val: [1] });
  expect(driven.documents()).toEqual([]);
  expect(driven.io.timers.map(({ ms }) => ms)).toEqual([2000]);
  driven.io.elapse();
  expect(driven.documents()).toEqual([{ old_val: 1, new_val: 3 }]);
});

test('V0_3 gets an empty batch after half a second', () => {
  const driven = new Driven(changes(count), { query: { protocol: 'V0_3' } }).send(READY);
  driven.documents();
  expect(driven.io.timers.map(({ ms }) => ms)).toEqual([500]);
  driven.io.elapse();
  expect(driven.answers()).toEqual([{ t: 3, r: [], n: [2] }]);
});

test('terms after changes run on the documents', () => {
  const newVals = new Driven([170, [changes(count, IS), 'new_val']]).send(INITIALIZING).send(READY);
  newVals.send({ old_val: null, new_val: [1] });
  expect(newVals.documents()).toEqual([0, 1]);
});

test('limit after changes ends the feed in good order', () => {
  const driven = new Driven([71, [changes(count, I), 2]]).send(READY);
  driven.send({ old_val: null, new_val: [1] });
  const answers = [...driven.answers()];
  driven.continue();
  answers.push(...driven.answers());
  expect(answers.map(({ t }) => t)).toEqual([3, 2]);
  expect(answers.flatMap(({ r }) => r)).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 1 }]);
  expect(driven.io.upstream.at(-1)).toEqual([3]);
});

test.each([
  [{ squash: -1 }, 18, 'Expected BOOL or a positive NUMBER but found a negative NUMBER.', ['squash']],
  [{ squash: 'x' }, 18, 'Expected BOOL or NUMBER but found STRING.', ['squash']],
  [{ include_offsets: true }, 18, 'Cannot include offsets for range subs.', []],
  [{ changefeed_queue_size: 0 }, 18, 'Illegal changefeed queue size `0`.  (Must be >= 1.)', []],
])('the option %j is refused as the server refuses it', (optargs, t, message, frames) => {
  const driven = new Driven(changes(count, optargs));
  expect(driven.feed).toBeUndefined();
  expect(driven.io.answers).toEqual([{ t, e: 3000000, r: [message], b: frames }]);
  expect(driven.io.isEnded).toBe(true);
});

test('an option that the server does not know is left to the server', () => {
  const driven = new Driven(changes(count, { nope: 1 }));
  expect(driven.feed).toBeUndefined();
  expect(driven.io.answers).toEqual([]);
});

test('options are read as truth values, and from the run options where CHANGES has none', () => {
  const driven = new Driven(changes(count, { include_initial: 1 }), { globals: { include_states: true } });
  driven.send(READY);
  expect(driven.documents()).toEqual([INITIALIZING, { new_val: 0 }, READY]);
});

test('a server before 2.3.3 is refused by the version it needs', () => {
  const driven = new Driven(changes(count), { query: { serverVersion: '2.2.0' } });
  expect(driven.io.answers[0]?.r[0]).toContain('2.3.3');
});

test('a feed that keeps too much ends with the name of the setting', () => {
  const limits = { maxStateRows: 2, maxStateBytes: 1e9 };
  const driven = new Driven(changes([42, [[170, [T, 'k']]]]), { settings: { limits } });
  driven.send({ new_val: ['a'] }, { new_val: ['b'] }, { new_val: ['c'] });
  expect(driven.io.answers).toMatchObject([{ t: 18, e: 2000000 }]);
  expect(driven.io.answers[0]?.r[0]).toContain('--max-state-rows');
});

test('errors upstream point into the query that the client sent', () => {
  const driven = new Driven(changes(count));
  driven.respond({ t: 18, e: 4100000, r: ['Table `test.t` does not exist.'], b: [0, 0] });
  expect(driven.io.answers).toEqual([{ t: 18, e: 4100000, r: ['Table `test.t` does not exist.'], b: [0, 0] }]);
});

test('a query that is not live is left alone', () => {
  expect(new Driven(changes(T)).feed).toBeUndefined();
  expect(new Driven(count).feed).toBeUndefined();
});

const NEVER_TOLD = {
  t: 18,
  e: 4_100_000,
  r: [expect.stringMatching(/^The server told of the end of a row that it had not told of before\..*Open it again\.$/)],
};

test.each([
  ['count', count, [1]],
  ['sum', [145, [T, 'x']], [5]],
  ['avg', [146, [T, 'x']], [5]],
  ['min of a field', [147, [T, 'x']], [[5, { x: 5 }]]],
  ['max of rows', [148, [[170, [T, 'x']]]], [[5]]],
  ['contains', [93, [[170, [T, 'k']], 'a']], { id: 1, k: 'a' }],
  ['isEmpty', [86, [T]], [1]],
  ['distinct', [42, [[170, [T, 'k']]]], ['a']],
  ['a list', [51, [T, 'array']], [{ id: 1 }]],
  [
    'a product',
    [
      37,
      [
        [170, [T, 'x']],
        [
          69,
          [
            [2, [1, 2]],
            [
              26,
              [
                [10, [1]],
                [10, [2]],
              ],
            ],
          ],
        ],
      ],
    ],
    [5],
  ],
  ['counts of groups', [43, [[144, [T, 'g']]]], [['a', 1]]],
  ['sums of groups', [145, [[144, [T, 'g']], 'x']], [['a', 5]]],
  ['sets of groups', [43, [[42, [[170, [[144, [T, 'g']], 'x']]]]]], [['a', 5]]],
])('%s: the end of a row that never was ends the feed', (_name, watched, element) => {
  const empty = new Driven(changes(watched, I)).send(READY);
  empty.documents();
  empty.send({ old_val: element, new_val: null });
  expect(empty.answers()).toMatchObject([NEVER_TOLD]);

  // Once is all that a row that came once can go.
  const twice = new Driven(changes(watched, I)).send({ new_val: element }, READY);
  twice.documents();
  twice.send({ old_val: element, new_val: null });
  twice.documents();
  twice.send({ old_val: element, new_val: null });
  expect(twice.answers()).toMatchObject([NEVER_TOLD]);
});

test.each([
  ['another row of the same key', [148, [T, 'x']], [[5, { id: 1 }]], [[5, { id: 2 }]]],
  ['another value', [42, [[170, [T, 'k']]]], ['a'], ['b']],
  ['another group', [43, [[144, [T, 'g']]]], [['a', 1]], [['b', 1]]],
  ['another row of a list', [51, [T, 'array']], [{ id: 1 }], [{ id: 2 }]],
])('the end of %s than the one that came ends the feed', (_name, watched, came, goes) => {
  const driven = new Driven(changes(watched, I)).send({ new_val: came }, READY);
  driven.documents();
  driven.send({ old_val: goes, new_val: null });
  expect(driven.answers()).toMatchObject([NEVER_TOLD]);
});
