// The state that the server plan folds: one slot per aggregate where all of them keep a constant state, otherwise one bag of
// elements per consumer of a source.

import type { ServerFold } from '../../aggregates/aggregate.ts';
import type { Aggregated, FoldableLive, Live, Part, SourcePart, Value } from '../../live.ts';
import type { Builder, Expression } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { type Subject, subjectOf } from '../../subject.ts';
import { OUTGROWN_TEXT } from './outgrown.ts';
import type { Raising } from './raising.ts';
import { Reading } from './reading.ts';

/** A part of the state. */
export interface Slot {
  /** The consumers whose elements it takes. */
  readonly parts: readonly SourcePart[];
  /** Whether no element is null. */
  readonly neverNull: boolean;
  readonly base: Expression;
  apply(t: Builder, acc: Term, element: Term): Expression;
  unapply(t: Builder, acc: Term, element: Term): Expression;
}

/** The whole state, and what is watched as a term over it. */
export interface ServerState {
  readonly growth: 'constant' | 'per row';
  readonly slots: readonly Slot[];
  /**
   * The value, or the array of rows or groups; `null` for a value that is not there, and for groups over which a `default`
   * stands `{groups, whole}`. `slot` reads one.
   */
  watched(t: Builder, slot: (index: number) => Term): Term;
}

/** Chooses the state of a live query. */
export function serverState(live: FoldableLive, raising: Raising): ServerState {
  return constantState(live) ?? bagState(live, raising);
}

/**
 * Whether RethinkDB folds a live query in a constant state that is right whatever the client said: a `reverse` of the client's
 * own is checked in the proxy only. The leaves tell; nothing is built.
 */
export function isConstantFold({ watched }: Live): boolean {
  const leaves = constantLeaves(watched);
  return leaves?.every(({ aggregate }) => aggregate.growth === 'constant') ?? false;
}

/** An aggregate that has a fold of its own inside RethinkDB, and elements of sources alone. */
type ConstantLeaf = Aggregated & { readonly aggregate: { readonly server: (term: CallTerm) => ServerFold } };

/** The aggregates of a value, each once; `undefined` where one has no slot of its own. */
function constantLeaves(watched: Live['watched']): readonly ConstantLeaf[] | undefined {
  if (watched.kind !== 'aggregate' && watched.kind !== 'expression') return undefined;
  const leaves = aggregatesOf(watched);
  const constant = leaves.filter(isConstantLeaf);
  return constant.length < leaves.length ? undefined : constant;
}

function isConstantLeaf(leaf: Aggregated): leaf is ConstantLeaf {
  return leaf.aggregate.server !== undefined && leaf.of.parts.every(isSource);
}

function isSource(part: Part): part is SourcePart {
  return part.kind === 'source';
}

/** A slot per aggregate; `undefined` where one is not of constant state, or is not over sources alone. */
function constantState({ watched }: FoldableLive): ServerState | undefined {
  const leaves = constantLeaves(watched);
  if (leaves === undefined || (watched.kind !== 'aggregate' && watched.kind !== 'expression')) return undefined;
  const slots: Slot[] = [];
  const emits: ((t: Builder, acc: Term) => Expression)[] = [];
  const indexes = new Map<Aggregated, number>();
  for (const leaf of leaves) {
    const { aggregate } = leaf;
    const { base, apply, unapply, emit } = aggregate.server(leaf.term);
    indexes.set(leaf, slots.length);
    slots.push({
      parts: leaf.of.parts.filter(isSource),
      neverNull: aggregate.neverNull === true,
      base,
      apply,
      unapply,
    });
    emits.push(emit);
  }
  return {
    growth: 'constant',
    slots,
    watched: (t, slot) => {
      const stateOf = (value: Aggregated): Term | undefined => {
        const index = indexes.get(value) ?? -1;
        const emit = emits[index];
        return emit === undefined ? undefined : t.expr(emit(t, slot(index)));
      };
      return datumOf(new Reading(t, { ofSource: noBag, stateOf }), watched);
    },
  };
}

/** Terms that give a stream, which cannot be kept in an accumulator as it is. */
const streams: ReadonlySet<number> = new Set([
  TermType.RANGE,
  TermType.MAP,
  TermType.CONCAT_MAP,
  TermType.FILTER,
  TermType.UNION,
  TermType.ORDER_BY,
  TermType.SKIP,
  TermType.LIMIT,
  TermType.DISTINCT,
  TermType.WITH_FIELDS,
  TermType.ZIP,
]);

/** What is watched as a datum: null for a value that is not there. */
function datumOf(reading: Reading, watched: FoldableLive['watched']): Term {
  return asDatum[subjectOf(watched)](reading.t, reading.watched(watched));
}

const asDatum: { readonly [Of in Exclude<Subject, 'output'>]: (t: Builder, term: Term) => Term } = {
  value(t, term) {
    const isStream = term.kind === 'call' && streams.has(term.type);
    return t.default(isStream ? t.coerceTo(term, 'array') : term, null);
  },
  group: (_, term) => term,
  row: (t, term) => t.coerceTo(term, 'array'),
};

function noBag(): never {
  throw new TypeError('a constant state has no bags');
}

function aggregatesOf(value: Value): readonly Aggregated[] {
  if (value.kind === 'aggregate') return [value];
  return [...new Set(value.of.flatMap(aggregatesOf))];
}

/** A bag per consumer of a source: everything is computed anew from them. */
function bagState(live: FoldableLive, raising: Raising): ServerState {
  const parts: SourcePart[] = [];
  /** The first slot of each source. */
  const firsts: number[] = [];
  for (const [source, { projections }] of live.sources.entries()) {
    firsts.push(parts.length);
    for (const projection of projections.keys()) parts.push({ kind: 'source', source, projection });
  }
  return {
    growth: 'per row',
    slots: parts.map((part) => ({ parts: [part], ...boundedBag(raising) })),
    watched: (t, slot) => {
      const ofSource = (part: SourcePart): Term => slot((firsts[part.source] ?? 0) + part.projection);
      return datumOf(new Reading(t, { ofSource }), live.watched);
    },
  };
}

const bag: Omit<Slot, 'parts'> = {
  neverNull: false,
  base: [],
  apply: (t, acc, element) => t.append(acc, element),
  unapply: (t, acc, element) =>
    t.do(
      (value) =>
        t.deleteAt(
          acc,
          t.nth(
            t.offsetsOf(acc, (item) => t.eq(item, value)),
            0,
          ),
        ),
      element,
    ),
};

/** A bag that raises an error where it would hold more elements. */
function boundedBag({ most, mark }: Raising): Omit<Slot, 'parts'> {
  if (most === undefined) return bag;
  const text = `${mark}${OUTGROWN_TEXT}`;
  return {
    ...bag,
    apply: (t, acc, element) => t.branch(t.lt(t.count(acc), most), bag.apply(t, acc, element), t.error(text)),
  };
}
