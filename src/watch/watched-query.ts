// The query that was typed for `livefold watch`, as the one that is sent: live, and with all that a screen needs to know.

import { findChanges } from '../../rewrite/analyze/find-changes.ts';
import { parseQuery } from '../../rewrite/reql/term/parse.ts';
import { serializeQuery } from '../../rewrite/reql/term/serialize.ts';
import type { CallTerm, DatumTerm, Entry, Term } from '../../rewrite/reql/term/term.ts';
import { containsTerm } from '../../rewrite/reql/term/walk.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { queryOfText } from '../command/query-of-text.ts';
import { UsageError } from '../command/usage-error.ts';
import { type Ordering, orderingOf } from './ordering.ts';

/** A query to watch. */
export interface WatchedQuery {
  /** As it was typed, in one line. */
  readonly text: string;
  /** As wire JSON. */
  readonly json: string;
  readonly term: Term;
  /** How rows of it are put in order; `undefined` where the query says nothing that can be done again here. */
  readonly ordering: Ordering | undefined;
  /** Whether its documents are those of a reducer: outputs with how often they are there. */
  readonly isReducer: boolean;
}

/** The purpose of the documents: each is a line, or all together are a picture. */
export type Purpose = 'lines' | 'picture';

/**
 * Reads the query. One without `changes` gets it; for a picture `changes` gets the options that tell all of the state, where it
 * is the last word of the query and does not say otherwise itself. Throws UsageError for a text that stands for no query.
 * @param db the database of tables that name none
 */
export function watchedQuery(text: string, purpose: Purpose, db: string | undefined): WatchedQuery {
  const query = parseQuery(queryOfText(text));
  if (!('term' in query)) throw new UsageError('only a query that is started can be watched: `[1, term]`');
  const term = liveTerm(query.term, purpose);
  const found = findChanges(term);
  const named = db === undefined || query.globalOptargs.some(([name]) => name === 'db');
  const globalOptargs = named ? query.globalOptargs : [...query.globalOptargs, ['db', dbTerm(db)] as const];
  return {
    text: text.trim().replace(/\s+/g, ' '),
    json: serializeQuery({ term, globalOptargs }),
    term,
    ordering: found?.after.length === 0 ? orderingOf(found.changes.args[0]) : undefined,
    isReducer: found?.changes.optargs.some(([name]) => name === 'reducer') === true,
  };
}

const TRUE: DatumTerm = { kind: 'datum', value: true };
const INITIAL: readonly Entry[] = [['include_initial', TRUE]];
const WHOLE: readonly Entry[] = [...INITIAL, ['include_states', TRUE], ['include_types', TRUE]];

function liveTerm(term: Term, purpose: Purpose): Term {
  const wanted = purpose === 'picture' ? WHOLE : INITIAL;
  if (!containsTerm(term, TermType.CHANGES)) return changesOf([term], wanted);
  const found = findChanges(term);
  // Terms on its documents would meet documents that they do not know.
  if (purpose === 'lines' || found === undefined || found.after.length > 0) return term;
  const { args, optargs } = found.changes;
  const added = wanted.filter(([name]) => optargs.every(([own]) => own !== name));
  return changesOf(args, [...optargs, ...added]);
}

function changesOf(args: readonly Term[], optargs: readonly Entry[]): CallTerm {
  return { kind: 'call', type: TermType.CHANGES, args, optargs };
}

function dbTerm(name: string): CallTerm {
  return { kind: 'call', type: TermType.DB, args: [{ kind: 'datum', value: name }], optargs: [] };
}
