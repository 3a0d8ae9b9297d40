// Names for the variables of printed functions, after the part that the function plays in the term above it.

import type { Term } from '../term/term.ts';
import { TermType } from '../term-type.ts';

const ROLES: ReadonlyMap<number, readonly string[]> = new Map([
  [TermType.REDUCE, ['left', 'right']],
  [TermType.FOLD, ['acc', 'row']],
  [TermType.FUNCALL, ['value']],
  [TermType.INNER_JOIN, ['left', 'right']],
  [TermType.OUTER_JOIN, ['left', 'right']],
  [TermType.SET_WRITE_HOOK, ['context', 'oldRow', 'newRow']],
]);

const OPTARG_ROLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['emit', ['acc', 'row', 'next']],
  ['final_emit', ['acc']],
  ['conflict', ['id', 'oldRow', 'newRow']],
]);

/** Names for the parameters of a function that stands in a term, at an argument or under the name of an optarg. */
export function roleNames(parent: Term | undefined, optarg: string | undefined): readonly string[] {
  if (parent?.kind !== 'call') return ['row'];
  const names = (optarg === undefined ? ROLES.get(parent.type) : OPTARG_ROLES.get(optarg)) ?? ['row'];
  const [sequence] = parent.args;
  const overChanges = parent.type === TermType.FOLD && sequence?.kind === 'call' && sequence.type === TermType.CHANGES;
  return overChanges ? names.map((name) => (name === 'row' ? 'change' : name)) : names;
}

/** The name at an index, made different from all names taken: `row`, `row2`, `row3`. */
export function freeName(names: readonly string[], index: number, taken: ReadonlySet<string>): string {
  const base = names[index] ?? names.at(-1) ?? 'x';
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}${count}`;
  return name;
}
