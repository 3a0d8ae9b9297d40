// GROUP and UNGROUP.

import type { Datum } from '../../data/datum.ts';
import { datumKey } from '../../data/datum-key.ts';
import { logicError, resourceLimit } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import { ROOT } from '../../origin.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import type { Func } from '../core/func.ts';
import { groupsOf as groupsOfValue, op } from '../core/op.ts';
import { shortcutFunc } from '../core/shortcut-func.ts';
import { Table, type Value, wrongType } from '../core/value.ts';
import { limited } from '../streams/materialize.ts';
import type { Stream } from '../streams/stream.ts';
import { GroupedStream, type GroupsOf } from './grouped.ts';

/** Steps that each combination of `multi` takes. */
const COMBINATION_STEPS = 4;

/** A source and what each of its elements is grouped by. */
interface Source {
  readonly stream: Stream;
  readonly functions: readonly Func[];
  /** The value of the index that the source is read by, for the element read last. */
  readonly indexValue?: () => Datum;
}

function sourceOf(args: Args, functions: readonly Func[]): Source {
  const value = args.value(0);
  const maker = args.maker(0);
  const index = args.optarg('index') === undefined ? undefined : args.optargString('index');
  if (index === undefined) return { stream: args.streamOf(value, maker), functions };
  if (!(value instanceof Table)) throw wrongType(value, 'TABLE', maker);
  if (index === value.primaryKey) {
    const byKey = shortcutFunc('field', index, args.origin, args.context.meter);
    return { stream: value.rows(args.origin), functions: [...functions, byKey] };
  }
  return { ...value.byIndex(index, args.origin), functions };
}

function group(args: Args): Value {
  const functions: Func[] = [];
  for (let i = 1; i < args.count; i++) functions.push(args.func(i, 'field'));
  const source = sourceOf(args, functions);
  if (source.functions.length === 0 && source.indexValue === undefined) {
    throw args.fail('Cannot group by nothing.');
  }
  const multi = args.optargBool('multi', false);
  if (source.stream.grouped) {
    throw logicError(
      'Cannot call `group` on the output of `group` (did you mean to `ungroup`?).',
      source.stream.origin,
    );
  }
  return new GroupedStream(source.stream, groupsOf(args, source, multi), args.context.arrayLimit, args.origin);
}

function groupsOf(args: Args, { functions, indexValue }: Source, multi: boolean): GroupsOf {
  const { arrayLimit, meter } = args.context;
  const seen = new Set<string>();
  const check = (groups: readonly Datum[]): readonly Datum[] => {
    for (const group of groups) seen.add(datumKey(group, meter));
    // The server counts what is not grouped yet as one more.
    if (seen.size + 1 > arrayLimit) throw resourceLimit(`Too many groups (> ${arrayLimit}).`, ROOT);
    return groups;
  };
  return (element) => {
    const values = functions.map((func) => func.tryDatum1(element) ?? null);
    if (indexValue !== undefined) values.push(indexValue());
    const combined = multi ? combinations(values.map(choices), meter) : [values];
    return check(combined.map(groupOf));
  };
}

function groupOf(values: readonly Datum[]): Datum {
  const [only] = values;
  return only !== undefined && values.length === 1 ? only : values;
}

// With `multi` an array stands for each of its elements; an empty one for null.
function choices(value: Datum): readonly Datum[] {
  if (!Array.isArray(value)) return [value];
  return value.length === 0 ? [null] : value;
}

function combinations(choices: readonly (readonly Datum[])[], meter: Meter): readonly (readonly Datum[])[] {
  return choices.reduce<readonly (readonly Datum[])[]>(
    (made, options) => {
      meter.spend(COMBINATION_STEPS * made.length * options.length);
      return made.flatMap((values) => options.map((option) => [...values, option]));
    },
    [[]],
  );
}

function ungroup(args: Args): Value {
  const value = args.value(0);
  const groups = groupsOfValue(value, 'each');
  if (groups === undefined) throw wrongType(value, 'GROUPED_DATA', args.maker(0));
  return limited(
    groups.groups.map(([name, reduction]) => ({ group: name, reduction })),
    args.context,
  );
}

/** The terms of this family. */
export const groupTerms: TermTable = {
  [TermType.GROUP]: op(group, { grouping: 'sequence' }),
  [TermType.UNGROUP]: op(ungroup, { grouping: 'none' }),
};
