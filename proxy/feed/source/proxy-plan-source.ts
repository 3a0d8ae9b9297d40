// The proxy plan: RethinkDB sends the bare element feed, which is drained as fast as it comes, and the proxy folds.

import type { Warning } from '../../../rewrite/aggregates/aggregate.ts';
import type { Live } from '../../../rewrite/live.ts';
import { type Settling, settlingOf } from '../../../rewrite/plan/settling.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { internalError, ReqlError } from '../../../rewrite/reql/error.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { FeedMemory, FeedQuery, UpstreamSink } from '../../relay/feed-port.ts';
import type { Turn } from '../../work/turn.ts';
import type { Difference } from '../operator/difference.ts';
import { StateGauge, type StateLimits } from '../operator/gauge.ts';
import type { RowPairing } from '../operator/row-pairing.ts';
import type { Steps } from '../operator/steps.ts';
import { overflowOf } from '../overflow.ts';
import { type Arrival, Upstream } from '../upstream.ts';
import { ElementFold } from './element-fold.ts';
import type { FeedSource, SourcePort, SourceSink } from './feed-source.ts';
import { InHand } from './in-hand.ts';
import { LONGEST_UNREST_MS, LONGEST_WAIT_MS, neverQuiet, Quiet } from './quiet.ts';
import { ReadingWatch } from './reading-watch.ts';
import type { Batch } from './upstream-response.ts';

/** The settings of a source of the proxy plan. */
export interface ProxyPlanSettings {
  readonly live: Live;
  /** The element feed. */
  readonly query: StartQuery;
  /** How many times upstream says `ready` before everything is there. */
  readonly readies: number;
  /** What functions of the client are evaluated with. */
  readonly context: EvalContext;
  readonly limits: StateLimits;
  readonly protocol: FeedQuery['protocol'];
  /** What rows are paired by. */
  readonly pairing: RowPairing;
  /** Takes what is kept. */
  readonly memory: Pick<FeedMemory, 'addState'>;
}

/** What is in hand: what came from upstream, and moments at which what has come is to be shown. */
type Item = Arrival | 'show';

/** A state that is folded in the proxy. */
export class ProxyPlanSource implements FeedSource {
  readonly #settings: ProxyPlanSettings;
  readonly #sink: SourceSink;
  readonly #upstream: Upstream;
  readonly #reading: ReadingWatch;
  readonly #gauge: StateGauge;
  readonly #fold: ElementFold;
  readonly #settling: Settling;
  readonly #quiet: Quiet;
  readonly #inHand: InHand<Item>;
  /** What has to be evaluated of the document at hand before it counts. */
  #evaluating: Steps | undefined;
  #readiesLeft: number;
  #ready = false;
  #warned = false;

