// The requirements of `contains` on a sequence, as counts: "at least so many elements satisfy one of these tests".
//
// The server lets each element satisfy one value and one function of those still open, in the order in which they come. So
// `contains(2, 2)` needs two of them, and functions that one element satisfies both need two elements; there is an order in
// which all are satisfied exactly when each subset of k functions is satisfied by k elements (Hall's marriage theorem).

import type { Builder } from '../reql/build/build.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { logicError } from '../reql/error.ts';
import type { Term } from '../reql/term/term.ts';
import { calledOnRow, isFunction } from './element.ts';

/** At least `need` elements satisfy one of the tests, each of which is an argument of `contains`. */
export interface Requirement {
  readonly tests: readonly Term[];
  readonly need: number;
}

/** Seven functions make 127 requirements; more than that is refused. */
const MOST_TESTS = 7;

/** The requirements of these arguments; of no arguments, one element. Raises QUERY_LOGIC for too many functions. */
export function requirementsOf(args: readonly Term[]): readonly Requirement[] {
  if (args.length === 0) return [{ tests: [], need: 1 }];
  const literals = args.filter((arg) => arg.kind === 'datum');
  const functions = args.filter(isFunction);
  const values = args.filter((arg) => arg.kind !== 'datum' && !isFunction(arg));
  if (values.length === 0) return [...perValue(literals), ...perSubset(functions)];
  return [...perSubset([...literals, ...values]), ...perSubset(functions)];
}

/** Whether a row satisfies one of the requirement's tests, as ReQL. */
export function satisfies(t: Builder, { tests }: Requirement, row: Term): Term {
  const [first, ...more] = tests.map((test) => calledOnRow(t, test, row) ?? t.eq(row, test));
  if (first === undefined) return t.expr(true);
  return more.length === 0 ? first : t.or(first, ...more);
}

function perValue(literals: readonly Term[]): Requirement[] {
  const counts = new Map<string, { readonly test: Term; readonly times: number }>();
  for (const test of literals) {
    const key = test.kind === 'datum' ? datumKey(test.value) : '';
    counts.set(key, { test, times: (counts.get(key)?.times ?? 0) + 1 });
  }
  return [...counts.values()].map(({ test, times }) => ({ tests: [test], need: times }));
}

function perSubset(tests: readonly Term[]): Requirement[] {
  if (tests.length > MOST_TESTS) {
    throw logicError(
      `Cannot watch \`contains\` with more than ${MOST_TESTS} functions or computed values.`,
      tests[MOST_TESTS]?.origin,
    );
  }
  const subsets = Array.from({ length: 2 ** tests.length - 1 }, (_, i) =>
    tests.filter((_test, bit) => (i + 1) & (1 << bit)),
  );
  return subsets.map((subset) => ({ tests: subset, need: subset.length }));
}
