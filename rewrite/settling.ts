// When what comes from upstream may be shown: whether one write to a row can come as several changes.

import type { Live, Source } from './live.ts';
import { TermType } from './reql/term-type.ts';
import { serializeTerm } from './term/serialize.ts';
import type { Term } from './term/term.ts';

/**
 * When the proxy shows what has changed: with each change, where a write to a row is one; with each batch; or when upstream
 * has told all that it has to tell, where there are several sources and a write to a row may come as a change of each.
 */
export type Settling = 'change' | 'batch' | 'quiet';

/** When a live query may be shown. */
export function settlingOf({ sources, watched }: Live): Settling {
  if (sources.length > 1) return 'quiet';
  // A reducer is called once for all that a batch changes.
  return watched.kind === 'reduced' ? 'batch' : 'change';
}

/**
 * Whether a fold inside RethinkDB, which sees one change after the other, shows nothing that was not there at some moment: no
 * table is read by two sources.
 */
export function isOneChangeAWrite({ sources }: Live): boolean {
  return new Set(sources.map(tableOf)).size === sources.length;
}

/** A text for the table of a source, the same for all that may be one: whatever database it is in. */
function tableOf({ term }: Source): string {
  let at: Term = term;
  while (at.kind === 'call' && at.type !== TermType.TABLE && at.args[0] !== undefined) at = at.args[0];
  const name = at.kind === 'call' ? at.args.at(-1) : undefined;
  return name?.kind === 'datum' ? serializeTerm({ kind: 'datum', value: name.value }) : '';
}
