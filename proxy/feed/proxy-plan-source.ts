// The proxy plan: RethinkDB sends the bare element feed, which is drained as fast as it comes, and the proxy folds.

import type { Warning } from '../../rewrite/aggregates/aggregate.ts';
import type { EvalContext } from '../../rewrite/eval/index.ts';
import { countedFunction } from '../../rewrite/eval/pure-function.ts';
import type { Live } from '../../rewrite/live.ts';
import { type Datum, getField, isObject } from '../../rewrite/reql/datum.ts';
import { internalError, ReqlError } from '../../rewrite/reql/error.ts';
import { type Settling, settlingOf } from '../../rewrite/settling.ts';
import type { StartQuery } from '../../rewrite/term/term.ts';
import type { FeedMemory, FeedQuery } from '../feed-port.ts';
import { WHOLE_TURN } from '../work/turn.ts';
import { ElementInputs } from './element-inputs.ts';
import type { FeedSource, SourcePort, SourceSink } from './feed-source.ts';
import type { Difference } from './operator/difference.ts';
import { StateGauge, type StateLimits } from './operator/gauge.ts';
import { Graph } from './operator/graph.ts';
import { type View, view } from './operator/view.ts';
import { overflowOf, withoutOverflow } from './overflow.ts';
import { LONGEST_UNREST_MS, LONGEST_WAIT_MS, neverQuiet, Quiet } from './quiet.ts';
import { Upstream } from './upstream.ts';

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
  #readiesLeft: number;
  #ready = false;
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
    return !this.#quiet.isWaiting;
  }

  snapshot(): Iterable<Difference> {
    return this.#view.snapshot();
  }

  settle(): void {
    if (this.#ready && this.#quiet.isWaiting) this.#last();
  }

  stop(): void {
    this.#quiet.stop();
    this.#upstream.stop();
  }

  #response(body: Buffer): void {
    const response = this.#upstream.read(body);
    if (response === undefined) return;
    if (response instanceof ReqlError) {
      this.#fail(withoutOverflow(response, this.#settings.live.changes.origin));
      return;
    }
    this.#sink.accepted();
    const error = this.#take(response.documents) ?? (response.more ? undefined : this.#last());
    if (error !== undefined) {
      this.#fail(error);
      return;
    }
    this.#sink.shown(response.profile);
    if (!response.more) this.#sink.complete();
  }

  #fail(error: ReqlError): void {
    this.stop();
    this.#sink.failed(error);
  }

  #take(documents: readonly Datum[]): ReqlError | undefined {
    try {
      for (const document of documents) this.#step(document);
      if (this.#readiesLeft <= 0 && documents.length > 0) this.#afterBatch();
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
    return this.#gauge.excess(this.#settings.live.changes.origin);
  }

  /** Whether what has come is shown only when upstream is quiet. */
  get #waits(): boolean {
    return this.#settling === 'quiet' || this.#settling === 'moment';
  }

  #afterBatch(): void {
    switch (this.#settling) {
      case 'change':
        break;
      case 'batch':
        this.#settle();
        break;
      case 'quiet':
      case 'moment':
        this.#quiet.wait();
        break;
    }
  }

  /** Upstream has told all: what it told is shown, and an error that is still there ends the feed. */
  #becomeQuiet(): void {
    const error = this.#last();
    if (error === undefined) this.#sink.shown(undefined);
    else this.#fail(error);
  }

  /** Shows what still waits to be shown. */
  #last(): ReqlError | undefined {
    if (!this.#waits || this.#readiesLeft > 0) return undefined;
    try {
      this.#settle();
      return undefined;
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }

  /** One document of upstream's is one step: where it is all that a write does, it is shown at once, and nothing in between. */
  #step(document: Datum): void {
    if (!isObject(document)) throw internalError('Livefold got a document that is not an object.');
    const [oldVal, newVal] = [getField(document, 'old_val'), getField(document, 'new_val')];
    // Until the feed is ready a row that moves out of what was read has only an `old_val`.
    if (oldVal !== undefined || newVal !== undefined) {
      this.#inputs.change(oldVal ?? null, newVal ?? null);
      if (this.#readiesLeft <= 0 && this.#settling === 'change') this.#settle();
      return;
    }
    const state = getField(document, 'state');
    const overflow = overflowOf(document, this.#settings.live.changes.origin);
    if (overflow !== undefined) throw overflow;
    if (state !== 'ready') return;
    this.#readiesLeft--;
    if (this.#readiesLeft <= 0 && !this.#waits) this.#settle();
  }

  /** A feed tells of one counterexample: others, of other groups say, would be of the same function. */
  #warn({ law, counterexample }: Warning): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#sink.warn(law, counterexample);
  }

  #settle(): void {
    this.#graph.settle(WHOLE_TURN);
    this.#view.settle(WHOLE_TURN);
    if (this.#ready) return;
    this.#ready = true;
    this.#sink.ready();
    this.#view.listen((difference) => this.#sink.tell(difference));
  }
}
