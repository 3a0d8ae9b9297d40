// Which tables a live query reads, and which fields of their rows: what whoever changes a table wants to know. Told in words, from the
// sources of the query alone.

import type { Live, Place, Source } from './live.ts';
import { bothRead, NOTHING_READ, parameterRead, type Read, readBelow } from './plan/fields-read.ts';
import { printTerm } from './reql/print/print.ts';
import type { Term } from './reql/term/term.ts';
import { TermType } from './reql/term-type.ts';

/** What is read of each row of a table. */
export interface TableRead {
  /** `table`, or `database.table`. */
  readonly table: string;
  /** The fields at the top of a row, sorted; `undefined` where all of the row may be. */
  readonly fields: readonly string[] | undefined;
  /** Whether RethinkDB sends whole rows, of which these are read then. */
  readonly areWhole: boolean;
}

/** The same of one source. */
interface SourceRead {
  readonly table: string;
  readonly read: Read;
  readonly areWhole: boolean;
}

/** The tables that a live query reads, each once, in the order of its sources. */
export function tablesRead(live: Live): readonly TableRead[] {
  const byTable = new Map<string, SourceRead>();
  for (const one of sourcesRead(live)) {
    const known = byTable.get(one.table);
    byTable.set(one.table, known === undefined ? one : ofBoth(known, one));
  }
  return [...byTable.values()].map(({ table, read, areWhole }) => ({
    table,
    fields: read === 'all' ? undefined : [...read.keys()].sort(),
    areWhole,
  }));
}

function sourcesRead({ sources, follows }: Live): readonly SourceRead[] {
  return [...sources.map(readOf), ...(follows === undefined ? [] : sourcesRead(follows.of.live))];
}

function ofBoth(one: SourceRead, other: SourceRead): SourceRead {
  return { ...one, read: bothRead(one.read, other.read), areWhole: one.areWhole || other.areWhole };
}

function readOf({ term, projections, wholeRows, narrowing, place }: Source): SourceRead {
  const projected = projections.map((func) => parameterRead(func, 0)).reduce(bothRead, NOTHING_READ);
  let read = bothRead(
    narrowing.toReversed().reduce((above, each) => readBelow(each, above), projected),
    readOfPlace(place),
  );
  let at: Term = term;
  while (at.kind === 'call' && at.type !== TermType.TABLE) {
    read = readBelow(at, read);
    const [next] = at.args;
    if (next === undefined) break;
    at = next;
  }
  return { table: tableName(at), read, areWhole: wholeRows && narrowing.length === 0 };
}

function readOfPlace(place: Place | undefined): Read {
  if (place === undefined) return NOTHING_READ;
  return place.kind === 'row' ? 'all' : new Map(place.fields.map((name) => [name, 'all']));
}

/** A table as `table` or `database.table`; the term itself where its name is computed. */
export function tableName(term: Term): string {
  const [first, second] = term.kind === 'call' && term.type === TermType.TABLE ? term.args : [];
  const table = textOf(second ?? first);
  const database = second !== undefined && first?.kind === 'call' ? textOf(first.args[0]) : undefined;
  if (table === undefined || (second !== undefined && database === undefined)) return printTerm(term);
  return database === undefined ? table : `${database}.${table}`;
}

function textOf(term: Term | undefined): string | undefined {
  return term?.kind === 'datum' && typeof term.value === 'string' ? term.value : undefined;
}
