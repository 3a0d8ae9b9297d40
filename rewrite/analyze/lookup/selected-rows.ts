// The selections in the arguments of one term: which rows of a table each element looks up, and which terms stand on them.

import { coerceTarget } from '../../aggregates/coerce-target.ts';
import type { Aggregated } from '../../live.ts';
import { innerKeyRefusal, refusal, unitedRefusal } from '../../refusal.ts';
import { canonicalKey } from '../../reql/term/canonical-key.ts';
import { factsOf, freeVars } from '../../reql/term/facts.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, type VarId } from '../../reql/term/vars.ts';
import { mapTerm, visit } from '../../reql/term/walk.ts';
import { TermType } from '../../reql/term-type.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis } from '../analysis.ts';
import { mayLackField, mayRaise } from '../failure.ts';
import { keepsElements } from '../order/order-of.ts';
import { branchOf, GroupUses, type Leaf, type Stream } from '../piece.ts';
import { above, isBracket } from '../rules/above.ts';
import { readsLive } from '../rules/argument.ts';
import { type FoundRows, madeOfAll } from './found-rows.ts';
import { handsOn, isPositional } from './handed-rows.ts';
import { reads } from './reads.ts';
import { type Selection, selections } from './selection.ts';
import { groupParts } from './stands-on-group.ts';

/** Rows of a table that are looked up by a key. */
export interface Selected extends Omit<Selection, 'above' | 'by' | 'right'> {
  by: Selection['by'];
  /** What they are selected of. */
  right: Stream;
  /** What terms that look things up have made of all rows that may be found. */
  made: FoundRows['made'];
  /** The variable that stands for them. */
  readonly id: VarId;
  readonly term: CallTerm;
  readonly uses: GroupUses;
  rows: Stream;
  /** Once the key is taken apart. */
  taken?: { readonly key: Term; readonly leaves: readonly Leaf[] };
}

/** Rows that are looked up, as a term hands them on. */
interface Handed {
  readonly of: Selected;
  readonly isOrdered: boolean;
  /** They are the selected rows as they are. */
  readonly isPlain: boolean;
  /** They are those in this order. */
  readonly order?: CallTerm;
}

/** Finds the selections in the arguments of one term, and puts variables in their place. */
export class SelectedRows {
  readonly #analysis: Analysis;
  /** The variable of the element. */
  readonly #row: VarId;
  readonly #selected: Selected[] = [];
  readonly #byKey = new Map<string, Selected>();
  /** Those of which a term above reads the element: their rows are a list, and the term is evaluated over it. */
  readonly #lists = new Set<Selected>();
  /** Terms that hand on the rows of a selection. */
  readonly #streams = new Map<Term, Handed>();

  constructor(analysis: Analysis, row: VarId) {
    this.#analysis = analysis;
    this.#row = row;
  }

  /** All that have been found, what reads others after them. */
  get all(): readonly Selected[] {
    return this.#selected;
  }

  /** Whether terms read the rows as a list. */
  isList(selected: Selected): boolean {
    return this.#lists.has(selected);
  }

  /** The rows that a value is of; `undefined` where it is one for all elements. */
  of(value: Aggregated): Selected | undefined {
    const parts = groupParts(value.of);
    const [first] = parts;
    if (first === undefined) return undefined;
    return this.#selected.find(({ uses }) => uses.part === first);
  }

