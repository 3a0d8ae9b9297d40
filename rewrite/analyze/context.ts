// The knowledge that grows while one query is taken apart: the variables it may use, the indexes of its tables, and who consumes
// which source.

import type { Aggregated, Elements, Part, Place, Source, SourcePart } from '../live.ts';
import { type Consumer, onTop, projectionOf, withVariables } from '../plan/projection.ts';
import { orderBesideTable } from '../plan/settling.ts';
import { refusal } from '../refusal.ts';
import { type Builder, builder } from '../reql/build/build.ts';
import { ReqlError } from '../reql/error.ts';
import { canonicalKey } from '../reql/term/canonical-key.ts';
import { freeVars } from '../reql/term/facts.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import {
  type IndexFields,
  type IndexQuestion,
  type KnownIndexes,
  tableBelow,
  UnknownIndex,
} from '../sources/known-index.ts';
import { canRepeat, type OneReading, oneReadings } from '../sources/one-reading.ts';
import { firstRows, ownElements } from '../sources/own-elements.ts';
import { indexRead, keysRead, placeIn, splitForPlace } from '../sources/place.ts';
import { namesKeysOnce, orderedBy, type TableSelection, tableSelection } from '../sources/table-selection.ts';
import { ByText } from './by-text.ts';
import { orderBelow } from './order/order-of.ts';
import type { Branch, JoinBase, JoinUse, Leaf, Selection, Stream } from './piece.ts';

/**
 * Breaks an analysis off, at any depth, where RethinkDB itself accepts the query or must refuse it in its own words. It leaves nothing
 * behind: what the context has gathered is dropped with it. `failed` in `recognized.ts` makes a value of it, and nobody else catches it.
 */
export class LeaveToServer extends Error {}

interface Pending {
  readonly base: Selection;
  readonly branch: Branch;
  readonly consumer: Consumer;
}

/** The settings of an analysis: what is known before a query is taken apart. */
export interface AnalysisSettings {
  readonly indexes: KnownIndexes;
  /** Whether the server can be asked where `indexes` does not know enough. */
  readonly asks: boolean;
  readonly globalOptargs: readonly Entry[];
  /** Selections that are read as one with others, by their text. */
  readonly readings?: ReadonlyMap<string, OneReading>;
}

/** Steps for each branch of a stream that is consumed, and for each term between the branch and its consumer. */
const CONSUMED_STEPS = 100;
/** Characters of a key that are written in about the time of one step. */
const CHARACTERS_PER_STEP = 4;

/** The state of taking one query apart. */
export class Context {
  readonly fresh: FreshVars;
  readonly #settings: AnalysisSettings;
  readonly #pending: Pending[][] = [];
  readonly #sources = new ByText<number>();
  readonly #leaves = new ByText<Leaf>();
  readonly #joins = new Map<string, JoinBase>();
  /** Who takes what of the joins that are not filled yet. */
  readonly #joined = new Map<JoinBase, JoinUse[]>();

  constructor(fresh: FreshVars, settings: AnalysisSettings) {
    this.fresh = fresh;
    this.#settings = settings;
  }

  /**
   * What an index holds of a row; `null` where nobody can tell.
   * @throws UnknownIndex where somebody has to be asked first
   */
  indexFields(question: IndexQuestion): IndexFields | null {
    const known = this.#settings.indexes(question);
    if (known === undefined) throw new UnknownIndex(question, true);
    return known;
  }

  /** The name of the primary key of a table, where somebody can tell. */
  primaryKey(table: CallTerm): string | undefined {
    return this.#known({ table, index: undefined })?.primaryKey;
  }

  /**
   * Counts work on a term: `steps` of some 50 nanoseconds.
   * @throws ReqlError RESOURCE_LIMIT at the term where the query takes more than it may
   */
  spend(steps: number, term: Term): void {
    try {
      this.fresh.meter?.spend(steps);
    } catch (error) {
      throw error instanceof ReqlError && term.origin !== undefined ? error.at(term.origin) : error;
    }
  }

  /** A builder of terms that stand for `term`. */
  builder(term: Term): Builder {
    return builder(term.origin, this.fresh);
  }

