import { expect, test } from 'vitest';
import { LONGEST_UNREST_MS, LONGEST_WAIT_MS, QUIET_MS } from '../../../proxy/feed/source/quiet.ts';
import { Driven } from './scripted-io.ts';

const keyed = (key: string): unknown => [43, [[78, [[15, ['t']], key], { index: 'k' }]]];
const IS = { include_initial: true, include_states: true };
/** The share of a key among two. */
const SHARE = [152, [[27, [keyed('a'), [24, [keyed('a'), keyed('b')]]]]], IS];
const OPENING = [{ state: 'initializing' }, { new_val: [1, [null]] }, { state: 'ready' }];
const READY = [{ state: 'initializing' }, { new_val: 0 }, { state: 'ready' }];

/** What the server says of the index: it is of a function, so that nobody can tell which rows a key of it has. */
const STATUS = {
  t: 1,
  r: [
    [
      'id',
      { index: 'k', query: `indexCreate('k', function(row) { return row("k").mul(1); })`, multi: false, geo: false },
    ],
  ],
};

/** A feed of that share: source 0 is `a`, source 1 is `b`. */
function opened(plan: 'auto' | 'server' | 'proxy' = 'auto'): Driven {
  const driven = new Driven(SHARE, { settings: { plan } });
  driven.io.asked.shift()?.answer(Buffer.from(JSON.stringify(STATUS)));
  return driven;
}

test.each(['auto', 'server', 'proxy'] as const)(
  'several selections of a table are folded in the proxy, plan %s',
  (plan) => {
    const [query] = opened(plan).io.upstream;
    expect(JSON.stringify(query).startsWith('[1,[152,')).toBe(true);
  },
);

test('nothing is shown before upstream is quiet, an error neither', () => {
  const driven = opened().send(...OPENING);
  expect(driven.answers().flatMap(({ r }) => r)).toEqual(READY.slice(0, 1));
  expect(driven.continue().documents()).toEqual(READY.slice(1));
  // The row leaves `b`: for a moment there is none at all.
  driven.send({ old_val: [1, [null]], new_val: null });
  expect(driven.io.isEnded).toBe(false);
  driven.send({ old_val: null, new_val: [0, [null]] });
  expect(driven.documents()).toEqual([{ old_val: 0, new_val: 1 }]);
});

test('an error that is still there when upstream is quiet ends the feed', () => {
  const driven = opened().send(...OPENING);
  driven.documents();
  driven.send({ old_val: [1, [null]], new_val: null }).quiet();
  expect(driven.answers()).toMatchObject([{ t: 18, r: ['Cannot divide by zero.'] }]);
  expect(driven.io.isEnded).toBe(true);
});

test('what comes while it is asked whether there is more begins the wait anew', () => {
  const driven = opened().send(...OPENING);
  driven.documents();
  driven.send({ old_val: [1, [null]], new_val: null });
  const [wait] = driven.io.timers.splice(
    driven.io.timers.findIndex(({ ms }) => ms === QUIET_MS),
    1,
  );
  wait?.callback();
  const question = driven.io.asked.shift();
  driven.send({ old_val: null, new_val: [0, [null]] });
  question?.answer(Buffer.from('{"t":1,"r":[null]}'));
  expect(driven.io.asked).toEqual([]);
  expect(driven.documents()).toEqual([{ old_val: 0, new_val: 1 }]);
});

test('an upstream that is never quiet ends a feed whose sources are of one table: what is between was at no moment', () => {
  const driven = opened().send(...OPENING);
  driven.documents();
  driven.send({ old_val: null, new_val: [0, [null]] });
  driven.send({ old_val: null, new_val: [1, [null]] });
  const waits = driven.io.timers.filter(({ ms }) => ms === LONGEST_UNREST_MS);
  expect(waits).toHaveLength(1);
  waits[0]?.callback();
  expect(driven.answers()).toMatchObject([
    {
      t: 18,
      r: [expect.stringMatching(/^Cannot show a moment of the query: changes have come without a pause for 30/)],
    },
  ]);
  expect(driven.io.isEnded).toBe(true);
});

test('of several tables, an upstream that is never quiet is waited for so long and no longer', () => {
  const counts = [
    152,
    [
      [
        24,
        [
          [43, [[15, ['t']]]],
          [43, [[15, ['u']]]],
        ],
      ],
    ],
    IS,
  ];
  const driven = new Driven(counts, { settings: { plan: 'auto' } }).send(...OPENING);
  driven.documents();
  driven.send({ old_val: null, new_val: [0, [null]] });
  driven.send({ old_val: null, new_val: [1, [null]] });
  const waits = driven.io.timers.filter(({ ms }) => ms === LONGEST_WAIT_MS);
  expect(waits).toHaveLength(1);
  waits[0]?.callback();
  expect(driven.answers().flatMap(({ r }) => r)).toEqual([{ old_val: 1, new_val: 3 }]);
  expect(driven.io.timers).toEqual([]);
});

test('a feed that is stopped waits for nothing', () => {
  const driven = opened().send(...OPENING);
  driven.feed?.stop();
  expect(driven.io.timers).toEqual([]);
});
