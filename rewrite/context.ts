// What is known while one query is taken apart: the variables it may use, the indexes of its tables, and who consumes
// which source.

import { type Consumer, eachOf, onTop } from './each.ts';
import type { Aggregated, Elements, Part, Source } from './live.ts';
import type { Branch, Leaf, Selection, Stream } from './piece.ts';
import { refusal } from './refusal.ts';
import { type Builder, builder } from './term/build.ts';
import { serializeTerm } from './term/serialize.ts';
import type { Term } from './term/term.ts';
import type { FreshVars } from './term/vars.ts';

/** A question to the server that a live query waits for: which fields does this index hold, and what is the primary key? */
export interface IndexQuestion {
  /** The TABLE term. */
  readonly table: Term;
  /** The name of the index; `undefined` where the primary key is all that is asked for. */
  readonly index: string | undefined;
}

/** The fields of an index: one of a simple index, several of a compound one; `null` for an index of anything else. */
export type IndexFields = {
  readonly fields: readonly string[];
  readonly compound: boolean;
  readonly multi: boolean;
  /** The primary key of the table, which orders rows that are equal in the index; without it they are in no order. */
  readonly primaryKey?: string;
};

/** What is known of the indexes; `undefined` where the server has not been asked. */
export type KnownIndexes = (question: IndexQuestion) => IndexFields | null | undefined;

/** Thrown while a query is taken apart that cannot go on without knowing an index. */
export class UnknownIndex extends Error {
  readonly question: IndexQuestion;

  constructor(question: IndexQuestion) {
    super(
      `${question.index === undefined ? 'The primary key is' : `The fields of the index \`${question.index}\` are`} not known.`,
    );
    this.question = question;
  }
}

/** Thrown where RethinkDB itself accepts the query, or must refuse it in its own words. */
export class LeaveToServer extends Error {}

interface Pending {
  readonly base: Selection;
  readonly branch: Branch;
  readonly consumer: Consumer;
}

/** The state of taking one query apart. */
export class Context {
  readonly fresh: FreshVars;
  readonly indexes: KnownIndexes;
  readonly #pending: Pending[][] = [];
  readonly #sources = new Map<string, number>();
  readonly #leaves = new Map<string, Leaf>();

  constructor(fresh: FreshVars, indexes: KnownIndexes) {
    this.fresh = fresh;
    this.indexes = indexes;
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
        return { kind: 'rows', rows: base.rows, each: eachOf(branch, consumer, this.fresh) };
      case 'selection':
        return this.#sourcePart({ base, branch, consumer });
    }
  }

  #sourcePart(pending: Pending): Part {
    const key = serializeTerm(pending.base.term);
    const source = this.#sources.get(key) ?? this.#pending.push([]) - 1;
    this.#sources.set(key, source);
    const consumer = (this.#pending[source]?.push(pending) ?? 1) - 1;
    return { kind: 'source', source, consumer };
  }

  /** One consumer leaves the terms that the server accepts where they are; several share the bare selection, so that a
   * write is one event for all of them. */
  #source(pending: readonly Pending[]): Source {
    const [first] = pending;
    if (first === undefined) throw new LeaveToServer();
    const { base, branch } = first;
    const bare = base.limited || pending.some((use) => use.branch.fails || use.consumer.fails === true);
    const shared = pending.length > 1 || base.limited;
    const kept = shared ? 0 : bare ? branch.nativeObjects : branch.native;
    const term = branch.chain.slice(0, kept).reduce<Term>((below, above) => onTop(above, below), base.term);
    const consumers = pending.map(({ branch: own, consumer }) =>
      eachOf({ ...own, chain: own.chain.slice(kept) }, consumer, this.fresh),
    );
    return { term, consumers, bare, limited: base.limited };
  }
}

/** What makes a stream equal to another; `undefined` for one that is not made of sources alone. */
export function streamKey(stream: Stream): string | undefined {
  const keys: string[] = [];
  for (const { base, chain } of stream.branches) {
    if (base.kind !== 'selection') return undefined;
    keys.push(serializeTerm(chain.reduce<Term>((below, above) => onTop(above, below), base.term)));
  }
  return keys.join('+');
}
