// TYPE_OF, INFO and COERCE_TO.

import { sortedKeys } from '../../data/compare.ts';
import { asArray, asString, type DataType, dataType, typeName } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { decodeUtf8 } from '../../data/decode-utf8.ts';
import { cText, jsonText, printDatum } from '../../data/json-text.ts';
import { finite } from '../../data/number.ts';
import { parseNumber } from '../../data/parse-number.ts';
import { binaryBytes, makeBinary } from '../../data/pseudo.ts';
import { utf8Bytes } from '../../data/utf8.ts';
import { logicError, ReqlError } from '../../error.ts';
import { isSpread } from '../../term/spread.ts';
import type { CallTerm } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import { type Args, isStreamLike } from '../core/args.ts';
import { bound } from '../core/bind.ts';
import type { CompileEnv } from '../core/compile.ts';
import { type Compiled, compiled } from '../core/compiled.ts';
import type { TermTable } from '../core/context.ts';
import { compileOp, compileParts, op } from '../core/op.ts';
import type { Scope } from '../core/scope.ts';
import { isDatumLike, isNonDatum, toDatum, typeOfValue, type Value, valueError, valueInfo } from '../core/value.ts';
import { TERMINAL } from '../streams/batch.ts';
import { drainRaw, limited } from '../streams/materialize.ts';
import { Stream } from '../streams/stream.ts';
import { GroupedStream } from './grouped.ts';
import { addField, objectOf } from './literal.ts';

/** The names of raw data types here, where BINARY is no pseudo-type. */
function rawName(type: DataType): string {
  return type === 'PTYPE<BINARY>' ? 'BINARY' : type;
}

/** Bytes that are decoded or encoded in about the time of one step, and the steps of a field of a coerced object. */
const BYTES_PER_STEP = 4;
const FIELD_STEPS = 10;

/** What can be coerced to: the types of values and of data. */
const TYPES: ReadonlySet<string> = new Set([
  'DB',
  'TABLE',
  'TABLE_SLICE',
  'SELECTION<STREAM>',
  'SELECTION<ARRAY>',
  'STREAM',
  'SELECTION<OBJECT>',
  'DATUM',
  'FUNCTION',
  'GROUPED_DATA',
  'NULL',
  'BINARY',
  'BOOL',
  'NUMBER',
  'STRING',
  'ARRAY',
  'OBJECT',
  'MINVAL',
  'MAXVAL',
]);

/** The types as most clients write them, and ours: `array` for `ARRAY`. */
const WRITTEN: ReadonlyMap<string, string> = new Map([...TYPES].map((type) => [type.toLowerCase(), type]));

/** The types, other than its own, that a value of a type is one of. */
const ALSO: ReadonlyMap<string, readonly string[]> = new Map([
  ['TABLE', ['TABLE_SLICE', 'SELECTION<STREAM>', 'STREAM']],
  ['TABLE_SLICE', ['SELECTION<STREAM>', 'STREAM']],
  ['SELECTION<STREAM>', ['STREAM']],
  ['SELECTION<OBJECT>', ['DATUM']],
  ['DATUM', ['STREAM']],
]);

function info(args: Args): Value {
  const value = args.value(0);
  if (isNonDatum(value)) return valueInfo(value);
  const type = dataType(value);
  const shown: Record<string, Datum> = { type: typeName(value) };
  if (type === 'PTYPE<BINARY>') shown['count'] = binaryBytes(value as DatumObject).length;
  if (type !== 'NULL' && type !== 'MINVAL' && type !== 'MAXVAL') shown['value'] = printDatum(value, args.context.meter);
  return shown;
}

// The wire's word for what a value is, before it is asked what kind of datum it stands for.
function superType(value: Value): string {
  if (!isNonDatum(value)) return 'DATUM';
  if (value instanceof Stream) return 'STREAM';
  return value.type === 'SELECTION' ? 'SELECTION<STREAM>' : value.typeOf;
}

