// The queries of one connection by their tokens: what each query is answered, and the cursors that stay open in between
// (query_cache.cc). It has no socket: responses go to a function.

import type { Token } from '../../../proxy/wire/frame.ts';
import {
  atomBody,
  duplicateToken,
  errorBody,
  sequenceBody,
  tokenNotInCache,
  WAIT_COMPLETE_BODY,
} from '../../../proxy/wire/response.ts';
import { clientError, internalError, ReqlError, resourceLimit } from '../../../rewrite/reql/error.ts';
import type { Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import { QueryType, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { type ParsedStart, parseQuery } from '../../../rewrite/reql/term/parse.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { type Client, Job, type Jobs } from '../catalog/jobs.ts';
import { namingTerm } from '../terms/answer-budget.ts';
import type { QueryContext } from '../terms/query-context.ts';
import { batchLimits } from './batch-limits.ts';
import { type Batch, Cursor } from './cursor.ts';
import { Profile } from './profile.ts';
import type { RowJson } from './row-json.ts';
import { literalFlag, type Runner, runQuery } from './run-query.ts';

/** Sends the body of a response under a token. */
export type Reply = (token: Token, body: string) => void;

interface OpenQuery {
  readonly term: Term;
  readonly cursor: Cursor;
  readonly context: QueryContext;
  readonly profile: Profile | undefined;
  readonly job: Job;
  /** How many CONTINUEs wait for a feed, one behind the other. */
  waiting: number;
}

export interface SessionOptions {
  readonly runner: Runner;
  readonly json: RowJson;
  readonly jobs: Jobs;
  readonly client: Client;
  /** Called after each query. */
  readonly settle: () => void;
  readonly reply: Reply;
  /** The answer to SERVER_INFO, as JSON. */
  readonly serverInfo: string;
  /** Whether a waiting CONTINUE is answered with an empty batch after a while, as V0_3 has it. */
  readonly emptyBatches: boolean;
}

const EMPTY_SEQUENCE = sequenceBody(ResponseType.SUCCESS_SEQUENCE, []);
/** Steps that it takes to write an item of an answer. */
const ITEM_STEPS = 20;
/** How long V0_3 waits for a feed before it answers with nothing, in milliseconds (batching.cc). */
const EMPTY_BATCH_AFTER = 500;

export class Session {
  readonly #options: SessionOptions;
  readonly #open = new Map<Token, OpenQuery>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Answers one query, now or when its feed has something. Never throws for what a client sends. */
  receive(token: Token, text: string): void {
    const query = parseQuery(text);
    switch (query.type) {
      case 'malformed':
        this.#fail(token, query.error);
        return;
      case QueryType.START:
        this.#start(token, query);
        return;
      case QueryType.CONTINUE:
        this.#continue(token);
        return;
      case QueryType.STOP:
        this.#stop(token);
        return;
      case QueryType.NOREPLY_WAIT:
        // Queries run to their end before the next is read, so there is nothing to wait for.
        if (this.#open.has(token)) this.#fail(token, clientError(duplicateToken(token)));
        else this.#options.reply(token, WAIT_COMPLETE_BODY);
        return;
      case QueryType.SERVER_INFO:
        this.#options.reply(token, `{"t":${ResponseType.SERVER_INFO},"r":[${this.#options.serverInfo}]}`);
        return;
    }
  }

  /** Closes every open query without an answer. */
  close(): void {
    for (const token of [...this.#open.keys()]) this.#drop(token);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #fail(token: Token, error: ReqlError): void {
    this.#options.reply(token, errorBody(error));
  }

  #start(token: Token, query: ParsedStart): void {
    const noreply = literalFlag(query, 'noreply');
    if (this.#open.has(token)) {
      if (!noreply) this.#fail(token, clientError(duplicateToken(token)));
      return;
    }
    const { jobs, client, settle } = this.#options;
    const job = new Job(query, client);
    jobs.begin(job);
    const body = this.#attempt(() => this.#run(token, query, noreply, job));
    jobs.end(job);
    if (noreply) this.#drop(token);
    else this.#options.reply(token, body);
    settle();
  }

  /** The body that `work` gives, or that of the error it raises. */
  #attempt(work: () => string): string {
    try {
      return work();
    } catch (error) {
      return errorBody(asReqlError(error));
    }
  }

  #run(token: Token, query: ParsedStart, noreply: boolean, job: Job): string {
    const profile = literalFlag(query, 'profile') ? new Profile() : undefined;
    const { outcome, context } = runQuery(query, this.#options.runner, profile);
    if (outcome.kind === 'atom') {
      const item = this.#options.json.of(outcome.value);
      return profile === undefined ? atomBody(item) : profile.into(atomBody(item));
    }
    const cursor = this.#cursor(query, outcome.stream, context);
    const open: OpenQuery = { term: query.term, cursor, context, profile, job, waiting: 0 };
    this.#open.set(token, open);
    return this.#read(token, open, noreply);
  }

  #cursor(query: ParsedStart, stream: Stream, context: QueryContext): Cursor {
    try {
      return new Cursor(stream, batchLimits(query), (datum) => {
        context.meter.spend(ITEM_STEPS);
        return this.#options.json.of(datum);
      });
    } catch (error) {
      context.close();
      throw error;
    }
  }

  /** Reads a batch; a stream that ends, or fails, is closed. */
  #read(token: Token, open: OpenQuery, last = false): string {
    try {
      const batch = readOf(open);
      const body = open.cursor.body(batch);
      if (batch.done || last || (batch.items.length === 0 && !open.cursor.isFeed)) this.#drop(token);
      return open.profile === undefined ? body : open.profile.into(body);
    } catch (error) {
      this.#drop(token);
      throw error;
    }
  }

  #continue(token: Token): void {
    const open = this.#open.get(token);
    if (open === undefined) {
      this.#fail(token, clientError(tokenNotInCache(token)));
    } else if (open.cursor.isFeed) {
      open.waiting++;
      this.#options.jobs.begin(open.job);
      if (open.waiting === 1) this.#await(token, open);
    } else {
      this.#options.reply(
        token,
        this.#attempt(() => this.#read(token, open)),
      );
    }
  }

  /** Answers a feed's CONTINUE as soon as there is something; what was woken for nothing waits on. */
  #await(token: Token, open: OpenQuery): void {
    const timer = this.#options.emptyBatches ? this.#giveUpLater(token, open) : undefined;
    open.cursor.wait(() => {
      if (timer !== undefined) this.#forget(timer);
      let found = true;
      const body = this.#attempt(() => {
        const batch = readOf(open);
        found = batch.items.length > 0 || batch.done;
        if (batch.done) this.#drop(token);
        return open.cursor.body(batch);
      });
      if (!found) this.#await(token, open);
      else this.#answer(token, open, body);
    });
  }

  #answer(token: Token, open: OpenQuery, body: string): void {
    open.waiting--;
    if (open.waiting === 0) this.#options.jobs.end(open.job);
    if (body.startsWith(`{"t":${ResponseType.RUNTIME_ERROR}`)) this.#drop(token);
    this.#options.reply(token, open.profile === undefined ? body : open.profile.into(body));
    if (this.#open.has(token)) {
      if (open.waiting > 0) this.#await(token, open);
      return;
    }
    this.#refuseWaiting(token, open);
  }

  #giveUpLater(token: Token, open: OpenQuery): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      // Nobody waits any more for what was stopped meanwhile.
      if (this.#open.get(token) !== open) return;
      open.cursor.cancel();
      this.#answer(token, open, open.cursor.body({ items: [], done: false }));
    }, EMPTY_BATCH_AFTER);
    this.#timers.add(timer);
    return timer;
  }

  #forget(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  #stop(token: Token): void {
    const open = this.#open.get(token);
    if (open === undefined) {
      this.#fail(token, clientError(tokenNotInCache(token)));
      return;
    }
    this.#drop(token);
    // The CONTINUE that is interrupted is answered as well as the STOP.
    if (open.waiting > 0) {
      open.waiting--;
      this.#options.reply(token, EMPTY_SEQUENCE);
    }
    this.#refuseWaiting(token, open);
    this.#options.reply(token, EMPTY_SEQUENCE);
  }

  /** Answers CONTINUEs that waited behind another one for a query that is no more (query_cache.cc, fill_response). */
  #refuseWaiting(token: Token, open: OpenQuery): void {
    for (; open.waiting > 0; open.waiting--) this.#fail(token, clientError(duplicateToken(token)));
  }

  #drop(token: Token): void {
    const open = this.#open.get(token);
    if (open === undefined) return;
    this.#open.delete(token);
    this.#options.jobs.end(open.job);
    open.cursor.cancel();
    open.context.close();
  }
}

/** A batch of a query, which is an answer of its own. */
function readOf({ term, cursor, context }: OpenQuery): Batch {
  context.meter.renew();
  return namingTerm(term, () => cursor.read());
}

/** Whatever was thrown as an error of ReQL: running out of stack is the query's doing, all else is ours. */
function asReqlError(error: unknown): ReqlError {
  if (error instanceof ReqlError) return error;
  if (error instanceof RangeError && /call stack/i.test(error.message)) {
    return resourceLimit('Ran out of stack space while evaluating the query.');
  }
  return internalError(error instanceof Error ? error.message : String(error));
}
