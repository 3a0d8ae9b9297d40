// A source that lasts: when RethinkDB ends or spoils what fills the state, or the connection goes that carries it, the query is
// sent anew, and what it gives is read beside the old state, which stands until then. What differs between the two is told as one
// net change for each thing.
//
//   filling: told ───────┐ ends                                 ┌─ replaced: the differences, then told
//                         └ healing: asks, pauses, refills ... ─┘

import { opFailed, ReqlError } from '../../../rewrite/reql/error.ts';
import type { HealingCause } from '../../observer/outcomes.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import type { ClientWork } from '../../work/schedule.ts';
import type { Job } from '../../work/turn.ts';
import type { Replanned } from '../opening/replanning.ts';
import type { Difference } from '../operator/difference.ts';
import { isGap } from '../overflow.ts';
import type { FeedSource, OpenSource, SourcePort, SourceSink } from '../source/feed-source.ts';
import { isSilent } from '../source/reading-watch.ts';
import { SourceMemory } from '../source/source-memory.ts';
import { Composer } from '../subscription/composer.ts';
import { type Change, changeDocuments } from '../subscription/documents.ts';
import { confirmedPort } from './confirmed-port.ts';
import { Healing, type HealingSettings, type ReadingAgain } from './healing.ts';
import { isOfIndex, isPassing, pausesLeftOut } from './passing.ts';
import { snapshotDifferences } from './snapshot-differences.ts';

/** The settings of a lasting source. */
export interface LastingSettings {
  /** Begins to fill the state from a connection. */
  readonly openSource: OpenSource;
  /** Plans the query anew before it is read again; absent where nothing that it was planned with can be another. */
  readonly replan?: ((port: SourcePort, then: (plan: Replanned) => void) => void) | undefined;
  /**
   * Watches what the query depends on and upstream does not tell of, from right before it is sent; returns what ends it. `lost`
   * is called with the error that the server would tell.
   */
  readonly watch?: ((port: UpstreamPort, lost: (error: ReqlError) => void) => () => void) | undefined;
  /** The question which tables the query reads. */
  readonly identity: string;
  /** Which tables it reads, once that is known. */
  readonly tables?: (() => string | undefined) | undefined;
  /** How what upstream ends or spoils is read again. */
  readonly healing: Pick<HealingSettings, 'healMs' | 'refills'>;
  readonly work: ClientWork;
  /** Takes what the sources keep. */
  readonly memory: ConstructorParameters<typeof SourceMemory>[0];
  /** Runs code that is called back. What it throws is a mistake. */
  readonly guard: (run: () => void) => void;
  /** Upstream has told so many documents. */
  readonly heard: (documents: number) => void;
}

/** The listener of a lasting source. After `failed` and `complete` nothing more is. */
export interface LastingSink {
  /** Upstream has accepted the query. */
  accepted(): void;
  /** What there is has been read for the first time, and stands still while the steps are taken. */
  ready(): Iterable<void>;
  tell(change: Change): void;
  /** What was told up to here can be shown; see `SourceSink`. */
  shown(profile: string | undefined): void;
  warn(law: string, counterexample: string): void;
  /** The state is being read again, and stands as it was told. */
  healing(): void;
  /** It has been read again, and what differs has been told: why it had to be, and how many milliseconds it took. */
  healed(reason: ReqlError, ms: number): void;
  /** It cannot be read again: why it had to be, what stood in the way last, and for how many milliseconds it was tried. */
  gaveUp(reason: ReqlError, last: string, ms: number): void;
  /** The connection of one who follows; `undefined` where nobody does any more: the source has been stopped, or rests. */
  port(): UpstreamPort | undefined;
  failed(error: ReqlError): void;
  complete(): void;
}

/** Why a feed is read again whose connection has gone; nobody is told, unless there is no other connection. */
const CARRIER_GONE: ReqlError = opFailed('The connection that carried the feed is gone.');

/** The cause for which a feed is read again, in a word. */
export function healingCause(error: ReqlError): HealingCause {
  if (error === CARRIER_GONE) return 'carrier';
  if (isOfIndex(error)) return 'index';
  if (isSilent(error)) return 'silence';
  return isGap(error) ? 'overflow' : 'cluster';
}

/** What has to be read again so soon after it was, in milliseconds, is read again with a pause. */
const SOON_MS = 5_000;
/** How long another connection is tried where feeds are not healed otherwise, in milliseconds. */
const CARRIER_MS = 10_000;

/** A source, and what it keeps. */
interface Filling {
  readonly source: FeedSource;
  readonly port: UpstreamPort;
  readonly memory: SourceMemory;
  /** Ends the watch over what upstream does not tell of. */
  readonly unwatch: () => void;
}

