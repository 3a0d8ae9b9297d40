// Which tables a live query reads, and which fields of their rows: what whoever changes a table wants to know. Told in words, from the
// sources of the query alone.

import type { Live, Source } from './live.ts';
import { type Datum, isObject } from './reql/data/datum.ts';
import { printTerm } from './reql/print/print.ts';
import type { CallTerm, Term } from './reql/term/term.ts';
import { funcParts, type VarId, varOf } from './reql/term/vars.ts';
import { childrenOf } from './reql/term/walk.ts';
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
  readonly fields: Fields;
  readonly areWhole: boolean;
}

/** Fields; `undefined` for all of them. */
type Fields = ReadonlySet<string> | undefined;

const NONE: Fields = new Set();

/** The tables that a live query reads, each once, in the order of its sources. */
export function tablesRead(live: Live): readonly TableRead[] {
  const byTable = new Map<string, SourceRead>();
  for (const read of sourcesRead(live)) {
    const known = byTable.get(read.table);
    byTable.set(read.table, known === undefined ? read : ofBoth(known, read));
  }
  return [...byTable.values()].map(({ table, fields, areWhole }) => ({
    table,
    fields: fields === undefined ? undefined : [...fields].sort(),
    areWhole,
  }));
}

function sourcesRead({ sources, follows }: Live): readonly SourceRead[] {
  return [...sources.map(readOf), ...(follows === undefined ? [] : sourcesRead(follows.of.live))];
}

function ofBoth(one: SourceRead, other: SourceRead): SourceRead {
  return { ...one, fields: both(one.fields, other.fields), areWhole: one.areWhole || other.areWhole };
}

function readOf({ term, projections, wholeRows, narrowing, place }: Source): SourceRead {
  const taken = [...narrowing].reverse().reduce((above, each) => below(each, above), fieldsOfAll(projections));
  const placed: Fields = place === undefined ? NONE : place.kind === 'row' ? undefined : new Set(place.fields);
  let fields = both(taken, placed);
  let at = term;
  while (at.kind === 'call' && at.type !== TermType.TABLE) {
    fields = below(at, fields);
    const [next] = at.args;
    if (next === undefined) break;
    at = next;
  }
  return { table: nameOf(at), fields, areWhole: wholeRows && narrowing.length === 0 };
}

function fieldsOfAll(functions: readonly Term[]): Fields {
  return functions.map(fieldsOfFunc).reduce(both, NONE);
}

function nameOf(term: Term): string {
  const [first, second] = term.kind === 'call' && term.type === TermType.TABLE ? term.args : [];
  const table = textOf(second ?? first);
  const database = second !== undefined && first?.kind === 'call' ? textOf(first.args[0]) : undefined;
  if (table === undefined || (second !== undefined && database === undefined)) return printTerm(term);
  return database === undefined ? table : `${database}.${table}`;
}

/** What is read below a term, where `above` is read of what it gives. */
type Below = (above: Fields, rest: readonly Term[]) => Fields;

const same: Below = (above) => above;
const beside: Below = (above, rest) => both(above, namesOf(rest));
const named: Below = (_, rest) => namesOf(rest);
const called: Below = (above, rest) => rest.map(fieldsOfArgument).reduce(both, above);

/** The terms of sources, and of what is made of their rows. Of what other terms read nothing is known. */
const BELOW: ReadonlyMap<number, Below> = new Map<number, Below>([
  [TermType.GET_ALL, same],
  [TermType.BETWEEN, same],
  [TermType.GET, same],
  [TermType.LIMIT, same],
  [TermType.MIN, same],
  [TermType.MAX, same],
  [TermType.ORDER_BY, beside],
  [TermType.HAS_FIELDS, beside],
  [TermType.FILTER, called],
  [TermType.MERGE, called],
  [
    TermType.PLUCK,
    (above, rest) => {
      const names = namesOf(rest);
      return above === undefined || names === undefined ? names : new Set([...above].filter((name) => names.has(name)));
    },
  ],
  [TermType.WITH_FIELDS, named],
  [TermType.BRACKET, named],
  [TermType.GET_FIELD, named],
  [TermType.MAP, (_, rest) => called(NONE, rest)],
  [TermType.CONCAT_MAP, (_, rest) => called(NONE, rest)],
]);

function below({ type, args: [, ...rest] }: CallTerm, above: Fields): Fields {
  return BELOW.get(type)?.(above, rest);
}

/** The names in arguments of `pluck` and its like; `undefined` where they are computed. */
function namesOf(args: readonly Term[]): Fields {
  const names = args.map(namesIn);
  return names.reduce(both, NONE);
}

