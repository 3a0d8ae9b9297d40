// What is known while one query is taken apart: the variables it may use, the indexes of its tables, and who consumes
// which source.

import { bound, type Consumer, eachOf, onTop } from './each.ts';
import { joinedSelection, type KeySelection, keySelection, ownRows, readingKey } from './key-selection.ts';
import { type IndexFields, type IndexQuestion, type KnownIndexes, UnknownIndex } from './known-index.ts';
import type { Aggregated, Elements, Part, Place, Source } from './live.ts';
import type { Branch, Leaf, Selection, Stream } from './piece.ts';
import { indexRead, placeIn, splitForPlace } from './place.ts';
import { refusal } from './refusal.ts';
import { type Builder, builder } from './term/build.ts';
import { canonicalKey } from './term/canonical-key.ts';
import type { Entry, Term } from './term/term.ts';
import type { FreshVars } from './term/vars.ts';

/** Thrown where RethinkDB itself accepts the query, or must refuse it in its own words. */
export class LeaveToServer extends Error {}

interface Pending {
  readonly base: Selection;
  readonly branch: Branch;
  readonly consumer: Consumer;
}

/** What is known before a query is taken apart. */
export interface Surroundings {
  readonly indexes: KnownIndexes;
  /** Whether the server can be asked where `indexes` does not know enough. */
  readonly asks: boolean;
  readonly globalOptargs: readonly Entry[];
}

/** The state of taking one query apart. */
export class Context {
  readonly fresh: FreshVars;
  readonly #around: Surroundings;
  readonly #pending: Pending[][] = [];
  readonly #sources = new Map<string, number>();
  readonly #leaves = new Map<string, Leaf>();

  constructor(fresh: FreshVars, around: Surroundings) {
    this.fresh = fresh;
    this.#around = around;
  }

  /**
   * What an index holds of a row; `null` where nobody can tell.
   * @throws UnknownIndex where somebody has to be asked first
   */
  indexFields(question: IndexQuestion): IndexFields | null {
    const known = this.#around.indexes(question);
    if (known === undefined) throw new UnknownIndex(question, true);
    return known;
  }

  /** A builder of terms that stand for `term`. */
  builder(term: Term): Builder {
    return builder(term.origin, this.fresh);
  }

  /** Makes a stream's elements those of a consumer. */
  consume(stream: Stream, consumer: Consumer): Elements {
    return { parts: stream.branches.map((branch) => this.#part(branch, consumer)) };
  }

  /** A leaf of an expression; those with equal keys are one. */
  leaf(key: string | undefined, make: () => Aggregated): Leaf {
    const known = key === undefined ? undefined : this.#leaves.get(key);
    if (known !== undefined) return known;
    const leaf = { id: this.fresh(), value: make() };
    if (key !== undefined) this.#leaves.set(key, leaf);
    return leaf;
  }

  /** What is to be watched, once everything is consumed. */
  sources(): readonly Source[] {
    return this.#pending.map((pending) => this.#source(pending));
  }

  #part(branch: Branch, consumer: Consumer): Part {
    const { base } = branch;
    switch (base.kind) {
      case 'group':
        if (base.uses.consumer !== undefined) {
          throw refusal(consumer.term, 'the elements of a group are already used by another aggregate. Use `ungroup`');
        }
        base.uses.consumer = { branch, consumer };
        return { kind: 'group' };
      case 'rows':
        return { kind: 'rows', rows: base.rows, each: eachOf(branch, consumer, this.fresh, 'any') };
      case 'selection':
        return this.#sourcePart({ base, branch, consumer });
    }
  }

  #sourcePart(pending: Pending): Part {
    const key = this.#sourceKey(pending.base);
    const source = this.#sources.get(key) ?? this.#pending.push([]) - 1;
    this.#sources.set(key, source);
    const consumer = (this.#pending[source]?.push(pending) ?? 1) - 1;
    return { kind: 'source', source, consumer };
  }

  /** Selections with equal keys are one source. */
  #sourceKey({ term, limited }: Selection): string {
    const selection = limited ? undefined : keySelection(term, this.#around.globalOptargs);
    const joins = selection !== undefined && this.#fieldOf(selection) !== undefined;
    return joins ? `keys of ${readingKey(selection)}` : canonicalKey(term);
  }

  /** The field that a simple index holds; `undefined` of any other index. */
  #fieldOf({ question }: KeySelection): string | undefined {
    const known = this.#known(question);
    const [field, ...more] = known?.fields ?? [];
    return known === null || known.multi || known.compound || more.length > 0 ? undefined : field;
  }