function coerceTo(args: Args): Value {
  const value = args.value(0);
  const maker = args.maker(0);
  const kind = superType(value);
  const datum = isDatumLike(value) ? toDatum(value, maker) : undefined;
  const from = datum === undefined ? kind : rawName(dataType(datum));
  const written = args.string(1);
  const to = WRITTEN.get(written) ?? upperCase(written);
  if (!TYPES.has(to)) throw args.fail(`Unknown Type: ${to}`);
  if (to === from || to === kind || ALSO.get(kind)?.includes(to)) {
    args.made = maker;
    return value;
  }
  if (to === 'BOOL') return from !== 'NULL';
  const made = datum === undefined ? undefined : coerceDatum(datum, from, to, args);
  if (made !== undefined) return made;
  if (datum === undefined ? isStreamLike(value) : Array.isArray(datum)) {
    const coerced = coerceStream(args, value, to, () => `Cannot coerce ${from} to ${to}`);
    if (coerced !== undefined) return coerced;
  }
  throw valueError(value, `Cannot coerce ${from} to ${to}.`, maker);
}

/** COERCE_TO: what is an array is one at once. */
function compileCoerceTo(call: CallTerm, env: CompileEnv): Compiled {
  const parts = compileParts(call, env);
  const general = compileOp(call, parts, coerceTo);
  const [value] = parts.terms;
  const [, type] = call.args;
  const isToArray = type?.kind === 'datum' && typeof type.value === 'string' && WRITTEN.get(type.value) === 'ARRAY';
  if (!isToArray || value === undefined || parts.terms.length !== 2 || call.args.some(isSpread)) return general;
  const { context, origin } = parts.op;
  let maker = general.maker;
  const evaluate = (scope: Scope | undefined): Value => {
    try {
      context.meter.spend(COERCE_STEPS);
      const from = value.eval(scope);
      const isArray = Array.isArray(from);
      maker = isArray ? value.maker : general.maker;
      return isArray ? from : general.evalWith(scope, from);
    } catch (error) {
      throw bound(error, origin);
    }
  };
  return compiled(call, parts.determinism, evaluate, () => maker());
}

/** Steps of a coercion. */
const COERCE_STEPS = 3;

function coerceDatum(datum: Datum, from: string, to: string, args: Args): Datum | undefined {
  const { meter } = args.context;
  if (from === 'BINARY' && to === 'STRING') {
    const bytes = binaryBytes(datum as DatumObject);
    meter.spend(bytes.length / BYTES_PER_STEP);
    return decodeUtf8(bytes);
  }
  if (from === 'STRING' && to === 'BINARY') {
    meter.spend(asString(datum).length / BYTES_PER_STEP);
    return makeBinary(utf8Bytes(asString(datum)));
  }
  if (to === 'STRING') return jsonText(datum, meter);
  if (from === 'OBJECT' && to === 'ARRAY') {
    const object = datum as DatumObject;
    meter.spend(4 * Object.keys(object).length);
    return limited(
      sortedKeys(object).map((key) => [key, object[key] ?? null]),
      args.context,
    );
  }
  if (from === 'STRING' && to === 'NUMBER') {
    meter.spend(asString(datum).length);
    const number = parseNumber(asString(datum));
    if (number === undefined) throw args.fail(`Could not coerce \`${cText(asString(datum))}\` to NUMBER.`);
    return finite(number);
  }
  return undefined;
}

function coerceStream(args: Args, value: Value, to: string, what: () => string): Value | undefined {
  const stream = openStream(args, value, what);
  if (to === 'ARRAY' || to === 'DATUM') {
    args.made = stream.origin;
    if (stream instanceof GroupedStream) return stream.toGroups();
    return drainRaw(stream, args.context);
  }
  if (to !== 'OBJECT') return undefined;
  const made = new Map<string, Datum>();
  for (let pair = stream.next(TERMINAL); pair !== undefined; pair = stream.next(TERMINAL)) {
    args.context.meter.spend(FIELD_STEPS);
    const parts = asArray(pair);
    const [key = null, field = null] = parts;
    if (parts.length !== 2) throw args.fail(`Expected array of size 2, but got size ${parts.length}.`);
    addField(made, asString(key), field, 'coerced object', args);
  }
  return objectOf(made);
}

function openStream(args: Args, value: Value, what: () => string): Stream {
  try {
    return args.streamOf(value, args.maker(0));
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    throw logicError(`${what()} (failed to produce intermediate stream).`, args.origin);
  }
}

// Only ASCII letters, as C's toupper in the server's locale.
function upperCase(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** The terms of this family. */
export const typeTerms: TermTable = {
  [TermType.TYPE_OF]: op((args) => typeOfValue(args.value(0)), { grouping: 'none' }),
  [TermType.INFO]: op(info, { grouping: 'none' }),
  [TermType.COERCE_TO]: compileCoerceTo,
};
