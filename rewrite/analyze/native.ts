// The watched terms that are RethinkDB's own business: rows that it watches by itself, and other plain streams, which it refuses
// in its own words. Read from the tree alone, by what RethinkDB makes of each term (val.cc).

import { isTrue } from '../reql/data/data-type.ts';
import { factsOf } from '../reql/term/facts.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { funcParts } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import { takesUnwatchedPart } from './order/unwatched-part.ts';

/** What RethinkDB makes of a term: a database, a table, rows, or one row (SINGLE_SELECTION). `undefined` for anything else. */
type Made = 'database' | 'table' | 'rows' | 'row' | undefined;

/** What a term makes of what the term below it made. */
type Step = (term: CallTerm, below: Made) => Made;

const overRows: Step = (_, below) => (below === 'table' || below === 'rows' ? 'rows' : undefined);
/** A term that reads a table for each row is a look-up, which RethinkDB does not watch. */
const perRow: Step = (term, below) =>
  term.args.slice(1).some((argument) => factsOf(argument).table !== undefined) ? undefined : overRows(term, below);
/** What RethinkDB does not watch. */
const joined: Step = () => undefined;
/** A row by its key, or by its place. */
const toRow: Step = (_, below) => (below === 'table' || below === 'rows' ? 'row' : undefined);

/** `seq(0)` is `seq.nth(0)`. */
const bracket: Step = (term, below) => (isNumber(term.args[1]) ? toRow : overRows)(term, below);

/** The row at one end of an index, of the primary key where none is named; over anything but a table they are aggregates. */
const extreme: Step = ({ args }, below) => (below === 'table' && args.length === 1 ? 'row' : undefined);

/** The same value, not only the same rows: a table stays a table. */
const same: Step = (_, below) => (below === 'table' || below === 'rows' ? below : undefined);

/** A stream is a value of its own, which no `default` replaces. Of a row it depends on the data whether one does. */
const byDefault: Step = same;

const coerced: Step = (term, below) => (isText(term.args[1], 'stream') ? same(term, below) : undefined);

const about: Step = (_, below) => (below === 'database' || below === 'table' ? 'row' : undefined);

/** The term below is the one that may be chosen, or what the function gives. */
const handedOn: Step = (_, below) => below;

/** Terms that stand on rows, or choose between rows. */
const steps: ReadonlyMap<number, Step> = new Map<number, Step>([
  [TermType.DB, () => 'database'],
  [TermType.TABLE, () => 'table'],
  [TermType.GET_ALL, overRows],
  [TermType.BETWEEN, overRows],
  [TermType.BETWEEN_DEPRECATED, overRows],
  [TermType.GET_INTERSECTING, overRows],
  [TermType.GET_NEAREST, overRows],
  [TermType.GET, toRow],
  [TermType.NTH, toRow],
  [TermType.FILTER, perRow],
  [TermType.MAP, perRow],
  [TermType.PLUCK, overRows],
  [TermType.WITHOUT, overRows],
  [TermType.MERGE, perRow],
  [TermType.BRACKET, bracket],
  [TermType.GET_FIELD, overRows],
  [TermType.WITH_FIELDS, overRows],
  [TermType.HAS_FIELDS, overRows],
  [TermType.ORDER_BY, overRows],
  [TermType.LIMIT, overRows],
  [TermType.SKIP, overRows],
  [TermType.SLICE, overRows],
  [TermType.SAMPLE, overRows],
  [TermType.INNER_JOIN, joined],
  [TermType.OUTER_JOIN, joined],
  [TermType.EQ_JOIN, joined],
  [TermType.ZIP, joined],
  [TermType.UNION, overRows],
  [TermType.MIN, extreme],
  [TermType.MAX, extreme],
  [TermType.DEFAULT, byDefault],
  [TermType.COERCE_TO, coerced],
  [TermType.CONFIG, about],
  [TermType.STATUS, about],
  [TermType.FUNCALL, handedOn],
  [TermType.BRANCH, handedOn],
]);

/** Whether a term hands on rows of what is its first argument, as far as its type says. */
export function isOverStreams(type: number): boolean {
  const step = steps.get(type);
  return step !== undefined && onStreams.has(step);
}

