// A text for each live query that is equal for two queries exactly when they are the same: the same sources and the same
// expression over them, whatever the driver numbered its variables, under run options that make no difference to it, and whether
// tables name their database or leave it to the connection. What each client asks of its own feed is left out: options of CHANGES,
// and terms after it.

import type { Live } from './live.ts';
import { callWith } from './reql/term/call-with.ts';
import { canonicalKey } from './reql/term/canonical-key.ts';
import { type Circumstances, isSteady } from './reql/term/deterministic.ts';
import { factsOf } from './reql/term/facts.ts';
import type { CallTerm, Entry, Term } from './reql/term/term.ts';
import { find, mapTerm } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';

/** Optargs of CHANGES that say what is watched. */
const watching: ReadonlySet<string> = new Set(['reducer', 'aggregate']);

/** Global optargs that say how one client is answered. */
const ofTheAnswer: ReadonlySet<string> = new Set([
  'binary_format',
  'changefeed_queue_size',
  'first_batch_scaledown_factor',
  'group_format',
  'include_initial',
  'include_offsets',
  'include_states',
  'include_types',
  'max_batch_bytes',
  'max_batch_rows',
  'max_batch_seconds',
  'min_batch_rows',
  'noreply',
  'profile',
  'squash',
  'time_format',
]);

/** Terms that are what is watched, and so may give something else at each moment. */
const read: ReadonlySet<number> = new Set([TermType.DB, TermType.TABLE, TermType.CONFIG, TermType.STATUS]);

const AT_ANY_TIME: Circumstances = { constantNow: false, singleServer: true };

/** Whether a term gives something else at another moment, though what it reads is the same. */
function isOfItsMoment(root: Term): boolean {
  return (
    find(root, (term) => term.kind === 'call' && !read.has(term.type) && !isSteady(term, AT_ANY_TIME)) !== undefined
  );
}

/**
 * The key of a live query, for what may be shared by the feeds of one user; `undefined` for one that depends on the moment at which
 * it came, as `r.now()` does. What is known of the indexes that it reads is part of it. Linear in the length of the query.
 */
export function liveKey({ changes, sources, globalOptargs }: Live): string | undefined {
  const [watched] = changes.args;
  if (watched === undefined) return undefined;
  const how = changes.optargs.filter(([name]) => watching.has(name));
  const database = databaseIn(globalOptargs);
  const isDatabaseKnown = database !== undefined || ![watched, ...how.map(([, term]) => term)].some(leavesDatabaseOut);
  const options = globalOptargs.filter(([name]) => !ofTheAnswer.has(name) && (name !== DATABASE || !isDatabaseKnown));
  const whole = [watched, object(how), object(options)];
  if (whole.some((term) => term !== undefined && isOfItsMoment(term))) return undefined;
  const keys = whole.map((term) => (term === undefined ? '' : canonicalKey(withDatabase(term, database))));
  return [...keys, JSON.stringify(sources.map(({ place }) => place ?? null))].join(' ');
}

/** The optarg that says which database tables are in that name none. */
const DATABASE = 'db';
/** That of RethinkDB, where there is no such optarg. */
const TEST: Term = { kind: 'datum', value: 'test' };

/** The name of the database that tables without one are in; `undefined` where that is not written out. */
function databaseIn(globalOptargs: readonly Entry[]): Term | undefined {
  const given = globalOptargs.find(([name]) => name === DATABASE)?.[1];
  if (given === undefined) return TEST;
  const [name] = given.kind === 'call' && given.type === TermType.DB ? given.args : [];
  return name?.kind === 'datum' ? name : undefined;
}

/** Whether a table in a term leaves its database to the connection. */
function leavesDatabaseOut(root: Term): boolean {
  return factsOf(root).table !== undefined && find(root, isTableAlone) !== undefined;
}

function isTableAlone(term: Term): term is CallTerm {
  return term.kind === 'call' && term.type === TermType.TABLE && term.args.length === 1;
}

/** A term in which each table names its database. */
function withDatabase(root: Term, name: Term | undefined): Term {
  if (name === undefined || !leavesDatabaseOut(root)) return root;
  return mapTerm(root, (term) => {
    if (!isTableAlone(term)) return term;
    const database = callWith(term, { type: TermType.DB, args: [name], optargs: [] });
    return callWith(term, { args: [database, ...term.args] });
  });
}

function object(fields: readonly Entry[]): Term | undefined {
  return fields.length === 0 ? undefined : { kind: 'object', fields };
}
