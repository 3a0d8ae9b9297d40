// The server plan: one fold inside RethinkDB makes the documents, the proxy hands them on.

import type { FoldableLive, Live } from '../../../rewrite/live.ts';
import type { ServerPlan } from '../../../rewrite/plan/server/fold.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import { subjectOf } from '../../../rewrite/subject.ts';
import type { FeedMemory, FeedQuery, UpstreamSink } from '../../relay/feed-port.ts';
import { type Difference, SCALAR_KEY } from '../operator/difference.ts';
import type { Steps } from '../operator/steps.ts';
import { inOurWords, isOutgrown, outgrowing, overflowOf } from '../overflow.ts';
import { type DocumentReader, readDocument } from '../subscription/documents.ts';
import { type Arrival, Upstream } from '../upstream.ts';
import type { FeedSource, SourcePort, SourceSink } from './feed-source.ts';
import { InHand } from './in-hand.ts';
import { Mirror } from './mirror.ts';
import { ReadingWatch } from './reading-watch.ts';
import type { Batch } from './upstream-response.ts';

/** The settings of a source of the server plan. */
export interface ServerPlanSettings {
  readonly live: Live;
  readonly watched: FoldableLive['watched'];
  /** The rewritten query, without the terms after `changes`. */
  readonly query: StartQuery;
  /** How the state grows inside RethinkDB. */
  readonly growth: ServerPlan['growth'];
  readonly protocol: FeedQuery['protocol'];
  /** Takes what is kept. */
  readonly memory: Pick<FeedMemory, 'addState'>;
  /** What the errors of the fold itself begin with. */
  readonly mark: string;
  /** There are more elements than a fold is to keep: right before that fails. */
  readonly outgrown: () => void;
}

/** A state that is folded inside RethinkDB. */
export class ServerPlanSource implements FeedSource {
  readonly #live: Live;
  readonly #sink: SourceSink;
  readonly #upstream: Upstream;
  readonly #reading: ReadingWatch;
  readonly #reader: DocumentReader;
  readonly #mirror: Mirror;
  readonly #inHand: InHand<Arrival>;
  readonly #outgrown: () => void;
  #ready = false;

  constructor(port: SourcePort, sink: SourceSink, settings: ServerPlanSettings) {
    const { live, watched, query, growth, protocol, memory, mark, outgrown } = settings;
    this.#live = live;
    this.#outgrown = outgrown;
    this.#sink = sink;
    this.#reader = { of: subjectOf(watched), keyOf: keys[watched.kind] };
    this.#mirror = new Mirror(this.#reader.of === 'value', memory);
    this.#inHand = new InHand(port, {
      work: (item) => this.#work(item),
      left: () => sink.shown(undefined),
      done: (item) => this.#done(item),
      failed: (error) => {
        const failure = inOurWords(error, live.changes.origin, mark);
        this.#fail(growth === 'constant' ? failure : outgrowing(failure));
      },
    });
    const foldedIn = `RethinkDB, ${growth}` as const;
    this.#reading = new ReadingWatch(port, { live, foldedIn, protocol, silent: (error) => this.#fail(error) });
    const upstreamSink: UpstreamSink = {
      response: (body) => this.#response(body),
      failed: (error) => this.#fail(error),
      lost: () => sink.lost(),
    };
    this.#upstream = new Upstream(port, query, upstreamSink, this.#reading);
  }

  get isSettled(): boolean {
    return this.#inHand.isEmpty;
  }

  snapshot(): Iterable<Difference> {
    return this.#mirror.snapshot();
  }

  hold(steps: () => Iterable<void>): void {
    this.#inHand.hold(steps);
  }

  finish(then: () => void): void {
    this.#upstream.stop();
    this.#inHand.finish(then);
  }

  stop(): void {
    this.#inHand.clear();
    this.#upstream.stop();
  }

  #response(body: Buffer): void {
    const arrival = this.#upstream.take(body);
    if (arrival === undefined) return;
    if (arrival.response !== undefined) this.#accept(arrival.response);
    this.#inHand.push(arrival);
  }

  #accept(response: Batch | ReqlError): void {
    if (!(response instanceof ReqlError)) this.#sink.accepted();
  }

  *#work(arrival: Arrival): Steps {
    const isLong = arrival.response === undefined;
    const response = yield* this.#upstream.read(arrival);
    if (isLong) this.#accept(response);
    if (response instanceof ReqlError) throw response;
    for (const document of response.documents) yield* this.#take(document);
  }

  #done({ response }: Arrival): void {
    if (response === undefined || response instanceof ReqlError) return;
    this.#upstream.done();
    this.#sink.shown(response.profile);
    if (!response.more) this.#sink.complete();
  }

  *#take(datum: Datum): Iterable<void> {
    const overflow = isObject(datum) ? overflowOf(datum, this.#live.changes.origin) : undefined;
    if (overflow !== undefined) throw overflow;
    const document = readDocument(datum, this.#reader);
    if (document === undefined || document.kind === 'outputs') return;
    if (document.kind === 'state') {
      if (document.state !== 'ready' || this.#ready) return;
      this.#ready = true;
      this.#reading.stop();
      yield* this.#sink.ready();
      return;
    }
    const { of, key, group, now } = document;
    const difference = { of, key, group, old: document.kind === 'initial' ? undefined : document.old, now };
    this.#mirror.take(difference);
    if (this.#ready) this.#sink.tell(difference);
    yield;
  }

  #fail(error: ReqlError): void {
    this.stop();
    if (isOutgrown(error)) this.#outgrown();
    this.#sink.failed(error);
  }
}

const unnamed = (): undefined => undefined;

/** What a document is about, by what is watched: `undefined` for rows that are known by their value alone. */
const keys: { readonly [Kind in FoldableLive['watched']['kind']]: DocumentReader['keyOf'] } = {
  aggregate: () => SCALAR_KEY,
  expression: () => SCALAR_KEY,
  grouped: (group) => datumKey(group ?? null),
  distinct: (_, row) => datumKey(row),
  ungroup: (_, row) => (isObject(row) ? datumKey(getField(row, 'group') ?? null) : undefined),
  top: unnamed,
  flat: unnamed,
  listed: unnamed,
};
