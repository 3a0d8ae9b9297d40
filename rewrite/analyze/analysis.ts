// The analysis that rules are given when a query is taken apart, and the shape of a rule.

import type { CallTerm, Term } from '../reql/term/term.ts';
import type { VarId } from '../reql/term/vars.ts';
import type { Context } from './context.ts';
import type { Piece, Stream } from './piece.ts';

/** The variables that stand for something live: parameters of a `do` over a stream. */
export type Scope = ReadonlyMap<VarId, Piece>;

export interface Analysis {
  readonly context: Context;
  readonly scope: Scope;
  /** Takes a term apart; `scope` is the one here unless given. */
  analyze(term: Term, scope?: Scope): Piece;
}

/** A rule: makes of a term and the stream that is its first argument the piece of both. */
export type StreamRule = (analysis: Analysis, term: CallTerm, stream: Stream) => Piece;

/** Rules by term number. */
export type StreamRules = ReadonlyMap<number, StreamRule>;
