// The rewriting as a library: pure functions on the wire's JSON. No Node, no sockets.

export { type AggregateDefinition, defineAggregate } from './analyze/define-aggregate.ts';
export { liveRethinkdb, type RethinkdbQuery } from './driver/rethinkdb.ts';
export { liveRethinkdbTs, type RethinkdbTs } from './driver/rethinkdb-ts.ts';
export { type Explanation, explain, type Rewriting } from './explain.ts';
export type { Plan } from './plan/choose-plan.ts';
export type { Knowledge } from './recognized.ts';
export { type TriedReduction, tryReductions } from './reductions/try-reductions.ts';
export type { Builder, Expression } from './reql/build/build.ts';
export { type Datum, MAXVAL, MINVAL } from './reql/data/datum.ts';
export { ReqlError } from './reql/error.ts';
export { printTerm } from './reql/print/print.ts';
export { ErrorType, QueryType, ResponseType } from './reql/protocol.ts';
export type { Term } from './reql/term/term.ts';
export { type RewriteSettings, type Rewritten, rewrite } from './rewrite.ts';
export type { IndexFields, IndexQuestion, KnownIndexes } from './sources/known-index.ts';
