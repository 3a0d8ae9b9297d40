import { expect, test } from 'vitest';
import { ExpressedValue } from '../../../proxy/feed/operator/expressed-value.ts';
import { StateGauge } from '../../../proxy/feed/operator/gauge.ts';
import { WHOLE_TURN } from '../../../proxy/work/turn.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { OutOfSteps } from '../../../rewrite/reql/meter.ts';

const late = (isLate: boolean): OutOfSteps => new OutOfSteps((what) => `${what} is too much.`, 1000, isLate);
/** A turn that others come after. */
const TURN = { isOver: () => false };

/** An expression that raises these errors, one after the other, and then has a value. */
function expressed(...errors: readonly OutOfSteps[]): ExpressedValue {
  const left = [...errors];
  const input = { value: 1 as Datum, version: 0 };
  return new ExpressedValue(
    [input],
    ([value = null]) => {
      const error = left.shift();
      if (error !== undefined) throw error;
      if (value instanceof Error) throw value;
      return value;
    },
    new StateGauge({ maxStateRows: 1e6, maxStateBytes: 1e9 }),
  );
}

test('an expression that took too long is tried again in another turn', () => {
  const value = expressed(late(true), late(true));
  expect(value.settle(TURN)).toBe(false);
  expect(value.settle(TURN)).toBe(false);
  expect(value.settle(TURN)).toBe(true);
  expect(value.value).toBe(1);
});

test('one that takes too long three times in a row has that for its value', () => {
  const value = expressed(late(true), late(true), late(true));
  expect([value.settle(TURN), value.settle(TURN), value.settle(TURN)]).toEqual([false, false, true]);
  expect(value.value).toBeInstanceOf(OutOfSteps);
});

test('one that takes too many steps is not tried again, nor is one that has no other turn', () => {
  const many = expressed(late(false));
  expect(many.settle(TURN)).toBe(true);
  expect(many.value).toBeInstanceOf(OutOfSteps);
  const whole = expressed(late(true));
  expect(whole.settle(WHOLE_TURN)).toBe(true);
  expect(whole.value).toBeInstanceOf(OutOfSteps);
});