/** A source that is read again where it has to be. */
export class LastingSource {
  readonly #settings: LastingSettings;
  readonly #sink: LastingSink;
  #filling: Filling;
  /** The source that is to take the place of one that has gone. */
  #refill: Filling | undefined;
  /** Told by the old source when it was over already: part of the net change. */
  #late: Change[] = [];
  /** What is left of the net change while it is told. */
  #net: Composer | undefined;
  #isAccepted = false;
  #isReady = false;
  #isOver = false;
  #healing: Healing | undefined;
  /** When the state was last healed, and how many times in a row soon after another. */
  #healedAt = Number.NEGATIVE_INFINITY;
  #relapses = 0;
  /** How many readings in a row were given up because they said nothing. */
  #silences = 0;

  /** Begins to fill the state from a connection. */
  constructor(settings: LastingSettings, port: UpstreamPort, sink: LastingSink) {
    this.#settings = settings;
    this.#sink = sink;
    this.#filling = this.#fill(port, settings.openSource);
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Whether there is a state that can be shown. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isHealing(): boolean {
    return this.#healing !== undefined;
  }

  /** Whether all that upstream has told has been told on. */
  get isSettled(): boolean {
    if (this.#isOver) return true;
    return this.#healing === undefined && (!this.#isReady || this.#filling.source.isSettled);
  }

  /** The connection that carries the query, also where that is over already. */
  get port(): UpstreamPort {
    return this.#filling.port;
  }

  /** All that is there, as what differs from nothing: only in steps of `hold` and of `ready`. */
  snapshot(): Iterable<Difference> {
    return this.#filling.source.snapshot();
  }

  /** Takes steps between which nothing changes. They are left where the state has to be read again. */
  hold(steps: () => Iterable<void>): void {
    this.#filling.source.hold(steps);
  }

  /** Nobody follows over a connection any more: what is read again over it is so over another one. */
  left(port: UpstreamPort): void {
    this.#healing?.lost(port);
  }

  /** Somebody comes who can carry what rests, since nobody had a connection for it. */
  resume(): void {
    this.#healing?.resume();
  }

  /** Stops the query upstream, and tells nothing more. */
  stop(): void {
    this.#isOver = true;
    this.#healing?.end();
    this.#filling.source.stop();
    this.#filling.unwatch();
    this.#dropRefill();
  }

  /** `reading`: the try to read again that it is of; absent for the first reading. */
  #fill(port: UpstreamPort, openSource: OpenSource, reading?: ReadingAgain): Filling {
    const { guard, work, memory: whole, watch } = this.#settings;
    // Whose connection carries the query has its work.
    work.moveTo(port);
    const memory = new SourceMemory(whole);
    const sink: SourceSink = {
      accepted: () => this.#accepted(),
      ready: () => this.#ready(filling),
      tell: (difference) => this.#tell(difference),
      shown: (profile) => this.#shown(profile),
      warn: (law, counterexample) => this.#sink.warn(law, counterexample),
      failed: (error) => this.#failed(filling, error),
      complete: () => this.#complete(),
      lost: () => this.#lost(filling),
    };
    const unwatch = watch?.(port, (error) => guard(() => this.#failed(filling, error))) ?? NOTHING;
    const own = this.#sourcePort(port);
    const opened = (): FeedSource => {
      try {
        const sure = reading === undefined ? own : this.#confirmed(own, reading, () => filling === this.#refill);
        return openSource(sure, sink, memory);
      } catch (error) {
        unwatch();
        throw error;
      }
    };
    const filling: Filling = { source: opened(), port, memory, unwatch };
    return filling;
  }

  #sourcePort(port: UpstreamPort): SourcePort {
    const { work, guard, heard } = this.#settings;
    return sourcePort(port, work, guard, heard, 2 ** this.#silences);
  }

  #confirmed(port: SourcePort, { identity, moved }: ReadingAgain, isReading: () => boolean): SourcePort {
    return confirmedPort(port, { question: this.#settings.identity, identity, moved, isReading });
  }

  #accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.#sink.accepted();
  }

  *#ready(filling: Filling): Iterable<void> {
    const healing = this.#healing;
    if (filling === this.#refill) {
      if (this.#isReady) yield* this.#replace(filling);
      else this.#adopt(filling);
      // What has not been told is told by whoever reads again.
      if (this.#healing !== undefined) return;
    }
    if (!this.#isReady) {
      yield* this.#sink.ready();
      this.#isReady = true;
    }
    this.#silences = 0;
    this.#healedAt = performance.now();
    if (healing !== undefined) this.#sink.healed(healing.error, Math.round(this.#healedAt - healing.startedAt));
  }

  #tell(difference: Difference): void {
    for (const change of changeDocuments(difference)) {
      if (this.#healing === undefined) this.#sink.tell(change);
      else this.#late.push(change);
    }
  }

  #shown(profile: string | undefined): void {
    if (!this.#isOver && this.#healing === undefined) this.#sink.shown(profile);
  }

  #complete(): void {
    if (!this.#isOver && this.#healing === undefined) this.#sink.complete();
  }

  /** The connection of a source goes: the state is read again on another. */
  #lost(filling: Filling): void {
    if (this.#isOver) return;
    if (filling === this.#refill) {
      this.#dropRefill();
      this.#healing?.lost(filling.port);
    } else if (this.#healing === undefined) {
      this.#heal(CARRIER_GONE, this.#settings.healing.healMs || CARRIER_MS);
    }
  }

  /** A source cannot go on. */
  #failed(filling: Filling, error: ReqlError): void {
    const { healMs } = this.#settings.healing;
    if (this.#isOver) return;
    const silent = isSilent(error);
    if (silent) this.#silences++;
    if (filling === this.#refill) {
      this.#dropRefill();
      this.#healing?.failed(error);
      return;
    }
    // What is still wrong with the old state is found by reading again.
    if (this.#healing !== undefined || filling !== this.#filling) return;
    // A query that is not accepted is refused; one that is silent may not be answered at all.
    if (healMs > 0 && isPassing(error) && (this.#isAccepted || silent)) this.#heal(error, healMs);
    else this.#sink.failed(error);
  }

  /** The state stands as it is shown until it has been read again. */
  #heal(error: ReqlError, healMs: number): void {
    this.#relapses = performance.now() - this.#healedAt < SOON_MS ? this.#relapses + 1 : 0;
    const healing = new Healing(
      { ...this.#settings.healing, healMs, relapses: Math.max(this.#relapses, pausesLeftOut(error)) },
      {
        question: this.#settings.identity,
        identity: this.#settings.tables?.(),
        port: () => this.#sink.port(),
        refill: (port, reading) => {
          const { replan, openSource } = this.#settings;
          this.#dropRefill();
          if (replan === undefined) this.#refill = this.#fill(port, openSource, reading);
          else
            replan(
              this.#sourcePort(port),
              reading.ofThisTry((plan) => this.#replanned(port, plan, reading)),
            );
        },
        giveUp: (final, last) => {
          this.#sink.gaveUp(error, last, Math.round(performance.now() - healing.startedAt));
          this.#sink.failed(final);
        },
      },
      error,
    );
    this.#healing = healing;
    this.#sink.healing();
    // What is left of a net change is told with the next one.
    while (this.#net !== undefined && this.#net.size > 0) this.#late.push(...this.#net.take());
    this.#net = undefined;
    this.#filling.unwatch();
    // What upstream has told counts as shown, so that the difference to the new state is from there.
    this.#filling.source.finish(() => {
      if (this.#healing === healing) healing.begin();
    });
  }

  /** What a query has become is read; one that is no live query any more ends with what has happened. */
  #replanned(port: UpstreamPort, plan: Replanned, reading: ReadingAgain): void {
    if (plan === undefined) this.#sink.failed(this.#healing?.error ?? CARRIER_GONE);
    else if (plan instanceof ReqlError) this.#healing?.failed(plan);
    else this.#refill = this.#fill(port, plan, reading);
  }

  /** The state has been read again: what differs is told, in steps, and from here on what the new source tells. */
  *#replace(filling: Filling): Iterable<void> {
    const net = new Composer();
    for (const change of this.#late) {
      net.add(change);
      yield;
    }
    const add = (difference: Difference): void => {
      for (const change of changeDocuments(difference)) net.add(change);
    };
    yield* snapshotDifferences(this.#filling.source.snapshot(), filling.source.snapshot(), add);
    // From here on the new state counts: if it is lost before all is told, the rest is part of the next net change.
    this.#adopt(filling);
    this.#net = net;
    while (this.#net === net && net.size > 0) {
      for (const change of net.take()) this.#sink.tell(change);
      yield;
    }
    if (this.#net === net) this.#net = undefined;
  }

  /** The state is another source's now. */
  #adopt(filling: Filling): void {
    this.#filling.memory.clear();
    this.#filling = filling;
    this.#refill = undefined;
    this.#late = [];
    this.#healing?.end();
    this.#healing = undefined;
  }

  /** A source that has failed, or gone, keeps nothing, and takes nobody's place. */
  #dropRefill(): void {
    this.#refill?.source.stop();
    this.#refill?.unwatch();
    this.#refill?.memory.clear();
    this.#refill = undefined;
  }
}

const NOTHING = (): void => {};

/** A connection as a source sees it. */
function sourcePort(
  port: UpstreamPort,
  work: ClientWork,
  guard: (run: () => void) => void,
  heard: SourcePort['heard'],
  patience: number,
): SourcePort {
  return {
    heard,
    patience,
    query: (start, sink) =>
      port.query(start, {
        response: (body) => guard(() => sink.response(body)),
        failed: (error) => guard(() => sink.failed(error)),
        lost: () => guard(() => sink.lost()),
      }),
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
