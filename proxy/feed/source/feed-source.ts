// Sources, which fill the state of a live query: one query upstream, which is folded here or in RethinkDB. A source knows nothing of
// who looks at the state, and asks upstream always the same.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { UpstreamPort, UpstreamQuery, UpstreamSink } from '../../relay/feed-port.ts';
import type { Job } from '../../work/turn.ts';
import type { Difference } from '../operator/difference.ts';
import type { SourceMemory } from './source-memory.ts';

/** The connection that carries a source, and the source's part of the work of the process. What is called back is guarded. */
export interface SourcePort extends UpstreamPort {
  /** Sends a query that fills a state. */
  feed(query: StartQuery, sink: UpstreamSink): UpstreamQuery;
  /** A query upstream is not asked for more from now on (1), or is again (-1): meanwhile it tells nothing, whatever there is. */
  rests(by: 1 | -1): void;
  /** Upstream has told so many documents in an answer of so many bytes. */
  heard(documents: number, bytes: number): void;
  /**
   * Makes a job that is done in turns. The function returned says that there is something to do: the job begins at once where
   * nothing waits in the process, and goes on when it is the source's turn again.
   */
  job(work: Job['work']): () => void;
  /** How many times as long as usual a reading may say nothing. */
  readonly patience: number;
}

/** A query upstream that fills a state. */
export interface FeedSource {
  /** All that is there, as what differs from nothing. Only after `ready`, and while nothing changes: in `hold`, or after `finish`. */
  snapshot(): Iterable<Difference>;
  /** Whether all that upstream has told is in what was told on: nothing waits for its turn, or for a better moment. */
  readonly isSettled: boolean;
  /** Takes steps between which nothing changes, behind what is in hand. They are left where the source ends before. */
  hold(steps: () => Iterable<void>): void;
  /**
   * Stops the query upstream, tells on what it had told, also what waits for a better moment, and calls back. What cannot be
   * shown at this moment is left out.
   */
  finish(then: () => void): void;
  /** Stops the query upstream, and tells nothing more. */
  stop(): void;
}

/** Begins to fill a state from a connection; `memory` takes what that keeps. */
export type OpenSource = (port: SourcePort, sink: SourceSink, memory: SourceMemory) => FeedSource;

/** The listener that a source tells. After `failed`, `complete` or `lost` it tells nothing more. */
export interface SourceSink {
  /** Upstream has accepted the query. */
  accepted(): void;
  /**
   * What there is has been read: the snapshot can be taken, in steps between which the source waits. From then on differences
   * are told.
   */
  ready(): Iterable<void>;
  /** Something differs from what was told before. */
  tell(difference: Difference): void;
  /**
   * What was told up to here can be shown: a settled moment, or the end of what upstream sent at once. `profile` is what
   * upstream says of how it ran, as JSON, where the query is profiled.
   */
  shown(profile: string | undefined): void;
  /** A client's function breaks a law that it should keep. */
  warn(law: string, counterexample: string): void;
  /** The state can be right no more. */
  failed(error: ReqlError): void;
  /** Upstream has come to an end. */
  complete(): void;
  /** The connection that carries the query goes. */
  lost(): void;
}