const onStreams: ReadonlySet<Step> = new Set([overRows, perRow, joined, toRow, bracket]);

/** Whether a term under `changes` is left to the server: a table, one row of it, or terms that hand on its rows. */
export function isNative(root: Term): boolean {
  return isAllNative(root, { steps, sourcesOf });
}

/**
 * Whether it depends on the data if RethinkDB watches a term: `get(1).default(0)` is the row where there is one. Such a term is
 * an expression for us, unless it cannot be kept right.
 */
export function mayBeNative(root: Term): boolean {
  return isAllNative(root, { steps: looseSteps, sourcesOf: looseSourcesOf });
}

/** What is known of terms: what they make of rows, and which of their arguments have these. */
interface Reading {
  readonly steps: ReadonlyMap<number, Step>;
  readonly sourcesOf: (term: CallTerm) => readonly Term[];
}

function isAllNative(root: Term, reading: Reading): boolean {
  const unseen: Term[] = [root];
  for (let term = unseen.pop(); term !== undefined; term = unseen.pop()) {
    const above = spine(term, reading, unseen);
    if (above === undefined || takesUnwatchedPart(above.toReversed())) return false;
    const made = above.reduceRight<Made>((below, over) => reading.steps.get(over.type)?.(over, below), undefined);
    if (made === undefined || made === 'database') return false;
  }
  return true;
}

/**
 * The terms from one down to its table or database, outermost first; `undefined` where it does not stand on one.
 * @param beside takes the terms that have to be native too: the others of a union, those that a `branch` may choose instead
 */
function spine(
  root: Term,
  { steps: known, sourcesOf: below }: Reading,
  beside: Term[],
): readonly CallTerm[] | undefined {
  const found: CallTerm[] = [];
  for (let term: Term | undefined = root; term?.kind === 'call' && known.has(term.type); ) {
    found.push(term);
    if (term.type === TermType.TABLE || term.type === TermType.DB) return found;
    const [main, ...others]: readonly Term[] = below(term);
    beside.push(...others);
    term = main;
  }
  return undefined;
}

/** The terms whose rows a term hands on. */
function sourcesOf(term: CallTerm): readonly Term[] {
  return (sources.get(term.type) ?? firstOf)(term.args);
}

type Sources = (args: readonly Term[]) => readonly Term[];

const firstOf: Sources = (args) => args.slice(0, 1);

/** The terms whose rows others hand on than those of their first argument. */
const sources: ReadonlyMap<number, Sources> = new Map<number, Sources>([
  [TermType.UNION, (args) => args],
  [
    TermType.FUNCALL,
    ([func]) => {
      const body = func === undefined ? undefined : funcParts(func)?.body;
      return body === undefined ? [] : [body];
    },
  ],
  [TermType.BRANCH, choices],
]);

const looseSteps: ReadonlyMap<number, Step> = new Map<number, Step>([
  ...steps,
  [TermType.DEFAULT, handedOn],
  [TermType.COERCE_TO, handedOn],
]);

/** Of a `branch` the first rows that it may give: whether it does is for the server to see. */
function looseSourcesOf(term: CallTerm): readonly Term[] {
  return term.type === TermType.BRANCH
    ? choices(term.args)
        .filter(({ kind }) => kind === 'call')
        .slice(0, 1)
    : sourcesOf(term);
}

/** What a `branch` may give, as far as its tests are written out. */
function choices(args: readonly Term[]): readonly Term[] {
  const found: Term[] = [];
  for (let at = 0; at < args.length; at += 2) {
    const [test, value] = args.slice(at, at + 2);
    if (test === undefined) break;
    // The last one has no test.
    if (value === undefined) return [...found, test];
    if (test.kind !== 'datum') found.push(value);
    else if (isTrue(test.value)) return [...found, value];
  }
  return found;
}

function isNumber(term: Term | undefined): boolean {
  return term?.kind === 'datum' && typeof term.value === 'number';
}

function isText(term: Term | undefined, text: string): boolean {
  return term?.kind === 'datum' && typeof term.value === 'string' && term.value.toLowerCase() === text;
}
