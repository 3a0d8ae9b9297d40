// A state whose selection follows values of rows. These are watched by themselves; each time that they have changed the state is read
// anew, beside the old one, which stands until then. What differs between the two is told as one net change.
//
//   followed:  [[5]] ──────────────── [[7]] ────────────────────────────────────────
//   state:     selected by 5: told ──┐ ends            ┌─ ready: the differences, then told
//                                     └ selected by 7 ─┘

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import type { FeedQuery } from '../../relay/feed-port.ts';
import { snapshotDifferences } from '../healing/snapshot-differences.ts';
import { type Difference, sameSide } from '../operator/difference.ts';
import type { FeedSource, OpenSource, SourcePort, SourceSink } from './feed-source.ts';
import { NetDifferences } from './net-differences.ts';
import { LONGEST_UNREST_MS, neverQuiet, Quiet } from './quiet.ts';
import { SourceMemory } from './source-memory.ts';

/** The settings of a following source: the followed query, and the source for each of its values. */
export interface FollowingSettings {
  /** Watches one value: what is followed. */
  readonly openFollowed: OpenSource;
  /**
   * Begins to fill the state for a value of it.
   * @throws ReqlError where there is none
   */
  readonly openAt: (followed: Datum) => OpenSource;
  /**
   * What is followed is in a table that is selected from: one write may change both, and is told by two feeds. What differs is then
   * shown when upstream is quiet, and what is followed is what the state is selected by.
   */
  readonly isOneTable: boolean;
  readonly protocol: FeedQuery['protocol'];
  /** Where errors of the feed point. */
  readonly origin: Origin | undefined;
}

/** The state for one value of what is followed. */
interface Filling {
  readonly source: FeedSource;
  readonly memory: SourceMemory;
  /** Whether it was told to end: it stands for what is shown, and changes no more. */
  end: 'none' | 'ending' | 'ended';
}

/** Steps that are taken while nothing changes. */
interface Held {
  readonly steps: () => Iterable<void>;
  /** The state in whose work they stand; they are left where that ends before they are done. */
  by: Filling | undefined;
}

/** A state that is read anew when what it follows changes. */
export class FollowingSource implements FeedSource {
  readonly #port: SourcePort;
  readonly #sink: SourceSink;
  readonly #settings: FollowingSettings;
  readonly #memory: SourceMemory;
  readonly #followed: FeedSource;
  /** What waits for a quiet moment; nothing does where tables are apart. */
  readonly #net = new NetDifferences();
  readonly #quiet: Quiet;
  /** What is followed as it was told last, and as the state is selected, or read anew, by it. */
  #told: Datum | undefined;
  #selected: Datum | undefined;
  /** The state that is told. */
  #current: Filling | undefined;
  /** The state that is to take its place. */
  #next: Filling | undefined;
  /** Whether a state was dropped for the next one: that one is read to its end, however often what it follows changes meanwhile. */
  #hasDropped = false;
  #isAccepted = false;
  #isReplacing = false;
  /** The differences to the state that is told now which are still to be told. */
  #untold: Difference[] = [];
  #isOver = false;
  /** Steps that are not done. Those that no state has in hand wait for one in whose place none is to come. */
  readonly #holds = new Set<Held>();
  #whenFinished: (() => void) | undefined;