  /** Makes a stream's elements those of a consumer. */
  consume(stream: Stream, consumer: Consumer): Elements {
    const links = stream.branches.reduce((sum, { chain }) => sum + chain.length, 0);
    this.spend(CONSUMED_STEPS * (stream.branches.length + links), consumer.term);
    return { parts: stream.branches.map((branch) => this.#part(branch, consumer)) };
  }

  /** A join; those of one text are one. */
  join(term: CallTerm, make: () => JoinBase): JoinBase {
    if (freeVars(term).size > 0) return make();
    const key = canonicalKey(term);
    const base = this.#joins.get(key) ?? make();
    this.#joins.set(key, base);
    return base;
  }

  /** Gives each join its sides, once everything is consumed: those that stand on others first, since they consume them. */
  fillJoins(): void {
    for (let next = this.#deepest(); next !== undefined; next = this.#deepest()) {
      const uses = this.#joined.get(next) ?? [];
      this.#joined.delete(next);
      next.fill(uses);
    }
  }

  #deepest(): JoinBase | undefined {
    if (this.#joined.size === 0) return undefined;
    let deepest: JoinBase | undefined;
    for (const base of this.#joined.keys()) if (base.depth > (deepest?.depth ?? 0)) deepest = base;
    return deepest;
  }

  /** A leaf of an expression; those with equal keys are one. `key` writes the key. */
  leaf(key: (() => string) | undefined, make: () => Aggregated): Leaf {
    const made = (): Leaf => ({ id: this.fresh(), value: make() });
    if (key === undefined) return made();
    const counted = (): string => {
      const text = key();
      this.fresh.meter?.spend(text.length / CHARACTERS_PER_STEP);
      return text;
    };
    return this.#leaves.valueOf(counted, made);
  }

  /**
   * What is to be watched, once everything is consumed.
   * @throws ReqlError where RethinkDB would tell the changes of an order later than others of its table, and nothing when
   */
  sources(): readonly Source[] {
    const sources = this.#pending.map((pending) => this.#source(pending));
    const order = orderBesideTable(sources);
    if (order === undefined) return sources;
    const question = orderedBy(order);
    if (question !== undefined) this.indexFields(question);
    throw refusal(
      orderBelow(order) ?? order,
      'RethinkDB tells the changes of an order later than others of the same table, and the index of this one is not one of plain fields. Order by an index that is, or watch the order by itself',
    );
  }

  /** The selections that are to be read as one with others; `undefined` where there are none. */
  readings(): ReadonlyMap<string, OneReading> | undefined {
    const first = this.#pending[0];
    // Most queries read one selection, which is known by its key already.
    if (this.#pending.length < 2 && (first === undefined || first.every(({ base }) => namesKeysOnce(base.term))))
      return undefined;
    const readings = [...this.#selections()].flatMap(([, terms]) => this.#asOne(terms));
    return readings.length === 0 ? undefined : new Map(readings);
  }

  /** The selections by the text of their table and their own. */
  #selections(): ReadonlyMap<string, ReadonlyMap<string, CallTerm>> {
    const all = new Map<string, Map<string, CallTerm>>();
    for (const { base } of this.#pending.flat()) {
      const table = tableBelow(base.term);
      const text = table === undefined ? '' : canonicalKey(table);
      all.set(text, (all.get(text) ?? new Map<string, CallTerm>()).set(canonicalKey(base.term), base.term));
    }
    return all;
  }

  #asOne(terms: ReadonlyMap<string, CallTerm>): readonly (readonly [string, OneReading])[] {
    const [term] = terms.values();
    if (term === undefined || (terms.size === 1 && namesKeysOnce(term))) return [];
    // An optarg of the whole query would be one of each of its terms.
    if (this.#settings.globalOptargs.some(([name]) => name === 'index')) return [];
    const selections = new Map<string, TableSelection>();
    for (const [text, term] of terms) {
      const selection = tableSelection(term, (question) => this.#known(question));
      if (selection !== undefined) selections.set(text, selection);
    }
    return [...(oneReadings(selections, this.builder(term)) ?? [])];
  }

  #part(branch: Branch, consumer: Consumer): Part {
    const { root: base } = branch;
    switch (base.kind) {
      case 'group':
        if (base.uses.consumer !== undefined) {
          throw refusal(consumer.term, 'the elements of a group are already used by another aggregate. Use `ungroup`');
        }
        return base.uses.consumedBy({ branch, consumer });
      case 'rows':
        return { kind: 'rows', rows: base.rows, projection: projectionOf(branch, consumer, this.fresh, 'any') };
      case 'selection':
        return this.#selected(base, branch, consumer);
      case 'join': {
        const uses = this.#joined.get(base) ?? [];
        this.#joined.set(base, uses);
        return { kind: 'join', join: base.join, consumer: uses.push({ branch, consumer }) - 1 };
      }
    }
  }

  #selected(base: Selection, branch: Branch, consumer: Consumer): Part {
    const of = this.#settings.readings?.get(canonicalKey(base.term));
    if (of === undefined) return this.#sourcePart({ base, branch, consumer });
    const read: Selection = { kind: 'selection', term: of.read, limited: false };
    const { first } = of.selection;
    if (first === undefined) {
      const part = this.#sourcePart({ base: read, ...ownElements(of, read, branch, consumer, this.fresh) });
      return canRepeat(of.selection) ? { ...part, repeats: true } : part;
    }
    const { ranked, rows } = firstRows(of, first, read, branch, consumer, this.fresh);
    return rows(this.#sourcePart({ base: read, ...ranked }));
  }

  #sourcePart(pending: Pending): SourcePart {
    const source = this.#sources.valueOf(
      () => canonicalKey(pending.base.term),
      () => this.#pending.push([]) - 1,
    );
    const consumer = (this.#pending[source]?.push(pending) ?? 1) - 1;
    return { kind: 'source', source, projection: consumer };
  }

  /** One consumer leaves the terms that the server accepts where they are; several share the bare selection, so that a
   * write is one event for all of them. */
  #source(pending: readonly Pending[]): Source {
    const first = pending[0];
    if (first === undefined) throw new LeaveToServer();
    const { base, branch } = first;
    const bare = base.limited || pending.some((use) => use.branch.mayRaise || use.consumer.mayRaise === true);
    const shared = pending.length > 1 || base.limited;
    const native = branch.chain.slice(0, shared ? 0 : bare ? branch.nativeObjects : branch.native);
    const place = this.#place(base);
    const { kept, narrowing } = place === undefined ? { kept: native, narrowing: [] } : splitForPlace(native, bare);
    // The terms that are kept hand on objects, unless a `map` is among them.
    const type = bare || shared || place !== undefined ? 'object' : 'any';
    const consumers = pending.map(({ branch: { chain, objects, mayLackField }, consumer }) => {
      const above = { chain: chain.slice(kept.length + narrowing.length), objects, mayLackField };
      return projectionOf(above, consumer, this.fresh, type);
    });
    return {
      term: kept.reduce<Term>((below, above) => onTop(above, below), base.term),
      projections: consumers,
      wholeRows: bare,
      limited: base.limited,
      narrowing: narrowing.map((term) => withVariables(term, this.fresh)),
      // Whole rows are never the same at two places.
      place: bare && narrowing.length === 0 ? undefined : place,
      repeats: this.#repeats(base),
    };
  }

  /** What tells where a row of a selection stands in the index that it reads. */
  #place({ term, limited }: Selection): Place | undefined {
    // RethinkDB watches the first rows of an order as whole rows.
    const reading = limited ? undefined : indexRead(term, this.#settings.globalOptargs);
    if (reading === undefined) return undefined;
    const { question } = reading;
    return placeIn(reading, question === undefined ? null : this.#known(question));
  }

  /** Whether a selection can give a row several times: by a key that is named twice, or by an index that is `multi`. */
  #repeats({ term, limited }: Selection): boolean {
    if (limited) return false;
    const reading = indexRead(term, this.#settings.globalOptargs);
    const known = reading?.question === undefined ? null : this.#known(reading.question);
    return known?.multi === true || (keysRead(term) === 'several' && !namesKeysOnce(term));
  }

  /** What is known of an index; `null` where nothing is, and nobody can be asked. */
  #known(question: IndexQuestion): IndexFields | null {
    const known = this.#settings.indexes(question);
    if (known === undefined && this.#settings.asks) throw new UnknownIndex(question, false);
    return known ?? null;
  }
}

/** Writes a key that equal streams share, when it is called; `undefined` for a stream that is not made of sources alone. */
export function streamKey({ branches }: Stream): (() => string) | undefined {
  const terms: CallTerm[] = [];
  for (const { root: base } of branches) {
    if (base.kind !== 'selection' && base.kind !== 'join') return undefined;
    if (base.kind === 'join' && freeVars(base.term).size > 0) return undefined;
    terms.push(base.term);
  }
  const keyOf = ({ chain }: Branch, index: number): string => {
    const below = terms[index];
    return below === undefined ? '' : canonicalKey(chain.reduce((stream, above) => onTop(above, stream), below));
  };
  return () => branches.map(keyOf).join('+');
}
