// Terms made ready to run: closures over the closures of their arguments, so that nothing walks a tree per evaluation.

import type { Origin } from '../../origin.ts';
import type { Term } from '../../term/term.ts';
import type { Scope } from './scope.ts';
import type { Value } from './value.ts';

/**
 * What keeps a term from always giving the same: bits, joined with `|`. NONDETERMINISTIC is for good;
 * SINGLE_SERVER gives the same on one machine only (geometry); NOW gives the same within one query.
 */
export const Determinism = { ALWAYS: 0, NONDETERMINISTIC: 1, SINGLE_SERVER: 2, NOW: 4 } as const;
export type Determinism = number;

/** A term ready to run. */
export interface Compiled {
  readonly term: Term;
  readonly origin: Origin | undefined;
  readonly determinism: Determinism;
  /** Evaluates the term; raises ReqlError. `undefined` is the scope outside of all functions. */
  readonly eval: (scope: Scope | undefined) => Value;
  /**
   * The term that made the value that `eval` returned last; errors about the value point there. Mostly this term; one
   * further in for `branch`, `do` and others that pass values on. Asked right after `eval`, before it runs again.
   */
  readonly maker: () => Origin | undefined;
  /**
   * Where a term has it: `eval`, but `undefined` in place of the error that a field is missing, which is dear to make.
   * May also raise that error.
   */
  readonly evalOrMissing?: (scope: Scope | undefined) => Value | undefined;
}

/** A term that makes its values itself. */
export function compiled(
  term: Term,
  determinism: Determinism,
  evaluate: (scope: Scope | undefined) => Value,
  maker: () => Origin | undefined = () => term.origin,
): Compiled {
  return { term, origin: term.origin, determinism, eval: evaluate, maker };
}

/** The determinism of a term that is as deterministic as its parts. */
export function joinDeterminism(parts: readonly Compiled[]): Determinism {
  return parts.reduce((joined, part) => joined | part.determinism, Determinism.ALWAYS as Determinism);
}