  /** The selection that several selections by keys are read as, and for each what leaves its own rows of it. */
  #joined(pending: readonly Pending[]): { readonly base: Selection; readonly pending: readonly Pending[] } | undefined {
    const selections = pending.map(({ base }) => keySelection(base.term, this.#around.globalOptargs));
    const known = selections.filter((selection) => selection !== undefined);
    const [first] = known;
    if (first === undefined || known.length < pending.length) return undefined;
    if (pending.every(({ base }) => canonicalKey(base.term) === canonicalKey(first.term))) return undefined;
    const term = joinedSelection(known);
    const field = this.#fieldOf(first);
    if (term === undefined || field === undefined) return undefined;
    return {
      base: { kind: 'selection', term, limited: false },
      pending: pending.map((use, index) => {
        const own = ownRows(this.builder(term), known[index] ?? first, field);
        return { ...use, branch: { ...use.branch, chain: [own, ...use.branch.chain], native: 0, nativeObjects: 0 } };
      }),
    };
  }

  /** One consumer leaves the terms that the server accepts where they are; several share the bare selection, so that a
   * write is one event for all of them. */
  #source(given: readonly Pending[]): Source {
    const joined = this.#joined(given);
    const pending = joined?.pending ?? given;
    const [first] = pending;
    if (first === undefined) throw new LeaveToServer();
    const { branch } = first;
    const base = joined?.base ?? first.base;
    const bare = base.limited || pending.some((use) => use.branch.fails || use.consumer.fails === true);
    const shared = pending.length > 1 || base.limited;
    const native = branch.chain.slice(0, shared ? 0 : bare ? branch.nativeObjects : branch.native);
    const place = this.#place(base);
    const { kept, narrowing } = place === undefined ? { kept: native, narrowing: [] } : splitForPlace(native, bare);
    // What is kept of the terms hands on objects, but where a `map` may be among them.
    const type = bare || shared || place !== undefined ? 'object' : 'any';
    const consumers = pending.map(({ branch: own, consumer }) =>
      eachOf({ ...own, chain: own.chain.slice(kept.length + narrowing.length) }, consumer, this.fresh, type),
    );
    return {
      term: kept.reduce<Term>((below, above) => onTop(above, below), base.term),
      consumers,
      bare,
      limited: base.limited,
      narrowing: narrowing.map((term) => bound(term, this.fresh)),
      // Whole rows are never the same at two places.
      place: bare && narrowing.length === 0 ? undefined : place,
    };
  }

  /** What tells where a row of a selection stands in the index that it reads. */
  #place({ term, limited }: Selection): Place | undefined {
    // RethinkDB watches the first rows of an order as whole rows.
    const reading = limited ? undefined : indexRead(term, this.#around.globalOptargs);
    if (reading === undefined) return undefined;
    const { question } = reading;
    return placeIn(reading, question === undefined ? null : this.#known(question));
  }

  /** What is known of an index; `null` where nothing is, and nobody can be asked. */
  #known(question: IndexQuestion): IndexFields | null {
    const known = this.#around.indexes(question);
    if (known === undefined && this.#around.asks) throw new UnknownIndex(question, false);
    return known ?? null;
  }
}

/** What makes a stream equal to another; `undefined` for one that is not made of sources alone. */
export function streamKey(stream: Stream): string | undefined {
  const keys: string[] = [];
  for (const { base, chain } of stream.branches) {
    if (base.kind !== 'selection') return undefined;
    keys.push(canonicalKey(chain.reduce<Term>((below, above) => onTop(above, below), base.term)));
  }
  return keys.join('+');
}
