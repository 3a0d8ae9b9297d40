// The proxy plan: RethinkDB sends the bare element feed, which is drained as fast as it comes, and the proxy folds.

import type { Warning } from '../../../rewrite/aggregates/aggregate.ts';
import type { Live } from '../../../rewrite/live.ts';
import { type Settling, settlingOf } from '../../../rewrite/plan/settling.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { internalError, ReqlError } from '../../../rewrite/reql/error.ts';
import { countedFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { FeedMemory, FeedQuery } from '../../relay/feed-port.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { Difference } from '../operator/difference.ts';
import { StateGauge, type StateLimits } from '../operator/gauge.ts';
import { Graph } from '../operator/graph.ts';
import { Rest, type Steps } from '../operator/steps.ts';
import { type View, view } from '../operator/view.ts';
import { overflowOf, withoutOverflow } from '../overflow.ts';
import { Upstream } from '../upstream.ts';
import { ElementInputs } from './element-inputs.ts';
import type { FeedSource, SourcePort, SourceSink } from './feed-source.ts';
import { LONGEST_UNREST_MS, LONGEST_WAIT_MS, neverQuiet, Quiet } from './quiet.ts';
import type { Batch } from './upstream-response.ts';

/** What a source of the proxy plan is made with. */
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
  /** Takes what is kept. */
  readonly memory: Pick<FeedMemory, 'addState'>;
}

/** A state that is folded in the proxy. */
export class ProxyPlanSource implements FeedSource {
  readonly #settings: ProxyPlanSettings;
  readonly #sink: SourceSink;
  readonly #upstream: Upstream;
  readonly #gauge: StateGauge;
  readonly #graph: Graph;
  readonly #view: View;
  readonly #inputs: ElementInputs;
  readonly #settling: Settling;
  readonly #quiet: Quiet;
  /** Says that there is something to do. */
  readonly #begin: () => void;
  /** What came from upstream, the first being worked on, and moments at which what has come is to be shown. */
  readonly #inHand: (Batch | ReqlError | 'show')[] = [];
  readonly #rest = new Rest();
  #readiesLeft: number;
  #ready = false;
  #isStopped = false;
  #warned = false;

