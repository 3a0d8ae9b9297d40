// Feeds as streams of ReQL, so that terms after `changes` work on them as on any stream. A feed that has nothing to
// give right now raises `PENDING` out of `batch`; the cursor that reads it catches that, and goes on when woken.

import { asObject } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, getField } from '../../../rewrite/reql/data/datum.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { type BatchSpec, capacity } from '../../../rewrite/reql/eval/streams/batch.ts';
import { PENDING, Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import type { Transform } from '../../../rewrite/reql/eval/streams/transform.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { FeedSource } from './subscription.ts';

/** The text for reading a feed to its end. */
export const TERMINAL =
  'Cannot call a terminal (`reduce`, `count`, etc.) on an infinite stream (such as a changefeed).';

/** The documents of one feed. */
export class FeedStream extends Stream {
  readonly source: FeedSource;
  #batch: readonly Datum[] = [];
  #at = 0;
  #taken = false;
  #awaited = false;

  constructor(source: FeedSource, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.source = source;
  }

  override get infinite(): boolean {
    return true;
  }

  /** Allows the feed to give what it has; it gives documents of one batch at a time. */
  beginBatch(): void {
    this.#taken = false;
    this.#awaited = false;
  }

  /** Whether it was asked for more than it had since the batch began. */
  get awaited(): boolean {
    return this.#awaited;
  }

  /** Whether documents of an earlier batch are still unread. */
  get midBatch(): boolean {
    return this.#at < this.#batch.length;
  }

  override get feed(): boolean {
    return true;
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    if (spec.kind === 'terminal') throw logicError(TERMINAL, this.origin);
    if (!this.midBatch && !this.#taken) {
      this.#taken = true;
      this.#at = 0;
      this.#batch = this.source.take(MOST_AT_ONCE);
    }
    const documents = this.#batch.slice(this.#at, this.#at + capacity(spec));
    this.#awaited = documents.length === 0;
    if (this.#awaited) throw PENDING;
    this.#at += documents.length;
    return documents;
  }
}

const MOST_AT_ONCE = 1000;

/** Streams of which at least one is a feed, each read as soon as it has something. */
export class FeedUnionStream extends Stream {
  readonly streams: readonly Stream[];
  #open: readonly Stream[];
  readonly #states: StateFilter | undefined;

  /** `sameStates`: the feeds count as one, with one `initializing` and one `ready` among them. */
  constructor(streams: readonly Stream[], origin: Origin | undefined, sameStates: boolean, meter: Meter) {
    super(origin, meter);
    this.streams = streams;
    this.#open = streams;
    this.#states = sameStates ? new StateFilter(streams.length) : undefined;
  }

  override get infinite(): boolean {
    return true;
  }

  override get feed(): boolean {
    return true;
  }

  override exhausted(): boolean {
    return this.#open.length === 0 && this.given;
  }

  // What is built on a union is built on each of its streams, before their states are told apart.
  override transform(transform: Transform): Stream {
    const streams = this.streams.map((stream) => stream.transform(transform));
    return new FeedUnionStream(streams, transform.origin, this.#states !== undefined, this.meter);
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    for (const stream of this.#open) {
      const documents = this.#read(stream, spec);
      if (documents.length === 0) continue;
      // The others come first the next time.
      this.#open = [...this.#open.filter((open) => open !== stream), stream];
      return documents;
    }
    if (this.#open.length > 0) throw PENDING;
    return [];
  }

  /** What one stream has to show; ends and waits alike give nothing. */
  #read(stream: Stream, spec: BatchSpec): readonly Datum[] {
    try {
      for (;;) {
        const documents = stream.nextBatch(spec);
        if (documents.length === 0) this.#open = this.#open.filter((open) => open !== stream);
        const shown = documents.filter((document) => this.#states?.shows(document) ?? true);
        // A stream of which nothing is shown yet may have more: it has not said that it waits.
        if (shown.length > 0 || documents.length === 0) return shown;
      }
    } catch (thrown) {
      if (thrown === PENDING) return [];
      throw thrown;
    }
  }
}

/** Of several feeds opened as one: lets the first `initializing` and the last `ready` through. */
class StateFilter {
  #initialized = false;
  #unready: number;

  constructor(feeds: number) {
    this.#unready = feeds;
  }

  shows(document: Datum): boolean {
    if (this.#unready === 0) return true;
    const state = getField(asObject(document), 'state');
    if (state === undefined) return true;
    if (state === 'ready') {
      this.#unready--;
      return this.#unready === 0;
    }
    const first = !this.#initialized;
    this.#initialized = true;
    return first;
  }
}

/** The notes of a response about the feeds it comes from. */
export interface FeedNotes {
  readonly kind: ResponseNote | undefined;
  readonly includesStates: boolean;
}

/**
 * The notes of a stream, `kind` being `undefined` where it is no feed. Terms that wrap a stream (`limit`, `fold`, `union`)
 * lose the note about states, those that work on each element keep it, as in the server.
 */
export function notesOf(stream: Stream): FeedNotes {
  if (stream instanceof FeedStream) {
    return { kind: stream.source.note, includesStates: stream.source.includesStates };
  }
  const children = childrenOf(stream).map(notesOf);
  const kinds = children.flatMap(({ kind }) => kind ?? []);
  const [first] = kinds;
  const kind = kinds.every((other) => other === first) ? first : ResponseNote.UNIONED_FEED;
  const keeps = 'transforms' in stream;
  return { kind, includesStates: keeps && children.some(({ includesStates }) => includesStates) };
}

/** All feeds that a stream reads from. */
export function feedsOf(stream: Stream): readonly FeedStream[] {
  return stream instanceof FeedStream ? [stream] : childrenOf(stream).flatMap(feedsOf);
}

function childrenOf(stream: Stream): readonly Stream[] {
  if ('streams' in stream && Array.isArray(stream.streams)) {
    return stream.streams.filter((child) => child instanceof Stream);
  }
  return 'source' in stream && stream.source instanceof Stream ? [stream.source] : [];
}
