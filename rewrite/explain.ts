// Says what becomes of a query, for people: the plan, what RethinkDB is asked, how the state grows; or why it is left alone
// or refused.

import type { FeedOptions } from './analyze/feed-options.ts';
import { readFeedOptions, readOwnFeedOptions } from './analyze/read-feed-options.ts';
import { checkPlan, checkSettings, checkText } from './given.ts';
import { describe, growthOf } from './kinds/index.ts';
import { type RowName, rowNameOf } from './kinds/row-name.ts';
import type { Live } from './live.ts';
import { type MergedFeed, mergedQuery } from './merged-feed.ts';
import { adviceOfOrder } from './part-of-order.ts';
import { choosePlan, type Plan, type Planned } from './plan/choose-plan.ts';
import { upstreamOptions, upstreamQueueSize } from './plan/upstream-options.ts';
import { type PrintTerm, printGraph } from './print-graph.ts';
import { recognize } from './recognize.ts';
import type { Knowledge } from './recognized.ts';
import { ReqlError } from './reql/error.ts';
import { outsideContext } from './reql/eval/core/outside-context.ts';
import type { Frame } from './reql/origin.ts';
import { printTerm } from './reql/print/print.ts';
import { checkQuery } from './reql/term/check.ts';
import { parseQuery } from './reql/term/parse.ts';
import type { StartQuery } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';
import { containsTerm } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';
import { explainedRewriting } from './rewriting-steps.ts';
import { type Sharing, sharingOf } from './sharing.ts';
import type { IndexQuestion } from './sources/known-index.ts';
import { type Subject, subjectOf } from './subject.ts';
import { type TableRead, tableName, tablesRead } from './tables-read.ts';

/** The explanation of a query. */
export type Explanation =
  /**
   * Left alone; `reason` says why. Where RethinkDB is known to refuse it, `refusal` is its error, word for word, and `advice` what to
   * write instead, where that is known.
   */
  | { readonly kind: 'untouched'; readonly reason: string; readonly refusal?: string; readonly advice?: string }
  /** Refused; `frames` point to the term in the way. */
  | { readonly kind: 'refused'; readonly message: string; readonly frames: readonly Frame[] }
  /** The server has to be asked what an index holds, or which field is the primary key (`index` is `undefined`). */
  | ({ readonly kind: 'asks'; readonly table: string } & AskedIndex)
  /** RethinkDB watches it by itself, and the proxy writes its documents as merges; `query` is what RethinkDB is asked. */
  | { readonly kind: 'merged'; readonly query: string }
  | Rewriting;

/** An index that the server is asked about. */
export interface AskedIndex {
  /** Its name; `undefined` for the primary key. */
  readonly index: string | undefined;
  /** Its table as `table` or `database.table`, as whoever tells what it holds calls it. */
  readonly of: string;
}

const OF_ITS_OWN = 'RethinkDB accepts it, or refuses it in its own words.';
const ASKED_ONCE = 'It has no `changes`: RethinkDB answers it once, or refuses it in its own words.';

export interface Rewriting {
  readonly kind: 'rewritten';
  readonly plan: Planned['plan'];
  /** Why there, as words that go on after `since`. */
  readonly why: string;
  /** How the state grows, where it is kept: inside RethinkDB in the server plan, in the proxy otherwise. */
  readonly growth: string;
  /** A document per change of one value, per group, per row, or per output of a reducer. */
  readonly shape: 'one value' | 'a value per group' | 'rows' | 'outputs';
  /** What names the things that documents tell of, in words, where they are merges; empty for one value. Absent otherwise. */
  readonly merges?: string;
  /** What RethinkDB watches, as JavaScript ReQL: one text for each source. */
  readonly sources: readonly string[];
  /** The tables that are read, and of the rows of each which fields. */
  readonly reads: readonly TableRead[];
  /** What is folded, in words; where, the plan says. */
  readonly folded: string;
  /** What is read of each table, what is joined by which keys, and what is kept of it: a line each; none without joins. */
  readonly graph: readonly string[];
  /** What RethinkDB is asked, as JavaScript ReQL that evaluates to the same term. */
  readonly query: string;
  /** Why it is not carried by one feed upstream together with equal queries of the same user; absent where it is. */
  readonly alone?: string;
  /** An index of which nothing was told, though the proxy would ask the server what it holds, and read less by it. */
  readonly untold?: AskedIndex;
}

/** How a query is explained. */
export interface ExplainSettings {
  /** How terms in the explanation are printed; all that they are if absent. */
  readonly print?: PrintTerm;
  /** Changes that RethinkDB keeps for the feed; what the query asks for if absent. */
  readonly upstreamQueueSize?: number | undefined;
}

/**
 * Explains a query.
 * @param query a START query as wire JSON
 * @param plan as for the proxy
 * @param knowledge what the proxy would know: indexes, and named aggregates
 * @throws TypeError for what is no query, as a term alone or JavaScript, and for what is no plan or no knowledge
 */
