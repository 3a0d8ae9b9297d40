// Functions that look things up for each element, in the rows of tables: `U.get(row('u'))`, `U.getAll(row('u'), {index}).count()`,
// `U.filter({u: row('id')}).sum('x')`. What is looked up is taken out of the function: rows are grouped by the key that they are
// looked up by, each group is a value, and the function becomes one of the element and of the values that it found.

import { point } from '../../aggregates/point.ts';
import type { Aggregated, Elements, GroupPart, Value } from '../../live.ts';
import { withVariables } from '../../plan/projection.ts';
import { innerKeyRefusal, refusal, unitedRefusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import { canonicalKey } from '../../reql/term/canonical-key.ts';
import { factsOf, freeVars } from '../../reql/term/facts.ts';
import { isSpread } from '../../reql/term/spread.ts';
import { substituteVars } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm, type VarId } from '../../reql/term/vars.ts';
import { mapTerm, visit } from '../../reql/term/walk.ts';
import { TermType } from '../../reql/term-type.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis, Scope } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { type FoundLookup, lookupBase } from '../join/lookup-base.ts';
import { branchOf, GroupUses, type Leaf, type Piece, type Stream, type Valued } from '../piece.ts';
import { above, readsPosition } from './above.ts';
import { checkDeterministic, optargOf, readsLive } from './argument.ts';
import { bodyOf, collected } from './collect.ts';
import { indexName } from './index-field.ts';
import { joinedIndex, keysIn } from './joined-index.ts';
import { equalities, type FilterKey } from './lookup-filter.ts';
import { missedBy } from './missed.ts';
import { orderOf } from './order-of.ts';
import { isArray } from './stream-type.ts';
import { unordered } from './unordered.ts';

/** A term whose functions read what was looked up, and the elements beside which it stands. */
export interface Looked {
  readonly term: CallTerm;
  readonly stream: Stream;
}

/** Whether an argument of a term reads tables, or something live. */
export function looksUp(analysis: Analysis, term: CallTerm): boolean {
  return term.args.slice(1).some((argument) => readsLive(analysis, argument));
}

/** Whether an argument of a term reads rows of a table that depend on its element. */
export function looksUpByElement(term: CallTerm): boolean {
  return term.args.slice(1).some((argument) => {
    const parts = funcParts(argument);
    if (parts === undefined) return false;
    const params = new Set(parts.params);
    let found = false;
    visit(parts.body, (below) => {
      if (factsOf(below).table === undefined) return false;
      const isReader = below.kind === 'call' && tableBelow(below) !== undefined;
      if (isReader && reads(below, params)) found = true;
      return !found;
    });
    return found;
  });
}

/**
 * Takes what is looked up out of the arguments of a term.
 * @throws ReqlError that names what cannot be looked up
 */
export function lookedUp(analysis: Analysis, written: CallTerm, stream: Stream): Looked {
  const { context } = analysis;
  const term = withVariables(written, context.fresh);
  const bag = unordered(stream);
  if (bag === undefined) {
    throw refusal(term, 'it looks things up for each element of a part of an order. Look them up before `limit`');
  }
  if (bag.branches.some(({ root: base }) => base.kind === 'group')) {
    throw refusal(term, 'it looks things up for each element of a group. Look them up before `group`');
  }
  const row = context.fresh();
  const [below, ...args] = term.args;
  const finder = new Finder(analysis, term, row);
  const found = args.map((argument) => (readsLive(analysis, argument) ? finder.take(argument) : argument));
  const base = lookupBase(context, { term, left: bag, row, lookups: finder.lookups(), array: isArray(stream) });
  const objects = bag.branches.every((branch) => branch.objects);
  const lost = orderOf(stream) === 'none' ? stream.lost : term;
  const { text: _, ...rest } = term;
  return {
    term: { ...rest, args: below === undefined ? found : [below, ...found] },
    stream: { kind: 'stream', branches: [branchOf(base, objects, missedBy(analysis, term, bag))], tail: [], lost },
  };
}

/** Rows of a table that are looked up by a key. */
interface Selected {
  /** The variable that stands for them. */
  readonly id: VarId;
  readonly term: CallTerm;
  readonly uses: GroupUses;
  readonly rows: Stream;
  readonly right: Stream;
  readonly key: Term;
  readonly by: Pick<FilterKey, 'keys' | 'missingIsNone' | 'rightKeys' | 'fails'>;
  /** One row, or null. */
  readonly isPoint: boolean;
  /** The term has to be evaluated over the rows that are found. */
  readonly again: boolean;
  /** Once the key is taken apart. */
  taken?: { readonly key: Term; readonly leaves: readonly Leaf[] };
}

