// Streams put together in whatever order their batches come.

import type { Datum } from '../../data/datum.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { type BatchSpec, ofKind } from './batch.ts';
import { Stream, type Visit } from './stream.ts';
import type { Transform } from './transform.ts';

/** A stream of a union. */
interface Member {
  readonly stream: Stream;
  first: boolean;
  /** Whether it was asked for a batch in an earlier turn and has not given it. */
  asked: boolean;
}

/**
 * Streams of which each is asked for a batch in turn. A union among them has to ask its own streams first and is behind
 * the others, as in the server, where each stream is read in a coroutine of its own.
 */
export class UnionStream extends Stream {
  readonly streams: readonly Stream[];
  readonly #members: readonly Member[];
  // Batches that have been read; `#given` of them have been given.
  #batches: (readonly Datum[])[] = [];
  #given = 0;
  #spec: BatchSpec | undefined;
  #ended = false;

  constructor(streams: readonly Stream[], origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.streams = streams;
    this.#members = streams.map((stream) => ({ stream, first: true, asked: false }));
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.some((stream) => stream.infinite);
  }

  override get feed(): boolean {
    return this.streams.some((stream) => stream.feed);
  }

  override get grouped(): boolean {
    return this.streams.some((stream) => stream.grouped);
  }

  override exhausted(): boolean {
    return this.given && this.#ended;
  }

  override transform(transform: Transform): Stream {
    return new UnionStream(
      this.streams.map((stream) => stream.transform(transform)),
      transform.origin,
      this.meter,
    );
  }

  override get delay(): number {
    if (this.#isReady) return 0;
    const delays = this.#open().map(({ stream }) => stream.delay);
    return delays.length === 0 ? 0 : 1 + Math.min(...delays);
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    this.#spec ??= spec;
    for (;;) {
      const ready = this.#batches[this.#given];
      if (ready !== undefined) {
        this.#given += 1;
        this.#ended = !this.#isReady && this.#open().length === 0;
        return ready;
      }
      this.#batches = [];
      this.#given = 0;
      const open = this.#open();
      if (open.length === 0) {
        this.#ended = true;
        return [];
      }
      this.#turn(open, this.#spec);
    }
  }

  override accumulate(visit: Visit, at = this.origin): void {
    // What is built on a union is built on each of its streams; by itself, each keeps its place.
    for (const stream of this.streams) stream.accumulate(visit, at === this.origin ? stream.origin : at);
  }

  get #isReady(): boolean {
    return this.#given < this.#batches.length;
  }

  #open(): readonly Member[] {
    this.meter.spend(this.#members.length / 4);
    return this.#members.filter(({ stream }) => !stream.exhausted());
  }

  #turn(open: readonly Member[], spec: BatchSpec): void {
    const due = open.filter(({ asked }) => asked);
    const fresh = open.filter(({ asked }) => !asked);
    const shortest = due.length > 0 ? 0 : Math.min(...fresh.map(({ stream }) => stream.delay));
    for (const member of fresh) {
      member.asked = member.stream.delay > shortest;
      if (!member.asked) due.push(member);
    }
    for (const member of due) {
      const batch = member.stream.nextBatch(member.first || spec.kind !== 'first' ? spec : ofKind(spec, 'normal'));
      member.first = false;
      member.asked &&= fresh.includes(member);
      if (batch.length > 0) this.#batches.push(batch);
    }
  }
}
