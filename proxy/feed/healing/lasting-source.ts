// A source that lasts: when RethinkDB ends or spoils what fills the state, or the connection goes that carries it, the query is
// sent anew, and what it gives is read beside the old state, which stands until then. What differs between the two is told as one
// net change for each thing.
//
//   filling: told ───────┐ ends                                 ┌─ replaced: the differences, then told
//                         └ healing: asks, pauses, refills ... ─┘

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { UpstreamPort } from '../../relay/feed-port.ts';
import type { Difference } from '../operator/difference.ts';
import { isOutgrown } from '../overflow.ts';
import type { FeedSource, OpenSource, SourcePort, SourceSink } from '../source/feed-source.ts';
import { SilentReading } from '../source/silent-reading.ts';
import type { Composer } from '../subscription/composer.ts';
import { type Change, changeDocuments } from '../subscription/documents.ts';
import { Filling, type FillingSettings, sourcePort } from './filling.ts';
import type { HealingSettings } from './healing.ts';
import { CARRIER_GONE } from './healing-cause.ts';
import { isPassing, pausesLeftOut } from './passing.ts';
import { Rereading, type RereadingSettings } from './rereading.ts';
import { surePort } from './sure-port.ts';

/** The settings of a lasting source. */
export interface LastingSettings extends FillingSettings, RereadingSettings {
  /** How what upstream ends or spoils is read again. */
  readonly healing: Pick<HealingSettings, 'healMs' | 'refills'>;
}

/** The listener of a lasting source. After `failed` and `complete` nothing more is. */
export interface LastingSink {
  /** Upstream has accepted the query. Which tables it reads; `undefined` where the server does not say. */
  accepted(identity: string | undefined): void;
  /** The state has been read for the first time, and stands still while the steps are taken. */
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

/** A state that has to be read again so soon after it was, in milliseconds, is read again with a pause. */
const SOON_MS = 5_000;
/** How long another connection, or another plan, is tried where feeds are not healed otherwise, in milliseconds. */
const OWN_MS = 10_000;

/** A source that is read again where it has to be. */
export class LastingSource {
  readonly #settings: LastingSettings;
  readonly #sink: LastingSink;
  #filling: Filling;
  /** The rest of the net change while it is told. */
  #net: Composer | undefined;
  #isAccepted = false;
  /** Which tables it reads, once that is known. */
  #identity: string | undefined;
  #isReady = false;
  #isOver = false;
  #rereading: Rereading | undefined;
  /** When the state was last healed, and how many times in a row soon after another. */
  #healedAt = Number.NEGATIVE_INFINITY;
  #relapses = 0;
  /** How many readings in a row were given up because they said nothing. */
  #silences = 0;

