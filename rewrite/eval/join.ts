// INNER_JOIN, OUTER_JOIN and EQ_JOIN.

import { TermType } from '../reql/term-type.ts';
import type { Builder } from '../term/build.ts';
import type { CallTerm, Term } from '../term/term.ts';
import type { Args } from './args.ts';
import type { TermTable } from './context.ts';
import { streamValue } from './materialize.ts';
import { op } from './op.ts';
import { rewritten } from './rewritten.ts';
import { Table, type Value, wrongType } from './value.ts';

/** The matches of `row` on the right side, as the server writes them. */
function matches(t: Builder, right: Term, predicate: Term, row: Term): CallTerm {
  return t.concatMap(right, (other = t.expr(null)) =>
    t.branch(t.do(predicate, row, other), t.expr([t.fields({ left: row, right: other })]), t.expr([])),
  );
}

function withOptargs(term: CallTerm, call: CallTerm): Term {
  return { ...term, optargs: [...term.optargs, ...call.optargs] };
}

function innerJoin(t: Builder, call: CallTerm): Term {
  const [left, right, predicate] = call.args;
  if (left === undefined || right === undefined || predicate === undefined) return call;
  return withOptargs(
    t.concatMap(left, (row = t.expr(null)) => matches(t, right, predicate, row)),
    call,
  );
}

function outerJoin(t: Builder, call: CallTerm): Term {
  const [left, right, predicate] = call.args;
  if (left === undefined || right === undefined || predicate === undefined) return call;
  return withOptargs(
    t.concatMap(left, (row = t.expr(null)) =>
      t.do(
        (found = t.expr(null)) => t.branch(t.gt(t.count(found), 0), found, t.expr([t.fields({ left: row })])),
        t.coerceTo(matches(t, right, predicate, row), 'ARRAY'),
      ),
    ),
    call,
  );
}

function eqJoin(args: Args): Value {
  const left = args.stream(0);
  const table = args.value(2);
  if (!(table instanceof Table)) throw wrongType(table, 'TABLE', args.maker(2));
  const key = args.func(1, 'field');
  const ordered = args.optargBool('ordered', false);
  const index = args.optargString('index') ?? table.primaryKey;
  return streamValue(table.eqJoin({ left, key, index, ordered }, args.origin), args.context);
}

/** The terms of this family. */
export const joinTerms: TermTable = {
  [TermType.INNER_JOIN]: rewritten(innerJoin),
  [TermType.OUTER_JOIN]: rewritten(outerJoin),
  [TermType.EQ_JOIN]: op(eqJoin, { grouping: 'sequence' }),
};
