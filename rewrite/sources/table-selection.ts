// The rows that a selection takes of its table, as far as a row tells: all rows, those under keys of an index, or those in a range of
// it; and of an order the first.

import { keepsElements, orderBelow } from '../analyze/order/order-of.ts';
import { type Slice, sliceOf } from '../analyze/order/slice.ts';
import { optargOf } from '../analyze/rules/argument.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { spreadOut } from '../reql/term/spread.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import { isPlain, type PlainIndex } from './index-values.ts';
import { type IndexFields, type IndexQuestion, tableBelow } from './known-index.ts';
import { type Range, rangeOf } from './range.ts';

/** A selection of which each row tells whether it is in it. */
export interface TableSelection {
  readonly table: CallTerm;
  readonly index: ReadIndex;
  readonly rows: { readonly kind: 'all' } | Keys | { readonly kind: 'range'; readonly range: Range };
  /** Of these rows the selection is the first ones. */
  readonly first: FirstRows | undefined;
}

/** The index that a selection goes by. */
export interface ReadIndex {
  /** `undefined` for the primary key. */
  readonly name: string | undefined;
  readonly known: PlainIndex;
}

/** The keys that a selection names. */
export interface Keys {
  readonly kind: 'keys';
  /** By a text that is equal for equal keys: the key, and how often it is named. */
  readonly keys: ReadonlyMap<string, { readonly key: Term; readonly times: number }>;
}

/** The first rows in the order of the index. */
export interface FirstRows {
  /** What a row has to pass, innermost first. */
  readonly filters: readonly CallTerm[];
  readonly descending: boolean;
  readonly limit: number;
}

/** What is known of an index; `null` where nothing is. */
type Know = (question: IndexQuestion) => IndexFields | null;

/** Reads a selection; `undefined` where a row does not tell whether it is in it. */
export function tableSelection(term: CallTerm, know: Know): TableSelection | undefined {
  return (readers.get(term.type) ?? readSlice)(term, know);
}

type Read = (term: CallTerm, know: Know) => TableSelection | undefined;

const readSlice: Read = (term, know) => sliceOver(sliceOf(term), know);

/** How selections are read that are no slice of a table. */
const readers: ReadonlyMap<number, Read> = new Map<number, Read>([
  [TermType.LIMIT, firstsOf],
  [TermType.MIN, endOf],
  [TermType.MAX, endOf],
  [TermType.GET_ALL, keysOf],
]);

function sliceOver(slice: Slice | undefined, know: Know): TableSelection | undefined {
  if (slice === undefined) return undefined;
  const { table, range } = slice;
  const index = readIndex(table, slice.index === 'primary' ? undefined : slice.index, know);
  if (index === undefined) return undefined;
  if (range === undefined) return { table, index, rows: { kind: 'all' }, first: undefined };
  const bounds = rangeOf(range);
  if (bounds === undefined || !isBound(bounds.from) || !isBound(bounds.to)) return undefined;
  return { table, index, rows: { kind: 'range', range: bounds }, first: undefined };
}

/** `getAll` of keys that are written out. */
function keysOf(term: CallTerm, know: Know): TableSelection | undefined {
  const [table] = term.args;
  const index = isTable(table) ? readIndex(table, optargOf(term, 'index'), know) : undefined;
  if (!isTable(table) || index === undefined) return undefined;
  const keys = new Map<string, { readonly key: Term; readonly times: number }>();
  for (const key of keysNamed(term)) {
    if (!isKey(key)) return undefined;
    const text = keyText(key);
    keys.set(text, { key, times: (keys.get(text)?.times ?? 0) + 1 });
  }
  return { table, index, rows: { kind: 'keys', keys }, first: undefined };
}

/** The keys of a `getAll`, those of an array that `r.args` spreads among them. */
function keysNamed(term: CallTerm): readonly Term[] {
  return spreadOut(term.args.slice(1));
}

/** Whether the keys of a `getAll`, wherever it stands in a selection, are written out and named once each. */
export function namesKeysOnce(selection: Term): boolean {
  let at: Term | undefined = selection;
  while (at !== undefined && !(at.kind === 'call' && at.type === TermType.GET_ALL))
    at = at.kind === 'call' ? at.args[0] : undefined;
  if (at === undefined) return true;
  const keys = keysNamed(at);
  return keys.every(isKey) && new Set(keys.map(keyText)).size === keys.length;
}

