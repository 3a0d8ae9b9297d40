// The rewriting as a library: a START query of the wire in, the query that makes it live out.

import type { AggregateDefinition } from './analyze/define-aggregate.ts';
import { replaceChanges } from './analyze/find-changes.ts';
import { proxysMerges, readFoldOptions } from './analyze/read-feed-options.ts';
import { foldedBeside } from './analyze/united.ts';
import { checkQueryGiven, checkSettings } from './given.ts';
import { joinTermIn } from './join-term.ts';
import { joinsIn } from './kinds/index.ts';
import type { Live } from './live.ts';
import { choosePlan } from './plan/choose-plan.ts';
import { proxyOnly } from './plan/proxy-only.ts';
import { readsTablesOnce } from './plan/settling.ts';
import { recognize } from './recognize.ts';
import type { Recognized } from './recognized.ts';
import { refusal, unknownIndexRefusal } from './refusal.ts';
import type { DatumObject } from './reql/data/datum.ts';
import { ReqlError } from './reql/error.ts';
import { outsideContext } from './reql/eval/core/outside-context.ts';
import { parseQuery } from './reql/term/parse.ts';
import { serializeQuery } from './reql/term/serialize.ts';
import type { CallTerm, StartQuery, Term } from './reql/term/term.ts';
import { explainedRewriting, libraryMeter } from './rewriting-steps.ts';
import type { KnownIndexes } from './sources/known-index.ts';

/** The settings of a rewriting, besides the query. */
export interface RewriteSettings {
  /** What is known of secondary indexes; without it, queries that depend on the fields of an index are refused. */
  readonly indexes?: KnownIndexes;
  /** What `changes({aggregate: name})` may name. */
  readonly aggregates?: readonly AggregateDefinition[];
  /** The instant that `r.now()` is in optargs, as a TIME datum. Without it they may not use `r.now()`. */
  readonly now?: DatumObject;
  /** The steps that it may take, of some 50 nanoseconds; 1,000,000 if absent. A query that takes more is refused with RESOURCE_LIMIT. */
  readonly maxSteps?: number;
}

/** A query after its rewriting. */
export type Rewritten =
  /** RethinkDB accepts or refuses it by itself; send it as it is. */
  | { readonly kind: 'untouched' }
  /** It cannot be kept right. */
  | { readonly kind: 'refused'; readonly error: ReqlError }
  /** Send this instead. */
  | {
      readonly kind: 'rewritten';
      /** The wire JSON. */
      readonly query: string;
      /** The root term. */
      readonly term: Term;
      /** Whether the state that RethinkDB then keeps is constant, or grows with the rows. */
      readonly growth: 'constant' | 'per row';
    };

const SETTINGS = ['indexes', 'aggregates', 'now', 'maxSteps'] satisfies readonly (keyof RewriteSettings)[];

type Asks = Extract<Recognized, { readonly kind: 'asks' }>;

const noIndexes: KnownIndexes = () => null;

/**
 * Rewrites a query so that an unmodified RethinkDB gives the changefeed it asks for: one fold over a feed of elements.
 * Untouched parts keep the client's bytes.
 *
 * @param query a START query as wire JSON, `[1, term, optargs]`, or parsed; any other query of the wire is untouched
 * @returns what became of it, whatever is wrong inside of it
 * @throws TypeError for what is no query, as a term alone or JavaScript, and for what is no setting
 * @see https://github.com/rethinkdb/rethinkdb/issues/1118
 */
export function rewrite(query: string | StartQuery, settings: RewriteSettings = {}): Rewritten {
  checkQueryGiven('rewrite', query);
  const { indexes, aggregates, maxSteps, now } = checkSettings('rewrite', settings, SETTINGS);
  const start = typeof query === 'string' ? parsed(query) : query;
  if (start === undefined) return { kind: 'untouched' };
  const recognized = recognize(start, { indexes: indexes ?? noIndexes, aggregates, meter: libraryMeter(maxSteps) });
  if (recognized.kind === 'untouched') return { kind: 'untouched' };
  const untold = ({ question }: Asks): Rewritten => ({
    kind: 'refused',
    error: forTheProxy(start, aggregates, maxSteps) ?? unknownIndexRefusal(question),
  });
  if (recognized.kind === 'asks') return untold(recognized);
  if (recognized.kind === 'merged') return { kind: 'refused', error: proxysMerges(recognized.feed.changes) };
  if (recognized.kind === 'refused') {
    // Without `indexes` the query may be refused for want of them: that is the better thing to say.
    const asked = indexes === undefined ? recognize(start, { aggregates, meter: libraryMeter(maxSteps) }) : recognized;
    return asked.kind === 'asks' ? untold(asked) : recognized;
  }
  try {
    const { live, fresh } = recognized;
    const context = outsideContext(live.globalOptargs, now);
    const options = readFoldOptions(live.changes, context);
    const planned = choosePlan(live, options, fresh, 'library');
    if (planned.plan === 'proxy') {
      const error = proxysAlone(live);
      return error === undefined ? { kind: 'untouched' } : { kind: 'refused', error };
    }
    const after = foldedBeside(live, (changes) => readFoldOptions(changes, context));
    const term = replaceChanges(after, planned.query.term);
    const text = serializeQuery({ term, globalOptargs: live.globalOptargs });
    return { kind: 'rewritten', query: text, term, growth: planned.growth };
  } catch (thrown) {
    const error = explainedRewriting(thrown, start.term);
    if (error instanceof ReqlError) return { kind: 'refused', error };
    throw error;
  }
}

/** An index of which nothing is told, as most are. */
const likely: KnownIndexes = ({ index = 'id' }) => ({
  fields: [index],
  compound: false,
  multi: false,
  primaryKey: 'id',
});

/** The refusal of a query that only the proxy could watch, whatever was told of its indexes. */
function forTheProxy(
  query: StartQuery,
  aggregates: RewriteSettings['aggregates'],
  maxSteps: RewriteSettings['maxSteps'],
): ReqlError | undefined {
  const recognized = recognize(query, { indexes: likely, aggregates, meter: libraryMeter(maxSteps) });
  return recognized.kind === 'live' ? proxysAlone(recognized.live) : undefined;
}

/** The refusal of a query that no fold inside RethinkDB can show; `undefined` where one can. */
function proxysAlone(live: Live): ReqlError | undefined {
  const reason = whyProxy(live);
  return reason === undefined ? undefined : refusal(inTheWay(live), `only the proxy ${reason}`);
}

/** The term of a query that only the proxy can fold: where it joins, that of the join. */
function inTheWay({ changes, watched, follows }: Live): CallTerm {
  const [below] = changes.args;
  const isJoin = follows === undefined && below !== undefined && joinsIn(watched).length > 0;
  return (isJoin ? joinTermIn(below) : undefined) ?? changes;
}

/** Why a fold inside RethinkDB cannot show it, in words that follow "only the proxy". */
function whyProxy({ watched, sources, follows }: Live): string | undefined {
  if (follows !== undefined) return 'can select anew when the row changes that the selection follows';
  return readsTablesOnce(sources) ? proxyOnly(watched) : IN_SEVERAL_CHANGES;
}

const IN_SEVERAL_CHANGES =
  'can wait for all that one write changes, where several selections of one table are read. Read the table itself, or one selection of it';

function parsed(text: string): StartQuery | undefined {
  const query = parseQuery(text);
  return 'term' in query ? query : undefined;
}
