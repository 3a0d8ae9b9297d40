// GET, GET_ALL, BETWEEN.

import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import { isPseudo } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, MAXVAL, MINVAL } from '../../../rewrite/reql/data/datum.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { logicError, nonExistence } from '../../../rewrite/reql/error.ts';
import { Selection, type TableSlice, wrongType } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { EmbeddedSlice, EmbeddedTable } from '../value/embedded-table.ts';
import type { RowRange } from '../value/row-range.ts';
import { KeySelection } from '../value/row-selection.ts';
import { TableStream } from '../value/table-stream.ts';
import { tableArg } from './table.ts';

function getAllKey(args: Args, index: number): Datum {
  const key = args.datum(index);
  if (isPseudo(key, 'GEOMETRY')) {
    throw logicError(
      'Cannot use a geospatial index with `get_all`. Use `get_intersecting` instead.',
      args.maker(index),
    );
  }
  if (key === null) throw nonExistence('Keys cannot be NULL.', args.maker(index));
  return key;
}

function countKeys(keys: readonly Datum[]): RowRange {
  const sorted = keys.toSorted(compareDatums);
  const counted: [Datum, number][] = [];
  for (const key of sorted) {
    const last = counted.at(-1);
    if (last !== undefined && compareDatums(last[0], key) === 0) last[1]++;
    else counted.push([key, 1]);
  }
  return { kind: 'keys', keys: counted };
}

function getAll(args: Args): Selection {
  const table = tableArg(args, 0);
  const { handle } = table;
  const index = args.optargString('index') ?? handle.primaryKey;
  const keys: Datum[] = [];
  for (let at = 1; at < args.count; at++) keys.push(getAllKey(args, at));
  const byPrimaryKey = index === handle.primaryKey;
  if (byPrimaryKey) for (const key of keys.toSorted(compareDatums)) rowKey(key);
  const spec = {
    table: handle,
    index: byPrimaryKey ? undefined : index,
    range: countKeys(keys),
    sorting: 'unordered',
  } as const;
  return new Selection(table, new TableStream(spec, args.origin, args.context.meter, () => table.authorize('read')));
}

/** An argument as a part of a table by an index; a table is the whole of itself. */
function sliceArg(args: Args, index: number): EmbeddedSlice {
  const value = args.value(index);
  if (value instanceof EmbeddedSlice) return value;
  if (value instanceof EmbeddedTable) return value.slice();
  throw wrongType(value, 'TABLE_SLICE', args.maker(index));
}

function isOpen(args: Args, side: 'left' | 'right', otherwise: boolean): boolean {
  const bound = args.optargString(`${side}_bound`);
  if (bound === undefined) return otherwise;
  if (bound === 'open') return true;
  if (bound === 'closed') return false;
  throw args.fail(`Expected \`open\` or \`closed\` for optarg \`${side}_bound\` (got \`"${bound}"\`).`);
}

function between(args: Args, nullIsUnbounded: boolean): TableSlice {
  const slice = sliceArg(args, 0);
  const leftOpen = isOpen(args, 'left', false);
  const rightOpen = isOpen(args, 'right', true);
  const bound = (at: number, unbounded: Datum): Datum => {
    const value = args.datum(at);
    if (value !== null) return value;
    if (nullIsUnbounded) return unbounded;
    throw logicError(
      'Cannot use `null` in BETWEEN, use `r.minval` or `r.maxval` to denote unboundedness.',
      args.maker(at),
    );
  };
  const left = bound(1, MINVAL);
  const right = bound(2, MAXVAL);
  const index = args.optargString('index') ?? slice.index ?? slice.table.handle.primaryKey;
  return slice.withBounds(index, { left, leftOpen, right, rightOpen });
}

export const readTerms: TermTable = {
  [TermType.GET]: op((args) => {
    // The server asks for the key first.
    const key = args.datum(1);
    return new KeySelection(tableArg(args, 0), key, args.origin);
  }),
  [TermType.GET_ALL]: op(getAll),
  [TermType.BETWEEN]: op((args) => between(args, false)),
  [TermType.BETWEEN_DEPRECATED]: op((args) => between(args, true)),
};
