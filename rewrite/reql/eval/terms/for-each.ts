// FOR_EACH: runs writes per element and adds up what they report.

import { sortedKeys } from '../../data/compare.ts';
import { asArray, asObject, isPlainOrPseudoObject, typeName } from '../../data/data-type.ts';
import { type Datum, type DatumObject, getField, setField } from '../../data/datum.ts';
import { printTruncated } from '../../data/json-text.ts';
import { logicError, ReqlError } from '../../error.ts';
import type { Origin } from '../../origin.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import { toDatum, type Value } from '../core/value.ts';
import { TERMINAL } from '../streams/batch.ts';

/** Steps that adding up two reports takes. */
const REPORT_STEPS = 100;

const NO_WRITE = 'FOR_EACH expects one or more basic write queries.';

/** Two reports of writes added up: counts are summed, lists of changes joined up to `limit`, first errors kept. */
function mergeStats(left: DatumObject, right: DatumObject, limit: number, warnings: Set<string>): DatumObject {
  const merged: Record<string, Datum> = {};
  for (const key of sortedKeys(left)) setField(merged, key, left[key] ?? null);
  for (const key of sortedKeys(right)) {
    const value = right[key] ?? null;
    const before = getField(left, key);
    setField(merged, key, before === undefined ? value : mergeStat(before, value, limit, warnings));
  }
  return merged;
}

function mergeStat(left: Datum, right: Datum, limit: number, warnings: Set<string>): Datum {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (Array.isArray(left) && Array.isArray(right)) {
    const joined: readonly Datum[] = [...left, ...right];
    if (joined.length <= limit) return joined;
    warnings.add(`Too many changes, array truncated to ${limit}.`);
    return joined.slice(0, limit);
  }
  if (typeof left === 'string' && typeof right === 'string') return left;
  throw logicError(
    `Cannot merge statistics \`${printTruncated(left)}\` (type ${typeName(left)}) and \`${printTruncated(right)}\` (type ${typeName(right)}).`,
  );
}

/** A report with warnings added to those it has. */
function addWarnings(stats: DatumObject, warnings: ReadonlySet<string>): DatumObject {
  if (warnings.size === 0) return stats;
  const before = getField(stats, 'warnings');
  const known: readonly Datum[] = Array.isArray(before) ? before : [];
  const fresh = [...warnings].filter((warning) => !known.includes(warning));
  return { ...stats, warnings: [...known, ...fresh.sort()] };
}

function forEach(args: Args): Value {
  const stream = args.stream(0);
  const func = args.func(1, 'constant');
  const warnings = new Set<string>();
  let stats: DatumObject = {};
  const { meter } = args.context;
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) {
    const value = func.call([row]);
    for (const report of reportsOf(value, func.maker())) {
      meter.spend(REPORT_STEPS);
      stats = inReport(func.maker(), () => mergeStats(stats, asObject(report), args.context.arrayLimit, warnings));
    }
  }
  return addWarnings(stats, warnings);
}

function reportsOf(value: Value, maker: Origin | undefined): readonly Datum[] {
  return inReport(maker, () => {
    const datum = toDatum(value, maker);
    return isPlainOrPseudoObject(datum) ? [datum] : asArray(datum);
  });
}

// Errors about data point to what the function returned; others keep their place but lose their text.
function inReport<Result>(maker: Origin | undefined, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    const message = error.origin === undefined ? `${NO_WRITE}  ${error.message}` : NO_WRITE;
    throw new ReqlError(error.responseType, error.errorType, message, error.origin ?? maker);
  }
}

/** The terms of this family. */
export const forEachTerms: TermTable = { [TermType.FOR_EACH]: op(forEach) };
