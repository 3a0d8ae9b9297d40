// The proxy plan: RethinkDB sends the bare element feed, which is drained as fast as it comes, and the proxy folds.

import type { Warning } from '../../rewrite/aggregates/aggregate.ts';
import type { EvalContext } from '../../rewrite/eval/index.ts';
import { countedFunction } from '../../rewrite/eval/pure-function.ts';
import type { Live } from '../../rewrite/live.ts';
import { type Datum, getField, isObject } from '../../rewrite/reql/datum.ts';
import { internalError, ReqlError } from '../../rewrite/reql/error.ts';
import { type Settling, settlingOf } from '../../rewrite/settling.ts';
import type { StartQuery } from '../../rewrite/term/term.ts';
import type { Feed } from '../feed-port.ts';
import { WHOLE_TURN } from '../work/turn.ts';
import { Delivery, type DeliverySettings } from './delivery.ts';
import { changeDocuments, type FeedDocument, initialDocuments } from './documents.ts';
import { ElementInputs } from './element-inputs.ts';
import { StateGauge, type StateLimits } from './operator/gauge.ts';
import { Graph } from './operator/graph.ts';
import { type View, view } from './operator/view.ts';
import { overflowOf, withoutOverflow } from './overflow.ts';
import { LONGEST_UNREST_MS, LONGEST_WAIT_MS, neverQuiet, Quiet } from './quiet.ts';
import { Upstream } from './upstream.ts';

/** What a feed of the proxy plan is opened with. */
export interface ProxyFeedSettings extends Omit<DeliverySettings, 'stopUpstream'> {
  readonly live: Live;
  /** The element feed. */
  readonly query: StartQuery;
  /** How many times upstream says `ready` before everything is there. */
  readonly readies: number;
  /** What functions of the client are evaluated with. */
  readonly context: EvalContext;
  readonly limits: StateLimits;
}

/** A feed that is folded in the proxy. */
export class ProxyFeed implements Feed {
  readonly #settings: ProxyFeedSettings;
  readonly #upstream: Upstream;
  readonly #delivery: Delivery;
  readonly #gauge: StateGauge;
  readonly #graph: Graph;
  readonly #view: View;
  readonly #inputs: ElementInputs;
  readonly #settling: Settling;
  readonly #quiet: Quiet;
  #readiesLeft: number;
  /** Whether what was there at first has been shown. */
  #ready = false;
  #opened = false;
  #warned = false;

  constructor(settings: ProxyFeedSettings) {
    const { io, live, context, limits } = settings;
    this.#settings = settings;
    this.#settling = settlingOf(live);
    this.#quiet = new Quiet(io, {
      protocol: settings.protocol,
      act: () => this.#becomeQuiet(),
      late:
        this.#settling === 'moment'
          ? { ms: LONGEST_UNREST_MS, act: () => this.#delivery.fail(neverQuiet(live.changes.origin)) }
          : { ms: LONGEST_WAIT_MS, act: () => this.#becomeQuiet() },
    });
    this.#readiesLeft = settings.readies;
    this.#gauge = new StateGauge(limits, io.memory);
    this.#graph = new Graph({
      context,
      gauge: this.#gauge,
      warn: (warning) => this.#warn(warning),
    });
    this.#view = view(this.#graph, live.watched);
    this.#inputs = new ElementInputs(live.sources, this.#graph, (func) => countedFunction(func, context));
    this.#upstream = new Upstream(io, settings.query, {
      response: (body) => this.#response(body),
      failed: (error) => this.#delivery.fail(error),
      lost: () => {},
    });
    this.#delivery = new Delivery({
      ...settings,
      stopUpstream: () => {
        this.#quiet.stop();
        this.#upstream.stop();
      },
    });
  }

  #response(body: Buffer): void {
    const response = this.#upstream.read(body);
    if (response === undefined) return;
    if (response instanceof ReqlError) {
      this.#delivery.fail(withoutOverflow(response, this.#settings.live.changes.origin));
      return;
    }
    this.#open();
    const error = this.#take(response.documents) ?? (response.more ? undefined : this.#last());
    if (error !== undefined) this.#delivery.fail(error);
    else if (response.more) this.#delivery.flush(response.profile);
    else this.#delivery.complete();
  }

  continue(): void {
    this.#delivery.continue();
  }

  stop(): void {
    this.#delivery.stop();
  }

  resume(): void {
    this.#delivery.resume();
  }

  shrink(): void {
    this.#delivery.shrink();
  }

  close(): void {
    this.#quiet.stop();
    this.#delivery.close();
  }

  abort(error: ReqlError): void {
    this.#delivery.fail(error);
  }

  #open(): void {
    const { includeInitial, includeStates } = this.#settings.options;
    if (!this.#opened && includeInitial && includeStates) {
      this.#delivery.push({ kind: 'state', state: 'initializing' });
    }
    this.#opened = true;
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
    if (error === undefined) this.#delivery.flush(undefined);
    else this.#delivery.fail(error);
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
    this.#settings.io.warn('a reverse is wrong; the feed stays right, but slower', { law }, { counterexample });
  }

  #settle(): void {
    this.#graph.settle(WHOLE_TURN);
    this.#view.settle(WHOLE_TURN);
    if (!this.#ready) this.#begin();
  }

  /** Shows what is there at first, if the client wants to see it, and from then on what differs. */
  #begin(): void {
    const { includeInitial, includeStates } = this.#settings.options;
    this.#ready = true;
    if (includeInitial) {
      for (const part of this.#view.snapshot()) this.#push(initialDocuments(part));
    }
    if (includeStates) this.#delivery.push({ kind: 'state', state: 'ready' });
    this.#view.listen((difference) => this.#push(changeDocuments(difference)));
  }

  #push(documents: readonly FeedDocument[]): void {
    for (const document of documents) this.#delivery.push(document);
  }
}
