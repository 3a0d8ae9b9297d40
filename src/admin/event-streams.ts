// The streams of events that pages follow: one status is read for all of them, once a second, and only while there is one.

import type { StatusEvents } from './routes.ts';
import type { Status } from './status.ts';
import { changesBetween } from './status-changes.ts';

/** The sink of a stream: the answer to a request. */
export interface EventSink {
  /** Bytes that wait to be sent. */
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
}

/** A page may be so far behind before it is left out; it gets the whole status when it has caught up. */
const MOST_WAITING_BYTES = 256 * 1024;
/** How soon a page connects again that has lost its stream, in milliseconds. */
const RETRY_MS = 2000;
/** The time from one event to the next, in milliseconds. */
export const EVERY_MS = 1000;
/** Streams at once; more are refused. */
const MOST_STREAMS = 200;

/** A stream. */
interface Stream {
  readonly sink: EventSink;
  /** Whether it has the status that was read last, so that changes can be told. */
  hasLast: boolean;
}

/** All streams of an admin server. */
export class EventStreams {
  readonly #read: () => Promise<Status>;
  readonly #streams = new Set<Stream>();
  #last: Status | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;

  /** @param read gives the status as it is */
  constructor(read: () => Promise<Status>) {
    this.#read = read;
  }

  /** How many there are. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Begins a stream, with a whole status. Returns what ends it; `undefined` where there are too many.
   */
  open(sink: EventSink): (() => void) | undefined {
    if (this.#streams.size >= MOST_STREAMS) return undefined;
    const stream: Stream = { sink, hasLast: false };
    this.#streams.add(stream);
    sink.write(`retry: ${RETRY_MS}\n\n`);
    void this.#tell();
    this.#timer ??= setInterval(() => void this.#tell(), EVERY_MS).unref();
    return () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#rest();
    };
  }

  /** Ends all streams. */
  close(): void {
    for (const { sink } of this.#streams) sink.end();
    this.#streams.clear();
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
  }

  async #tell(): Promise<void> {
    // A status of many workers may take longer than a second when they are busy.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const now = await this.#read();
      const last = this.#last;
      this.#last = now;
      const changes = last === undefined ? undefined : once(() => event('changes', changesBetween(last, now)));
      const whole = once(() => event('status', now));
      for (const stream of this.#streams) send(stream, changes, whole);
    } catch {
      // It cannot be read now, as while workers are replaced: the next second will tell.
    } finally {
      this.#isReading = false;
    }
  }
}

function send(stream: Stream, changes: (() => string) | undefined, whole: () => string): void {
  if (stream.sink.writableLength > MOST_WAITING_BYTES) {
    stream.hasLast = false;
    return;
  }
  stream.sink.write(stream.hasLast && changes !== undefined ? changes() : whole());
  stream.hasLast = true;
}

function event<Name extends keyof StatusEvents>(name: Name, data: StatusEvents[Name]): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What many need is made once, and only where somebody does. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
