// What fills a state from one connection: a source, what that keeps, and the watch over what upstream does not tell of.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import type { ClientWork } from '../../work/schedule.ts';
import type { Job } from '../../work/turn.ts';
import type { FeedSource, SourcePort } from '../source/feed-source.ts';
import { SourceMemory } from '../source/source-memory.ts';

/** The settings of all fillings of a state. */
export interface FillingSettings {
  /**
   * Watches what the query depends on and upstream does not tell of, from right before it is sent; returns what ends it. `lost`
   * is called with the error that the server would tell.
   */
  readonly watch?: ((port: UpstreamPort, lost: (error: ReqlError) => void) => () => void) | undefined;
  readonly work: ClientWork;
  /** Takes what the sources keep. */
  readonly memory: ConstructorParameters<typeof SourceMemory>[0];
  /** Runs code that is called back. What it throws is a mistake. */
  readonly guard: (run: () => void) => void;
  /** Upstream has told so many documents. */
  readonly rests: SourcePort['rests'];
  readonly heard: SourcePort['heard'];
}

/** A source, and what it keeps. */
export class Filling {
  readonly source: FeedSource;
  readonly port: UpstreamPort;
  readonly #memory: SourceMemory;
  readonly #unwatch: () => void;

  /**
   * Opens a source.
   * @param lost what the query depends on is no more what it was
   * @throws what `open` throws
   */
  constructor(
    settings: FillingSettings,
    port: UpstreamPort,
    open: (memory: SourceMemory) => FeedSource,
    lost: (error: ReqlError) => void,
  ) {
    const { guard, work, memory, watch } = settings;
    // Whose connection carries the query has its work.
    work.moveTo(port);
    this.port = port;
    this.#memory = new SourceMemory(memory);
    this.#unwatch = watch?.(port, (error) => guard(() => lost(error))) ?? NOTHING;
    try {
      this.source = open(this.#memory);
    } catch (error) {
      this.#unwatch();
      throw error;
    }
  }

  /** Ends the watch. */
  unwatch(): void {
    this.#unwatch();
  }

  /** Nothing of it is kept any more. */
  forget(): void {
    this.#memory.clear();
  }

  /** Stops the query upstream; nothing more is told. */
  stop(): void {
    this.source.stop();
    this.#unwatch();
  }
}

const NOTHING = (): void => {};

/**
 * A connection as a source sees it.
 * @param patience how many times as long as usual a reading may say nothing
 */
export function sourcePort(
  port: UpstreamPort,
  { work, guard, rests, heard }: Pick<FillingSettings, 'work' | 'guard' | 'rests' | 'heard'>,
  patience: number,
): SourcePort {
  const query: SourcePort['query'] = (start, sink) =>
    port.query(start, {
      response: (body) => guard(() => sink.response(body)),
      failed: (error) => guard(() => sink.failed(error)),
      lost: () => guard(() => sink.lost()),
    });
  return {
    rests,
    heard,
    patience,
    query,
    feed: ({ term, globalOptargs }, sink) => query(serializeQuery({ term, globalOptargs }), sink),
    ask: (query, answer) => port.ask(query, (body) => guard(() => answer(body))),
    schedule: (ms, callback) => port.schedule(ms, () => guard(callback)),
    job(run) {
      const job: Job = {
        work(turn) {
          let isDone = true;
          guard(() => {
            isDone = run(turn);
          });
          return isDone;
        },
      };
      return () => work.do(job);
    },
  };
}
