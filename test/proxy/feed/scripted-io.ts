// A feed's io without a session: what the feed sends is written down, time passes when the test says so.

import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import type { OpenFeedSettings } from '../../../proxy/feed/opening/open-feed-settings.ts';
import { QUIET_MS } from '../../../proxy/feed/source/quiet.ts';
import type { Holding } from '../../../proxy/memory/holding.ts';
import { MemoryBudget } from '../../../proxy/memory/memory-budget.ts';
import type { Observer } from '../../../proxy/observer/observer.ts';
import { Observers } from '../../../proxy/observer/observers.ts';
import { Tally } from '../../../proxy/observer/tally.ts';
import type {
  Feed,
  FeedIo,
  FeedPlan,
  FeedQuery,
  ProcessResources,
  UpstreamPort,
  UpstreamQuery,
  UpstreamSink,
} from '../../../proxy/relay/feed-port.ts';
import { QueryText } from '../../../proxy/relay/query-text.ts';
import { Schedule, SLICE_MS } from '../../../proxy/work/schedule.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

/** An observer that keeps nothing. */
export const NOBODY: Observer = new Observers([]);

/** A response to the client, read. */
export interface Answer {
  readonly t: number;
  readonly r: readonly Datum[];
  readonly n?: readonly number[];
  readonly e?: number;
  readonly b?: readonly (string | number)[];
  readonly p?: Datum;
}

/** What is asked to find out whether upstream is quiet. */
const QUESTION = '[1,null]';

/** How often a slice looks at the clock. */
const LOOKS = 4;

/** Work is done at once, in turns of a few steps. */
function shortTurns(): Schedule {
  let ms = 0;
  return new Schedule({
    now: () => {
      ms += SLICE_MS / LOOKS;
      return ms;
    },
    defer: (callback) => callback(),
  });
}

const isFeed = (start: string | Buffer): boolean => start.includes(`[${TermType.CHANGES},`);

function untold(sink: UpstreamSink): UpstreamQuery {
  sink.response(Buffer.from('{"t":18,"e":4100000,"r":["nobody knows"],"b":[]}'));
  return { more() {}, stop() {}, drop() {} };
}

export class ScriptedIo implements FeedIo {
  /** The responses to the client as they are, those of `answers` too. */
  readonly raw: string[] = [];
  readonly answers: Answer[] = [];
  readonly upstream: Datum[] = [];
  readonly asked: { readonly query: Datum; readonly answer: (body: Buffer) => void }[] = [];
  readonly timers: { readonly ms: number; readonly callback: () => void }[] = [];
  readonly warnings: { readonly message: string; readonly law?: string; readonly counterexample?: string }[] = [];
  readonly process: ProcessResources;
  readonly memory: Holding;
  /** What outlives a feed. Nobody says which tables there are, or answers for their indexes, and nothing looks at them again. */
  readonly shared: UpstreamPort = {
    query: (start, sink) => (isFeed(start) ? this.query(start, sink) : untold(sink)),
    ask: (query, answer) => {
      if (query === QUESTION) this.ask(query, answer);
    },
    schedule: (ms, callback) => (ms === 0 ? () => {} : this.schedule(ms, callback)),
  };
  isUnread = false;
  isEnded = false;
  plan: FeedPlan | undefined;
  #sink: UpstreamSink | undefined;

  /** `work`: the schedule of the process; `maxMemory`: the limit of its memory. */
  constructor(work: Schedule = shortTurns(), maxMemory?: number) {
    this.process = {
      memory: new MemoryBudget({ maxMemory, observer: NOBODY }),
      work,
      observer: NOBODY,
      tally: new Tally(),
    };
    this.memory = this.process.memory.open({ name: 'feed', shrink() {}, end() {} });
  }

  readonly text: QueryText = new QueryText(Buffer.alloc(0), false);

  sameTextAs(): void {}
  open(): void {}

  parsed(): void {}

  follows(): void {}

  wrote(): void {}

  healed(): void {}

  opened(plan: FeedPlan): void {
    this.plan = plan;
  }

  toClient(response: string | Buffer): void {
    if (this.isEnded) return;
    this.raw.push(response.toString());
    this.answers.push(JSON.parse(response.toString()));
  }

  refuseDuplicate(): void {
    this.toClient('{"t":16,"r":["ERROR: duplicate token 1"],"b":[]}');
  }

  admit(): undefined {}

