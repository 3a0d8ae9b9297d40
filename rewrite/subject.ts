// The subject of a feed's documents, by the kind of what is watched.

import { kinds } from './kinds/index.ts';
import type { KindName } from './kinds/kind.ts';

/** The one value of a feed, the value of a group, a row, or an output of a reducer. */
export type Subject = 'value' | 'group' | 'row' | 'output';

/** The subject of each document of a feed. */
export function subjectOf<Name extends KindName>(watched: { readonly kind: Name }): (typeof kinds)[Name]['subject'] {
  return kinds[watched.kind].subject;
}