function namesIn(term: Term): Fields {
  if (term.kind === 'object') return new Set(term.fields.map(([name]) => name));
  if (term.kind === 'datum') return namesInDatum(term.value);
  if (term.type === TermType.MAKE_ARRAY) return namesOf(term.args);
  // `r.asc(name)` and `r.desc(name)`.
  if (term.type === TermType.ASC || term.type === TermType.DESC) return namesOf(term.args);
  return term.type === TermType.FUNC ? fieldsOfFunc(term) : undefined;
}

function namesInDatum(value: Datum): Fields {
  if (typeof value === 'string') return new Set([value]);
  if (Array.isArray(value)) return value.map(namesInDatum).reduce(both, NONE);
  return isObject(value) ? new Set(Object.keys(value)) : undefined;
}

/** What an argument that is called with a row, or compared with it, reads of it. */
function fieldsOfArgument(term: Term): Fields {
  if (term.kind === 'datum') return isObject(term.value) ? new Set(Object.keys(term.value)) : NONE;
  if (term.kind === 'object') {
    const names = new Set(term.fields.map(([name]) => name));
    return term.fields.map(([, value]) => fieldsIn(value, undefined)).reduce(both, names);
  }
  return term.type === TermType.FUNC ? fieldsOfFunc(term) : fieldsIn(term, undefined);
}

/** What a function of one variable reads of it. */
function fieldsOfFunc(term: Term): Fields {
  const parts = funcParts(term);
  const [param, ...more] = parts?.params ?? [];
  return parts === undefined || more.length > 0 ? undefined : fieldsIn(parts.body, param);
}

/** What a term reads of a variable, or of `r.row`. */
function fieldsIn(root: Term, row: VarId | undefined): Fields {
  // `r.do(row, f)` calls it by another name.
  const names = new Set<VarId | undefined>([row]);
  const isRow = (term: Term | undefined): boolean => {
    if (term?.kind !== 'call') return false;
    const name = varOf(term);
    return term.type === TermType.IMPLICIT_VAR || (name !== undefined && names.has(name));
  };
  const found = new Set<string>();
  const unseen: Term[] = [root];
  for (let term = unseen.pop(); term !== undefined; term = unseen.pop()) {
    if (isRow(term)) return undefined;
    if (term.kind === 'call' && term.type === TermType.FUNCALL) {
      const [func, ...args] = term.args;
      const params = func === undefined ? undefined : funcParts(func)?.params;
      for (const [at, arg] of args.entries()) {
        if (params === undefined || !isRow(arg)) unseen.push(arg);
        else names.add(params[at]);
      }
      if (func !== undefined) unseen.push(func);
      continue;
    }
    const stream = streamOver(term, isRow);
    if (stream !== undefined) {
      const read = stream.reduce<Fields>((above, each) => below(each, above), undefined);
      if (read === undefined) return undefined;
      for (const name of read) found.add(name);
      for (const each of stream) unseen.push(...childrenOf(each).slice(1));
      continue;
    }
    const own = term.kind === 'call' ? ownFields(term, isRow) : undefined;
    for (const name of own ?? []) found.add(name);
    const children = childrenOf(term);
    unseen.push(...(own === undefined ? children : children.slice(1)));
  }
  return found;
}

/** The terms over an array of the row alone, outermost first; `undefined` where a term is none. */
function streamOver(root: Term, isRow: (term: Term | undefined) => boolean): readonly CallTerm[] | undefined {
  const terms: CallTerm[] = [];
  let at: Term | undefined = root;
  while (at?.kind === 'call' && at.type !== TermType.MAKE_ARRAY) {
    terms.push(at);
    at = at.args[0];
  }
  const isArray = terms.length > 0 && at?.kind === 'call' && at.args.length === 1 && isRow(at.args[0]);
  return isArray ? terms : undefined;
}

/** Terms that read fields of what they are called on, by name. */
const NAMING: ReadonlySet<number> = new Set([
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.HAS_FIELDS,
  TermType.PLUCK,
  TermType.WITH_FIELDS,
]);

/** The fields of the row that a term reads by name; `undefined` where it reads none of them. */
function ownFields({ type, args }: CallTerm, isRow: (term: Term | undefined) => boolean): Fields {
  const [first, ...rest] = args;
  if (NAMING.has(type)) return isRow(first) ? namesOf(rest) : undefined;
  const isOfKeys = type === TermType.CONTAINS && first?.kind === 'call' && first.type === TermType.KEYS;
  return isOfKeys && isRow(first.args[0]) ? namesOf(rest) : undefined;
}

function textOf(term: Term | undefined): string | undefined {
  return term?.kind === 'datum' && typeof term.value === 'string' ? term.value : undefined;
}

function both(one: Fields, other: Fields): Fields {
  return one === undefined || other === undefined ? undefined : new Set([...one, ...other]);
}
