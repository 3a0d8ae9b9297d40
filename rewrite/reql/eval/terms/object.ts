// GET_FIELD, BRACKET, PLUCK, WITHOUT, MERGE, HAS_FIELDS, WITH_FIELDS: on an object, or on each object of a sequence.

import { dataType, isPseudo, PSEUDO_TYPE, typedError, typeName } from '../../data/data-type.ts';
import { type Datum, type DatumObject, fieldReader, getField, isObject } from '../../data/datum.ts';
import { mergeDatums } from '../../data/merge.ts';
import { internalError, logicError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { CallTerm } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import { asFunc } from '../core/args.ts';
import { compiled } from '../core/compiled.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { compileOp, compileParts, op, preparedOp } from '../core/op.ts';
import { rewritten, withOptargsOf } from '../core/rewritten.ts';
import type { Scope } from '../core/scope.ts';
import { isDatumLike, isNonDatum, NonDatum, toDatum, type Value } from '../core/value.ts';
import { limited } from '../streams/materialize.ts';
import { holdsExtreme, optionalField, requireField } from './field.ts';
import { nth } from './nth.ts';
import { type OverObjects, overObjects } from './over-objects.ts';
import { hasPaths, type Paths, parsePaths, project, unproject } from './paths.ts';

function over(term: OverObjects, literalFrom?: number): TermCompiler {
  return op((args) => overObjects(term, args, args.value(0)), {
    grouping: 'sequence',
    ...(literalFrom === undefined ? {} : { literalFrom }),
  });
}

function pathsOf(args: Args): Paths {
  const paths: Datum[] = [];
  for (let i = 1; i < args.count; i++) paths.push(args.datum(i));
  return parsePaths(limited(paths, args.context), args.origin, args.context.meter);
}

/** Merges each further argument over an object: data, or functions of what there is so far. */
function merge(object: DatumObject, args: Args): Datum {
  const { meter } = args.context;
  let result: Datum = object;
  for (let i = 1; i < args.count; i++) {
    const value = args.value(i);
    const maker = args.maker(i);
    const right = isDatumLike(value) ? toDatum(value, maker) : asFunc(value, maker, meter).datum([result], true);
    if (isObject(right) && !isPseudo(right, 'LITERAL') && typeName(right).startsWith('PTYPE<')) {
      if (typeName(right) !== 'PTYPE<BINARY>') {
        throw logicError(`Cannot merge objects of type \`${typeName(right)}\`.`, maker);
      }
    }
    const merged = mergeDatums(result, right, meter);
    if (merged === undefined) throw internalError('A literal without a value replaces the whole object.', args.origin);
    result = merged;
  }
  return result;
}

const fieldTerm: OverObjects = {
  name: 'get_field',
  sequence: 'skipMap',
  onObject: (object, args) => requireField(object, args.string(1), args.context.meter),
  tryOnObject: (object, args) => optionalField(object, args.string(1), args.context.meter),
};

const bracketTerm: OverObjects = {
  name: 'bracket',
  sequence: 'skipMap',
  onObject: (object, args) => requireField(object, args.string(1), args.context.meter),
  tryOnObject: (object, args) => optionalField(object, args.string(1), args.context.meter),
};

function bracket(args: Args): Value {
  const value = args.value(0);
  const key = args.datum(1);
  if (typeof key === 'number') return nth(args, value, key);
  if (typeof key !== 'string') {
    throw typedError(key, `Expected NUMBER or STRING as second argument to \`bracket\` but found ${typeName(key)}.`);
  }
  return overObjects(bracketTerm, args, value);
}

// A field of a constant name, on an object that has it, is read without ceremony.
function quickField(run: (args: Args) => Value): TermCompiler {
  return (call, env) => {
    const parts = compileParts(call, env);
    const general = compileOp(call, parts, run, { grouping: 'sequence' });
    const [target, name] = parts.terms;
    const [, nameTerm] = call.args;
    if (target === undefined || name === undefined || nameTerm?.kind !== 'datum' || call.optargs.length > 0) {
      return general;
    }
    const key = nameTerm.value;
    if (typeof key !== 'string' || call.args[0]?.kind !== 'call' || call.args[0].type === TermType.ARGS) return general;
    const read = fieldReader(key);
    let quick = false;
    const field = (value: Value): Datum | undefined => {
      if (value instanceof NonDatum || !isObject(value)) return undefined;
      return value[PSEUDO_TYPE] === undefined ? read(value) : undefined;
    };
    const { meter } = parts.op.context;
    // The caller of a function counts its body, and the term above counts its arguments: a field of a variable costs no more.
    const isOfVariable = call.args[0].type === TermType.VAR || call.args[0].type === TermType.IMPLICIT_VAR;
    const uncounted = (scope: Scope | undefined): Value => {
      const value = target.eval(scope);
      const found = field(value);
      quick = found !== undefined;
      return found ?? general.evalWith(scope, value);
    };
    const counted = (scope: Scope | undefined): Value => {
      meter.spend(1);
      return uncounted(scope);
    };
    const evaluate = isOfVariable ? uncounted : counted;
    const evalOrMissing = (scope: Scope | undefined): Value | undefined => {
      if (!isOfVariable) meter.spend(1);
      const value = target.evalOrMissing === undefined ? target.eval(scope) : target.evalOrMissing(scope);
      if (value === undefined) return undefined;
      const found = field(value);
      quick = found !== undefined;
      if (found !== undefined) return found;
      return isPlainObject(value) && !holdsExtreme(value, meter) ? undefined : general.evalWith(scope, value);
    };
    const ready = compiled(call, parts.determinism, evaluate, () => (quick ? call.origin : general.maker()));
    return { ...ready, evalOrMissing };
  };
}

function isPlainObject(value: Value): value is DatumObject {
  return (
    !isNonDatum(value) && dataType(value) === 'OBJECT' && getField(value as DatumObject, PSEUDO_TYPE) === undefined
  );
}

// The fields that a term names, read once where they are written out.
function pathsFor(call: CallTerm): (args: Args) => Paths {
  if (!call.args.slice(1).every((arg) => arg.kind === 'datum')) return pathsOf;
  let paths: Paths | undefined;
  return (args) => {
    paths ??= pathsOf(args);
    return paths;
  };
}

/** A term over objects that takes fields, nested ones too. */
function overPaths(
  name: string,
  sequence: OverObjects['sequence'],
  apply: (object: DatumObject, paths: Paths, meter: Meter) => Datum,
): TermCompiler {
  return preparedOp(
    (call) => {
      const paths = pathsFor(call);
      const term: OverObjects = {
        name,
        sequence,
        onObject: (object, args) => apply(object, paths(args), args.context.meter),
      };
      return (args) => overObjects(term, args, args.value(0));
    },
    { grouping: 'sequence' },
  );
}

/** The terms of this family. */
export const objectTerms: TermTable = {
  [TermType.GET_FIELD]: quickField((args) => overObjects(fieldTerm, args, args.value(0))),
  [TermType.BRACKET]: quickField(bracket),
  [TermType.PLUCK]: overPaths('pluck', 'map', project),
  [TermType.WITHOUT]: overPaths('without', 'map', unproject),
  [TermType.MERGE]: over({ name: 'merge', sequence: 'map', onObject: merge }, 1),
  [TermType.HAS_FIELDS]: overPaths('has_fields', 'filter', hasPaths),
  [TermType.WITH_FIELDS]: rewritten((t, call) => {
    const [, ...fields] = call.args;
    const having = withOptargsOf(call, t.call(TermType.HAS_FIELDS, call.args));
    return t.call(TermType.PLUCK, [having, ...fields]);
  }),
};
