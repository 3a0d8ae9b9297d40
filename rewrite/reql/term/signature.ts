// The row of a term in the table of terms, and the server's texts about how many arguments a term takes.

/** The form in which the official JavaScript driver writes a term. */
export type Form =
  /** `first.name(rest)` */
  | 'method'
  /** `r.name(all)` */
  | 'r'
  /** `first.name(rest)` on a database or a table, otherwise `r.name(all)` */
  | 'scoped'
  /** `r.name`, without parentheses */
  | 'constant'
  /** Not by name: literals, functions and variables. */
  | 'syntax';

/**
 * Whether a term gives the same result for the same arguments (op.hpp, class deterministic_t): `constantNow` means within
 * one query, `singleServer` on one machine, `withArgument` where it has exactly one argument and that is not `r.args`.
 */
export type Deterministic = 'always' | 'constantNow' | 'singleServer' | 'withArgument' | 'never';

/** The signature of a term, by its number. */
export interface Signature {
  /** The name in the official JavaScript driver. */
  readonly driver: string;
  readonly form: Form;
  /** The fewest and the most arguments; `Infinity` for no limit. Arguments out of `r.args` count. */
  readonly min: number;
  readonly max: number;
  /** The optargs it takes, in wire spelling. */
  readonly optargs: readonly string[];
  /** About the term itself; its arguments count as well. */
  readonly deterministic: Deterministic;
  /** A write, or an operation on databases, tables or indexes: may not stand inside a term that forbids writes. */
  readonly writes: boolean;
  /** Refuses writes in its optargs and in all arguments but the first. */
  readonly forbidsWrites: boolean;
  /** The server rewrites it into other terms before it looks at the arguments, so that `r.args` does not expand in it. */
  readonly rewritten: boolean;
}

/** A signature whose driver name is known to the compiler, so that `build.ts` has typed names. */
export type Row<Driver extends string> = Signature & { readonly driver: Driver };

type Traits = Partial<Pick<Signature, 'optargs' | 'deterministic' | 'writes' | 'forbidsWrites' | 'rewritten'>>;

/** No upper limit of arguments. */
export const MANY = Number.POSITIVE_INFINITY;

const row =
  (form: Form) =>
  <const Driver extends string>(driver: Driver, min: number, max = min, traits: Traits = {}): Row<Driver> => ({
    driver,
    form,
    min,
    max,
    optargs: [],
    deterministic: 'always',
    writes: false,
    forbidsWrites: false,
    rewritten: false,
    ...traits,
  });

export const method = row('method');
export const prefixed = row('r');
export const scoped = row('scoped');
export const syntax = row('syntax');

/** A value of the language. */
export const constant = <const Driver extends string>(driver: Driver): Row<Driver> => row('constant')(driver, 0);

/** The server's text for a wrong number of arguments, or `undefined` where the number is right. */
export function arityFault({ min, max }: Pick<Signature, 'min' | 'max'>, found: number): string | undefined {
  if (found >= min && found <= max) return undefined;
  return `Expected ${expected(min, max)} but found ${found}.`;
}

function expected(min: number, max: number): string {
  if (min === max) return `${min} argument${min === 1 ? '' : 's'}`;
  if (max === MANY) return `${min} or more arguments`;
  return `between ${min} and ${max} arguments`;
}
