// Runs a START query: from its terms to the one value it gives, or to the stream that its client will read.

import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { asStream } from '../../../rewrite/reql/eval/core/args.ts';
import { explained } from '../../../rewrite/reql/eval/core/counted.ts';
import { isDatumLike, isNonDatum, toDatum, type Value, valueType } from '../../../rewrite/reql/eval/core/value.ts';
import { compile, createContext, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { streamValue } from '../../../rewrite/reql/eval/streams/materialize.ts';
import { PENDING, Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import { GroupedData, GroupedStream } from '../../../rewrite/reql/eval/terms/grouped.ts';
import { checkQuery } from '../../../rewrite/reql/term/check.ts';
import type { StartQuery, Term } from '../../../rewrite/reql/term/term.ts';
import type { Users } from '../auth/users.ts';
import { TERMINAL } from '../feed/feed-stream.ts';
import type { AnswerBudget } from '../terms/answer-budget.ts';
import { QueryContext } from '../terms/query-context.ts';
import type { Profile } from './profile.ts';
import { systemRandom } from './system-random.ts';

/** The outcome of a query. */
export type Outcome =
  | { readonly kind: 'atom'; readonly value: Datum }
  | { readonly kind: 'stream'; readonly stream: Stream };

/** A query under way: its outcome, and what to close when nobody reads it any more. */
export interface RunningQuery {
  readonly outcome: Outcome;
  readonly context: QueryContext;
}

/** The runner of a query: its user, and its server. */
export interface Runner {
  readonly terms: TermTable;
  readonly user: string;
  readonly users: Users;
  readonly budget: AnswerBudget;
}

/** The time of a query, to the millisecond and in UTC, as `now` gives it. */
function currentTime(): DatumObject {
  return { $reql_type$: 'TIME', epoch_time: Date.now() / 1000, timezone: '+00:00' };
}

/**
 * Runs a query to its first outcome, measured where there is a profile. Raises ReqlError, having closed whatever feeds the query
 * had opened.
 */
export function runQuery(
  query: StartQuery,
  { terms: all, user, users, budget }: Runner,
  profile?: Profile,
): RunningQuery {
  const fault = checkQuery(query);
  if (fault !== undefined) throw fault;
  const terms = profile === undefined ? all : profile.measured(all);
  const { globalOptargs } = query;
  const base = createContext({ terms, globalOptargs, now: currentTime(), random: systemRandom, meter: budget.meter() });
  const context = new QueryContext(base, user, users);
  try {
    const compiled = compile(query.term, context);
    const value = compiled.eval(undefined);
    return { outcome: outcomeOf(value, compiled.maker(), context), context };
  } catch (error) {
    context.close();
    // A term that waits for a feed would wait for ever here.
    throw error === PENDING ? logicError(TERMINAL) : explained(error, query.term);
  }
}

function outcomeOf(value: Value, maker: Term['origin'], context: QueryContext): Outcome {
  if (isDatumLike(value)) return { kind: 'atom', value: toDatum(value, maker) };
  if (value instanceof GroupedData) return { kind: 'atom', value: value.toClient() };
  if (value instanceof GroupedStream) return { kind: 'atom', value: value.toGroups().toClient() };
  if (value.type === 'FUNCTION' || value.type === 'DATABASE') {
    throw logicError(`Query result must be of type DATUM, GROUPED_DATA, or STREAM (got ${valueType(value)}).`);
  }
  const result = streamValue(asStream(value, maker, context.meter), context);
  if (result instanceof Stream) return { kind: 'stream', stream: result };
  return isNonDatum(result) ? { kind: 'atom', value: toDatum(result, maker) } : { kind: 'atom', value: result };
}

/** A global optarg that counts only when it is a literal boolean: `noreply`, `profile` (term_storage.cc). */
export function literalFlag(query: StartQuery, name: string): boolean {
  const term = query.globalOptargs.find(([key]) => key === name)?.[1];
  return term?.kind === 'datum' && term.value === true;
}
