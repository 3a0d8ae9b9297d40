// The order of rows that a query asks for, so that a picture of them has it too: feeds tell rows, not their places.

import { compareDatums } from '../../rewrite/reql/data/compare.ts';
import { type Datum, getField, isObject } from '../../rewrite/reql/data/datum.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';

/** Compares two rows. */
export type Ordering = (a: Datum, b: Datum) => number;

/** Terms between an order and its feed that keep it. */
const KEEPS_ORDER: ReadonlySet<number> = new Set([
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.FILTER,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
]);

interface Key {
  readonly field: string;
  readonly sign: 1 | -1;
}

/** The order of a selection; `undefined` where it has none, or one that is not of fields by name. */
export function orderingOf(term: Term | undefined): Ordering | undefined {
  if (term?.kind !== 'call') return undefined;
  if (KEEPS_ORDER.has(term.type)) return orderingOf(term.args[0]);
  if (term.type !== TermType.ORDER_BY) return undefined;
  const index = term.optargs.find(([name]) => name === 'index')?.[1];
  const keys = [...(index === undefined ? [] : [index]), ...term.args.slice(1)].map(keyOf);
  return keys.length === 0 || keys.includes(undefined) ? undefined : byKeys(keys.filter((key) => key !== undefined));
}

function keyOf(term: Term): Key | undefined {
  if (term.kind === 'datum') return typeof term.value === 'string' ? { field: term.value, sign: 1 } : undefined;
  if (term.kind !== 'call' || (term.type !== TermType.ASC && term.type !== TermType.DESC)) return undefined;
  const [field] = term.args;
  const key = field === undefined ? undefined : keyOf(field);
  return key === undefined ? undefined : { ...key, sign: term.type === TermType.DESC ? -1 : 1 };
}

function byKeys(keys: readonly Key[]): Ordering {
  return (a, b) => {
    for (const { field, sign } of keys) {
      const [left, right] = [fieldOf(a, field), fieldOf(b, field)];
      if (left !== undefined && right !== undefined) {
        const difference = compareDatums(left, right);
        if (difference !== 0) return sign * difference;
      }
    }
    return 0;
  };
}

/** By the primary key, where rows have one of the usual name. */
export const byKey: Ordering = byKeys([{ field: 'id', sign: 1 }]);

function fieldOf(row: Datum, field: string): Datum | undefined {
  return isObject(row) ? getField(row, field) : undefined;
}