  /** Begins to fill the state from a connection. */
  constructor(settings: LastingSettings, port: UpstreamPort, sink: LastingSink) {
    this.#settings = settings;
    this.#sink = sink;
    this.#filling = this.#fill(port, settings.openSource, undefined);
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Whether there is a state that can be shown. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get isHealing(): boolean {
    return this.#rereading !== undefined;
  }

  /** Whether all that upstream has told has been told on. */
  get isSettled(): boolean {
    if (this.#isOver) return true;
    return this.#rereading === undefined && (!this.#isReady || this.#filling.source.isSettled);
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
    this.#rereading?.left(port);
  }

  /** Somebody comes who can carry what rests, since nobody had a connection for it. */
  resume(): void {
    this.#rereading?.resume();
  }

  /** Stops the query upstream, and tells nothing more. */
  stop(): void {
    this.#isOver = true;
    this.#filling.stop();
    this.#rereading?.stop();
  }

  /** `identity`: which tables are to be read; `undefined` where nobody knows, so that all are as good. */
  #fill(port: UpstreamPort, openSource: OpenSource, identity: string | undefined): Filling {
    const sure = surePort(this.#sourcePort(port), this.#settings.tables, identity);
    const sink: SourceSink = {
      accepted: () => this.#accepted(sure.identity),
      ready: () => this.#ready(filling),
      tell: (difference) => this.#tell(difference),
      shown: (profile) => this.#shown(profile),
      warn: (law, counterexample) => this.#sink.warn(law, counterexample),
      failed: (error) => this.#failed(filling, error),
      complete: () => this.#complete(),
      lost: () => this.#lost(filling),
    };
    const open = (memory: Parameters<OpenSource>[2]): FeedSource => openSource(sure, sink, memory);
    const filling: Filling = new Filling(this.#settings, port, open, (error) => this.#failed(filling, error));
    return filling;
  }

  #sourcePort(port: UpstreamPort): SourcePort {
    return sourcePort(port, this.#settings, 2 ** this.#silences);
  }

  #accepted(identity: string | undefined): void {
    this.#identity ??= identity;
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.#sink.accepted(identity);
  }

  *#ready(filling: Filling): Iterable<void> {
    const healed = this.#rereading;
    if (healed?.isBy(filling)) {
      if (this.#isReady) yield* this.#replace(filling, healed);
      else this.#adopt(filling, healed);
      // What has not been told is told by whoever reads again.
      if (this.#rereading !== undefined) return;
    }
    if (!this.#isReady) {
      yield* this.#sink.ready();
      this.#isReady = true;
    }
    this.#silences = 0;
    this.#healedAt = performance.now();
    if (healed !== undefined) this.#sink.healed(healed.reason, healed.ms);
  }

  #tell(difference: Difference): void {
    for (const change of changeDocuments(difference)) {
      if (this.#rereading === undefined) this.#sink.tell(change);
      else this.#rereading.add(change);
    }
  }

  #shown(profile: string | undefined): void {
    if (!this.#isOver && this.#rereading === undefined) this.#sink.shown(profile);
  }

  #complete(): void {
    if (!this.#isOver && this.#rereading === undefined) this.#sink.complete();
  }

  /** The connection of a source goes: the state is read again on another. */
  #lost(filling: Filling): void {
    if (this.#isOver) return;
    if (this.#rereading?.isBy(filling)) this.#rereading.lost(filling);
    else if (this.#rereading === undefined) this.#heal(CARRIER_GONE, this.#settings.healing.healMs || OWN_MS);
  }

  /** A source cannot go on. */
  #failed(filling: Filling, error: ReqlError): void {
    if (this.#isOver) return;
    const silent = error instanceof SilentReading;
    if (silent) this.#silences++;
    if (this.#rereading?.isBy(filling)) {
      this.#rereading.failed(error);
      return;
    }
    // What is still wrong with the old state is found by reading again.
    if (this.#rereading !== undefined || filling !== this.#filling) return;
    // No fault of RethinkDB's: what it could not bear is not asked of it again.
    const isOurs = isOutgrown(error);
    const healMs = this.#settings.healing.healMs || (isOurs ? OWN_MS : 0);
    // A query that is not accepted is refused; one that is silent may not be answered at all.
    if (healMs > 0 && isPassing(error) && (this.#isAccepted || silent || isOurs)) this.#heal(error, healMs);
    else this.#sink.failed(error);
  }

  /** The state stands as it is shown until it has been read again. */
  #heal(error: ReqlError, healMs: number): void {
    this.#relapses = performance.now() - this.#healedAt < SOON_MS ? this.#relapses + 1 : 0;
    const rereading: Rereading = new Rereading(
      this.#settings,
      { ...this.#settings.healing, healMs, relapses: Math.max(this.#relapses, pausesLeftOut(error)) },
      {
        port: () => this.#sink.port(),
        sourcePort: (port) => this.#sourcePort(port),
        identity: () => this.#identity,
        fill: (port, openSource, identity) => this.#fill(port, openSource, identity),
        gaveUp: (final, last) => {
          this.#sink.gaveUp(error, last, rereading.ms);
          this.#sink.failed(final);
        },
        failed: (final) => this.#sink.failed(final),
      },
      error,
    );
    this.#rereading = rereading;
    this.#sink.healing();
    // What is left of a net change is told with the next one.
    while (this.#net !== undefined && this.#net.size > 0) for (const change of this.#net.take()) rereading.add(change);
    this.#net = undefined;
    this.#filling.unwatch();
    // What upstream has told counts as shown, so that the difference to the new state is from there.
    this.#filling.source.finish(() => {
      if (this.#rereading === rereading) rereading.begin();
    });
  }

  /** The state has been read again: what differs is told, in steps, and from here on what the new source tells. */
  *#replace(filling: Filling, rereading: Rereading): Iterable<void> {
    const net = yield* rereading.netChange(this.#filling.source, filling.source);
    // From here on the new state counts: if it is lost before all is told, the rest is part of the next net change.
    this.#adopt(filling, rereading);
    this.#net = net;
    while (this.#net === net && net.size > 0) {
      for (const change of net.take()) this.#sink.tell(change);
      yield;
    }
    if (this.#net === net) this.#net = undefined;
  }

  /** The state is another source's now. */
  #adopt(filling: Filling, rereading: Rereading): void {
    this.#filling.forget();
    this.#filling = filling;
    this.#rereading = undefined;
    rereading.end();
  }
}
