// An exact sum of doubles as a state of ReQL, for folds inside RethinkDB: whatever went in and out, nothing is rounded away.
// Two shapes, the first for the usual path of integers:
//
//   s               an integer below 2^52 in magnitude: the sum
//   [a, b, rest]    the sum is a + b + all of rest; b holds what a rounds away (two-sum), rest (an array of numbers, none
//                   overlapping another, smallest first) what b rounds away
//
// Arrays are less than numbers in ReQL's order, so one comparison tells the shapes apart and checks the bound as well.

import type { Builder, Expression } from '../term/build.ts';
import type { Term } from '../term/term.ts';
import { held } from './held.ts';

const LIMIT = 2 ** 52;

/** The state of no numbers. */
export const NOTHING_SUMMED = 0;

/** The state with a number added. The server raises what `sum` raises for an element that is no number. */
export function addExactly(t: Builder, state: Term, x: Term): Term {
  return step(t, state, x, (s, y) => t.branch(bothSmall(t, s, y), t.add(s, y), addSlowly(t, s, y)));
}

/** The state with a number that was added before taken off. */
export function subtractExactly(t: Builder, state: Term, x: Term): Term {
  return step(t, state, x, (s, y) => t.branch(bothSmall(t, s, y), t.sub(s, y), addSlowly(t, s, t.sub(0, y))));
}

function step(t: Builder, state: Term, x: Term, use: (state: Term, x: Term) => Term): Term {
  return held(t, state, (s) => held(t, x, (y) => use(s, y)));
}

/** The sum, rounded once. */
export function exactValue(t: Builder, state: Term): Term {
  return held(t, state, (s) =>
    t.branch(isSmall(t, s), s, t.sum(grow(t, grow(t, t.nth(s, 2), t.nth(s, 1)), t.nth(s, 0)))),
  );
}

function isSmall(t: Builder, x: Term): Term {
  return t.lt(-LIMIT, x, LIMIT);
}

// Two integers below 2^52 add up without rounding. `round` comes before the comparison: it raises the server's error for
// what is no number.
function bothSmall(t: Builder, state: Term, x: Term): Term {
  return t.and(t.eq(t.round(x), x), isSmall(t, x), isSmall(t, state));
}

function addSlowly(t: Builder, state: Term, x: Term): Term {
  const wide = t.branch(isSmall(t, state), [state, 0, []], state);
  return t.do(
    (old, y) =>
      twoSum(t, t.nth(old, 0), y, (a, low) =>
        twoSum(t, t.nth(old, 1), low, (b, lost) =>
          settled(t, a, b, t.branch(t.eq(lost, 0), t.nth(old, 2), grow(t, t.nth(old, 2), lost))),
        ),
      ),
    wide,
    x,
  );
}

// Back to the short shape where it can say the same.
function settled(t: Builder, a: Term, b: Term, rest: Term): Expression {
  return t.branch(t.and(t.eq(b, 0), isSmall(t, a), t.eq(t.round(a), a), t.eq(rest, [])), a, [a, b, rest]);
}

/** Knuth's two-sum: the rounded sum, and exactly what the rounding took away. */
function twoSum(t: Builder, x: Term, y: Term, then: (high: Term, low: Term) => Expression): Term {
  return t.do(
    (sum) =>
      t.do((part) => t.do((low) => then(sum, low), t.add(t.sub(x, t.sub(sum, part)), t.sub(y, part))), t.sub(sum, x)),
    t.add(x, y),
  );
}

// Shewchuk's grow-expansion: adds a number to numbers none of which overlaps another, and leaves out zeros.
function grow(t: Builder, parts: Term, x: Term): Term {
  const step = (state: Term, part: Term): Expression =>
    twoSum(t, t.nth(state, 0), part, (high, low) => [
      high,
      t.branch(t.eq(low, 0), t.nth(state, 1), t.append(t.nth(state, 1), low)),
    ]);
  return t.do(
    (grown) => t.branch(t.eq(t.nth(grown, 0), 0), t.nth(grown, 1), t.append(t.nth(grown, 1), t.nth(grown, 0))),
    t.fold(parts, [x, []], (state, part) => step(state ?? x, part ?? x)),
  );
}
