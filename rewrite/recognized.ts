// The outcomes of recognizing a query, and the knowledge that it takes besides the query's tree.

import { LeaveToServer } from './analyze/context.ts';
import type { AggregateDefinition } from './analyze/define-aggregate.ts';
import type { Live } from './live.ts';
import type { MergedFeed } from './merged-feed.ts';
import { ReqlError, resourceLimit } from './reql/error.ts';
import type { Meter } from './reql/meter.ts';
import type { StartQuery, Term } from './reql/term/term.ts';
import type { FreshVars } from './reql/term/vars.ts';
import { explainedRewriting } from './rewriting-steps.ts';
import { type IndexQuestion, type KnownIndexes, UnknownIndex } from './sources/known-index.ts';

/** The outcome of recognizing a query. */
export type Recognized =
  /** RethinkDB's own business: it accepts the query, or refuses it in its own words. */
  | { readonly kind: 'untouched' }
  /** Cannot be kept right: the client gets this error when it opens the feed. */
  | { readonly kind: 'refused'; readonly error: ReqlError }
  /** The server has to be asked what an index holds, and `recognize` called again; `needed`: it is refused without an answer. */
  | { readonly kind: 'asks'; readonly question: IndexQuestion; readonly needed: boolean }
  /** A feed that RethinkDB gives by itself, whose documents are written as merges; and the variables that terms may use. */
  | { readonly kind: 'merged'; readonly feed: MergedFeed; readonly fresh: FreshVars }
  /** Live: the query taken apart, and the variables that generated terms may use. */
  | { readonly kind: 'live'; readonly live: Live; readonly fresh: FreshVars };

/** A query that passes. */
export const UNTOUCHED: Recognized = { kind: 'untouched' };

/** The knowledge that is consulted besides the query. */
export interface Knowledge {
  /** What is known of secondary indexes; only consulted where a term names one by `{index}`. */
  readonly indexes?: KnownIndexes | undefined;
  /**
   * Whether the server can be asked what is better known of an index, though the query can be watched without. If absent it
   * cannot.
   */
  readonly asks?: boolean | undefined;
  /** What `changes({aggregate: name})` may name. */
  readonly aggregates?: readonly AggregateDefinition[] | undefined;
  /** Counts what rewriting costs, the query that is written later included. If absent it may cost what it may by default. */
  readonly meter?: Meter | undefined;
}

/** The knowledge while feeds in feeds are recognized. */
export interface Recognizing extends Knowledge {
  /** What becomes of a feed that is united with others; each is recognized once. */
  beside(feed: Term, globalOptargs: StartQuery['globalOptargs']): Recognized;
}

/** The outcome for a query whose rewriting was broken off. Other errors are mistakes of ours, and are thrown on. */
export function failed(thrown: unknown, root: Term): Recognized {
  const error = explainedRewriting(thrown, root);
  if (error instanceof LeaveToServer) return UNTOUCHED;
  if (error instanceof UnknownIndex) return { kind: 'asks', question: error.question, needed: error.needed };
  if (error instanceof ReqlError) return { kind: 'refused', error };
  if (error instanceof RangeError) {
    return {
      kind: 'refused',
      error: resourceLimit('The query is nested too deeply to be watched.  Write it flatter.'),
    };
  }
  throw error;
}
