// Joins: rows of one stream beside those of another that have a key in common.

import { argumentValue } from '../../aggregates/element.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValues, isPlain, type PlainIndex } from '../../sources/index-values.ts';
import { LeaveToServer } from '../context.ts';
import { fieldCanFail } from '../failure.ts';
import { pairBase, type Side } from '../join/pair-base.ts';
import { branchOf, type Stream } from '../piece.ts';
import type { StreamRule, StreamRules, Taking } from '../taking.ts';
import { unordered } from './aggregate.ts';
import { checkApplied, checkAppliedDeterministic, optargOf } from './argument.ts';
import { indexName } from './index-field.ts';
import { missedBy } from './missed.ts';
import { orderOf } from './order-of.ts';
import { perElement } from './per-element.ts';
import { selectionOf } from './selection.ts';
import { isArray } from './stream-type.ts';

/** `eqJoin` with a field or a function, over the primary key of a table or an index of it. */
const eqJoin: StreamRule = (taking, term, stream) => {
  const [, by, to] = term.args;
  const table = to === undefined ? undefined : tableOf(taking, to);
  if (by === undefined || table === undefined) throw new LeaveToServer();
  checkApplied({ ...term, args: term.args.slice(0, 2) });
  const bag = bagOf(term, stream);
  checkAppliedDeterministic(bag, [by]);
  const { context } = taking;
  const objects = bag.branches.every((branch) => branch.objects);
  const index = optargOf(term, 'index');
  const known = joinedIndex(taking, term, table, index === undefined ? undefined : indexName(term, index));
  const left: Side = {
    stream: bag,
    fails: fieldCanFail(by, objects),
    elements: (t, row, carried) => keyed(t, argumentValue(t, by, row), carried),
  };
  const right: Side = {
    stream: table.stream,
    fails: false,
    elements: (t, row, carried) => indexed(t, row, known, carried),
  };
  const base = context.join(term, () =>
    pairBase(context, {
      term,
      left,
      right,
      keys: known.isPrimary ? 'primary' : 'index',
      condition: undefined,
      outer: false,
      array: isArray(stream),
    }),
  );
  const lost = orderOf(stream) === 'none' ? stream.lost : term;
  return { kind: 'stream', branches: [branchOf(base, true, missedBy(taking, term, bag))], tail: [], lost };
};

/** `zip` merges both rows of each pair. */
const zip: StreamRule = (taking, term, stream) => {
  if (!stream.branches.every(({ base }) => base.kind === 'join')) {
    throw refusal(term, 'it merges the rows of a join. Put it on the join itself');
  }
  return perElement(taking, term, stream);
};

interface JoinedTable {
  readonly term: CallTerm;
  readonly stream: Stream;
}

function tableOf(taking: Taking, term: Term): JoinedTable | undefined {
  const piece = taking.take(term);
  const table = piece.kind === 'stream' ? selectionOf(piece) : undefined;
  if (piece.kind !== 'stream' || table?.type !== TermType.TABLE) return undefined;
  return { term: table, stream: piece };
}

/** The elements of a stream that is joined: which they are must not depend on an order. */
function bagOf(term: CallTerm, stream: Stream): Stream {
  const bag = unordered(stream);
  if (bag === undefined) throw refusal(term, 'it stands on a part of an order. Join before `limit`');
  return bag;
}

interface JoinedIndex extends PlainIndex {
  readonly isPrimary: boolean;
}

/**
 * What a table is joined by.
 * @throws UnknownIndex where the server has to be asked first
 * @throws ReqlError where it is not known, or is no index of plain fields
 */
function joinedIndex(
  { context }: Taking,
  term: CallTerm,
  { term: table }: JoinedTable,
  name: string | undefined,
): JoinedIndex {
  const known = context.indexFields({ table, index: name });
  if (known === null && name === undefined) {
    throw refusal(term, 'the primary key of the table is not known here. Name an index of the table');
  }
  if (known === null || !isPlain(known)) {
    throw refusal(
      term,
      `the index \`${name}\` is not one of plain fields. Use one that is, or \`innerJoin\` with a function of both rows`,
    );
  }
  const isPrimary =
    !known.compound && known.primaryKey !== undefined && (name ?? known.primaryKey) === known.primaryKey;
  return { ...known, isPrimary };
}

/** `[[key, row]]`, or nothing where a row has no key: null is none. */
function keyed(t: Builder, key: Term, row: Term): Term {
  const pair = t.func((of) => t.branch(t.eq(of, null), [], [[of, row]]), 1);
  return t.default(t.do(pair, key), []);
}

/** A pair of key and row for each key under which an index has the row. */
function indexed(t: Builder, row: Term, known: JoinedIndex, carried: Term): Term {
  const [field] = known.fields;
  if (known.isPrimary && field !== undefined) return t.array(t.array(t.bracket(row, field), carried));
  return t.map(
    indexValues(t, row, known),
    t.func((key) => t.array(key, carried), 1),
  );
}

/** Joins, by term number. */
export const joinRules: StreamRules = new Map([
  [TermType.EQ_JOIN, eqJoin],
  [TermType.ZIP, zip],
]);
