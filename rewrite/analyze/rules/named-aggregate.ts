// `changes({aggregate: name})`, `changes({aggregate: [name, argument]})`: an aggregate that ReQL has no term for. Some are built
// in, of others the proxy, or the program that uses the library, has been given a definition.

import type { Aggregate } from '../../aggregates/aggregate.ts';
import { aggregateFor, namedAggregates } from '../../aggregates/index.ts';
import type { Rows } from '../../live.ts';
import { logicError, type ReqlError } from '../../reql/error.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis } from '../analysis.ts';
import { type AggregateDefinition, reductionBy } from '../define-aggregate.ts';
import { unordered } from '../order/unordered.ts';
import { branchOf, type GroupedPiece, type Piece, type Stream, type Valued } from '../piece.ts';
import { aggregated } from './aggregate.ts';
import { aggregateCall, checkArgument, checkNone } from './aggregate-call.ts';
import { flatRows, watchedRows } from './rows.ts';

/**
 * The aggregate of a name over the elements of a stream, or of each group.
 * @param optarg the value of `aggregate`; errors point to it, or into it
 * @throws ReqlError for a name that is not known, an argument that it does not take, and for what is no stream
 */
export function namedAggregate(
  analysis: Analysis,
  piece: Piece,
  optarg: Term,
  definitions: readonly AggregateDefinition[],
): Valued | GroupedPiece {
  const { aggregate, term } = chosen(analysis, optarg, definitions);
  const over = (below: Piece): Valued => aggregated(analysis, term, bagOf(analysis, term, below, optarg), aggregate);
  return piece.kind === 'grouped' ? { ...piece, inner: over(piece.inner) } : over(piece);
}

/** The elements that are aggregated: those of a stream, or the items of a list where an order picks them, as on a page. */
function bagOf(analysis: Analysis, term: CallTerm, below: Piece, optarg: Term): Stream {
  if (below.kind === 'stream') return unordered(below) ?? itemsOf(watchedRows(analysis, term, below));
  if (below.kind === 'value' && below.sequence) return itemsOf(flatRows(analysis, below));
  throw notOverStream('aggregate', optarg);
}

function itemsOf(rows: Rows): Stream {
  return {
    kind: 'stream',
    branches: [branchOf({ kind: 'rows', rows, array: true, order: undefined }, false)],
    tail: [],
  };
}

/** The error about an optarg of CHANGES that wants to be over the elements of a stream, and is not. */
export function notOverStream(optarg: string, value: Term): ReqlError {
  const what = 'the elements of a stream or of its groups, in no order';
  return logicError(`\`${optarg}\` is for ${what}: \`stream.changes({${optarg}: ...})\`.`, value.origin);
}

/** An aggregate, and the term that stands for the client's call of it. */
interface Chosen {
  readonly aggregate: Aggregate;
  readonly term: CallTerm;
}

function chosen(analysis: Analysis, optarg: Term, definitions: readonly AggregateDefinition[]): Chosen {
  const { name, args } = aggregateCall(optarg);
  const builtIn = namedAggregates.find((candidate) => candidate.name === name);
  const own = definitions.find((definition) => definition.name === name);
  if (builtIn !== undefined && own !== undefined) {
    const text = `The aggregate \`${name}\` is built in, and there is a definition of the same name. Give that another name.`;
    throw logicError(text, optarg.origin);
  }
  const t = analysis.context.builder(optarg);
  if (builtIn !== undefined) {
    checkArgument(builtIn, args, optarg.origin);
    return {
      aggregate: builtIn,
      term: t.call(TermType.CHANGES, [t.array(), ...args.map(({ value }) => t.datum(value))]),
    };
  }
  if (own === undefined) throw unknown(name, definitions, optarg);
  checkNone(name, args);
  const term = reductionBy(own, t.array(), optarg.origin, analysis.context.fresh);
  const aggregate = aggregateFor(term);
  if (aggregate === undefined) throw new TypeError('a reduction that no aggregate is for');
  return { aggregate, term };
}

function unknown(name: string, definitions: readonly AggregateDefinition[], optarg: Term): ReqlError {
  const known = [...namedAggregates, ...definitions].map((one) => `\`${one.name}\``).join(', ');
  // Drivers put the query after the text, with `in:` between them.
  return logicError(`None of the aggregates (${known}) is called \`${name}\`.`, optarg.origin);
}