/** `orderBy({index}).limit(n)`, with filters between or without. */
function firstsOf(term: CallTerm, know: Know): TableSelection | undefined {
  const [below, count] = term.args;
  const filters: CallTerm[] = [];
  let order = below;
  while (order?.kind === 'call' && keepsElements(order)) {
    filters.unshift(order);
    [order] = order.args;
  }
  const slice = sliceOf(order);
  const selection = sliceOver(slice, know);
  if (slice === undefined || selection === undefined || !isRanked(selection.index)) return undefined;
  if (count?.kind !== 'datum' || typeof count.value !== 'number') return undefined;
  return { ...selection, first: { filters, descending: slice.descending, limit: count.value } };
}

/** `min` and `max` by an index, or by the primary key. */
function endOf(term: CallTerm, know: Know): TableSelection | undefined {
  const [table] = term.args;
  const index = isTable(table) ? readIndex(table, optargOf(term, 'index'), know) : undefined;
  if (!isTable(table) || index === undefined || !isRanked(index)) return undefined;
  const first = { filters: [], descending: term.type === TermType.MAX, limit: 1 };
  return { table, index, rows: { kind: 'all' }, first };
}

/** The index that the first rows of an order go by; `undefined` where it is not written out. */
export function orderedBy(term: CallTerm): IndexQuestion | undefined {
  const table = tableBelow(term);
  const order = orderBelow(term) ?? term;
  const index = optargOf(order, 'index');
  const directed = index?.kind === 'call' ? index.args[0] : index;
  const name = directed === undefined ? undefined : nameOf(directed);
  if (table === undefined || (index !== undefined && name === undefined)) return undefined;
  return { table, index: name };
}

/** Whether it is known in which order an index has its rows: of those that are equal in it the primary key decides. */
function isRanked({ name, known }: ReadIndex): boolean {
  return name === undefined || known.primaryKey !== undefined;
}

function isTable(term: Term | undefined): term is CallTerm {
  return term?.kind === 'call' && term.type === TermType.TABLE;
}

/** An index of plain fields, of which it is known what it holds. */
function readIndex(table: CallTerm, index: Term | undefined, know: Know): ReadIndex | undefined {
  const name = index === undefined ? undefined : nameOf(index);
  if (index !== undefined && name === undefined) return undefined;
  const known = know({ table, index: name });
  if (known === null || !isPlain(known)) return undefined;
  const isPrimary = name === undefined || (name === known.primaryKey && !known.compound);
  return { name: isPrimary ? undefined : name, known };
}

function nameOf(index: Term): string | undefined {
  return index.kind === 'datum' && typeof index.value === 'string' ? index.value : undefined;
}

/** Longer strings are cut in an index, or refused as keys. */
const LONGEST_KEY = 100;

/** Whether a term is written out and can be a key. */
function isKey(term: Term): boolean {
  if (isArray(term)) return term.args.every(isKey);
  if (term.kind !== 'datum') return false;
  const { value } = term;
  if (typeof value === 'string') return value.length <= LONGEST_KEY && !value.includes('\0');
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Whether a bound is sure to be one, and no error when the range is read. */
function isBound(term: Term | undefined): boolean {
  if (term === undefined || isKey(term)) return true;
  return isArray(term) ? term.args.every(isBound) : isEnd(term) || isTime(term);
}

function isEnd(term: Term): boolean {
  return term.kind === 'call' && (term.type === TermType.MINVAL || term.type === TermType.MAXVAL);
}

/** Whether a term gives an instant: that of the query, or one that is some seconds from another. */
function isTime(term: Term): boolean {
  return term.kind === 'call' && (instants.get(term.type)?.(term.args) ?? false);
}

type IsInstant = (args: readonly Term[]) => boolean;

const movedBySeconds: IsInstant = ([first, second, ...more]) =>
  first !== undefined && isTime(first) && isNumber(second) && more.length === 0;

const instants: ReadonlyMap<number, IsInstant> = new Map<number, IsInstant>([
  [TermType.NOW, () => true],
  [TermType.EPOCH_TIME, ([seconds]) => isNumber(seconds)],
  [TermType.ADD, movedBySeconds],
  [TermType.SUB, movedBySeconds],
]);

function isNumber(term: Term | undefined): boolean {
  return term?.kind === 'datum' && typeof term.value === 'number';
}

function isArray(term: Term): term is CallTerm {
  return term.kind === 'call' && term.type === TermType.MAKE_ARRAY;
}

function keyText(key: Term): string {
  if (isArray(key)) return `[${key.args.map(keyText).join()}]`;
  return key.kind === 'datum' ? datumKey(key.value) : '';
}