  /** A function's body with variables for the rows that it looks up, and what these are. */
  mark(body: Term): { readonly body: Term; readonly found: readonly Selected[] } {
    const inner = innerParams(body);
    const from = this.#selected.length;
    const marked = mapTerm(body, (term) => this.#mark(term, inner));
    return { body: marked, found: this.#selected.slice(from) };
  }

  #mark(term: Term, inner: ReadonlySet<VarId>): Term {
    if (term.kind !== 'call') return term;
    const contained = this.#contained(term, inner);
    if (contained !== undefined) return contained;
    const [below] = term.args;
    const stream = below === undefined ? undefined : this.#streams.get(below);
    if (below !== undefined && stream !== undefined) {
      if (stream.isPlain && stream.of.made === 'nothing' && this.#asksRowsAlone(term, stream.of)) {
        stream.of.right = passing(stream.of.right, term);
        return below;
      }
      if (this.#isMadeOfAll(term, stream)) return below;
      this.#above(term, stream);
      return term;
    }
    const selected = this.#select(term, inner);
    if (selected === undefined) return term;
    const variable = this.#analysis.context.builder(term).var(selected.id);
    if (!selected.isPoint) this.#streams.set(variable, { of: selected, isOrdered: false, isPlain: true });
    if (!selected.again) return variable;
    const again: CallTerm = { ...term, args: [variable, ...term.args.slice(1)] };
    this.#lists.add(selected);
    this.#streams.set(again, { of: selected, isOrdered: false, isPlain: false });
    return again;
  }

  /** Whether a value of the element is one of a field of rows: some are looked up by it. */
  #contained(term: CallTerm, inner: ReadonlySet<VarId>): Term | undefined {
    const [below, value, ...more] = term.args;
    if (term.type !== TermType.CONTAINS || below === undefined || value === undefined || more.length > 0)
      return undefined;
    if (funcParts(value) !== undefined || !this.#reads(value) || this.#reads(below)) return undefined;
    const field = fieldOfRows(below);
    if (field === undefined) return undefined;
    const t = this.#analysis.context.builder(term);
    const [rows, name] = field;
    const equal = t.func((row) => t.eq(t.bracket(row, name), value), 1);
    const some = t.not(t.isEmpty(this.#mark(t.filter(rows, equal), inner)));
    // A value that is not there is raised, rather than equal to nothing.
    return t.branch(t.eq(value, value), some, false);
  }

  /** Whether a term that looks things up for rows is taken for all of them, before any is found. */
  #isMadeOfAll(term: CallTerm, { of, isPlain, order }: Handed): boolean {
    const args = term.args.slice(1);
    const isZip = term.type === TermType.ZIP && of.made === 'one';
    if (!isZip && !args.some((argument) => readsLive(this.#analysis, argument))) return false;
    if (!(isPlain || (order !== undefined && commutes(order, term))) || of.again || this.#lists.has(of)) return false;
    if ([...args, ...term.optargs.map(([, value]) => value)].some((argument) => this.#reads(argument))) return false;
    const made = madeOfAll(this.#analysis, term, of);
    if (made === undefined) return false;
    of.by = made.by;
    of.right = made.right;
    of.rows = made.rows;
    of.made = made.made;
    return true;
  }

  /** A term on rows that are looked up. */
  #above(term: CallTerm, { of, isOrdered, isPlain }: Handed): void {
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
    const order = isPlain && term.type === TermType.ORDER_BY ? { order: term } : {};
    this.#streams.set(term, { of, isOrdered: isOrdered || inOrder.has(term.type), isPlain: false, ...order });
  }

  /**
   * Whether a term leaves out rows by what they are alone, whichever element finds them, and fails for none: RethinkDB need not
   * send those.
   */
  #asksRowsAlone(term: CallTerm, { right }: Selected): boolean {
    const asked = [...term.args.slice(1), ...term.optargs.map(([, value]) => value)];
    if (!keepsElements(term) || asked.some((argument) => !isOfRows(argument))) return false;
    return !mayLackField(term) && right.branches.every(({ objects }) => !mayRaise(term, objects));
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
    const base = { kind: 'group', uses, listed: false, isSelection: true, orders: 0 } as const;
    const made: Selected = {
      ...selection,
      id: this.#analysis.context.fresh(),
      term,
      uses,
      made: 'nothing',
      rows: { kind: 'stream', branches: [branchOf(base, objects)], tail: [] },
    };
    for (const asked of selection.above) {
      if (this.#asksRowsAlone(asked, made)) made.right = passing(made.right, asked);
      else made.rows = passing(made.rows, asked);
    }
    this.#selected.push(made);
    if (text !== undefined) this.#byKey.set(text, made);
    return made;
  }
}

/** The rows of a table and the field of theirs that a term is the list of, in whatever order, and however often. */
function fieldOfRows(term: Term): readonly [rows: CallTerm, field: Term] | undefined {
  if (term.kind !== 'call') return undefined;
  const [below, argument] = term.args;
  if (below?.kind !== 'call') return undefined;
  if (term.type === TermType.DISTINCT || (term.type === TermType.COERCE_TO && coerceTarget(term) === 'array'))
    return term.optargs.length > 0 ? undefined : fieldOfRows(below);
  const isField = isBracket(term) || term.type === TermType.GET_FIELD;
  const isName = argument?.kind === 'datum' && typeof argument.value === 'string';
  return isField && isName && tableBelow(below) !== undefined ? [below, argument] : undefined;
}

/** Whether rows are in the same order if a term is applied to them before they are put into it. */
function commutes(order: CallTerm, term: CallTerm): boolean {
  if (term.type === TermType.FILTER) return true;
  const merged = term.args.slice(1).map((merge) => funcParts(merge)?.body ?? merge);
  if (term.type !== TermType.MERGE || order.optargs.length > 0) return false;
  const keys = order.args.slice(1).map((key) => (isDirection(key) ? key.args[0] : key));
  const names = new Set(keys.map((key) => (key?.kind === 'datum' ? key.value : undefined)));
  if (names.has(undefined)) return false;
  return merged.every((merge) => merge.kind === 'object' && merge.fields.every(([name]) => !names.has(name)));
}

function isDirection(term: Term): term is CallTerm {
  return term.kind === 'call' && (term.type === TermType.ASC || term.type === TermType.DESC);
}

/** Terms that put rows into an order: `distinct` gives a sorted array. */
const inOrder: ReadonlySet<number> = new Set([TermType.ORDER_BY, TermType.DISTINCT]);

function passing(rows: Stream, term: CallTerm): Stream {
  return { ...rows, branches: rows.branches.map((branch) => above(branch, term)) };
}

/** Whether an argument depends on the row that it is applied to alone. */
function isOfRows(argument: Term): boolean {
  const { table, unsteady } = factsOf(argument);
  return table === undefined && unsteady === undefined && freeVars(argument).size === 0;
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
