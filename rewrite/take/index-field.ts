// Indexes of plain fields: what they hold, so that groups, orders and distinct values by index can be had from the rows.

import { type IndexFields, UnknownIndex } from '../context.ts';
import { bound } from '../each.ts';
import { refusal } from '../refusal.ts';
import { TermType } from '../reql/term-type.ts';
import type { Builder } from '../term/build.ts';
import type { CallTerm, Term } from '../term/term.ts';
import type { Taking } from './taking.ts';

/**
 * The fields of an index.
 * @throws UnknownIndex when the server has to be asked first.
 * @throws ReqlError when it is not an index of plain fields.
 */
export function indexFields(taking: Taking, term: CallTerm, index: string): IndexFields {
  const table = tableBelow(term);
  const fields = table === undefined ? null : taking.context.indexes({ table, index });
  if (fields === undefined && table !== undefined) throw new UnknownIndex({ table, index });
  if (fields === undefined || fields === null) {
    throw refusal(term, `the index \`${index}\` is not one of plain fields. Use a function instead of the index`);
  }
  return fields;
}

/** The table that a selection is of. */
export function tableBelow(term: CallTerm): CallTerm | undefined {
  for (let at: Term | undefined = term; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.TABLE) return at;
  }
  return undefined;
}

/** What a row holds under an index, raising NON_EXISTENCE where it is not in it. */
function indexValue(t: Builder, row: Term, { fields, compound }: IndexFields): Term {
  const values = fields.map((field) => t.bracket(row, field));
  const [only] = values;
  return compound || only === undefined ? t.array(...values) : only;
}

/**
 * The array of the values under which an index holds a row: none where a field is missing, null or an object, which
 * cannot be keys; one, or for a `multi` index the items of the field.
 */
export function indexValues(t: Builder, row: Term, known: IndexFields): Term {
  const value = indexValue(t, row, known);
  const isKey = (of: Term): Term => t.and(t.ne(of, null), t.ne(t.typeOf(of), 'OBJECT'));
  const single = t.branch(isKey(value), [value], []);
  const items = t.branch(
    t.eq(t.typeOf(value), 'ARRAY'),
    t.filter(value, (item: Term) => isKey(item)),
    single,
  );
  const values = known.multi && !known.compound ? items : single;
  return t.branch(t.hasFields(row, ...known.fields), values, []);
}

/** `orderBy({index: ...}, more...)` as an order of an array by the fields of the index. */
export function indexOrder(taking: Taking, term: CallTerm, index: Term): CallTerm {
  const direction =
    index.kind === 'call' && (index.type === TermType.ASC || index.type === TermType.DESC) ? index : undefined;
  const name = direction?.args[0] ?? index;
  if (name.kind !== 'datum' || typeof name.value !== 'string') throw refusal(term, 'its index is not a literal name');
  const known = indexFields(taking, term, name.value);
  const t = taking.context.builder(term);
  const key = t.func((row) => indexValue(t, row, known), 1);
  const { text: _, ...rest } = bound(term, taking.context.fresh);
  const first = direction?.type === TermType.DESC ? t.desc(key) : key;
  return {
    ...rest,
    args: [...rest.args.slice(0, 1), first, ...rest.args.slice(1)],
    optargs: rest.optargs.filter(([option]) => option !== 'index'),
  };
}
