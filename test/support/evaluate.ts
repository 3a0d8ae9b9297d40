// Evaluates printed ReQL with the official driver, and gives the term that the driver would send.

import { createRequire } from 'node:module';
import { parseTerm } from '../../rewrite/reql/term/parse.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import type { Query, Reql } from './reql.ts';

interface Built {
  build(): unknown;
}

type Driver = Reql & { expr(value: unknown): Built };

const driver: Driver = createRequire(import.meta.url)('rethinkdb');

/** The driver's functions count their variables, over all queries of a process: here from 0 in each query, as in a new one. */
const counter: { nextVarId: number } = Reflect.get(
  driver.expr((x: Reql) => x),
  'constructor',
);

/** The term that a text of JavaScript stands for. Throws what the driver or the parser has against it. */
export function evaluate(text: string): Term {
  return termOf(new Function('r', `return ${text}`) as Query);
}

/** The term that a query is. Throws what the driver or the parser has against it. */
export function termOf(query: Query): Term {
  counter.nextVarId = 0;
  const value: unknown = query(driver);
  const term = parseTerm(wireJson(driver.expr(value).build()));
  if (term instanceof Error) throw term;
  return term;
}

/** JSON that keeps negative zero, which the driver's own does not. */
function wireJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(wireJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, field]) => `${JSON.stringify(key)}:${wireJson(field)}`)
      .join(',')}}`;
  }
  return Object.is(value, -0) ? '-0.0' : JSON.stringify(value);
}
