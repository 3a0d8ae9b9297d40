// INNER_JOIN, OUTER_JOIN and EQ_JOIN.

import type { Builder } from '../../build/build.ts';
import { asString } from '../../data/data-type.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import { rewritten, withOptargsOf } from '../core/rewritten.ts';
import { Table, type Value, wrongType } from '../core/value.ts';
import { streamValue } from '../streams/materialize.ts';

/** A function of one variable. */
function each(t: Builder, body: (row: Term) => Term): Term {
  return t.func((row) => body(row ?? t.expr(null)), 1);
}

/** The matches of `row` on the right side, as the server writes them. */
function matches(t: Builder, right: Term, predicate: Term, row: Term): CallTerm {
  const pair = (other: Term): Term => t.expr([t.fields({ left: row, right: other })]);
  return t.concatMap(
    right,
    each(t, (other) => t.branch(t.do(predicate, row, other), pair(other), t.expr([]))),
  );
}

function innerJoin(t: Builder, call: CallTerm): Term {
  const [left, right, predicate] = call.args;
  if (left === undefined || right === undefined || predicate === undefined) return call;
  const rows = each(t, (row) => matches(t, right, predicate, row));
  return withOptargsOf(call, t.concatMap(left, rows));
}

function outerJoin(t: Builder, call: CallTerm): Term {
  const [left, right, predicate] = call.args;
  if (left === undefined || right === undefined || predicate === undefined) return call;
  const rows = each(t, (row) => {
    const orAlone = each(t, (found) => t.branch(t.gt(t.count(found), 0), found, t.expr([t.fields({ left: row })])));
    return t.do(orAlone, t.coerceTo(matches(t, right, predicate, row), 'ARRAY'));
  });
  return withOptargsOf(call, t.concatMap(left, rows));
}

function eqJoin(args: Args): Value {
  const left = args.stream(0);
  const table = args.value(2);
  if (!(table instanceof Table)) throw wrongType(table, 'TABLE', args.maker(2));
  const key = args.func(1, 'field');
  const ordered = args.optargBool('ordered', false);
  // An index that is no string is the term's own fault in the server, not the optarg's.
  const given = args.optargDatum('index');
  const index = given === undefined ? table.primaryKey : asString(given);
  return streamValue(table.eqJoin({ left, key, index, ordered }, args.origin), args.context);
}

/** The terms of this family. */
export const joinTerms: TermTable = {
  [TermType.INNER_JOIN]: rewritten(innerJoin),
  [TermType.OUTER_JOIN]: rewritten(outerJoin),
  [TermType.EQ_JOIN]: op(eqJoin, { grouping: 'sequence' }),
};