  whenOver(_callback: () => void): void {}

  run(work: () => void): void {
    work();
  }

  mistake(error: unknown): void {
    throw error;
  }

  query(start: string | Buffer, sink: UpstreamSink): UpstreamQuery {
    this.upstream.push(JSON.parse(start.toString()));
    this.#sink = sink;
    let dropped = false;
    const send = (query: Datum): void => {
      if (!dropped) this.upstream.push(query);
    };
    return {
      more: () => send([2]),
      stop: () => send([3]),
      drop: () => {
        dropped = true;
        if (this.#sink === sink) this.#sink = undefined;
      },
    };
  }

  /** Upstream answers the query that was sent last, if that is still anybody's. */
  respond(response: unknown): void {
    const body = Buffer.isBuffer(response) ? response : Buffer.from(JSON.stringify(response));
    this.#sink?.response(body);
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    const answerUnlessEnded = (body: Buffer): void => {
      if (!this.isEnded) answer(body);
    };
    this.asked.push({ query: JSON.parse(query), answer: answerUnlessEnded });
  }

  warn(message: string, fields: Readonly<Record<string, string>>, data: Readonly<Record<string, string>>): void {
    this.warnings.push({ message, ...fields, ...data });
  }

  ended(): void {
    this.isEnded = true;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = { ms, callback };
    this.timers.push(timer);
    return () => {
      const index = this.timers.indexOf(timer);
      if (index >= 0) this.timers.splice(index, 1);
    };
  }

  /** Lets the wait for more of upstream's end, and answers what is asked then. */
  becomeQuiet(): void {
    const waits = this.timers.filter(({ ms }) => ms === QUIET_MS);
    for (const wait of waits) {
      this.timers.splice(this.timers.indexOf(wait), 1);
      wait.callback();
    }
    if (waits.length === 0) return;
    for (let asked = this.asked.shift(); asked !== undefined; asked = this.asked.shift()) {
      asked.answer(Buffer.from('{"t":1,"r":[null]}'));
    }
  }

  /** Lets every timer end. */
  elapse(): void {
    for (const { callback } of this.timers.splice(0)) callback();
  }
}

/** Settings under which the proxy folds. */
export const PROXY_PLAN: OpenFeedSettings = {
  plan: 'proxy',
  limits: { maxStateRows: 1e9, maxStateBytes: 1e12 },
  healMs: 0,
  now: () => 1_000_000,
};

/** A feed and both its ends. */
export class Driven {
  readonly io = new ScriptedIo();
  readonly feed: Feed | undefined;
  #seen = 0;

  /** Opens a feed for a term given as wire JSON. */
  constructor(
    term: unknown,
    options: { settings?: Partial<OpenFeedSettings>; query?: Partial<FeedQuery>; globals?: object } = {},
  ) {
    const { settings, query, globals } = options;
    const body = Buffer.from(JSON.stringify(globals === undefined ? [1, term] : [1, term, globals]));
    const opened = createOpenFeed({ ...PROXY_PLAN, ...settings })(
      { body, serverVersion: '2.4.4', user: 'admin', protocol: 'V1_0', ...query },
      this.io,
    );
    this.feed = opened === 'native' ? undefined : opened;
  }

  /** Upstream sends a batch of a feed. */
  send(...documents: unknown[]): this {
    this.io.respond({ t: 3, r: documents, n: [1, 5] });
    return this;
  }

  /** Upstream sends any response: as JSON, or the bytes of a buffer as they are. */
  respond(response: unknown): this {
    this.io.respond(response);
    return this;
  }

  /** The client asks for more. */
  continue(): this {
    this.feed?.continue();
    return this;
  }

  /** The answers since this was last called. */
  answers(): readonly Answer[] {
    const answers = this.io.answers.slice(this.#seen);
    this.#seen = this.io.answers.length;
    return answers;
  }

  /** Upstream has nothing more to say. */
  quiet(): this {
    this.io.becomeQuiet();
    return this;
  }

  /** The documents of the answers since last called, of a client that asks again whenever it is answered. */
  documents(): readonly Datum[] {
    this.quiet();
    const documents: Datum[] = [];
    for (let answers = this.answers(); answers.length > 0; answers = this.answers()) {
      for (const answer of answers) {
        documents.push(...answer.r);
        if (answer.t === 3) this.continue();
      }
    }
    return documents;
  }
}
