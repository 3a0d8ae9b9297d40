import { expect, test } from 'vitest';
import { Healing, type HealingHost } from '../../../proxy/feed/healing/healing.ts';
import { isPassing } from '../../../proxy/feed/healing/passing.ts';
import { Pauses } from '../../../proxy/feed/healing/pauses.ts';
import { Refills } from '../../../proxy/feed/healing/refills.ts';
import type { UpstreamPort } from '../../../proxy/relay/feed-port.ts';
import { logicError, opFailed, permissionError, ReqlError } from '../../../rewrite/reql/error.ts';
import { ErrorType, ResponseType } from '../../../rewrite/reql/protocol.ts';

const ABORTED = opFailed('Changefeed aborted (unavailable).');
const SAME = '{"t":1,"r":[[["id-1",true]]]}';
const OTHER = '{"t":1,"r":[[["id-2",true]]]}';
const NOT_READY = '{"t":18,"e":4100000,"r":["Cannot perform read: primary replica not available"],"b":[]}';
const GONE = '{"t":18,"e":4100000,"r":["Table `d.t` does not exist."],"b":[]}';

test.each<[ReqlError, boolean]>([
  [ABORTED, true],
  [opFailed('Cannot perform read: The primary replica is not reachable'), true],
  [new ReqlError(ResponseType.RUNTIME_ERROR, ErrorType.OP_INDETERMINATE, 'Cannot perform read: lost contact'), true],
  [opFailed('Table `d.t` does not exist.'), false],
  [opFailed('The secondary index `n` was replaced by a different one.'), true],
  [opFailed('Index `n` on table `d.t` was accessed before its construction was finished.'), true],
  [permissionError('User `u` does not have the required `read` permission'), false],
  [logicError('Expected type NUMBER but found STRING.'), false],
])('%s passes: %s', (error, passes) => {
  expect(isPassing(error)).toBe(passes);
});

test('an index that is not there may be made anew, for two seconds', () => {
  const gone = opFailed('Index `n` was not found on table `d.t`.');
  expect([0, 1999, 2000].map((ms) => isPassing(gone, ms))).toEqual([true, true, false]);
});

test('what is final from some moment on is tried again right then', () => {
  const pauses = new Pauses(
    10_000,
    7,
    () => 0,
    () => 1,
  );
  expect(pauses.next(450)).toBe(450);
});

test('pauses grow, are not in step, and end when the time is over', () => {
  let now = 0;
  const pauses = new Pauses(
    10_000,
    0,
    () => now,
    () => 1,
  );
  const told: (number | undefined)[] = [];
  for (let pause = pauses.next(); pause !== undefined; pause = pauses.next()) {
    told.push(pause);
    now += pause;
  }
  expect(told).toEqual([0, 50, 100, 200, 400, 800, 1600, 3200, 5000]);
  expect(
    new Pauses(
      1000,
      2,
      () => 0,
      () => 0,
    ).next(),
  ).toBe(50);
});

test('a try that took long is part of the pause after it', () => {
  let now = 0;
  const pauses = new Pauses(
    60_000,
    5,
    () => now,
    () => 1,
  );
  now += pauses.next() ?? 0;
  expect(now).toBe(800);
  now += 600;
  expect(pauses.next()).toBe(1600 - 600);
  now += 1000 + 15_000;
  expect(pauses.next()).toBe(50);
});

test('a table is read again four times at once, and the next in turn', () => {
  const refills = new Refills();
  const begun: number[] = [];
  const leave = [0, 1, 2, 3, 4, 5, 6].map((one) => refills.enter('t', () => begun.push(one)));
  refills.enter('u', () => begun.push(100));
  expect(begun).toEqual([0, 1, 2, 3, 100]);
  // One that waits no more.
  leave[4]?.();
  leave[0]?.();
  leave[0]?.();
  expect(begun).toEqual([0, 1, 2, 3, 100, 5]);
  for (const end of leave) end();
  expect(begun).toEqual([0, 1, 2, 3, 100, 5, 6]);
});

