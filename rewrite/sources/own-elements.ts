// The elements of one selection of several that are read as one: what is made of a row that is in it, and nothing of others.

import { type Branch, branchOf, type Selection } from '../analyze/piece.ts';
import type { RowsPart, SourcePart } from '../live.ts';
import { appliedToRow, type Consumer, projectionOf } from '../plan/projection.ts';
import type { Builder } from '../reql/build/build.ts';
import { builder } from '../reql/build/build.ts';
import type { Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';
import { elementsIn, type OneReading } from './one-reading.ts';
import type { FirstRows } from './table-selection.ts';

/** Who takes what of the selection that is read. */
interface Taken {
  readonly branch: Branch;
  readonly consumer: Consumer;
}

/** The elements of a consumer over a selection, taken of what is read. */
export function ownElements(
  of: OneReading,
  read: Selection,
  branch: Branch,
  consumer: Consumer,
  fresh: FreshVars,
): Taken {
  const each = projectionOf(branch, consumer, fresh, 'object');
  return {
    branch: branchOf(read, true),
    consumer: {
      term: consumer.term,
      mayRaise: branch.mayRaise || consumer.mayRaise === true,
      elements: (t, row) => elementsIn(t, of, row, () => appliedToRow(t, each, row)),
    },
  };
}

/**
 * The elements of a consumer over the first rows of an order. All rows of the order are ranked, each with what the consumer
 * takes of it, or, where that can fail, whole: what fails is no matter before the row is one of the first.
 */
export function firstRows(
  of: OneReading,
  { filters, descending, limit }: FirstRows,
  read: Selection,
  branch: Branch,
  consumer: Consumer,
  fresh: FreshVars,
): { readonly ranked: Taken; readonly rows: (part: SourcePart) => RowsPart } {
  const each = projectionOf(branch, consumer, fresh, 'object');
  const isWhole = branch.mayRaise || consumer.mayRaise === true;
  const ranked: Taken = {
    branch: { ...branchOf(read, true), chain: filters },
    consumer: {
      term: consumer.term,
      elements: (t, row) =>
        elementsIn(t, of, row, (value) =>
          t.array(t.array(keysOf(t, of, row, value), isWhole ? row : appliedToRow(t, each, row))),
        ),
    },
  };
  const isPrimary = of.selection.index.name === undefined;
  return {
    ranked,
    rows: (part) => ({
      kind: 'rows',
      rows: {
        kind: 'top',
        of: { parts: [part] },
        computed: isPrimary ? [descending] : [descending, descending],
        fields: [],
        window: [{ from: 0, to: limit }],
      },
      projection: isWhole ? each : builder(consumer.term.origin, fresh).func((elements) => elements, 1),
    }),
  };
}

/** By what rows are ranked: the value of the index, and of equal ones the primary key. */
function keysOf(t: Builder, { selection: { index } }: OneReading, row: Term, value: Term): Term {
  const { name, known } = index;
  if (name === undefined || known.primaryKey === undefined) return t.array(t.array(value));
  return t.array(t.array(value), t.array(t.bracket(row, known.primaryKey)));
}