  constructor(port: SourcePort, sink: SourceSink, memory: SourceMemory, settings: FollowingSettings) {
    this.#port = port;
    this.#sink = sink;
    this.#settings = settings;
    this.#memory = memory;
    this.#quiet = new Quiet(port, {
      protocol: settings.protocol,
      act: () => this.#flush(),
      late: { ms: LONGEST_UNREST_MS, act: () => this.#fail(neverQuiet(settings.origin)) },
    });
    this.#followed = settings.openFollowed(port, this.#followedSink(), new SourceMemory(memory));
  }

  get isSettled(): boolean {
    return !this.#isMoving && !this.#isWaiting && this.#followed.isSettled && this.#current?.source.isSettled === true;
  }

  snapshot(): Iterable<Difference> {
    return this.#current?.source.snapshot() ?? [];
  }

  hold(steps: () => Iterable<void>): void {
    this.#holds.add({ steps, by: undefined });
    this.#release();
  }

  finish(then: () => void): void {
    this.#followed.stop();
    this.#drop(this.#next);
    this.#next = undefined;
    this.#isOver = true;
    // It is in the state that stands, of which the next one is told to differ.
    for (const difference of this.#net.take()) this.#sink.tell(difference);
    for (let next = this.#untold.pop(); next !== undefined; next = this.#untold.pop()) this.#sink.tell(next);
    const current = this.#current;
    if (current === undefined || current.end === 'ended') then();
    else if (current.end === 'ending') this.#whenFinished = then;
    else current.source.finish(then);
    this.#quiet.stop();
  }

  stop(): void {
    this.#isOver = true;
    this.#holds.clear();
    this.#untold = [];
    this.#whenFinished = undefined;
    this.#quiet.stop();
    this.#followed.stop();
    this.#current?.source.stop();
    this.#next?.source.stop();
  }

  /** Whether another state is to take the place of the one that is told. */
  get #isMoving(): boolean {
    return this.#next !== undefined || (this.#current !== undefined && this.#current.end !== 'none');
  }

  /** Whether something waits for a quiet moment. */
  get #isWaiting(): boolean {
    return this.#quiet.isWaiting || !this.#net.isEmpty;
  }

  #tell(difference: Difference): void {
    if (this.#settings.isOneTable && !this.#isOver) this.#net.add(difference);
    else this.#sink.tell(difference);
  }

  #shown(profile: string | undefined): void {
    if (this.#net.isEmpty) this.#sink.shown(profile);
    else this.#quiet.wait();
  }

  /** Upstream is quiet: what the state is selected by is what is followed. */
  #flush(): void {
    if (this.#isOver || this.#isMoving || !sameSide(this.#selected, this.#told)) return;
    // What is followed follows something itself, and is being read anew: it says when it has been.
    if (!this.#followed.isSettled) return;
    for (const difference of this.#net.take()) this.#sink.tell(difference);
    this.#sink.shown(undefined);
    this.#release();
  }

  /** Hands the state that is told what is to be done while it stands, unless it has that in hand. */
  #release(): void {
    const current = this.#current;
    if (this.#isMoving || this.#isWaiting || current === undefined) return;
    for (const held of this.#holds) {
      if (held.by === current) continue;
      held.by = current;
      current.source.hold(() => this.#held(held));
    }
  }

  *#held(held: Held): Iterable<void> {
    yield* held.steps();
    this.#holds.delete(held);
  }

  #followedSink(): SourceSink {
    const sink = this.#sink;
    const take = (difference: Difference): void => {
      if (difference.of === 'value') this.#told = difference.now;
    };
    return {
      accepted: () => undefined,
      ready: () => this.#followedReady(take),
      tell: take,
      shown: () => this.#followedShown(),
      warn: (law, counterexample) => sink.warn(law, counterexample),
      failed: (error) => this.#fail(error),
      complete: () => this.#end(() => sink.complete()),
      lost: () => this.#end(() => sink.lost()),
    };
  }

  *#followedReady(take: (difference: Difference) => void): Iterable<void> {
    for (const difference of this.#followed.snapshot()) {
      take(difference);
      yield;
    }
  }

  /** Where the state stays as it is, it may have waited for what it follows to be known. */
  #followedShown(): void {
    this.#select();
    if (!this.#isOver && !this.#isMoving && this.#current !== undefined) this.#shown(undefined);
  }

  /** The state is read anew where what it follows is not what it is selected by. */
  #select(): void {
    if (this.#isOver || this.#isReplacing || this.#told === undefined) return;
    if (sameSide(this.#selected, this.#told)) return;
    if (this.#next !== undefined) {
      if (this.#hasDropped) return;
      this.#hasDropped = true;
    }
    this.#selected = this.#told;
    this.#drop(this.#next);
    this.#next = undefined;
    const current = this.#current;
    if (current?.end === 'ending') return;
    if (current === undefined || current.end === 'ended') {
      this.#open();
      return;
    }
    current.end = 'ending';
    // All that upstream has told counts as shown, so that the difference to the new state is from there.
    current.source.finish(() => {
      current.end = 'ended';
      this.#whenFinished?.();
      if (!this.#isOver) this.#open();
    });
  }

  #open(): void {
    const memory = new SourceMemory(this.#memory);
    const holder: { filling?: Filling } = {};
    const sink = this.#fillingSink(holder);
    try {
      const open = this.#settings.openAt(this.#selected ?? null);
      const filling: Filling = { source: open(this.#port, sink, memory), memory, end: 'none' };
      holder.filling = filling;
      this.#next = filling;
    } catch (error) {
      memory.clear();
      if (!(error instanceof ReqlError)) throw error;
      this.#fail(error);
    }
  }

  #fillingSink(holder: { readonly filling?: Filling }): SourceSink {
    const sink = this.#sink;
    const isTold = (): boolean => holder.filling !== undefined && holder.filling === this.#current;
    return {
      accepted: () => this.#accepted(),
      ready: () => this.#ready(holder.filling),
      tell: (difference) => {
        if (isTold()) this.#tell(difference);
      },
      shown: (profile) => {
        if (!isTold()) return;
        this.#shown(profile);
        // The row that is followed may have changed while the state was replaced.
        this.#select();
      },
      warn: (law, counterexample) => sink.warn(law, counterexample),
      failed: (error) => this.#fail(error),
      complete: () => this.#end(() => sink.complete()),
      lost: () => this.#end(() => sink.lost()),
    };
  }

  #accepted(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.#sink.accepted();
  }

  /** A state has been read: it takes the place of the one before. */
  *#ready(filling: Filling | undefined): Iterable<void> {
    if (filling === undefined || filling !== this.#next) return;
    const before = this.#current;
    this.#isReplacing = true;
    const differences: Difference[] = [];
    if (before !== undefined) {
      const add = (difference: Difference): void => void differences.push(difference);
      yield* snapshotDifferences(before.source.snapshot(), filling.source.snapshot(), add);
      before.memory.clear();
    }
    // From here on the new state counts: if it has to end before all is told, the rest is told then.
    this.#current = filling;
    this.#next = undefined;
    this.#hasDropped = false;
    if (before === undefined) yield* this.#sink.ready();
    else yield* this.#tellAll(differences);
    this.#isReplacing = false;
    this.#release();
  }

  *#tellAll(differences: Difference[]): Iterable<void> {
    this.#untold = differences.reverse();
    for (let next = this.#untold.pop(); next !== undefined; next = this.#untold.pop()) {
      this.#tell(next);
      yield;
    }
  }

  #drop(filling: Filling | undefined): void {
    filling?.source.stop();
    filling?.memory.clear();
  }

  #fail(error: ReqlError): void {
    this.#end(() => this.#sink.failed(error));
  }

  /** Nothing more is told but how it ended. */
  #end(tell: () => void): void {
    if (this.#isOver) return;
    this.stop();
    tell();
  }
}
