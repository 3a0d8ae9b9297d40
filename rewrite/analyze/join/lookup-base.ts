// Rows beside what is looked up for each of them, as what other terms stand on.

import type { JoinKeys, Lookup, LookupJoin, Part } from '../../live.ts';
import { bothRead, fieldsRead, NOTHING_READ, parameterRead, type Read } from '../../plan/fields-read.ts';
import { type Consumer, elementsOfRow, projectionOf, type RowType } from '../../plan/projection.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm, type VarId } from '../../reql/term/vars.ts';
import type { Context } from '../context.ts';
import type { GroupUses, JoinBase, JoinUse, Leaf, Stream, StreamType } from '../piece.ts';
import { narrowed } from './narrowed.ts';
import { depthOf } from './pair-base.ts';

/** Something that is looked up for each row: a value of the rows with its key, or a value that is one for all rows. */
export interface FoundLookup {
  readonly leaf: Leaf;
  /** Absent where the value is one for all rows. */
  readonly by: LookupBy | undefined;
}

/** The key by which rows are looked up, and who takes them. */
export interface LookupBy {
  /** The key of a row, which may read what was looked up before. */
  readonly key: Term;
  /** What of the rows has to be equal to it, for people. */
  readonly of: Term;
  readonly keys: JoinKeys;
  /** A row without a key finds no rows, rather than an error. */
  readonly missingIsNone: boolean;
  readonly right: Stream;
  /** The array of the keys of a right row. */
  rightKeys(t: Builder, row: Term): Term;
  /** Finding those can raise more than NON_EXISTENCE. */
  readonly fails: boolean;
  /** Who takes the rows that are found. */
  readonly uses: GroupUses;
}

/** For whom things are looked up. */
export interface LookingUp {
  /** The term whose functions look up. */
  readonly term: CallTerm;
  readonly left: Stream;
  /** The variable of the row; `undefined` where nothing reads it. */
  readonly row: VarId | undefined;
  /** What reads others after them. */
  readonly lookups: readonly FoundLookup[];
  readonly type: StreamType;
}

/** Rows with lookups, which get their sides once it is known what is read of them. */
export function lookupBase(context: Context, { term, left, row, lookups, type }: LookingUp): JoinBase {
  const [leftParts, made, consumers]: [Part[], Lookup[], CallTerm[]] = [[], [], []];
  const join: LookupJoin = { kind: 'lookups', left: { parts: leftParts }, lookups: made, consumers };
  const rows: RowType = left.branches.every(({ objects }) => objects) ? 'object' : 'any';
  const ids = lookups.map(({ leaf }) => leaf.id);
  // A row that is found by its key carries only the fields that are read in the end.
  const readOf = ({ id, value }: Leaf, at: number): Read =>
    value.aggregate.givesRow !== true
      ? 'all'
      : [
          ...consumers.map((consumer) => parameterRead(consumer, at + 1)),
          ...lookups.map(({ by }) => (by === undefined ? NOTHING_READ : fieldsRead(by.key, id))),
        ].reduce(bothRead, NOTHING_READ);
  const fill = (uses: readonly JoinUse[]): void => {
    consumers.push(...uses.map((use) => consumerOf(context, use, rows, ids)));
    made.push(
      ...lookups.map((lookup, at) => lookupOf(context, term, lookup, row, ids.slice(0, at), readOf(lookup.leaf, at))),
    );
    const keys = made.flatMap((lookup) => (lookup.kind === 'keyed' ? [lookup.key] : []));
    const read = [...consumers, ...keys].reduce<Read>(
      (all, func) => bothRead(all, parameterRead(func, 0)),
      NOTHING_READ,
    );
    const consumer: Consumer = { term, elements: (t, of, objects) => t.array(narrowed(t, of, read, objects)) };
    leftParts.push(...context.consume(left, consumer).parts);
  };
  const rights = lookups.flatMap(({ by }) => (by === undefined ? [] : [by.right]));
  const depth = 1 + Math.max(...[left, ...rights].map(depthOf));
  return { kind: 'join', term: belowOf(term), join, type, rows, depth, fill };
}

/** The elements that the term stands on; the chain tells what it makes of them. */
function belowOf(term: CallTerm): CallTerm {
  const [below] = term.args;
  return below?.kind === 'call' ? below : term;
}

function consumerOf(context: Context, { branch, consumer }: JoinUse, rows: RowType, ids: readonly VarId[]): CallTerm {
  const each = projectionOf(branch, consumer, context.fresh, rows);
  const parts = funcParts(each);
  if (parts === undefined) throw new TypeError('a consumer that is no function');
  return funcTerm([...parts.params, ...ids], parts.body, each);
}

function lookupOf(
  context: Context,
  term: CallTerm,
  { leaf, by }: FoundLookup,
  row: VarId | undefined,
  before: readonly VarId[],
  readOfValue: Read,
): Lookup {
  if (by === undefined) return { kind: 'shared', value: leaf.value };
  const { key, of: keyOf, keys, missingIsNone, right, uses } = by;
  const used = uses.consumer;
  if (used === undefined) throw new TypeError('a lookup that nobody reads');
  const t = context.builder(used.consumer.term);
  const objects = right.branches.every((branch) => branch.objects);
  const type: RowType = objects ? 'object' : 'any';
  const each = t.func((of) => elementsOfRow(t, used.branch, used.consumer, of, context.fresh, type), 1);
  const read = readOfValue === 'all' ? parameterRead(each, 0) : readOfValue;
  const consumer: Consumer = {
    term,
    mayRaise: by.fails,
    elements: (b, of, isObject) =>
      b.map(
        by.rightKeys(b, of),
        b.func((value) => b.array(value, narrowed(b, of, read, isObject)), 1),
      ),
  };
  return {
    kind: 'keyed',
    key: funcTerm([row ?? context.fresh(), ...before], key, term),
    by: keyOf,
    keys,
    missingIsNone,
    of: context.consume(right, consumer),
    each,
    value: leaf.value,
  };
}
