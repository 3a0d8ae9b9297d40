// What the documents of a feed tell of, by the kind of what is watched.

import type { Live } from './live.ts';

/** The one value of a feed, the value of a group, a row, or an output of a reducer. */
export type Subject = 'value' | 'group' | 'row' | 'output';

const subjects = {
  aggregate: 'value',
  expression: 'value',
  grouped: 'group',
  reduced: 'output',
  distinct: 'row',
  ungroup: 'row',
  top: 'row',
  flat: 'row',
  listed: 'row',
} as const satisfies { readonly [Kind in Live['watched']['kind']]: Subject };

/** What each document of a feed is about. */
export function subjectOf<Kind extends Live['watched']['kind']>(watched: {
  readonly kind: Kind;
}): (typeof subjects)[Kind] {
  return subjects[watched.kind];
}
