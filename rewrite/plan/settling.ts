// The moments at which what comes from upstream may be shown: whether one write to a row can come as several changes.

import type { Live, Source } from '../live.ts';
import { serializeTerm } from '../reql/term/serialize.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';

/**
 * When the proxy shows what has changed. `change`: with each change, where a write to a row is one. `batch`: with each batch.
 * `quiet`: when upstream has told all that it has to tell, and now and then while it never has. `moment`: only then, since what
 * is between is nothing that ever was.
 */
export type Settling = 'change' | 'batch' | 'quiet' | 'moment';

/** The moments at which a live query may be shown. */
export function settlingOf({ sources, watched }: Live): Settling {
  if (!readsTablesOnce(sources)) return 'moment';
  if (sources.length > 1 || sources.some(({ repeats }) => repeats)) return 'quiet';
  // A reducer is called once for all the changes of a batch.
  return watched.kind === 'reduced' ? 'batch' : 'change';
}

/** Whether a fold, which sees one change after the other, shows nothing of a table that it was at no moment. */
export function isOneChangeAWrite(live: Live): boolean {
  const settling = settlingOf(live);
  return settling === 'change' || settling === 'batch';
}

/** Whether no table is read by two sources. */
export function readsTablesOnce(sources: readonly Source[]): boolean {
  return sources.length < 2 || new Set(sources.map(tableOf)).size === sources.length;
}

/** Whether a table is read by one of some sources and by one of others. */
export function readOneTable(some: readonly Source[], others: readonly Source[]): boolean {
  const tables = new Set(some.map(tableOf));
  return others.some((source) => tables.has(tableOf(source)));
}

/** The source that is the first rows of an order beside another selection of its table, if there is one. */
export function orderBesideTable(sources: readonly Source[]): CallTerm | undefined {
  if (sources.length < 2) return undefined;
  const tables = sources.map(tableOf);
  const isAlone = (table: string | undefined): boolean => tables.filter((other) => other === table).length === 1;
  const found = sources.find(({ limited }, at) => limited && !isAlone(tables[at]))?.term;
  return found?.kind === 'call' ? found : undefined;
}

/** A text for what a source reads, the same for all that may be one table: whatever database it is in. */
function tableOf({ term }: Source): string {
  const path: number[] = [];
  let at: Term = term;
  while (at.kind === 'call' && at.type !== TermType.TABLE && at.args[0] !== undefined) {
    path.push(at.type);
    at = at.args[0];
  }
  const name = at.kind === 'call' ? at.args.at(-1) : undefined;
  // A configuration or a status is a row of a system table.
  const of = path.some((type) => type === TermType.CONFIG || type === TermType.STATUS) ? `${path.join()} of ` : '';
  return name?.kind === 'datum' ? `${of}${serializeTerm({ kind: 'datum', value: name.value })}` : of;
}
