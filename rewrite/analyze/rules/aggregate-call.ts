// The `aggregate` of CHANGES as the client wrote it: a name, or an array of a name and its argument.

import type { NamedAggregate } from '../../aggregates/aggregate.ts';
import { typeName } from '../../reql/data/data-type.ts';
import type { Datum } from '../../reql/data/datum.ts';
import { printDatum } from '../../reql/data/json-text.ts';
import { logicError } from '../../reql/error.ts';
import type { Origin } from '../../reql/origin.ts';
import type { Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';

/** A literal, and where errors about it point. */
export interface Given {
  readonly value: Datum;
  readonly origin: Origin | undefined;
}

/** The name of an aggregate, and what is given to it. */
export interface AggregateCall {
  readonly name: string;
  readonly args: readonly Given[];
}

/**
 * Reads the value of `aggregate`.
 * @throws ReqlError for what is not written out, and for what is no name
 */
export function aggregateCall(optarg: Term): AggregateCall {
  const [name, ...args] = partsOf(optarg);
  if (name === undefined) {
    throw logicError('The name of an aggregate is missing: `aggregate` is a name, or [name, argument].', optarg.origin);
  }
  if (typeof name.value !== 'string') {
    throw logicError(`Expected type STRING but found ${typeName(name.value)}.`, name.origin);
  }
  return { name: name.value, args };
}

/**
 * Checks what is given to an aggregate that is built in.
 * @throws ReqlError that says what it takes
 */
export function checkArgument(
  { name, argument }: NamedAggregate,
  args: readonly Given[],
  origin: Origin | undefined,
): void {
  if (argument === undefined) {
    checkNone(name, args);
    return;
  }
  const { what, example, accepts } = argument;
  const call = `\`aggregate: [${printDatum(name)}, ${printDatum(example)}]\``;
  const [given, surplus] = args;
  if (given === undefined) throw logicError(`The aggregate \`${name}\` takes ${what}: ${call}.`, origin);
  if (surplus !== undefined) {
    throw logicError(`The aggregate \`${name}\` takes ${what}, as in ${call}, and nothing else.`, surplus.origin);
  }
  if (accepts(given.value)) return;
  throw logicError(`The aggregate \`${name}\` takes ${what}, as in ${call}, not ${shown(given.value)}.`, given.origin);
}

/**
 * Checks that nothing is given to an aggregate that takes no argument.
 * @throws ReqlError that points to what is given
 */
export function checkNone(name: string, [given]: readonly Given[]): void {
  if (given !== undefined) throw logicError(`The aggregate \`${name}\` takes no argument.`, given.origin);
}

function partsOf(optarg: Term): readonly Given[] {
  if (optarg.kind === 'call' && optarg.type === TermType.MAKE_ARRAY) return optarg.args.map(literal);
  const given = literal(optarg);
  const { value, origin } = given;
  return isList(value) ? value.map((part) => ({ value: part, origin })) : [given];
}

function literal(term: Term): Given {
  const { origin } = term;
  if (term.kind === 'datum') return { value: term.value, origin };
  if (term.kind === 'object') throw logicError('Expected type STRING or ARRAY but found OBJECT.', origin);
  throw logicError('The name of an aggregate and its argument have to be written out.', origin);
}

function isList(value: Datum): value is readonly Datum[] {
  return Array.isArray(value);
}

/** A number as it is; of other values, which are data of the client's, the type. */
function shown(value: Datum): string {
  return typeof value === 'number' ? printDatum(value) : typeName(value);
}
