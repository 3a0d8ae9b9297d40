// A feed that RethinkDB gives by itself, of which the proxy writes the documents as merges: `changes({format: 'merge'})` over a table,
// a selection, rows made smaller or of another shape, or a union of these. Documents of RethinkDB's tell values, and not of which row.
// So each row is carried with its primary key, and in a union with the number of its branch:
//
//   t.filter(f).pluck('a')     becomes     t.filter(f).map(row => [row('id'), [row].pluck('a')])

import { LeaveToServer } from './analyze/context.ts';
import { elementsOfRow, onTop } from './plan/projection.ts';
import { refusal } from './refusal.ts';
import { type Builder, builder, type Expression } from './reql/build/build.ts';
import { callWith } from './reql/term/call-with.ts';
import type { CallTerm, Entry, StartQuery, Term } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';
import { TermType } from './reql/term-type.ts';

/** A query that is such a feed. */
export interface MergedFeed {
  /** The CHANGES term as the client wrote it. */
  readonly changes: CallTerm;
  readonly after: readonly CallTerm[];
  readonly branches: readonly [MergedBranch, ...MergedBranch[]];
  readonly globalOptargs: readonly Entry[];
}

/** Rows of one table. */
export interface MergedBranch {
  /** What is watched as it is: the table, a selection of it, one row. */
  readonly source: CallTerm;
  /** What is made of each row, innermost first. */
  readonly chain: readonly CallTerm[];
  /** The table; `undefined` for a system table, of which the primary key is `id`. */
  readonly table: CallTerm | undefined;
}

/** The form of upstream's documents. */
export type Carried =
  /** Rows as they are. */
  | { readonly kind: 'rows'; readonly key: string }
  /** `[key, [element]]`. */
  | { readonly kind: 'keyed' }
  /** `[branch, key, [element]]`. */
  | { readonly kind: 'branched' };

/** The query for upstream, and the form of its documents. */
export interface MergedQuery {
  readonly query: StartQuery;
  readonly carried: Carried;
}

/**
 * Takes apart what RethinkDB watches by itself.
 * @throws ReqlError for a term that hides which table rows are of, LeaveToServer for one that RethinkDB refuses
 */
export function mergedFeed(
  changes: CallTerm,
  after: readonly CallTerm[],
  globalOptargs: readonly Entry[],
): MergedFeed | undefined {
  const [watched] = changes.args;
  const [first, ...more] = watched === undefined ? [] : branchesOf(watched, []);
  return first === undefined ? undefined : { changes, after, branches: [first, ...more], globalOptargs };
}

/** Terms that select rows, or one row. */
const selecting: ReadonlySet<number> = new Set([
  TermType.GET,
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.BETWEEN_DEPRECATED,
  TermType.GET_INTERSECTING,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.MIN,
  TermType.MAX,
  TermType.NTH,
]);

/** Terms that make something of each row. */
const making: ReadonlySet<number> = new Set([
  TermType.FILTER,
  TermType.HAS_FIELDS,
  TermType.MAP,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.WITH_FIELDS,
]);

/** Terms that keep rows as they are. */
const keeping: ReadonlySet<number> = new Set([TermType.FILTER, TermType.HAS_FIELDS]);

function branchesOf(root: Term, above: readonly CallTerm[]): readonly MergedBranch[] {
  const chain: CallTerm[] = [];
  for (let term: Term | undefined = root; term?.kind === 'call'; [term] = term.args) {
    if (term.type === TermType.UNION) {
      const whole = [...chain.reverse(), ...above];
      return term.args.flatMap((branch) => branchesOf(branch, whole));
    }
    if (!making.has(term.type) || isPlace(term)) return [branchOn(term, [...chain.reverse(), ...above])];
    chain.push(term);
  }
  return [];
}

/** `seq(0)` is `seq.nth(0)`. */
function isPlace({ type, args }: CallTerm): boolean {
  return type === TermType.BRACKET && args[1]?.kind === 'datum' && typeof args[1].value === 'number';
}

function branchOn(selection: CallTerm, chain: readonly CallTerm[]): MergedBranch {
  const table = tableOf(selection);
  const kept = chain.findIndex(({ type }) => !keeping.has(type));
  const asIs = chain.slice(0, kept === -1 ? chain.length : kept);
  const source = asIs.reduce<CallTerm>((below, term) => onTop(term, below), selection);
  return { source, chain: chain.slice(asIs.length), table };
}

/** Terms that may give rows of several tables. */
const hiding: ReadonlySet<number> = new Set([TermType.FUNCALL, TermType.BRANCH, TermType.DEFAULT, TermType.COERCE_TO]);

function tableOf(selection: CallTerm): CallTerm | undefined {
  for (let term: Term | undefined = selection; term?.kind === 'call'; [term] = term.args) {
    if (term.type === TermType.TABLE) return term;
    if (term.type === TermType.CONFIG || term.type === TermType.STATUS) return undefined;
    if (selecting.has(term.type) || making.has(term.type)) continue;
    if (hiding.has(term.type))
      throw refusal(term, 'which table the rows are of is seen only when it runs. Watch the table');
    break;
  }
  throw new LeaveToServer();
}

/**
 * What upstream is asked.
 * @param keyOf the primary key of a table
 * @throws ReqlError where rows cannot be carried with their keys
 */
export function mergedQuery(
  { changes, branches, globalOptargs }: MergedFeed,
  optargs: readonly Entry[],
  fresh: FreshVars,
  keyOf: (table: CallTerm | undefined) => string,
): MergedQuery {
  const t = builder(changes.origin, fresh);
  const watch = (watched: Term): StartQuery => ({
    term: callWith(changes, { args: [watched], optargs }),
    globalOptargs,
  });
  const [first, ...more] = branches;
  if (more.length > 0) {
    const carried = branches.map((branch, at) => carrying(t, branch, fresh, keyOf, [at]));
    return { query: watch(t.union(...carried)), carried: { kind: 'branched' } };
  }
  if (first.chain.length > 0) {
    return { query: watch(carrying(t, first, fresh, keyOf, [])), carried: { kind: 'keyed' } };
  }
  return { query: watch(first.source), carried: { kind: 'rows', key: keyOf(first.table) } };
}

function carrying(
  t: Builder,
  { source, chain, table }: MergedBranch,
  fresh: FreshVars,
  keyOf: (table: CallTerm | undefined) => string,
  tag: readonly Expression[],
): Term {
  if (isLimited(source)) {
    throw refusal(source, 'RethinkDB takes no `map` after it, so that rows cannot be told apart. Open it by itself');
  }
  const whole = {
    term: source,
    isIdentity: true,
    elements: (_: Builder, element: Term): Expression => t.array(element),
  };
  return t.map(
    source,
    t.func((row) => {
      const elements = elementsOfRow(t, { chain, objects: true, mayLackField: true }, whole, row, fresh, 'object');
      const made = chain.length === 0 ? elements : t.default(t.coerceTo(elements, 'array'), []);
      return t.array(...tag, t.bracket(row, keyOf(table)), made);
    }, 1),
  );
}

/** A row, or the first rows of an order: RethinkDB watches those by their places. */
function isLimited(source: CallTerm): boolean {
  const limiting = new Set<number>([TermType.LIMIT, TermType.GET, TermType.MIN, TermType.MAX, TermType.NTH]);
  for (let term: Term | undefined = source; term?.kind === 'call'; [term] = term.args) {
    if (limiting.has(term.type) || isPlace(term)) return true;
  }
  return false;
}