test('who reads two tables waits for both, and is not overtaken on either', () => {
  const refills = new Refills();
  const begun: string[] = [];
  const enter = (tables: string): (() => void) => refills.enter(tables, () => begun.push(tables));
  const [first] = ['t', 't', 't', 't'].map(enter);
  const both = enter('t,u');
  for (const table of ['u', 'u', 'u', 'u']) enter(table);
  expect(begun).toEqual(['t', 't', 't', 't', 'u', 'u', 'u']);
  first?.();
  expect(begun.slice(7)).toEqual(['t,u']);
  both();
  expect(begun.slice(8)).toEqual(['u']);
});

/** A healing, and what its share and its connection see of it. */
function staged(answers: readonly string[], identity: string | undefined = 'id-1') {
  const left = [...answers];
  const seen: string[] = [];
  const port: UpstreamPort = {
    query: () => ({ more() {}, stop() {}, drop() {} }),
    ask(_question, answer) {
      const next = left.shift();
      seen.push('ask');
      if (next !== undefined) answer(Buffer.from(next));
    },
    schedule(_ms, callback) {
      seen.push('pause');
      callback();
      return () => {};
    },
  };
  const host: HealingHost = {
    question: '[1,null]',
    identity: () => identity,
    port: () => port,
    refill: () => void seen.push('refill'),
    giveUp: (error, last) => void seen.push(`gives up: ${error.message} ${last}`),
  };
  const healing = new Healing({ healMs: 60_000, refills: new Refills(), relapses: 0 }, host, ABORTED);
  return { healing, seen, port };
}

test('the same table is read again, at once', () => {
  const { healing, seen } = staged([SAME]);
  healing.begin();
  expect(seen).toEqual(['ask', 'refill']);
});

test('a table that is not ready is asked for again', () => {
  const { healing, seen } = staged([NOT_READY, NOT_READY, SAME]);
  healing.begin();
  expect(seen).toEqual(['ask', 'pause', 'ask', 'pause', 'ask', 'refill']);
});

test.each([
  ['a table that is gone', GONE, 'Table `d.t` does not exist.'],
  ['another table of the same name', OTHER, 'The name of the table means another one now.'],
])('%s ends it with the error that began it', (_, answer, last) => {
  const { healing, seen } = staged([answer]);
  healing.begin();
  expect(seen).toEqual(['ask', `gives up: ${ABORTED.message} ${last}`]);
});

test('a reading that fails is tried again, or ends it where its error is final', () => {
  const { healing, seen } = staged([SAME, SAME]);
  healing.begin();
  healing.failed(ABORTED);
  expect(seen).toEqual(['ask', 'refill', 'pause', 'ask', 'refill']);
  healing.failed(logicError('Expected type NUMBER but found STRING.'));
  expect(seen.at(-1)).toBe('gives up: Expected type NUMBER but found STRING. an error that is final');
});

test('a connection that goes while it is asked is asked no more, and another is', () => {
  const { healing, seen, port } = staged([]);
  healing.begin();
  healing.lost(port);
  expect(seen).toEqual(['ask', 'pause', 'ask']);
});

test('what comes when it is over is nothing', () => {
  let late: ((body: Buffer) => void) | undefined;
  const seen: string[] = [];
  const port: UpstreamPort = {
    query: () => ({ more() {}, stop() {}, drop() {} }),
    ask(_question, answer) {
      late = answer;
    },
    schedule: () => () => {},
  };
  const healing = new Healing(
    { healMs: 60_000, refills: new Refills(), relapses: 0 },
    {
      question: '',
      identity: () => undefined,
      port: () => port,
      refill: () => void seen.push('refill'),
      giveUp: () => void seen.push('gives up'),
    },
    ABORTED,
  );
  healing.begin();
  healing.end();
  late?.(Buffer.from(SAME));
  expect(seen).toEqual([]);
});
