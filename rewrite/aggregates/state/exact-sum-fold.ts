// An exact sum of doubles as a state of ReQL, for folds inside RethinkDB: whatever went in and out, nothing is rounded away.
// Two shapes, the first for the usual path of integers:
//
//   s               an integer below 2^53 in magnitude: the sum
//   [a, b, rest]    the sum is a + b + all of rest: b holds what a rounds away, rest (an array of numbers, none overlapping
//                   another, smallest first) what b rounds away, which is seldom anything
//
// A sum of nothing has the first shape. Arrays are less than numbers in ReQL's order, which tells the shapes apart.

import type { Builder, Expression } from '../../reql/build/build.ts';
import { constant } from '../../reql/term/constant.ts';
import type { Term } from '../../reql/term/term.ts';
import { evaluatedOnce } from './evaluated-once.ts';

/** Integers below this add up without rounding, and the sum of two of them is below 2^53. */
const LIMIT = 2 ** 52;

/** The state of no numbers. */
export const NOTHING_SUMMED = 0;

/** The state with a number added. The server raises what `sum` raises for an element that is no number. */
export function addExactly(t: Builder, state: Term, x: Term): Term {
  return evaluatedOnce(t, state, (s) =>
    evaluatedOnce(t, x, (y) => t.branch(addsUp(t, s, y), t.add(s, y), t.do(SPREAD, s, y))),
  );
}

/** The state with a number that was added before taken off. */
export function subtractExactly(t: Builder, state: Term, x: Term): Term {
  return evaluatedOnce(t, state, (s) =>
    evaluatedOnce(t, x, (y) => t.branch(addsUp(t, s, y), t.sub(s, y), t.do(SETTLED, s, t.sub(0, y)))),
  );
}

/** The state of an array of numbers. */
export function sumOf(t: Builder, numbers: Term): Term {
  return t.fold(
    numbers,
    NOTHING_SUMMED,
    t.func((state, x) => addExactly(t, state, x), 2),
  );
}

/** The sum, rounded once, halves to even. */
export function exactValue(t: Builder, state: Term): Term {
  return evaluatedOnce(t, state, (s) => t.branch(isNumber(t, s), s, t.do(ROUNDED, s)));
}

// The last step of Python's `fsum`: from the greatest part down, the first that a rounding leaves is what `high` lacks; if
// that is half way to the next double, the sign of the part below it decides. With `rest`, no two parts overlap; without,
// there is one addition.
function rounded(t: Builder, greatest: Term, parts: Term): Term {
  return t.do(
    (high, low, below) =>
      t.do(
        (next) =>
          t.branch(
            t.and(t.eq(t.gt(low, 0), t.gt(below, 0)), t.ne(below, 0), t.eq(t.sub(next, high), t.mul(low, 2))),
            next,
            high,
          ),
        t.add(high, t.mul(low, 2)),
      ),
    t.args(
      t.fold(
        parts,
        [greatest, 0, 0],
        t.func(
          (state, part) =>
            t.do(
              (high, low, below) =>
                t.branch(
                  t.eq(low, 0),
                  twoSum(t, high, part, (sum, lost) => t.array(sum, lost, 0)),
                  t.eq(below, 0),
                  [high, low, part],
                  state,
                ),
              t.args(state),
            ),
          2,
        ),
      ),
    ),
  );
}

function downwards(t: Builder, parts: Term): Term {
  return t.fold(
    parts,
    [],
    t.func((down, part) => t.prepend(down, part), 2),
  );
}

function isNumber(t: Builder, state: Term): Term {
  return t.gt(state, -4 * LIMIT);
}

// Not for the second shape; the first may be at the limit.
function addsUp(t: Builder, state: Term, x: Term): Term {
  return t.and(t.lt(-LIMIT, state, LIMIT), t.eq(t.round(x), x), t.lt(-LIMIT, x, LIMIT));
}

// One two-sum into a, and what that rounds away into b, where b does not round in its turn; `then` makes the state.
function spread(t: Builder, state: Term, x: Term, then: (a: Term, b: Term, rest: Term) => Expression): Term {
  const wide = t.branch(isNumber(t, state), [state, 0, []], state);
  return t.do(
    (a, b, rest) =>
      twoSum(t, a, x, (high, low) =>
        t.do(
          (carry) =>
            t.branch(
              t.and(t.eq(t.sub(carry, b), low), t.eq(t.sub(carry, low), b), t.eq(rest, [])),
              then(high, carry, rest),
              gathered(t, grown(t, rest, [low, b, high])),
            ),
          t.add(b, low),
        ),
      ),
    t.args(wide),
  );
}

/** The state that is the sum of numbers that do not overlap. */
function gathered(t: Builder, parts: Term): Term {
  return t.do(
    (sorted) =>
      t.branch(
        t.isEmpty(sorted),
        NOTHING_SUMMED,
        t.eq(t.count(sorted), 1),
        [t.nth(sorted, 0), 0, []],
        [t.nth(sorted, -1), t.nth(sorted, -2), t.slice(sorted, 0, -2)],
      ),
    parts,
  );
}

// Knuth's two-sum: the rounded sum, and exactly what the rounding took away. A subtraction twice is cheaper than a variable.
function twoSum(t: Builder, x: Term, y: Term, then: (high: Term, low: Term) => Term): Term {
  return t.do(
    (high) => {
      const part = t.sub(high, x);
      return t.do((low) => then(high, low), t.add(t.sub(x, t.sub(high, part)), t.sub(y, part)));
    },
    t.add(x, y),
  );
}

/** Numbers that do not overlap, with more numbers added. */
function grown(t: Builder, parts: Term, more: readonly Term[]): Term {
  return t.fold(
    more,
    parts,
    t.func((sum, x) => grow(t, sum, x), 2),
  );
}

// Shewchuk's grow-expansion: adds a number to numbers none of which overlaps another, and leaves out zeros.
function grow(t: Builder, parts: Term, x: Term): Term {
  return t.do(
    (sum, done) => t.branch(t.eq(sum, 0), done, t.append(done, sum)),
    t.args(
      t.fold(
        parts,
        [x, []],
        t.func(
          (state, part) =>
            t.do(
              (sum, done) =>
                twoSum(t, sum, part, (high, low) => t.array(high, t.branch(t.eq(low, 0), done, t.append(done, low)))),
              t.args(state),
            ),
          2,
        ),
      ),
    ),
  );
}

// The whole of what is not the usual path, as functions of a state and a number, and of a state: they are long, and so are
// built once. Functions are no values in ReQL, so each use has a copy of its own in the query.
const SPREAD = constant((t) => t.func((s: Term, y: Term) => spread(t, s, y, (a, b, rest) => [a, b, rest]), 2));
const SETTLED = constant((t) =>
  t.func(
    (s: Term, y: Term) => spread(t, s, y, (a, b, rest) => t.branch(t.eq(t.add(a, b), 0), NOTHING_SUMMED, [a, b, rest])),
    2,
  ),
);
const ROUNDED = constant((t) =>
  t.func((s) => t.do((a, b, rest) => rounded(t, a, downwards(t, t.append(rest, b))), t.args(s)), 1),
);
