// The place of a row in the secondary index that a source reads. RethinkDB drops a change whose projections are equal before it
// looks on which side of the first reading the row was (changefeed.cc, msg_visitor_t and splice_stream_t). A row that moves in
// the index meanwhile, and is the same element before and after, would be counted twice or never. So the feed carries, beside
// the elements, something that is never the same at two places.

import { optargOf } from '../analyze/rules/argument.ts';
import type { Place } from '../live.ts';
import type { Builder } from '../reql/build/build.ts';
import { isSpread } from '../reql/term/spread.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import { type IndexFields, type IndexQuestion, tableBelow } from './known-index.ts';
import { INDEX_SELECTIONS } from './selecting-terms.ts';

/** The index that a selection reads. */
export interface IndexReading {
  /** `undefined` where its name is not written out. */
  readonly question: IndexQuestion | undefined;
  /** The selection reads one key of it. */
  readonly oneKey: boolean;
}

/** The secondary index, or the primary key by its name, that a selection reads; `undefined` for the primary key as such. */
export function indexRead(selection: Term, globalOptargs: readonly Entry[]): IndexReading | undefined {
  const everywhere = globalOptargs.find(([name]) => name === 'index')?.[1];
  for (let at: Term | undefined = selection; at?.kind === 'call'; at = at.args[0]) {
    const index = readers.has(at.type) ? (optargOf(at, 'index') ?? everywhere) : undefined;
    if (index === undefined) continue;
    const name = indexName(index);
    const table = tableBelow(at);
    const question = name === undefined || table === undefined ? undefined : { table, index: name };
    return { question, oneKey: keysRead(selection) === 'one' };
  }
  return undefined;
}

/** Terms that read an index where they have an optarg of that name. */
const readers: ReadonlySet<number> = new Set(INDEX_SELECTIONS);

/** The name of an index as an optarg has it, in a direction or not; `undefined` where it is not written out. */
export function indexName(index: Term): string | undefined {
  if (index.kind === 'datum') return typeof index.value === 'string' ? index.value : undefined;
  const [directed] = index.kind === 'call' && directions.has(index.type) ? index.args : [];
  return directed === undefined ? undefined : indexName(directed);
}

const directions: ReadonlySet<number> = new Set([TermType.ASC, TermType.DESC]);

/** The number of keys that a selection reads by `getAll`; `undefined` where it reads a range. */
export function keysRead(selection: Term): 'one' | 'several' | undefined {
  for (let at: Term | undefined = selection; at?.kind === 'call'; at = at.args[0]) {
    if (at.type !== TermType.GET_ALL) continue;
    const [key, ...more] = at.args.slice(1);
    return key !== undefined && more.length === 0 && !isSpread(key) ? 'one' : 'several';
  }
  return undefined;
}

/**
 * What tells the place of a row in an index of which `known` is known, `null` where nothing is; `undefined` where rows have one
 * place for as long as they are read: in the primary key, and under the one key that `getAll` reads of an index that is not
 * `multi`.
 */
export function placeIn({ question, oneKey }: IndexReading, known: IndexFields | null): Place | undefined {
  if (known === null) return { kind: 'row' };
  const { fields, compound, multi, primaryKey } = known;
  if (oneKey && !multi) return undefined;
  if (fields === null) return { kind: 'row' };
  if (!compound && primaryKey !== undefined && primaryKey === question?.index) return undefined;
  return { kind: 'fields', fields };
}

/**
 * The terms of a chain that RethinkDB accepts on a feed, parted where rows must not lose their place: those that hand on whole
 * rows stay where they are; those that make rows smaller, where rows are to be carried, are applied with the place at hand.
 */
export function splitForPlace(
  native: readonly CallTerm[],
  carriesRows: boolean,
): { readonly kept: readonly CallTerm[]; readonly narrowing: readonly CallTerm[] } {
  const kept = leading(native, keepRows);
  return { kept, narrowing: carriesRows ? leading(native.slice(kept.length), narrowRows) : [] };
}

function leading(terms: readonly CallTerm[], types: ReadonlySet<number>): readonly CallTerm[] {
  const end = terms.findIndex(({ type }) => !types.has(type));
  return end === -1 ? terms : terms.slice(0, end);
}

const keepRows: ReadonlySet<number> = new Set([TermType.FILTER, TermType.HAS_FIELDS]);
const narrowRows: ReadonlySet<number> = new Set([TermType.PLUCK, TermType.WITHOUT, TermType.MERGE]);

/**
 * The place where an element feed is folded: in RethinkDB, where a whole row is carried at no cost, or in the proxy, to which it
 * is sent.
 */
export type Fold = 'server' | 'proxy';

/**
 * The place of a row, which is never null. Nothing here raises: an exception costs the server more than all the rest, and rows
 * that are not in the index are projected too.
 */
export function placeOf(t: Builder, place: Place, row: Term, fold: Fold): Term {
  switch (place.kind) {
    case 'fields': {
      const values = place.fields.map((field) => t.bracket(row, field));
      const [only, ...more] = values;
      const value = only === undefined || more.length > 0 ? values : only;
      return t.branch(t.hasFields(row, ...place.fields), value, NOWHERE);
    }
    case 'row':
      return fold === 'server' ? row : t.uuid(t.toJsonString(row));
  }
}

const NOWHERE = false;