/** Rows that are looked up, as a term hands them on. */
interface Handed {
  readonly of: Selected;
  readonly isOrdered: boolean;
}

/** Finds what the arguments of one term look up. */
class Finder {
  readonly #analysis: Analysis;
  readonly #term: CallTerm;
  /** The variable of the element. */
  readonly #row: VarId;
  readonly #selected: Selected[] = [];
  readonly #byKey = new Map<string, Selected>();
  /** Those of which a term above reads the element: their rows are a list, and the term is evaluated over it. */
  readonly #lists = new Set<Selected>();
  /** Terms that hand on the rows of a selection. */
  readonly #streams = new Map<Term, Handed>();
  readonly #used = new Set<Leaf>();

  constructor(analysis: Analysis, term: CallTerm, row: VarId) {
    this.#analysis = analysis;
    this.#term = term;
    this.#row = row;
  }

  /** An argument with variables for what it looks up. */
  take(argument: Term): Term {
    const parts = funcParts(argument);
    if (parts !== undefined && parts.params.length > 1) {
      throw refusal(
        this.#term,
        'its function takes several values, and looks things up. Look them up in a `map` before',
      );
    }
    const [param] = parts?.params ?? [];
    const t = this.#analysis.context.builder(argument);
    const own = parts?.body ?? argument;
    const body = param === undefined ? own : substituteVars(own, new Map([[param, t.var(this.#row)]]));
    const inner = innerParams(body);
    const from = this.#selected.length;
    const marked = mapTerm(body, (term) => this.#mark(term, inner));
    for (const selected of this.#selected.slice(from)) this.#takeKey(selected);
    const piece = this.#analysis.analyze(marked, this.#scope());
    const value = this.#valueOf(argument, piece);
    checkDeterministic(value.body);
    for (const leaf of value.leaves) this.#used.add(leaf);
    const read = new Map(value.leaves.map(({ id }) => [id, checked(t, id)]));
    const result = substituteVars(value.body, read);
    return parts === undefined ? result : funcTerm([this.#row], result, argument);
  }

  /** All that is looked up, what reads others after them. */
  lookups(): readonly FoundLookup[] {
    const placed = new Map<Leaf, FoundLookup>();
    const place = (leaf: Leaf): void => {
      if (placed.has(leaf)) return;
      const selected = this.#selectedOf(leaf.value);
      for (const before of selected?.taken?.leaves ?? []) place(before);
      placed.set(leaf, this.#found(leaf, selected));
    };
    for (const leaf of this.#used) place(leaf);
    return [...placed.values()];
  }

  #found(leaf: Leaf, selected: Selected | undefined): FoundLookup {
    if (selected === undefined) {
      if (standsOnGroup(leaf.value.of)) {
        throw refusal(
          this.#term,
          'what is made of the rows that it looks up cannot be kept for each of them. Use `coerceTo("array")` on these',
        );
      }
      return { leaf, by: undefined };
    }
    const { taken, right, uses, by } = selected;
    return { leaf, by: { ...by, key: taken?.key ?? selected.key, right, uses } };
  }

  #mark(term: Term, inner: ReadonlySet<VarId>): Term {
    if (term.kind !== 'call') return term;
    const [below] = term.args;
    const stream = below === undefined ? undefined : this.#streams.get(below);
    if (stream !== undefined) {
      this.#above(term, stream);
      return term;
    }
    const selected = this.#select(term, inner);
    if (selected === undefined) return term;
    const variable = this.#analysis.context.builder(term).var(selected.id);
    if (!selected.isPoint) this.#streams.set(variable, { of: selected, isOrdered: false });
    if (!selected.again) return variable;
    const again: CallTerm = { ...term, args: [variable, ...term.args.slice(1)] };
    this.#lists.add(selected);
    this.#streams.set(again, { of: selected, isOrdered: false });
    return again;
  }

  /** A term on rows that are looked up. */
  #above(term: CallTerm, { of, isOrdered }: Handed): void {
    if (term.type === TermType.UNION) throw unitedRefusal(term);
    // Groups are those of the rows that each element finds.
    if (term.type === TermType.GROUP || term.args.slice(1).some((argument) => this.#reads(argument)))
      this.#lists.add(of);
    if (isPositional(term) && !isOrdered) {
      throw refusal(
        term,
        'which rows it takes of those that are looked up depends on their order. Use `orderBy` on them',
      );
    }
    if (!handsOn.has(term.type)) return;
    this.#streams.set(term, { of, isOrdered: isOrdered || term.type === TermType.ORDER_BY });
  }

  /** Whether a term reads the element, or what is looked up for it. */
  #reads(term: Term): boolean {
    return reads(term, new Set([this.#row, ...this.#selected.map(({ id }) => id)]));
  }

  #select(term: CallTerm, inner: ReadonlySet<VarId>): Selected | undefined {
    const select = selections.get(term.type);
    const [below, ...args] = term.args;
    if (select === undefined || below === undefined || !args.some((argument) => this.#reads(argument)))
      return undefined;
    if (factsOf(below).table === undefined || this.#reads(below)) return undefined;
    const selection = select(this.#analysis, term, below, (key) => this.#reads(key));
    if (selection === undefined) return undefined;
    if (reads(selection.key, inner)) {
      throw innerKeyRefusal(term);
    }
    const text = selection.isPoint ? canonicalKey(term) : undefined;
    const known = text === undefined ? undefined : this.#byKey.get(text);
    if (known !== undefined) return known;
    const uses = new GroupUses();
    const objects = selection.right.branches.every((branch) => branch.objects);
    const base = { kind: 'group', uses, listed: false, orders: 0 } as const;
    const branch = selection.above.reduce(above, branchOf(base, objects));
    const rows: Stream = { kind: 'stream', branches: [branch], tail: [] };
    const made: Selected = { ...selection, id: this.#analysis.context.fresh(), term, uses, rows };
    this.#selected.push(made);
    if (text !== undefined) this.#byKey.set(text, made);
    return made;
  }

  #takeKey(selected: Selected): void {
    const before = this.#selected.slice(0, this.#selected.indexOf(selected));
    const piece = this.#analysis.analyze(selected.key, this.#scope(before));
    const { body, leaves } = this.#valueOf(selected.key, piece);
    checkDeterministic(body);
    selected.taken = { key: body, leaves };
  }

  #valueOf(term: Term, piece: Piece): Valued {
    switch (piece.kind) {
      case 'pure':
        return { kind: 'value', body: bodyOf(piece), leaves: [], sequence: false, row: false };
      case 'value':
        return piece;
      case 'stream':
        // RethinkDB takes a stream for a value where it makes elements of it, and an array anywhere.
        if (this.#term.type !== TermType.CONCAT_MAP && !isArray(piece)) throw new LeaveToServer();
        return collected(this.#analysis, term.kind === 'call' ? term : this.#term, piece);
      case 'grouped':
        throw refusal(piece.group, 'its groups are used inside an expression. Use `ungroup`');
    }
  }

  /** What the variables of selections stand for. */
  #scope(selected: readonly Selected[] = this.#selected): Scope {
    return new Map([...this.#analysis.scope, ...selected.map((one) => [one.id, this.#pieceOf(one)] as const)]);
  }

  readonly #pieces = new Map<Selected, Piece>();

  #pieceOf(selected: Selected): Piece {
    const known = this.#pieces.get(selected);
    if (known !== undefined) return known;
    const made = this.#makePiece(selected);
    this.#pieces.set(selected, made);
    return made;
  }

  #makePiece(selected: Selected): Piece {
    const { term, rows, isPoint } = selected;
    if (!isPoint && !this.#lists.has(selected)) return rows;
    if (!isPoint) return collected(this.#analysis, term, rows);
    const { context } = this.#analysis;
    const leaf = context.leaf(undefined, () => ({
      kind: 'aggregate',
      aggregate: point,
      term,
      of: context.consume(rows, { term, isIdentity: true, elements: (t, row) => t.array(row) }),
    }));
    return { kind: 'value', body: context.builder(term).var(leaf.id), leaves: [leaf], sequence: false, row: true };
  }

  /** The rows that a value is of; `undefined` where it is one for all elements. */
  #selectedOf(value: Aggregated): Selected | undefined {
    const parts = groupParts(value.of);
    const [first] = parts;
    if (first === undefined) return undefined;
    return this.#selected.find(({ uses }) => uses.part === first);
  }
}

/** What a term that selects rows by a key says. */
interface Selection extends Pick<Selected, 'right' | 'key' | 'by' | 'isPoint' | 'again'> {
  /** What else the rows have to pass. */
  readonly above: readonly CallTerm[];
}

type Select = (
  analysis: Analysis,
  term: CallTerm,
  below: Term,
  readsElement: (term: Term) => boolean,
) => Selection | undefined;

const get: Select = (analysis, term, below) => {
  const [, key] = term.args;
  if (below.kind !== 'call' || below.type !== TermType.TABLE || key === undefined) return undefined;
  return { ...byIndex(analysis, term, below, undefined), key, isPoint: true, again: false };
};

const getAll: Select = (analysis, term, below) => {
  const [key, ...more] = term.args.slice(1);
  if (below.kind !== 'call' || below.type !== TermType.TABLE || key === undefined) return undefined;
  if (more.length > 0 || isSpread(key)) {
    throw refusal(
      term,
      'it looks up several keys for each element. Make an element of each key with `concatMap`, and use `eqJoin` or look up for that',
    );
  }
  const index = optargOf(term, 'index');
  return {
    ...byIndex(analysis, term, below, index === undefined ? undefined : indexName(term, index)),
    key,
    isPoint: false,
    again: false,
  };
};

function byIndex(
  analysis: Analysis,
  term: CallTerm,
  table: CallTerm,
  index: string | undefined,
): Omit<Selection, 'key' | 'isPoint' | 'again'> {
  const known = joinedIndex(analysis, term, table, index);
  const keys = known.isPrimary ? 'primary' : 'index';
  const rightKeys = (t: Builder, row: Term): Term => keysIn(t, row, known);
  return { right: streamOf(analysis, table), by: { keys, missingIsNone: false, rightKeys, fails: false }, above: [] };
}

const filter: Select = (analysis, term, below, readsElement) => {
  if (below.kind !== 'call' || tableBelow(below) === undefined) return undefined;
  const { key, above: ofRows, again, ...by } = equalities(analysis.context, term, readsElement);
  return { right: streamOf(analysis, below), by, key, above: ofRows, again, isPoint: false };
};

const between: Select = (_taking, term) => {
  throw refusal(term, 'its bounds depend on the element. Look rows up by `getAll`, or by a `filter` with `eq`');
};

/** Terms that select rows of a table, by term number. */
const selections: ReadonlyMap<number, Select> = new Map<number, Select>([
  [TermType.GET, get],
  [TermType.GET_ALL, getAll],
  [TermType.FILTER, filter],
  [TermType.BETWEEN, between],
  [TermType.BETWEEN_DEPRECATED, between],
  [TermType.GET_INTERSECTING, between],
  [TermType.GET_NEAREST, between],
]);

/** Terms that hand on the rows of what they stand on, as a stream or a list. */
const handsOn: ReadonlySet<number> = new Set([
  TermType.FILTER,
  TermType.MAP,
  TermType.CONCAT_MAP,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.HAS_FIELDS,
  TermType.WITH_FIELDS,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.DISTINCT,
]);

/** Terms that take rows by their places. */
const positional: ReadonlySet<number> = new Set([
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.OFFSETS_OF,
]);

function isPositional(term: CallTerm): boolean {
  return positional.has(term.type) || readsPosition(term);
}

function streamOf(analysis: Analysis, term: CallTerm): Stream {
  const piece = analysis.analyze(term);
  if (piece.kind !== 'stream') throw new LeaveToServer();
  const bag = unordered(piece);
  if (bag === undefined) throw refusal(term, 'rows are looked up in a part of an order. Look them up before `limit`');
  return bag;
}

/** What was looked up may be an error where it is read. */
function checked(t: Builder, id: VarId): Term {
  return t.nth(t.array(t.var(id)), 0);
}

function reads(term: Term, ids: ReadonlySet<VarId>): boolean {
  for (const id of freeVars(term)) if (ids.has(id)) return true;
  return false;
}

/** The variables that functions within a term bind. */
function innerParams(root: Term): ReadonlySet<VarId> {
  const found = new Set<VarId>();
  visit(root, (term) => {
    for (const param of funcParts(term)?.params ?? []) found.add(param);
    return undefined;
  });
  return found;
}

/** The groups that elements are of. */
/** Whether elements are made of those of a group, however far below. */
function standsOnGroup({ parts }: Elements): boolean {
  return parts.some((part) => {
    if (part.kind !== 'rows') return part.kind === 'group';
    const { of } = part.rows;
    if ('parts' in of) return standsOnGroup(of);
    return of.kind === 'grouped' ? standsOnGroup(of.of) : valueStandsOnGroup(of);
  });
}

function valueStandsOnGroup(value: Value): boolean {
  return value.kind === 'aggregate' ? standsOnGroup(value.of) : value.of.some(valueStandsOnGroup);
}

function groupParts({ parts }: Elements): readonly GroupPart[] {
  return parts.flatMap((part) => {
    if (part.kind === 'group') return [part];
    return part.kind === 'rows' && 'parts' in part.rows.of ? groupParts(part.rows.of) : [];
  });
}
