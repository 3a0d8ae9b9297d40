// MAKE_ARRAY, MAKE_OBJ, BINARY, OBJECT, KEYS, VALUES, LITERAL, ARGS, minval and maxval: data made of parts.

import { compareStrings, sortedKeys } from '../../data/compare.ts';
import { asArray, asString, dataType, PSEUDO_TYPE, pseudoType, typeName } from '../../data/data-type.ts';
import { type Datum, type DatumObject, MAXVAL, MINVAL, setField } from '../../data/datum.ts';
import { printDatum, printTruncated } from '../../data/json-text.ts';
import { makeBinary, STRAY_LITERAL, sanitizeObject } from '../../data/pseudo.ts';
import { utf8Bytes } from '../../data/utf8.ts';
import { compileError, logicError } from '../../error.ts';
import type { CallTerm } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import { bound } from '../core/bind.ts';
import { type CompileEnv, compileTerm } from '../core/compile.ts';
import { type Compiled, compiled, joinDeterminism } from '../core/compiled.ts';
import type { TermTable } from '../core/context.ts';
import { op, preparedOp } from '../core/op.ts';
import type { Scope } from '../core/scope.ts';
import { toDatum, type Value } from '../core/value.ts';
import { limited } from '../streams/materialize.ts';

function makeArray(args: Args): Value {
  const array: Datum[] = [];
  for (let i = 0; i < args.count; i++) array.push(args.datum(i));
  return limited(array, args.context);
}

/** MAKE_OBJ. Its fields are evaluated in the order of their keys; `literal` may stand in them where it may here. */
function compileObject(call: CallTerm, env: CompileEnv): Compiled {
  if (call.args.length > 0) throw compileError('MAKE_OBJ term must not have any args.', call.origin);
  const fields = new Map<string, Compiled>();
  for (const [key, term] of call.optargs) {
    const part = compileTerm(term, env);
    if (fields.has(key)) throw compileError(`Duplicate object key: ${key}.`, call.origin);
    fields.set(key, part);
  }
  const parts = [...fields].sort(([a], [b]) => compareStrings(a, b));
  const pseudo = fields.has(PSEUDO_TYPE);
  const { meter } = env.context;
  const evaluate = (scope: Scope | undefined): Value => {
    try {
      meter.spend(1 + 2 * parts.length);
      const object: Record<string, Datum> = {};
      for (const [key, part] of parts) setField(object, key, toDatum(part.eval(scope), part.maker()));
      return pseudo ? sanitizeObject(object) : object;
    } catch (error) {
      throw bound(error, call.origin);
    }
  };
  return compiled(call, joinDeterminism([...fields.values()]), evaluate);
}

/** Characters that are turned to bytes in about the time of one step. */
const CHARACTERS_PER_STEP = 4;

function binary(args: Args): Value {
  const datum = args.datum(0);
  if (dataType(datum) === 'PTYPE<BINARY>') {
    args.made = args.maker(0);
    return datum;
  }
  const text = asString(datum);
  args.context.meter.spend(text.length / CHARACTERS_PER_STEP);
  return makeBinary(utf8Bytes(text));
}

function object(args: Args): Value {
  if (args.count % 2 !== 0) {
    throw args.fail(`OBJECT expects an even number of arguments (but found ${args.count}).`);
  }
  const made = new Map<string, Datum>();
  for (let i = 0; i < args.count; i += 2) {
    const key = args.string(i);
    const value = args.datum(i + 1);
    addField(made, key, value, 'object', args);
  }
  return objectOf(made);
}

/** Adds a field to an object under construction; raises the server's error for a key that is there already. */
export function addField(made: Map<string, Datum>, key: string, value: Datum, what: string, args: Args): void {
  const there = made.get(key);
  if (there !== undefined) {
    throw args.fail(
      `Duplicate key ${printDatum(key)} in ${what}.  (got ${printTruncated(there, args.context.meter)} and ${printTruncated(value, args.context.meter)} as values)`,
    );
  }
  made.set(key, value);
}

/** An object of these fields; pseudo-types are checked, errors have no origin. */
export function objectOf(fields: ReadonlyMap<string, Datum>): Datum {
  const made: Record<string, Datum> = {};
  for (const [key, value] of fields) setField(made, key, value);
  return sanitizeObject(made);
}

function plainObject(args: Args, name: string): DatumObject {
  const datum = args.datum(0);
  if (dataType(datum) === 'OBJECT' && pseudoType(datum as DatumObject) === undefined) return datum as DatumObject;
  throw logicError(`Cannot call \`${name}\` on objects of type \`${typeName(datum)}\`.`, args.maker(0));
}

function keysOf(object: DatumObject, args: Args): readonly string[] {
  const keys = sortedKeys(object);
  args.context.meter.spend(2 * keys.length);
  return keys;
}

function keys(args: Args): Value {
  return limited(keysOf(plainObject(args, 'keys'), args), args.context);
}

function values(args: Args): Value {
  const from = plainObject(args, 'values');
  return limited(
    keysOf(from, args).map((key) => from[key] ?? null),
    args.context,
  );
}

const literal = preparedOp(
  (_call, env) => (args) => {
    if (!env.literalOk) throw args.fail(STRAY_LITERAL);
    const made: Record<string, Datum> = { [PSEUDO_TYPE]: 'LITERAL' };
    if (args.count === 1) made['value'] = args.datum(0);
    return made;
  },
  { grouping: 'none' },
);

/** ARGS: its array; the term around it takes the elements for arguments. `literal` may stand in it where it may here. */
function compileArgs(call: CallTerm, env: CompileEnv): Compiled {
  const compiler = op(
    (args) => {
      const value = args.value(0);
      asArray(toDatum(value, args.maker(0)));
      args.made = args.maker(0);
      return value;
    },
    env.literalOk ? { literalFrom: 0 } : {},
  );
  return compiler(call, env);
}

/** The terms of this family. */
export const literalTerms: TermTable = {
  [TermType.MAKE_ARRAY]: op(makeArray),
  [TermType.MAKE_OBJ]: compileObject,
  [TermType.BINARY]: op(binary),
  [TermType.OBJECT]: op(object),
  [TermType.KEYS]: op(keys),
  [TermType.VALUES]: op(values),
  [TermType.LITERAL]: literal,
  [TermType.ARGS]: compileArgs,
  [TermType.MINVAL]: op(() => MINVAL),
  [TermType.MAXVAL]: op(() => MAXVAL),
};
