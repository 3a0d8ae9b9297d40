// The shape of a case: data, and queries as functions of `r`. cases.test.ts plays them.

import type { Plan } from '../../rewrite/plan/choose-plan.ts';
import type { Bag, ExpectedError } from '../support/checks/matchers.ts';
import type { Argument, Query, Reql } from '../support/reql.ts';
import type { RunOptions } from '../support/servers/drivers.ts';
import type { Seed } from '../support/servers/stage.ts';

/** What every case says. */
interface Told {
  /** The behaviour. */
  readonly name: string;
  /** Where it comes from: a case of CASES.md, an issue, or who would ask for it. */
  readonly source: string;
  readonly seed?: Seed;
  /** Options of `run`. */
  readonly options?: RunOptions;
}

/** A feed: what it shows first, and what it shows after each write. */
export interface FeedCase extends Told {
  /** What is watched, without `changes`: also the oracle of the feed's state at rest. */
  readonly query: Query;
  /** Options of `changes`; `{ includeInitial: true }` if absent. */
  readonly changes?: Readonly<Record<string, Argument>>;
  /** Terms after `changes`. The state at rest is then not compared. */
  readonly after?: (feed: Reql, r: Reql) => Reql;
  /** How documents add up to a state: one value, one per group, or a bag of rows. `value` if absent. */
  readonly shows?: 'value' | 'groups' | 'rows';
  /** The plans that promise it; all if absent. */
  readonly plans?: readonly Plan[];
  /** Documents that come when the feed is opened; nothing if absent. */
  readonly initial?: Documents;
  readonly steps?: readonly Step[];
  /** How the feed ends after the last step: with an error, or because there is no more to come. */
  readonly ends?: ExpectedError | 'done';
  /** The error at opening through a proxy that rewrites. Nothing else is then looked at. */
  readonly refused?: ExpectedError;
  /** What the server itself says to the query; absent where it accepts it: the feed is then the same everywhere. */
  readonly without?: ExpectedError;
}

/** Documents in order, in any order, or whatever leads to the state that the query without `changes` has. */
export type Documents = readonly unknown[] | Bag | 'law';

/** A write, straight to the database, and what it shows. The last step of a case shows something: so silence is proved. */
export interface Step {
  readonly write: Query;
  readonly expect: Documents;
}

/** A query that ends: the same everywhere. */
export interface RunCase extends Told {
  readonly run: Query;
  readonly expect: unknown;
}

/** One initial value. */
export function initially(value: unknown): readonly unknown[] {
  return [{ new_val: value }];
}

/** `a→b→c...`: one document for each step from a value to the next. */
export function steps(...values: readonly unknown[]): readonly unknown[] {
  return values.slice(1).map((value, at) => ({ old_val: values[at], new_val: value }));
}