  constructor(port: SourcePort, sink: SourceSink, settings: ProxyPlanSettings) {
    const { live, context, limits, protocol } = settings;
    this.#settings = settings;
    this.#sink = sink;
    this.#settling = settlingOf(live);
    this.#quiet = new Quiet(port, {
      protocol,
      act: () => this.#becomeQuiet(),
      late:
        this.#settling === 'moment'
          ? { ms: LONGEST_UNREST_MS, act: () => this.#fail(neverQuiet(live.changes.origin)) }
          : { ms: LONGEST_WAIT_MS, act: () => this.#becomeQuiet() },
    });
    this.#inHand = new InHand(port, {
      work: (item, turn) => this.#work(item, turn),
      last: (turn) => this.#last(turn),
      excess: () => this.#gauge.excess(live.changes.origin),
      // Differences that were told until now need not wait for the rest.
      left: () => sink.shown(undefined),
      done: (item) => this.#done(item),
      failed: (error) => this.#fail(error),
    });
    this.#readiesLeft = settings.readies;
    this.#gauge = new StateGauge(limits, settings.memory);
    const warn = (warning: Warning): void => this.#warn(warning);
    this.#fold = new ElementFold(live, { context, gauge: this.#gauge, warn }, settings.pairing);
    this.#reading = new ReadingWatch(port, {
      live,
      foldedIn: 'the proxy',
      protocol,
      silent: (error) => this.#fail(error),
    });
    const upstreamSink: UpstreamSink = {
      response: (body) => this.#response(body),
      failed: (error) => this.#fail(error),
      lost: () => sink.lost(),
    };
    this.#upstream = new Upstream(port, settings.query, upstreamSink, this.#reading);
  }

  get isSettled(): boolean {
    return this.#inHand.isEmpty && !this.#quiet.isWaiting;
  }

  snapshot(): Iterable<Difference> {
    return this.#fold.view.snapshot();
  }

  hold(steps: () => Iterable<void>): void {
    this.#inHand.hold(steps);
  }

  finish(then: () => void): void {
    this.#quiet.stop();
    this.#upstream.stop();
    this.#inHand.finish(then);
  }

  stop(): void {
    this.#inHand.clear();
    this.#quiet.stop();
    this.#upstream.stop();
  }

  #response(body: Buffer): void {
    const arrival = this.#upstream.take(body);
    if (arrival === undefined) return;
    if (arrival.response !== undefined) this.#accept(arrival.response);
    if (this.#quiet.isWaiting) this.#quiet.came();
    this.#inHand.push(arrival);
  }

  #accept(response: Batch | ReqlError): void {
    if (!(response instanceof ReqlError)) this.#sink.accepted();
  }

  #fail(error: ReqlError): void {
    this.stop();
    this.#sink.failed(error);
  }

  #done(item: Item): void {
    const batch = item === 'show' ? undefined : item.response;
    if (batch === undefined || batch instanceof ReqlError) {
      this.#sink.shown(undefined);
      return;
    }
    this.#upstream.done();
    if (this.#waits && this.#readiesLeft <= 0 && (batch.documents.length > 0 || this.#quiet.isWaiting)) this.#wait();
    this.#sink.shown(batch.profile);
    if (!batch.more) this.#sink.complete();
  }

  /** Upstream can be quiet only where it has been asked for more, and all that it told is worked on. */
  #wait(): void {
    if (this.#inHand.isFinishing) return;
    if (this.#inHand.isEmpty) this.#quiet.wait();
    else this.#quiet.came();
  }

  *#work(item: Item, turn: Turn): Steps {
    if (item === 'show') {
      yield* this.#settle(turn);
      return;
    }
    const isLong = item.response === undefined;
    const response = yield* this.#upstream.read(item);
    if (isLong) this.#accept(response);
    if (response instanceof ReqlError) throw response;
    yield* this.#take(response, isLong ? yield : turn);
  }

  /** Shows now all that waited for a better moment, or was left where an error came. */
  *#last(turn: Turn): Steps {
    if (this.#ready) yield* this.#settle(turn);
  }

  *#take({ documents, more }: Batch, first: Turn): Steps {
    let turn = first;
    for (const document of documents) {
      const isStep = this.#step(document);
      if (this.#evaluating !== undefined) yield* this.#evaluating;
      if (isStep) turn = yield* this.#settle(turn);
      if (turn.isOver()) turn = yield;
    }
    const isLast = !more && this.#waits;
    const isStep = this.#settling === 'batch' && documents.length > 0;
    if (this.#readiesLeft <= 0 && (isLast || isStep)) yield* this.#settle(turn);
  }

  /** Whether what has come is shown only when upstream is quiet. */
  get #waits(): boolean {
    return this.#settling === 'quiet' || this.#settling === 'moment';
  }

  /** Upstream has told all: what it told is shown, and an error that is still there ends the feed. */
  #becomeQuiet(): void {
    if (this.#readiesLeft > 0) return;
    this.#inHand.push('show');
  }

  /**
   * Takes one document of upstream's.
   * @returns whether it is a step of its own: where it is all that a write does, it is shown at once, and nothing in between
   */
  #step(document: Datum): boolean {
    this.#evaluating = undefined;
    if (!isObject(document)) throw internalError('Livefold got a document that is not an object.');
    const { old_val: oldVal, new_val: newVal } = document;
    // Until the feed is ready a row that moves out of what was read has only an `old_val`.
    if (oldVal !== undefined || newVal !== undefined) {
      this.#evaluating = this.#fold.inputs.steps(oldVal ?? null, newVal ?? null);
      return this.#readiesLeft <= 0 && this.#settling === 'change';
    }
    const state = getField(document, 'state');
    const overflow = overflowOf(document, this.#settings.live.changes.origin);
    if (overflow !== undefined) throw overflow;
    if (state !== 'ready') return false;
    this.#readiesLeft--;
    if (this.#readiesLeft <= 0) this.#reading.stop();
    return this.#readiesLeft <= 0 && !this.#waits;
  }

  /** A feed tells of one counterexample: others, of other groups say, would be of the same function. */
  #warn({ law, counterexample }: Warning): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#sink.warn(law, counterexample);
  }

  /** Brings all up to date, and tells what differs; at first, that all is there. Gives the turn in which it is done. */
  *#settle(first: Turn): Generator<void, Turn, Turn> {
    let turn = first;
    while (!this.#fold.settle(turn)) turn = yield;
    if (this.#ready) return turn;
    this.#ready = true;
    for (const _ of this.#sink.ready()) turn = yield;
    this.#fold.view.listen((difference) => this.#sink.tell(difference));
    return turn;
  }
}
