// The values of a row that an index of plain fields holds, as ReQL.

import type { Builder } from '../reql/build/build.ts';
import type { Term } from '../reql/term/term.ts';
import type { IndexFields } from './known-index.ts';

/** An index of plain fields. */
export type PlainIndex = IndexFields & { readonly fields: readonly string[] };

/** Whether what is known of an index is that it is one of plain fields. */
export function isPlain(known: IndexFields): known is PlainIndex {
  return known.fields !== null;
}

/** The value of a row under an index, raising NON_EXISTENCE where it is not in it. */
export function indexValue(t: Builder, row: Term, { fields, compound }: PlainIndex): Term {
  const values = fields.map((field) => t.bracket(row, field));
  const [only] = values;
  return compound || only === undefined ? t.array(...values) : only;
}

/**
 * The array of the values under which an index holds a row: none where a field is missing or cannot be a key; one, or for a
 * `multi` index the items of the field.
 */
export function indexValues(t: Builder, row: Term, known: PlainIndex): Term {
  const value = indexValue(t, row, known);
  const single = t.branch(isKey(t, value), [value], []);
  const items = t.branch(
    t.eq(t.typeOf(value), 'ARRAY'),
    t.filter(value, (item: Term) => isKey(t, item)),
    single,
  );
  const values = known.multi && !known.compound ? items : single;
  return t.branch(t.hasFields(row, ...known.fields), values, []);
}

/** Types of which no index holds a value, nor an array with one in it (datum.cc, print_secondary). */
const NO_KEYS = ['NULL', 'OBJECT', 'PTYPE<GEOMETRY>'];
/** How deep arrays are looked into. */
const NESTED = 2;

/** Whether an index holds a value. */
export function isKey(t: Builder, value: Term, depth = NESTED): Term {
  const type = t.typeOf(value);
  const own = t.not(t.contains(NO_KEYS, type));
  if (depth === 0) return own;
  const items = t.not(
    t.contains(
      value,
      t.func((item) => t.not(isKey(t, item, depth - 1)), 1),
    ),
  );
  return t.branch(t.eq(type, 'ARRAY'), items, own);
}