export function explain(
  query: string,
  plan: Plan = 'auto',
  knowledge: Knowledge = {},
  { print = printTerm, upstreamQueueSize: queueSize }: ExplainSettings = {},
): Explanation {
  checkText('explain', query);
  checkPlan('explain', plan);
  const known = checkSettings('explain', knowledge);
  const parsed = parseQuery(query);
  if (!('term' in parsed)) return untouched('It is not a START query; the server answers it.');
  const recognized = recognize(parsed, known);
  switch (recognized.kind) {
    case 'untouched': {
      const fault = checkQuery(parsed);
      if (fault !== undefined) {
        return { kind: 'untouched', reason: `The server refuses it: ${fault.message}`, refusal: fault.message };
      }
      const advice = adviceOfOrder(parsed, known, print);
      return {
        ...untouched(containsTerm(parsed.term, TermType.CHANGES) ? OF_ITS_OWN : ASKED_ONCE),
        ...(advice && { advice }),
      };
    }
    case 'refused':
      return refused(recognized.error);
    case 'asks':
      return { kind: 'asks', ...askedOf(recognized.question), table: print(recognized.question.table) };
    case 'merged':
      return merged(recognized.feed, recognized.fresh, print);
    case 'live':
      try {
        const { live, fresh } = recognized;
        const options = readFeedOptions(live.changes, outsideContext(live.globalOptargs, undefined));
        return rewriting(
          live,
          choosePlan(live, upstreamOptions(live, queueSize ?? upstreamQueueSize(options)), fresh, plan),
          sharingOf(live, options),
          print,
          options.format,
          untoldOf(parsed, known),
        );
      } catch (thrown) {
        const error = explainedRewriting(thrown, parsed.term);
        if (error instanceof ReqlError) return refused(error);
        throw error;
      }
  }
}

function merged(feed: MergedFeed, fresh: FreshVars, print: PrintTerm): Explanation {
  try {
    readOwnFeedOptions(feed.changes, outsideContext(feed.globalOptargs, undefined));
    return { kind: 'merged', query: print(mergedQuery(feed, [], fresh, () => 'id').query.term) };
  } catch (error) {
    if (error instanceof ReqlError) return refused(error);
    throw error;
  }
}

function untouched(reason: string): Explanation {
  return { kind: 'untouched', reason };
}

function refused(error: ReqlError): Explanation {
  return { kind: 'refused', message: error.message, frames: error.frames };
}

function rewriting(
  live: Live,
  planned: Planned,
  sharing: Sharing,
  print: PrintTerm,
  format: FeedOptions['format'],
  untold: AskedIndex | undefined,
): Rewriting {
  return {
    kind: 'rewritten',
    plan: planned.plan,
    why: planned.why,
    growth: planned.plan === 'server' ? planned.growth : growthOf(live.watched),
    shape: shapes[subjectOf(live.watched)],
    ...(format === 'merge' ? { merges: namesOf(live, print) } : {}),
    sources: sourcesOf(live, print),
    reads: tablesRead(live),
    folded: describe(live.watched),
    graph: printGraph(live, print),
    query: print(planned.query.term),
    ...('why' in sharing ? { alone: sharing.why } : {}),
    ...(untold === undefined ? {} : { untold }),
  };
}

function askedOf({ index, table }: IndexQuestion): AskedIndex {
  return { index, of: tableName(table) };
}

/** The index of which the proxy would ask the server what it holds, where nothing was told of it. */
function untoldOf(parsed: StartQuery, knowledge: Knowledge): AskedIndex | undefined {
  const recognized = recognize(parsed, { ...knowledge, asks: true });
  return recognized.kind === 'asks' && recognized.question.index !== undefined
    ? askedOf(recognized.question)
    : undefined;
}

/** What RethinkDB watches: of a query that follows a row, the row, and what it selects then. */
function sourcesOf({ sources, follows, changes }: Live, print: PrintTerm): readonly string[] {
  if (follows === undefined) return sources.map(({ term }) => print(term));
  const [watched] = changes.args;
  const selected = watched === undefined ? [] : [`${print(watched)}, anew when that changes`];
  return [...sourcesOf(follows.of.live, print), ...selected];
}

/** What names each thing in a document that is a merge. */
function namesOf(live: Live, print: PrintTerm): string {
  const subject = subjectOf(live.watched);
  if (subject !== 'row') return namesOfMerges[subject];
  const name = rowNameOf(live);
  if (typeof name === 'string') return namesOfRows[name];
  const keys = name.keys.map(({ table }) => `the primary key of ${print(table)}`);
  const [only = ''] = keys;
  return `\`key\` is ${keys.length === 1 ? only : `[${keys.join(', ')}]`}, or [row, n] where rows do not show it`;
}

const namesOfMerges: { readonly [Of in Exclude<Subject, 'row'>]: string } = {
  value: '',
  group: '',
  output: '`key` is the output',
};

const namesOfRows: { readonly [Name in Extract<RowName, string>]: string } = {
  itself: '`key` is the row',
  group: 'in place of `key` stands `group`',
  copy: '`key` is [row, n], the nth of the rows that are equal',
};

const shapes: { readonly [Of in Subject]: Rewriting['shape'] } = {
  value: 'one value',
  group: 'a value per group',
  row: 'rows',
  output: 'outputs',
};