  constructor(port: SourcePort, sink: SourceSink, settings: ProxyPlanSettings) {
    const { live, context, limits } = settings;
    this.#settings = settings;
    this.#sink = sink;
    this.#settling = settlingOf(live);
    this.#quiet = new Quiet(port, {
      protocol: settings.protocol,
      act: () => this.#becomeQuiet(),
      late:
        this.#settling === 'moment'
          ? { ms: LONGEST_UNREST_MS, act: () => this.#fail(neverQuiet(live.changes.origin)) }
          : { ms: LONGEST_WAIT_MS, act: () => this.#becomeQuiet() },
    });
    this.#begin = port.job((turn) => this.#work(turn));
    this.#readiesLeft = settings.readies;
    this.#gauge = new StateGauge(limits, settings.memory);
    this.#graph = new Graph({
      context,
      gauge: this.#gauge,
      warn: (warning) => this.#warn(warning),
    });
    this.#view = view(this.#graph, live.watched);
    this.#inputs = new ElementInputs(live.sources, this.#graph, (func) => countedFunction(func, context));
    this.#upstream = new Upstream(port, settings.query, {
      response: (body) => this.#response(body),
      failed: (error) => this.#fail(error),
      lost: () => sink.lost(),
    });
  }

  get isSettled(): boolean {
    return this.#inHand.length === 0 && !this.#quiet.isWaiting;
  }

  snapshot(): Iterable<Difference> {
    return this.#view.snapshot();
  }

  settle(): void {
    if (!this.#ready) return;
    this.#work(WHOLE_TURN);
    // Also what waited for a better moment, or was left where an error came.
    const moment = this.#settle(WHOLE_TURN);
    this.#doing(() => moment.next(WHOLE_TURN).done === true);
  }

  stop(): void {
    this.#isStopped = true;
    this.#inHand.length = 0;
    this.#quiet.stop();
    this.#upstream.stop();
  }

  #response(body: Buffer): void {
    const response = this.#upstream.read(body);
    if (response === undefined) return;
    if (!(response instanceof ReqlError)) this.#sink.accepted();
    if (this.#quiet.isWaiting) this.#quiet.came();
    this.#inHand.push(response);
    this.#begin();
  }

  #fail(error: ReqlError): void {
    this.stop();
    this.#sink.failed(error);
  }

  /** Works on what is in hand, first to last. */
  #work(turn: Turn): boolean {
    for (let first = this.#inHand[0]; first !== undefined; first = this.#inHand[0]) {
      const item = first;
      const error = this.#doing(() => this.#rest.go(turn, (begun) => this.#do(item, begun)));
      if (error === 'not done') {
        if (this.#isStopped) return true;
        // What was told until now need not wait for the rest.
        this.#sink.shown(undefined);
        return false;
      }
      if (error !== undefined) this.#fail(error);
      else this.#done(item);
    }
    return true;
  }

  /** Why the state can be right no more, or must not be kept; whether there is more to do. */
  #doing(go: () => boolean): ReqlError | 'not done' | undefined {
    try {
      const isDone = go();
      return this.#gauge.excess(this.#settings.live.changes.origin) ?? (isDone ? undefined : 'not done');
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }

  #done(item: Batch | ReqlError | 'show'): void {
    if (this.#isStopped) return;
    this.#inHand.shift();
    if (item === 'show' || item instanceof ReqlError) {
      this.#sink.shown(undefined);
      return;
    }
    this.#upstream.done();
    if (this.#waits && this.#readiesLeft <= 0 && (item.documents.length > 0 || this.#quiet.isWaiting)) this.#wait();
    this.#sink.shown(item.profile);
    if (!item.more) this.#sink.complete();
  }

  /** Upstream can be quiet only where it has been asked for more, and all that it told is worked on. */
  #wait(): void {
    if (this.#inHand.length === 0) this.#quiet.wait();
    else this.#quiet.came();
  }

  *#do(item: Batch | ReqlError | 'show', first: Turn): Steps {
    if (item instanceof ReqlError) throw withoutOverflow(item, this.#settings.live.changes.origin);
    if (item === 'show') {
      yield* this.#settle(first);
      return;
    }
    let turn = first;
    for (const document of item.documents) {
      if (this.#step(document)) turn = yield* this.#settle(turn);
      turn = yield;
    }
    const isLast = !item.more && this.#waits;
    const isStep = this.#settling === 'batch' && item.documents.length > 0;
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
    this.#begin();
  }

  /**
   * Takes one document of upstream's.
   * @returns whether it is a step of its own: where it is all that a write does, it is shown at once, and nothing in between
   */
  #step(document: Datum): boolean {
    if (!isObject(document)) throw internalError('Livefold got a document that is not an object.');
    const [oldVal, newVal] = [getField(document, 'old_val'), getField(document, 'new_val')];
    // Until the feed is ready a row that moves out of what was read has only an `old_val`.
    if (oldVal !== undefined || newVal !== undefined) {
      this.#inputs.change(oldVal ?? null, newVal ?? null);
      return this.#readiesLeft <= 0 && this.#settling === 'change';
    }
    const state = getField(document, 'state');
    const overflow = overflowOf(document, this.#settings.live.changes.origin);
    if (overflow !== undefined) throw overflow;
    if (state !== 'ready') return false;
    this.#readiesLeft--;
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
    while (!this.#graph.settle(turn) || !this.#view.settle(turn)) turn = yield;
    if (this.#ready) return turn;
    this.#ready = true;
    for (const _ of this.#sink.ready()) turn = yield;
    this.#view.listen((difference) => this.#sink.tell(difference));
    return turn;
  }
}
