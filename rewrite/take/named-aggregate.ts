// `changes({aggregate: name})`: an aggregate that the proxy, or the program that uses the library, has been given a definition of.

import { aggregateFor } from '../aggregates/index.ts';
import { type AggregateDefinition, reductionBy } from '../define-aggregate.ts';
import type { GroupedPiece, Piece, Stream, Valued } from '../piece.ts';
import { typeName } from '../reql/data-type.ts';
import { logicError, type ReqlError } from '../reql/error.ts';
import type { Term } from '../term/term.ts';
import { aggregated, unordered } from './aggregate.ts';
import type { Taking } from './taking.ts';

/**
 * The aggregate of a name over the elements of a stream, or of each group.
 * @param name the optarg; errors about it point there
 * @throws ReqlError for a name that is not known, and for what is no stream
 */
export function namedAggregate(
  taking: Taking,
  piece: Piece,
  name: Term,
  definitions: readonly AggregateDefinition[],
): Valued | GroupedPiece {
  const definition = definitionOf(name, definitions);
  const over = (stream: Piece): Valued => {
    if (stream.kind !== 'stream' || unordered(stream) === undefined) throw notOverStream('aggregate', name);
    return overElements(taking, stream, name, definition);
  };
  return piece.kind === 'grouped' ? { ...piece, inner: over(piece.inner) } : over(piece);
}

/** The error about an optarg of CHANGES that wants to be over the elements of a stream, and is not. */
export function notOverStream(optarg: string, value: Term): ReqlError {
  const what = 'the elements of a stream or of its groups, in no order';
  return logicError(`\`${optarg}\` is for ${what}: \`stream.changes({${optarg}: ...})\`.`, value.origin);
}

function overElements(taking: Taking, stream: Stream, name: Term, definition: AggregateDefinition): Valued {
  const term = reductionBy(definition, taking.context.builder(name).array(), name.origin, taking.context.fresh);
  const aggregate = aggregateFor(term);
  if (aggregate === undefined) throw new TypeError('a reduction that no aggregate is for');
  return aggregated(taking, term, stream, aggregate);
}

function definitionOf(name: Term, definitions: readonly AggregateDefinition[]): AggregateDefinition {
  if (name.kind !== 'datum') throw logicError('The name of an aggregate has to be written out.', name.origin);
  if (typeof name.value !== 'string') {
    throw logicError(`Expected type STRING but found ${typeName(name.value)}.`, name.origin);
  }
  const found = definitions.find((definition) => definition.name === name.value);
  if (found !== undefined) return found;
  const known = definitions.map((definition) => `\`${definition.name}\``).join(', ');
  // Drivers put the query after the text, with `in:` between them.
  const which = known === '' ? 'No aggregate is defined that' : `None of the aggregates that are defined (${known})`;
  throw logicError(`${which} is called \`${name.value}\`.`, name.origin);
}
